package amd64

import (
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
)

// Neighbouring fields of records with AVX2. A half of 128 bits has the fields of one record, so a vector
// has those of record r, and of the record as many further on as a half has lanes. Then permutes within
// halves transpose both. No load leaves the memory from the first field of the first record to the last
// field of the last.

// neighbours is the size of the fields whose loads share vectors.
const neighbours = 16

// neighbours loads some neighbouring fields of records that have more.
func (f *avx2) neighbours(s *layout.Site, t dtype.Type, v []isa.Vec) []isa.Vec {
	n := s.Line.Step()
	p := splitter{avx2: f, t: t, l: f.LenOf(t), record: n, first: f.stepLane(s, n) * n}
	switch {
	case isa.Wide(t) && len(v) == 1:
		p.blended(v[0], 0)
	case isa.Wide(t):
		p.load(v[0], 0)
		x := p.load(f.Tmp(), n)
		p.two(x86.VUNPCKHPD, v[1], v[0], x)
		p.two(x86.VUNPCKLPD, v[0], v[0], x)
	case len(v) == 1:
		p.blended(v[0], 0)
	case len(v) == 2:
		p.pairs(v)
	case len(v) == 3: // the fourth is the field before
		p.quads([]isa.Vec{f.Tmp(), v[0], v[1], v[2]}, -1)
	default:
		p.quads(v, 0)
	}
	return v
}

// A splitter loads fields of records of some elements. The first element is that many elements after
// the address in RCX.
type splitter struct {
	*avx2
	t             dtype.Type
	l             x86.Len
	record, first int
}

// load loads the elements from element at of the records on, into both halves, and returns d.
func (p *splitter) load(d x86.Vec, at int) x86.Vec {
	size := p.t.Size()
	m := x86.At(x86.RCX, int32((p.first+at)*size))
	p.I(x86.VMOVUPS, x86.L128, d, m)
	if p.l == x86.L256 {
		m.Disp += int32(neighbours * p.record)
		p.I(x86.VINSERTF128, x86.L256, d, d, m, x86.Imm(1))
	}
	return d
}

// two emits a permute of two vectors.
func (p *splitter) two(op x86.Op, d, x, y x86.Vec) { p.I(op, p.l, d, x, y) }

// shuffle puts lanes of each half: two of x, then two of y.
func (p *splitter) shuffle(d, x, y x86.Vec, lanes [4]int) {
	order := 0
	for i, lane := range lanes {
		order |= lane << (2 * i)
	}
	p.I(x86.VSHUFPS, p.l, d, x, y, x86.Imm(order))
}

// blended loads a field from element at on, and as many after it as lanes stay free: the loads have
// each record at its place, and blends join them.
func (p *splitter) blended(d x86.Vec, at int) {
	lanes, words := neighbours/p.t.Size(), p.t.Size()/4
	p.load(d, at)
	p.Within(func() {
		x := p.Tmp()
		for r := 1; r < lanes; r++ {
			p.load(x, at+r*p.record-r)
			blend := (1<<words - 1) << (r * words)
			p.I(x86.VPBLENDD, p.l, d, d, x, x86.Imm(blend|blend<<4))
		}
	})
}

// pairs loads two fields: x has those of the records 0 and 1, and y those of the records 2 and 3.
func (p *splitter) pairs(v []isa.Vec) {
	x, y := v[0], v[1]
	p.Within(func() {
		z := p.Tmp()
		for i, d := range v {
			p.load(d, 2*i*p.record)
			p.load(z, (2*i+1)*p.record-2)
			p.I(x86.VPBLENDD, p.l, d, d, z, x86.Imm(0xcc))
		}
		p.shuffle(z, x, y, [4]int{0, 2, 0, 2})
		p.shuffle(y, x, y, [4]int{1, 3, 1, 3})
		p.I(x86.VMOVAPS, p.l, x, z)
	})
}

// quads loads four fields from element at on.
func (p *splitter) quads(v []isa.Vec, at int) {
	p.Within(func() {
		for i, d := range v {
			p.load(d, at+i*p.record)
		}
		x, y := p.Tmp(), p.Tmp()
		p.two(x86.VUNPCKHPS, x, v[0], v[1])
		p.two(x86.VUNPCKLPS, v[0], v[0], v[1])
		p.two(x86.VUNPCKHPS, y, v[2], v[3])
		p.two(x86.VUNPCKLPS, v[2], v[2], v[3])
		p.two(x86.VUNPCKHPD, v[1], v[0], v[2])
		p.two(x86.VUNPCKLPD, v[0], v[0], v[2])
		p.two(x86.VUNPCKLPD, v[2], x, y)
		p.two(x86.VUNPCKHPD, v[3], x, y)
	})
}
