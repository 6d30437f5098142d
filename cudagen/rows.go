package cudagen

import "github.com/oneloop/oneloop/plan/ir"

func (g *generator) rows(p *pass) {
	_ = ir.Par
}
