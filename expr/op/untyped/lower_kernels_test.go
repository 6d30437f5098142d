package untyped

import (
	"testing"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/plan/ir"
)

// TestLowerings checks the kernel of every lowering, and parses its text back.
func TestLowerings(t *testing.T) {
	built := 0
	for _, o := range Table() {
		if o.Class() != tree.Elementwise || o.Lower() == nil {
			continue
		}
		for _, typ := range dtype.Real() {
			b := ir.NewBuilder("k")
			i0 := b.Axis("i0")
			at := []prim.Ix{b.K.Index.Axis(i0)}
			b.Open(ir.Vec, i0)
			var x []prim.V
			for i := range o.Arity() {
				name := string(rune('a' + i))
				x = append(x, b.Load(b.Buf(ir.Buf{Name: name, Type: typ, Rank: 1}), ir.InBounds, at, prim.V{}))
			}
			low := prim.NewB(b)
			y := o.Lower()(low, x...)
			if low.Err() != nil {
				continue // not an operator of this type
			}
			b.Store(b.Buf(ir.Buf{Name: "y", Type: y.Type, Mode: ir.Out, Rank: 1}), at, y)
			b.Close()
			built++
			if err := ir.Check(b.K); err != nil {
				t.Errorf("%s %s: %v\n%s", o.Name(), typ, err, b.K)
				continue
			}
			noneConstant(t, o.Name(), b.K)
			k, err := ir.Parse(b.K.String())
			if err != nil {
				t.Errorf("%s %s: %v", o.Name(), typ, err)
			} else if k.String() != b.K.String() {
				t.Errorf("%s %s: text differs", o.Name(), typ)
			}
		}
	}
	if built < 300 {
		t.Errorf("only %d kernels", built)
	}
	t.Logf("%d kernels", built)
}

// noneConstant fails the test if an instruction has only constant operands.
func noneConstant(t *testing.T, name string, k *ir.Kernel) {
	constant := map[ir.Value]bool{}
	for _, r := range k.Regions {
		for _, in := range r.Code {
			if in.Op == prim.Const {
				constant[in.Dst] = true
				continue
			}
			arity, known := in.Op.Info().Arity, 0
			for _, a := range in.Args[:arity] {
				if constant[a] {
					known++
				}
			}
			if arity > 0 && known == arity && in.Op != ir.Store {
				t.Errorf("%s: an instruction on constants\n%s", name, k)
				return
			}
		}
	}
}
