package ir

import "slices"

// Check returns an error for the first rule of the IR that k breaks. The rules
// concern names and declarations, the nesting of loops, the visibility and
// types of values, and the use of axes and buffers. Tests call it between
// passes, and the engine calls it when debugging. Back ends rely on these rules
// and do not check them again.
func Check(k *Kernel) error {
	c := &checker{
		k:       k,
		defined: make([]bool, len(k.Types)),
		visible: make([]bool, len(k.Types)),
		regions: make([]bool, len(k.Regions)),
		loops:   make([]bool, len(k.Loops)),
		bound:   make([]bool, len(k.Axes)),
		inner:   make([]bool, len(k.Axes)),
		rows:    make([]rowUse, len(k.Bufs)),
	}
	c.declarations()
	c.index()
	if c.err == nil {
		c.reducers()
	}
	if c.err == nil {
		c.regions[0] = true
		c.region(place{kind: entry, par: -1})
	}
	if c.err == nil {
		c.rest()
	}
	return c.err
}

// reducers checks the reductions of the kernel and their programs.
func (c *checker) reducers() {
	for i := range c.k.Reducers {
		r := &c.k.Reducers[i]
		switch {
		case !r.Complete() || r.Native() != (r.Body < 0):
			c.fail("reduction %d has no row or no program", i)
		case r.Body < 0: // reduce looks at the type
		case !r.Types().Has(r.Type):
			c.fail("reduction %s does not take %s", r.Name(), r.Type.Short())
		default:
			if id, nothing := r.Bits(); !fits(r.Type, id) || !fits(r.Type, nothing) {
				c.fail("reduction %s: the identity does not fit %s", r.Name(), r.Type.Short())
			}
			c.program(r)
		}
		if c.err != nil {
			return
		}
	}
}

// program checks the program of a reducer. Only its two operands are visible in
// it.
func (c *checker) program(r *Reducer) {
	c.claim(r.Body)
	for _, v := range []Value{r.X, r.Y} {
		switch {
		case v < 0 || int(v) >= len(c.k.Types):
			c.fail("reduction %s: there is no %%%d", r.Name(), v)
		case c.defined[v]:
			c.fail("%%%d is defined twice", v)
		case c.k.Types[v] != r.Type:
			c.fail("reduction %s: %%%d is %s, not %s", r.Name(), v, c.k.Types[v].Short(), r.Type.Short())
		}
		if c.err != nil {
			return
		}
		c.defined[v], c.visible[v] = true, true
	}
	if r.Yield < 0 || int(r.Yield) >= len(c.k.Types) || c.k.Types[r.Yield] != r.Type {
		c.fail("reduction %s yields no %s", r.Name(), r.Type.Short())
		return
	}
	c.region(place{region: r.Body, kind: entry, par: -1, cold: true, pure: true, yield: r.Yield})
	c.visible[r.X], c.visible[r.Y] = false, false
}

// region checks the code of a region and the regions inside it. It returns the
// results of its reductions, which become visible after the region.
func (c *checker) region(at place) (results []Value) {
	var defined []Value
	code := c.k.Regions[at.region].Code
	for i := range code {
		in := &code[i]
		c.in, c.reg = in, at.region
		c.ins(in, at)
		if c.err != nil {
			return nil
		}
		switch in.Op {
		case For:
			after := c.loop(in.Aux, at)
			for _, v := range after {
				c.visible[v] = true
			}
			defined = append(defined, after...)
		case Cold:
			c.region(place{region: in.Aux, kind: at.kind, par: at.par, cold: true, pure: at.pure, yield: Value(in.Imm)})
			if c.err == nil && c.k.Types[Value(in.Imm)] != in.Type {
				c.in, c.reg = in, at.region
				c.fail("the cold region yields %s", c.k.Types[Value(in.Imm)].Short())
			}
		}
		if c.err != nil {
			return nil
		}
		if in.Dst == None {
			continue
		}
		if in.Op == Reduce || in.Op == Next {
			results = append(results, in.Dst)
		} else {
			c.visible[in.Dst] = true
			defined = append(defined, in.Dst)
		}
	}
	if at.cold && !c.visible[at.yield] {
		c.in = nil
		c.fail("region %d yields %%%d, which is not visible at its end", at.region, at.yield)
	}
	for _, v := range defined {
		c.visible[v] = false
	}
	return results
}

// loop checks loop n and its body.
func (c *checker) loop(n int32, at place) []Value {
	l := &c.k.Loops[n]
	for _, a := range l.Axes {
		c.bound[a] = true
		if l.Kind != Par {
			c.inner[a] = true
		}
	}
	in := place{region: l.Body, kind: l.Kind, par: at.par}
	if l.Kind == Par {
		in.par = n
	}
	after := c.region(in)
	if c.err == nil && len(c.carries) > 0 {
		c.in = nil
		c.fail("%%%d has no next", c.carries[0])
	}
	c.carries, c.ending = nil, false
	for _, a := range l.Axes {
		c.bound[a] = false
	}
	return after
}

// rest fails for values, regions and loops that no instruction refers to.
func (c *checker) rest() {
	c.in = nil
	for v, ok := range c.defined {
		c.failIf(!ok, "%%%d is never defined", v)
	}
	if r := slices.Index(c.regions, false); r >= 0 {
		c.fail("region %d is not used", r)
	}
	if l := slices.Index(c.loops, false); l >= 0 {
		c.fail("loop %d is not used", l)
	}
	for _, b := range c.k.Bufs {
		for _, a := range b.Axes {
			c.failIf(!c.inner[a], "row buffer %s: no vec or seq loop binds its axis %s", b.Name, c.k.Axes[a])
		}
	}
}
