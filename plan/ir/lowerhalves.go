package ir

import (
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
)

// LowerHalves gives integers of 64 bits that a loop computes 32 bits if all that becomes of them are integers of at
// most 32: cumsum(x) of int32 has sums of int64, and an array of int32 for the result takes their lower halves alone.
func LowerHalves(k *Kernel) {
	h := halving{Kernel: k}
	if !slices.ContainsFunc(k.Loops, func(l Loop) bool {
		return slices.ContainsFunc(k.Regions[l.Body].Code, func(in Ins) bool { return computes(in) && wide(in.Type) })
	}) {
		return
	}
	if h.find(); h.gains() {
		h.rewrite()
		Prune(k)
	}
}

// computes reports whether the lower half of a result takes less time than the whole one.
func computes(in Ins) bool {
	return in.Op == Carry || in.Op < prim.NumOps && in.Op != prim.Const && in.Op != prim.Cvt && keepsHalf(in.Op)
}

// gains reports whether halves of values are carried, or, where nothing is carried, computed in more instructions than they need conversions
// of whole values. A step of a path with random numbers has products of 64 bits beside the states, whose halves take longer.
func (h *halving) gains() bool {
	gain, carries, converted := 0, false, map[Value]bool{}
	for _, in := range h.All() {
		carries = carries || in.Op == Carry
		if in.Dst == None || !h.half[in.Dst] {
			continue
		}
		switch {
		case in.Op == Carry:
			return true
		case computes(*in):
			gain++
		}
		for _, v := range in.Args[:in.NumArgs()] {
			if wide(h.Types[v]) && !h.half[v] && in.Op != prim.Cvt && !converted[v] {
				converted[v] = true
				gain--
			}
		}
	}
	return gain > 0 && !carries
}

// keepsHalf reports whether the lower half of a result follows from the lower halves of the operands.
func keepsHalf(op prim.Op) bool {
	return op.Info().LowBits || op == prim.Const || op == Carry || op == Next
}

func wide(t dtype.Type) bool { return t == dtype.I64 || t == dtype.U64 }

// A halving finds and rewrites the values of a kernel of which only the lower halves matter.
type halving struct {
	*Kernel
	half []bool // by value
	def  []prim.Op
	// By value of before: the lower half of a whole value, or None; and the value that has the same bits afterwards.
	lower, same []Value
}

// find sets half: first for all values whose operations suit, then it takes away those that something needs whole, until
// none is left.
func (h *halving) find() {
	h.half, h.def = make([]bool, len(h.Types)), make([]prim.Op, len(h.Types))
	for _, in := range h.All() {
		if in.Dst != None {
			h.half[in.Dst], h.def[in.Dst] = keepsHalf(in.Op) && wide(h.Types[in.Dst]), in.Op
		}
	}
	for i := range h.Reducers {
		if r := &h.Reducers[i]; r.Body >= 0 {
			h.half[r.Yield] = false
		}
	}
	for changed := true; changed; {
		changed = false
		whole := func(v Value) {
			changed = changed || h.half[v]
			h.half[v] = false
		}
		for _, in := range h.All() {
			becomes := in.Dst != None && h.half[in.Dst]
			narrows := in.Op == prim.Cvt && in.Type.IsInt() && in.Type.Size() <= 4
			for v := range h.Uses(in) {
				switch {
				case !becomes && !narrows:
					whole(v)
				case becomes && wide(h.Types[v]) && !h.half[v] && !h.converts(v) || becomes && !h.Types[v].IsInt() && in.Op == prim.Cvt:
					whole(in.Dst)
				}
			}
			if in.Op == Next && !h.half[in.Args[0]] {
				whole(in.Dst)
			}
		}
	}
}

// converts reports whether a conversion may follow the definition of v in its list.
func (h *halving) converts(v Value) bool {
	return h.def[v] < prim.NumOps || h.def[v] == Load || h.def[v] == Scalar
}

// rewrite gives the values their types. A whole value that one of them takes is converted where it is defined, and
// conversions that change nothing go.
func (h *halving) rewrite() {
	narrow := map[dtype.Type]dtype.Type{dtype.I64: dtype.I32, dtype.U64: dtype.U32}
	for v := range h.half {
		if h.half[v] {
			h.Types[v] = narrow[h.Types[v]]
		}
	}
	h.lower, h.same = make([]Value, len(h.half)), make([]Value, len(h.half))
	for v := range h.half {
		h.lower[v], h.same[v] = None, Value(v)
	}
	for _, in := range h.All() {
		if a := in.Args[0]; in.Op == prim.Cvt && h.Types[in.Dst] == h.Types[a] && (h.half[in.Dst] || h.half[a]) {
			h.same[in.Dst] = h.same[a]
		}
		for _, v := range in.Args[:in.NumArgs()] {
			if in.Dst == None || !h.half[in.Dst] || !wide(h.Types[v]) || h.lower[v] != None {
				continue
			}
			h.lower[v] = Value(len(h.Types))
			h.Types = append(h.Types, narrow[h.Types[v]])
			if h.Origins != nil {
				h.Origins = append(h.Origins, h.Origins[v])
			}
		}
	}
	for r := range h.Regions {
		var code []Ins
		for _, in := range h.Regions[r].Code {
			code = append(code, h.rewritten(in))
			if v := in.Dst; v != None && h.lower[v] != None {
				code = append(code, Ins{Op: prim.Cvt, Type: h.Types[h.lower[v]], Dst: h.lower[v], Args: [3]Value{v, None, None}})
			}
		}
		h.Regions[r].Code = code
	}
}

// rewritten returns an instruction with the new operands.
func (h *halving) rewritten(in Ins) Ins {
	becomes := in.Dst != None && h.half[in.Dst]
	for i, v := range in.Args[:in.NumArgs()] {
		if in.Args[i] = h.same[v]; becomes && h.lower[v] != None {
			in.Args[i] = h.lower[v]
		}
	}
	switch {
	case in.Op == Cold:
		in.Imm = uint64(h.same[in.Imm])
	case becomes:
		in.Type = h.Types[in.Dst]
		if in.Op == prim.Const {
			in.Imm &= 1<<32 - 1
		}
	}
	return in
}
