package ir

import (
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
)

// Settled returns predicates of a seq loop: where none of them holds, no later step
// changes a value that the loop carries. So a back end may leave the loop after the first
// n instructions of a step if none holds in any lane. There are no predicates if the loop
// has other effects than what it carries, or no such form.
//
// The form is that each next selects between another value and the carry itself, by a
// predicate that follows from carries and from values from outside of the loop, or by the
// conjunction of such a predicate and others.
func (k *Kernel) Settled(body int32) (n int, held []Value) {
	s := settling{code: k.Regions[body].Code, def: map[Value]int{}, sources: map[Value]source{}}
	for i := range s.code {
		switch in := &s.code[i]; in.Op {
		case Store, Reduce, Fault, For:
			return 0, nil
		default:
			s.def[in.Dst] = i
		}
	}
	for i := range s.code {
		in := &s.code[i]
		if in.Op != Next || in.Args[0] == in.Args[1] {
			continue
		}
		p := s.predicate(in)
		if p == None {
			return 0, nil
		}
		if !slices.Contains(held, p) {
			held = append(held, p)
		}
		n = max(n, s.def[p]+1)
	}
	return n, held
}

// A settling is what Settled knows of the body of a loop.
type settling struct {
	code    []Ins
	def     map[Value]int // the instruction of each value of the body
	sources map[Value]source
}

// A source is what a value follows from.
type source uint8

const (
	unknown source = iota
	outside        // constants, and values from outside of the loop
	carried        // also carries
)

// predicate returns a predicate of a next: where it does not hold, the next equals its carry.
// It returns None if it finds no such predicate.
func (s *settling) predicate(next *Ins) Value {
	if i, ok := s.def[next.Args[1]]; ok && s.code[i].Op == prim.Select && s.code[i].Args[2] == next.Args[0] {
		return s.conjunct(s.code[i].Args[0])
	}
	return None
}

// conjunct returns p or, if p is a conjunction, one of the predicates that it joins. The result
// follows from carries. It is None if no such predicate does.
func (s *settling) conjunct(p Value) Value {
	i, ok := s.def[p]
	if !ok {
		return None
	}
	if s.source(p) == carried {
		return p
	}
	if in := &s.code[i]; in.Op == prim.And && in.Type == dtype.Bool {
		for _, a := range in.Args[:2] {
			if q := s.conjunct(a); q != None {
				return q
			}
		}
	}
	return None
}

// source returns what a value follows from by primitives.
func (s *settling) source(v Value) source {
	i, ok := s.def[v]
	if !ok {
		return outside
	}
	if known, ok := s.sources[v]; ok {
		return known
	}
	in, from := &s.code[i], unknown
	switch {
	case in.Op == Carry:
		from = carried
	case in.Op < prim.NumOps:
		from = outside
		for _, a := range in.Args[:in.NumArgs()] {
			x := s.source(a)
			if x == unknown {
				from = unknown
				break
			}
			from = max(from, x)
		}
	}
	s.sources[v] = from
	return from
}

// SettledFirst moves the predicates of [Kernel.Settled], and what they follow from, to the
// beginning of each seq loop.
func SettledFirst(k *Kernel) {
	for i := range k.Loops {
		l := &k.Loops[i]
		if l.Kind != Seq {
			continue
		}
		n, held := k.Settled(l.Body)
		code := k.Regions[l.Body].Code
		first := make([]bool, len(code))
		for i := n - 1; i >= 0; i-- {
			in := &code[i]
			if slices.Contains(held, in.Dst) {
				first[i] = true
			}
			if !first[i] {
				continue
			}
			for j := range i {
				first[j] = first[j] || slices.Contains(in.Args[:in.NumArgs()], code[j].Dst)
			}
		}
		var front, rest []Ins
		for i, in := range code {
			if first[i] {
				front = append(front, in)
			} else {
				rest = append(rest, in)
			}
		}
		copy(code, append(front, rest...))
	}
}
