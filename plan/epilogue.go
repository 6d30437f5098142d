package plan

import (
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/plan/bound"
	"github.com/oneloop/oneloop/plan/ir"
	"github.com/oneloop/oneloop/shape"
)

// WithEpilogues returns p with biases added by the products themselves, for
// back ends whose products can do that. It replaces a product and the loop
// after it by one stage with a Bias. The conditions: only that loop reads the
// product, the loop does nothing but add a vector along the last axis, and take
// accepts the new stage. The temporary between the two stages is then unused. p
// does not change.
func (p *Plan) WithEpilogues(take func(*Stage) bool) *Plan {
	out := &Plan{Origins: p.Origins, ProductsInOrder: p.ProductsInOrder}
	for i := 0; i < len(p.Stages); i++ {
		s := p.Stages[i]
		if b := p.biased(i); b != nil && take(b) {
			s = b
			i++
		}
		out.Stages = append(out.Stages, s)
	}
	if len(out.Stages) == len(p.Stages) {
		return p
	}
	out.placeTemps(lists.Map(p.Temps, func(t *Temp) *Array { return t.Array }))
	return out
}

// biased returns one stage for stage i and the stage after it, if they are a
// product and the addition of its bias; else nil.
func (p *Plan) biased(i int) *Stage {
	if i+1 == len(p.Stages) {
		return nil
	}
	s := p.Stages[i]
	if s.Kind != Product || s.Out.Mem != nil || p.users(s.Out.Temp) != 2 {
		return nil
	}
	bias, out := p.Stages[i+1].bias(s)
	if bias == nil {
		return nil
	}
	reads := []*Array{s.A, s.B, bias}
	if slices.ContainsFunc(reads, out.Overlaps) { // a stored row would overwrite operands of later rows
		return nil
	}
	origins := s.Origins
	for _, more := range p.Stages[i+1].Kernel.Origins {
		origins = lists.Union(origins, more)
	}
	return &Stage{Kind: Product, Why: s.Why, Origins: origins, A: s.A, B: s.B, ShapeA: s.ShapeA, ShapeB: s.ShapeB, Bias: bias, Out: out, Reads: reads, Writes: []*Array{out}}
}

// users returns the number of stages that read or write a temporary.
func (p *Plan) users(temp int) int {
	return lists.Count(p.Stages, func(s *Stage) bool {
		return slices.ContainsFunc(slices.Concat(s.Reads, s.Writes), func(a *Array) bool { return a.Mem == nil && a.Temp == temp })
	})
}

// bias returns the vector that a loop adds to the rows of a product, and the
// array that holds the sums, in the order of the product. It returns nil if the
// loop does anything else.
func (s *Stage) bias(product *Stage) (bias, out *Array) {
	terms := product.A.Shape[len(product.A.Shape)-1]
	n, last := len(product.B.Shape), len(s.Extents)-1
	if s.Kind != Loop || terms == 0 || n < 2 || last < 0 || s.Extents[last] != product.B.Shape[n-1] {
		return nil, nil
	}
	extents := shape.Shape(s.Extents)
	if extents.Size() != product.Out.Shape.Size() {
		return nil, nil
	}
	whole, vector := extents.Strides(), make(shape.Strides, last+1)
	vector[last] = 1
	x, y, sum, ok := s.addition(product.Out.Type)
	if !ok || !slices.Equal(sum.steps, whole) {
		return nil, nil
	}
	if y.isTemp(product.Out.Temp) {
		x, y = y, x
	}
	if !x.isTemp(product.Out.Temp) || x.array.Offset != 0 || !slices.Equal(x.steps, whole) || !slices.Equal(y.steps, vector) {
		return nil, nil
	}
	return y.array, sum.array
}

// A walk describes how a loop goes through an array: it starts at the first
// element and moves by steps[d] elements along axis d of the kernel.
type walk struct {
	array *Array
	steps shape.Strides
}

func (w walk) isTemp(number int) bool { return w.array.Mem == nil && w.array.Temp == number }

// addition returns the walks of a loop that stores the sum x + y of two arrays
// of type t. It returns false if the loop does anything else.
func (s *Stage) addition(t dtype.Type) (x, y, sum walk, ok bool) {
	k := s.Kernel
	entry := k.Regions[0].Code
	if len(entry) != 1 || entry[0].Op != ir.For || k.Loops[entry[0].Aux].Kind != ir.Vec {
		return x, y, sum, false
	}
	code := k.Regions[k.Loops[entry[0].Aux].Body].Code
	if len(code) != 4 {
		return x, y, sum, false
	}
	a, b, add, store := &code[0], &code[1], &code[2], &code[3]
	if a.Op != ir.Load || b.Op != ir.Load || add.Op != prim.Add || store.Op != ir.Store || store.Args[0] != add.Dst {
		return x, y, sum, false
	}
	if args := [2]ir.Value{add.Args[0], add.Args[1]}; args != [2]ir.Value{a.Dst, b.Dst} && args != [2]ir.Value{b.Dst, a.Dst} {
		return x, y, sum, false
	}
	walks := make([]walk, 3)
	for i, ins := range []*ir.Ins{a, b, store} {
		if walks[i], ok = s.through(ins, t); !ok {
			return x, y, sum, false
		}
	}
	return walks[0], walks[1], walks[2], true
}

// through returns the walk of a load or store. It returns false unless the
// access is affine, in bounds, and begins at the first element.
func (s *Stage) through(ins *ir.Ins, t dtype.Type) (walk, bool) {
	access := &s.Kernel.Access[ins.Aux]
	operand := &s.Bufs[access.Buf]
	if operand.Array == nil || operand.Array.Type != t {
		return walk{}, false
	}
	at, ok := s.offset(bound.NewSpace(&s.Kernel.Index, s.Extents, s.Params), access, 0)
	return walk{operand.Array, at.Coef}, ok && at.C == 0
}
