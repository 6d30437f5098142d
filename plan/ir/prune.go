package ir

import "github.com/oneloop/oneloop/expr/prim"

// Prune removes instructions with unused results, and numbers the remaining
// values densely.
func Prune(k *Kernel) {
	live := make([]bool, len(k.Types))
	ixLive := make([]bool, len(k.Index.Nodes))
	var use func(v Value)
	var useIx func(ix prim.Ix)
	def := make([]*Ins, len(k.Types))
	next := map[Value]Value{} // of each carry
	for r := range k.Regions {
		for i := range k.Regions[r].Code {
			if in := &k.Regions[r].Code[i]; in.Dst != None {
				def[in.Dst] = in
			}
			if in := &k.Regions[r].Code[i]; in.Op == Next {
				next[in.Args[0]] = in.Dst
			}
		}
	}
	useIx = func(ix prim.Ix) {
		if ixLive[ix] {
			return
		}
		ixLive[ix] = true
		switch n := k.Index.At(ix); n.Op {
		case prim.IxValue:
			use(Value(n.K))
		case prim.IxAdd, prim.IxMul, prim.IxDiv, prim.IxMod:
			useIx(n.A)
			useIx(n.B)
		}
	}
	operands := func(in *Ins) {
		for _, a := range in.Args {
			if a != None {
				use(a)
			}
		}
		switch in.Op {
		case Load, Store:
			for _, c := range k.Access[in.Aux].Coords {
				useIx(c)
			}
		case Index:
			useIx(prim.Ix(in.Imm))
		case Cold:
			use(Value(in.Imm))
		}
	}
	use = func(v Value) {
		if !live[v] {
			live[v] = true
			operands(def[v])
			if def[v].Op == Carry {
				use(next[v])
			}
		}
	}
	for r := range k.Regions {
		for i := range k.Regions[r].Code {
			if in := &k.Regions[r].Code[i]; in.Op == Store || in.Op == Fault {
				operands(in)
			}
		}
	}
	for i := range k.Reducers {
		if r := &k.Reducers[i]; r.Body >= 0 {
			live[r.X], live[r.Y] = true, true
			use(r.Yield)
		}
	}
	k.compact(live)
}

// compact keeps live values and instructions without a result.
func (k *Kernel) compact(live []bool) {
	number := make([]Value, len(k.Types))
	types, origins := k.Types[:0], k.Origins[:0]
	for v, t := range k.Types {
		number[v] = None
		if live[v] {
			number[v] = Value(len(types))
			types = append(types, t)
			if k.Origins != nil {
				origins = append(origins, k.Origins[v])
			}
		}
	}
	k.Types, k.Origins = types, origins
	for r := range k.Regions {
		code := k.Regions[r].Code[:0]
		for _, in := range k.Regions[r].Code {
			if in.Dst != None && !live[in.Dst] {
				continue
			}
			if in.Dst != None {
				in.Dst = number[in.Dst]
			}
			for a := range in.Args {
				if in.Args[a] != None {
					in.Args[a] = number[in.Args[a]]
				}
			}
			if in.Op == Cold {
				in.Imm = uint64(number[in.Imm])
			}
			code = append(code, in)
		}
		k.Regions[r].Code = code
	}
	for i := range k.Reducers {
		if r := &k.Reducers[i]; r.Body >= 0 {
			r.X, r.Y, r.Yield = number[r.X], number[r.Y], number[r.Yield]
		}
	}
	for i, n := range k.Index.Nodes {
		if n.Op == prim.IxValue {
			k.Index.Nodes[i].K = int64(max(number[n.K], 0))
		}
	}
}
