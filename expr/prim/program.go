package prim

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/oneloop/oneloop/expr/dtype"
)

// A Program is a lowering that runs on scalars, for constant folding and tests.
// [Program.Call] uses memory of the program, so only one goroutine may call it at a
// time; see [Program.Clone].
type Program struct {
	params []dtype.Type
	steps  []step
	consts []V // the slots of the constants, set once
	tables [][]uint64
	types  []dtype.Type // of the tables
	slots  []uint64
	result V
}

// A step is an instruction, the jump over a cold region, or the end of one.
type step struct {
	code code
	kind kind
	dst  int32
	args [3]int32
	to   int // of a jump: the first step after the region
	ins  Ins
}

type kind uint8

const (
	plain kind = iota
	lookup
	jump // dst = args[1]; unless args[0] holds, continue at to
	move // dst = args[0]
)

// NewProgram returns the program that lower builds on parameters of the given
// types. Equal instructions are stored once. An error or a panic of lower
// becomes an error.
func NewProgram(params []dtype.Type, lower func(b *B, x ...V) V) (*Program, error) {
	p := &Program{params: params}
	r := &recorder{p: p, cons: make(map[Ins]V)}
	x := make([]V, len(params))
	for i, t := range params {
		if !Any.Has(t) {
			return nil, fmt.Errorf("prim: parameter %d: %s is not a register type", i, t)
		}
		x[i] = r.slot(t)
	}
	if err := r.run(lower, x); err != nil {
		return nil, err
	}
	return p, nil
}

// run calls a lowering. A panic becomes an error.
func (r *recorder) run(lower func(b *B, x ...V) V, x []V) (err error) {
	defer func() {
		if e := recover(); e != nil {
			err = fmt.Errorf("prim: the lowering panics: %v", e)
		}
	}()
	if lower == nil {
		return errors.New("prim: the lowering is nil")
	}
	b := NewB(r)
	r.p.result = lower(b, x...)
	if b.Err() == nil && !r.Has(r.p.result) {
		return fmt.Errorf("prim: the lowering returns no value of its program")
	}
	return b.Err()
}

// A recorder is the sink of NewProgram. It hoists constants out of cold
// regions. Other values of a cold region are not visible after it.
type recorder struct {
	p     *Program
	cons  map[Ins]V
	kinds []dtype.Type // of the slots; Invalid once the region of a value has ended
	depth int
	undo  []Ins // instructions to forget at the end of the innermost region
}

func (r *recorder) slot(t dtype.Type) V {
	v := V{ID: int32(len(r.p.slots)), Type: t}
	r.p.slots, r.kinds = append(r.p.slots, 0), append(r.kinds, t)
	return v
}

// Emit implements [Sink].
func (r *recorder) Emit(ins Ins) V {
	if v, ok := r.cons[ins]; ok {
		return v
	}
	v := r.slot(ins.Type)
	r.cons[ins] = v
	s := step{code: codeOf(ins), dst: v.ID, ins: ins}
	for i, a := range ins.Args {
		s.args[i] = a.ID
	}
	switch {
	case ins.Op == Const:
		r.p.slots[v.ID] = ins.Imm
		r.p.consts = append(r.p.consts, v)
		return v
	case ins.Op == Lookup:
		s.kind = lookup
	}
	if r.depth > 0 {
		r.undo = append(r.undo, ins)
	}
	r.p.steps = append(r.p.steps, s)
	return v
}

// Cold implements [Sink].
func (r *recorder) Cold(p, fast V, body func() V) V {
	dst := r.slot(fast.Type)
	at := len(r.p.steps)
	r.p.steps = append(r.p.steps, step{kind: jump, dst: dst.ID, args: [3]int32{p.ID, fast.ID}})
	outer := r.undo
	r.undo = nil
	r.depth++
	mark := len(r.kinds)
	slow := body()
	r.depth--
	for id := mark; id < len(r.kinds); id++ {
		r.kinds[id] = dtype.Invalid
	}
	for _, v := range r.p.consts {
		r.kinds[v.ID] = v.Type
	}
	for _, ins := range r.undo {
		delete(r.cons, ins)
	}
	r.undo = outer
	r.p.steps = append(r.p.steps, step{kind: move, dst: dst.ID, args: [3]int32{slow.ID}})
	r.p.steps[at].to = len(r.p.steps)
	return dst
}

// Has implements [Sink].
func (r *recorder) Has(v V) bool {
	return v.ID >= 0 && int(v.ID) < len(r.kinds) && r.kinds[v.ID] == v.Type && v.Type.Valid()
}

