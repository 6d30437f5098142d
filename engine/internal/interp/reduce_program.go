package interp

import (
	"unsafe"

	"github.com/oneloop/oneloop/plan/ir"
)

// A reduction without kernels of its own runs its program. One execution combines
// all lanes of a block, or all columns of a seq loop, as a vector. Every
// accumulator begins with the identity. Lanes without positions are combined too.

// A program has the registers of such a reduction: accumulators x, values y and
// results z.
type program struct{ x, y, z int32 }

// program returns the code of the program of a reduction, and sets info.prog and
// info.kern.
func (c *compiler) program(info *redInfo) *blk {
	r := info.row
	b := &blk{}
	c.levels = append(c.levels, level{blk: b, kind: coldLevel})
	defer func() { c.levels = c.levels[:len(c.levels)-1] }()
	var z int32
	p := &info.prog
	if r.Body < 0 {
		p.x, p.y, z = c.newReg(r.Type), c.newReg(r.Type), c.newReg(r.Type)
		c.operands(p)
		fn := kernels[r.Op()][r.Type][0]
		if fn == nil {
			c.fail("no kernel to reduce %s of %s", r.Name(), r.Type)
			return nil
		}
		c.putVector(stub{ins: ins{fn: fn}, reads: []int32{p.x, p.y}}, z)
	} else {
		c.forget(r.Body)
		p.x, p.y = r.X, r.Y
		c.operands(p)
		c.region(r.Body)
		z = c.inAllLanes(r.Yield)
	}
	// The program's caller reads the result, so its register must live to the end.
	c.append(stub{ins: ins{fn: nothing}, dst: -1, reads: []int32{z}}, len(c.levels)-1)
	p.x, p.y, p.z = p.x*regSize, p.y*regSize, c.root(z)*regSize
	info.kern = c.programReducer(r)
	return b
}

// operands marks the operands of a program as vector registers. run writes them.
func (c *compiler) operands(p *program) {
	for _, v := range []int32{p.x, p.y} {
		c.putVector(stub{ins: ins{fn: nothing}}, v)
	}
}

func nothing(*frame, *ins, int) {}

// forget resets the registers of a region, because the compiler translates the
// region again for every use of its reduction.
func (c *compiler) forget(region int32) {
	for _, in := range c.k.Regions[region].Code {
		if in.Op == ir.Cold {
			c.forget(in.Aux)
		}
		r := &c.regs[in.Dst]
		r.splat, r.vector = -1, false
	}
}

func (c *compiler) programReducer(r *ir.Reducer) *reducer {
	single, err := r.Scalar()
	if err != nil {
		c.fail("reduction %s: %v", r.Name(), err)
		return nil
	}
	return &reducer{
		lanes: programLanes, close: closeProgram, runs: programRuns, step: programStep, ordered: r.Ordered(),
		combine: func(x, y partial) partial { return partial{bits: single.Do(x.bits, y.bits)} },
		empty:   partial{bits: r.Nothing(r.Type)},
	}
}

// run computes accumulators d from accumulators a and values b, for n lanes.
func (p *program) run(f *frame, body []ins, d, a, b []byte, n int) {
	copy(vec[byte](f, p.x, len(a)), a)
	copy(vec[byte](f, p.y, len(b)), b)
	exec(f, body, n)
	copy(d, vec[byte](f, p.z, len(d)))
}

func programLanes(f *frame, in *ins, n int) {
	info, st := &f.inst.code.reds[in.aux], &f.reds[in.aux]
	size, lanes := info.arg.Size(), ir.Lanes(info.arg)
	if st.lanes == 0 {
		st.lanes, st.body = lanes, in.body
		setBits(unsafe.Pointer(&st.acc), size, info.row.Identity(info.arg), lanes)
	}
	acc, v := st.bytes(size), vec[byte](f, in.a, n*size)
	for at := 0; at < n; at += lanes {
		m := min(lanes, n-at)
		info.prog.run(f, in.body, acc[:m*size], acc[:m*size], v[at*size:(at+m)*size], m)
	}
}

func closeProgram(f *frame, r int32) partial {
	info, st := &f.inst.code.reds[r], &f.reds[r]
	size := info.arg.Size()
	acc := st.bytes(size)
	for h := st.lanes / 2; h > 0; h /= 2 {
		info.prog.run(f, st.body, acc[:h*size], acc[:h*size], acc[h*size:2*h*size], h)
	}
	st.lanes = 0
	return partial{bits: readBits(acc, size)}
}

func programRuns(f *frame, in *ins, n int) {
	info, st := &f.inst.code.runs[in.aux], &f.runs[in.aux]
	st.step.body, st.merge.body = in.body, in.body
	if st.pos == 0 {
		setBits(f.at(in.d), st.size, info.row.Identity(info.arg), n)
	}
	programStep(f, &st.step, n)
	st.next(f, n)
}

func programStep(f *frame, in *ins, n int) {
	info := &f.inst.code.runs[in.aux]
	bytes := n * info.arg.Size()
	info.prog.run(f, in.body, vec[byte](f, in.d, bytes), vec[byte](f, in.a, bytes), vec[byte](f, in.b, bytes), n)
}

// bytes returns the accumulators in use, of size bytes each.
func (st *lanesState) bytes(size int) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&st.acc)), st.lanes*size)
}

// readBits returns the first element of d, of size bytes.
func readBits(d []byte, size int) uint64 {
	switch p := unsafe.Pointer(&d[0]); size {
	case 1:
		return uint64(*(*uint8)(p))
	case 2:
		return uint64(*(*uint16)(p))
	case 4:
		return uint64(*(*uint32)(p))
	default:
		return *(*uint64)(p)
	}
}