// Table implements [Sink].
func (r *recorder) Table(t dtype.Type, bits []uint64) int {
	for i, have := range r.p.tables {
		if r.p.types[i] == t && slices.Equal(have, bits) {
			return i
		}
	}
	r.p.tables = append(r.p.tables, append([]uint64(nil), bits...))
	r.p.types = append(r.p.types, t)
	return len(r.p.tables) - 1
}

// Result returns the type of the result.
func (p *Program) Result() dtype.Type { return p.result.Type }

// Call returns the result for arguments given as bits. It does not allocate.
func (p *Program) Call(args ...uint64) uint64 { return p.run(p.slots, args) }

// Do is Call for concurrent use. It allocates only for programs of more than 64
// values.
func (p *Program) Do(args ...uint64) uint64 {
	var mem [64]uint64
	return p.run(append(mem[:0], p.slots...), args)
}

func (p *Program) run(slots, args []uint64) uint64 {
	copy(slots[:len(p.params)], args)
	for i := 0; i < len(p.steps); i++ {
		s := &p.steps[i]
		switch s.kind {
		case plain:
			x, y, z := slots[s.args[0]], slots[s.args[1]], slots[s.args[2]]
			slots[s.dst], _ = evalCode(s.code, &s.ins, x, y, z)
		case lookup:
			t := p.tables[s.ins.Imm]
			slots[s.dst] = t[slots[s.args[0]]&uint64(len(t)-1)]
		case jump:
			slots[s.dst] = slots[s.args[1]]
			if slots[s.args[0]] == 0 {
				i = s.to - 1
			}
		case move:
			slots[s.dst] = slots[s.args[0]]
		}
	}
	return slots[p.result.ID]
}

// Clone returns a copy for use by another goroutine.
func (p *Program) Clone() *Program {
	q := *p
	q.slots = append([]uint64(nil), p.slots...)
	return &q
}

// Cost returns the number of instructions outside and inside cold regions.
// Constants and Bitcast do not count, because they cost nothing on most
// machines. The test of a cold region counts as one.
func (p *Program) Cost() (hot, cold int) {
	end := 0
	for i, s := range p.steps {
		switch {
		case s.kind == move || s.ins.Op == Bitcast:
		case i < end:
			cold++
		default:
			hot++
			if s.kind == jump {
				end = s.to
			}
		}
	}
	return hot, cold
}

// Consts returns the constants in a fixed order: their types and bits, then the
// entries of tables.
func (p *Program) Consts() []Ins {
	var out []Ins
	for _, v := range p.consts {
		out = append(out, Ins{Op: Const, Type: v.Type, Imm: p.slots[v.ID]})
	}
	for i, t := range p.tables {
		for _, e := range t {
			out = append(out, Ins{Op: Const, Type: p.types[i], Imm: e})
		}
	}
	return out
}

// WithConst returns a copy of p in which constant i of [Program.Consts] has
// other bits. Mutation tests use it.
func (p *Program) WithConst(i int, bits uint64) *Program {
	q := p.Clone()
	if i < len(p.consts) {
		q.slots[p.consts[i].ID] = bits
		return q
	}
	i -= len(p.consts)
	q.tables = append([][]uint64(nil), p.tables...)
	for k, t := range q.tables {
		if i < len(t) {
			q.tables[k] = append([]uint64(nil), t...)
			q.tables[k][i] = bits
			break
		}
		i -= len(t)
	}
	return q
}

// String returns the program as text, one instruction a line.
func (p *Program) String() string {
	var w strings.Builder
	for _, v := range p.consts {
		fmt.Fprintf(&w, "v%d = const.%s %#x\n", v.ID, v.Type.Short(), p.slots[v.ID])
	}
	for i, s := range p.steps {
		switch s.kind {
		case jump:
			fmt.Fprintf(&w, "%d: v%d = v%d; cold v%d to %d\n", i, s.dst, s.args[1], s.args[0], s.to)
		case move:
			fmt.Fprintf(&w, "%d: v%d = v%d\n", i, s.dst, s.args[0])
		default:
			fmt.Fprintf(&w, "%d: v%d = %s.%s", i, s.dst, s.ins.Op, s.ins.Type.Short())
			for k := range s.ins.Op.Info().Arity {
				fmt.Fprintf(&w, " v%d", s.args[k])
			}
			if s.kind == lookup {
				fmt.Fprintf(&w, " table %d", s.ins.Imm)
			}
			w.WriteByte('\n')
		}
	}
	fmt.Fprintf(&w, "result v%d\n", p.result.ID)
	return w.String()
}
