package amd64

import (
	"math"
	"math/bits"
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
)

// A dealer deals the elements of vectors to the fields of their records. Records of n fields
// are dealt by the least factor p of n: p vectors give one of the fields 0, p, 2p ... of all
// their records, one of the fields 1, p+1 ..., and so on. The results that belong together are
// contiguous, and have records of n/p fields.
type dealer struct {
	*avx512
	t     dtype.Type
	spare []x86.Vec
}

// SplitFields splits records in lanes of the size of their fields. It then widens those that have wider lanes.
func (f *emitter) SplitFields(s *layout.Site, types []dtype.Type, v []isa.Vec) (out []isa.Vec) {
	if f.VecBytes(types[0].Register()) == f.W*s.Size {
		return f.own.splitFields(s, types[0], v)
	}
	f.InLanes(s.Size, func() { out = f.own.splitFields(s, dtype.Integer(s.Size, false), v) })
	for k, x := range out {
		f.own.loadLanes(x, types[k], x)
	}
	return out
}

func (f *avx512) splitFields(s *layout.Site, t dtype.Type, v []isa.Vec) []isa.Vec {
	if s.Part(len(v)) {
		f.pickFields(s, t, v)
		return v
	}
	if f.transposes(t, len(v)) {
		f.transposeFields(s, t, v)
		return v
	}
	f.eachRecordVector(s, len(v), func(i int, m x86.Mem, lanes x86.Operand) {
		f.zeroing(lanes, f.laneMove(t), f.LenOf(t), v[i], m)
	})
	d := dealer{avx512: f, t: t}
	return d.split(v)
}

// pickFields loads some fields of records: the vectors that have them are loaded once, and each field takes its lanes by permutes.
func (f *avx512) pickFields(s *layout.Site, t dtype.Type, v []isa.Vec) {
	sites := f.Layout.Records[s.Record-1]
	after := func(k int) int { return f.Layout.Sites[sites[k]].Field - s.Field }
	fields, lane0 := make([][]window, len(v)), f.stepLane(s, s.Step)
	for k := range v {
		fields[k] = f.windowsOfField(s, lane0, after(k), after(len(v)-1))
	}
	f.packWindows(fields, t)
	for k, d := range v {
		f.pick(slices.DeleteFunc(fields[k], func(w window) bool { return len(w.lanes) == 0 }), t, d)
	}
}

// packWindows loads the windows of fields. A permute joins the elements of neighbouring ones, as many as fit into a vector, in the first of
// them: the others have no lanes then.
func (f *avx512) packWindows(fields [][]window, t dtype.Type) {
	first, used := 0, f.W // the first window of the vector at hand, and its elements
	for i := range fields[0] {
		var more []layout.Picked
		n := used
		for k := range fields {
			for _, p := range fields[k][i].lanes {
				more, n = append(more, layout.Picked{Lane: n, At: p.At}), n+1
			}
		}
		from, base := fields[0][i].from, f.W
		if n > f.W {
			x := f.Tmp()
			f.move(t, x, from)
			for k := range fields {
				fields[k][i].from = x
			}
			first, used = i, len(more)
			continue
		}
		var lanes []layout.Picked
		at := 0
		for k := range fields {
			w := &fields[k][first]
			for j := range w.lanes {
				if p := &w.lanes[j]; first == i-1 {
					lanes, at, p.At = append(lanes, layout.Picked{Lane: at, At: p.At}), at+1, at
				}
			}
			for _, p := range fields[k][i].lanes {
				w.lanes, used = append(w.lanes, layout.Picked{Lane: p.Lane, At: used}), used+1
			}
			fields[k][i].lanes = nil
		}
		if first == i-1 {
			more, base = f.joined(lanes, more), 0
		}
		f.Within(func() {
			f.I(f.pair(t), f.LenOf(t), fields[0][first].from.(x86.Vec), f.index(t, more, base, first < i-1), from)
		})
	}
}

// transposes reports whether transposeFields loads n fields of 4 or 8 bytes, for which registers must be free. Other fields take as many
// permutes of two vectors each as n has prime factors, or as many merges as the greatest prime factor, and no fewer for few records.
func (f *avx512) transposes(t dtype.Type, n int) bool {
	fewer := (isa.Wide(t) || f.Masked || f.W == unit) && n >= unit || n > leastMerged && prime(n) >= leastMerged
	return fewer && t.Size() >= 4 && (!f.Masked || f.Tail > 0) && f.W >= unit && bits.OnesCount64(f.Vecs.Free) >= 2*unit
}

// prime returns the greatest prime factor of n.
func prime(n int) int {
	p := 2
	for n > 1 {
		if n%p == 0 {
			n /= p
		} else {
			p++
		}
	}
	return p
}

// unit is the number of neighbouring fields of a record that are loaded at once.
const unit = 4

// transposeFields loads units of several records to each of four vectors, and transposes the blocks of four units. The last units
// may begin with fields of the units before.
func (f *avx512) transposeFields(s *layout.Site, t dtype.Type, v []isa.Vec) {
	n, l := len(v), f.LenOf(t)
	first := f.stepLane(s, n) * n
	load := func(d isa.Vec, i, at int) {
		for h := range f.W / unit {
			record := h*unit + i
			if isa.Wide(t) { // the last permute takes the even or the odd parts of 16 bytes of two vectors
				record = i/2*f.W/2 + 2*h + i%2
			}
			switch m := x86.At(x86.RCX, int32((first+record*n+at)*s.Size)); {
			case f.Masked && record >= f.Tail:
				if h == 0 {
					f.I(x86.VPXORD, l, d, d, d)
				}
			case h == 0:
				f.I(x86.VMOVUPS, x86.Len(8*unit*s.Size), d, m)
			default:
				f.I(pick(t, x86.VINSERTF32X4, x86.VINSERTF64X4), l, d, d, m, x86.Imm(h))
			}
		}
	}
	for k := 0; k < n; k += unit {
		at := min(k, n-unit)
		f.Within(func() {
			var in [unit]isa.Vec
			for i := range in {
				in[i] = f.Tmp()
				load(in[i], i, at)
			}
			f.transposeUnits(t, v[k:min(k+unit, n)], in, k-at)
		})
	}
}

// transposeUnits sets v to the fields from field first on of the units in the vectors in.
func (f *avx512) transposeUnits(t dtype.Type, v []isa.Vec, in [unit]isa.Vec, first int) {
	l := f.LenOf(t)
	unpack := [2]x86.Op{x86.VUNPCKLPS, x86.VUNPCKHPS}
	if isa.Wide(t) {
		unpack = [2]x86.Op{x86.VUNPCKLPD, x86.VUNPCKHPD}
	}
	var pairs [2][]isa.Vec
	for i, d := range v {
		k := first + i
		from, upper := k/2, k%2
		if isa.Wide(t) {
			from, upper = upper, from
		}
		if pairs[from] == nil {
			x, y := f.Tmp(), f.Tmp()
			f.I(unpack[from], l, x, in[0], in[1])
			f.I(unpack[from], l, y, in[2], in[3])
			pairs[from] = []isa.Vec{x, y}
		}
		switch x, y := pairs[from][0], pairs[from][1]; {
		case isa.Wide(t):
			halves := [2]x86.Imm{0x88, 0xdd}
			if l == x86.L256 {
				halves = [2]x86.Imm{0, 3}
			}
			f.I(x86.VSHUFF64X2, l, d, x, y, halves[upper])
		default:
			f.I([2]x86.Op{x86.VUNPCKLPD, x86.VUNPCKHPD}[upper], l, d, x, y)
		}
	}
}

// eachRecordVector calls do for each of the n vectors with the records of the lanes, with its memory
// and with the lanes of the tail, or nil: none for a vector behind a tail of known lanes. It may overwrite RAX, RCX and RDX.
func (f *avx512) eachRecordVector(s *layout.Site, n int, do func(i int, m x86.Mem, lanes x86.Operand)) {
	first := f.stepLane(s, n) * n
	var lanes x86.Operand
	if f.Masked {
		lanes = f.TmpMask()
	}
	if f.Masked && f.Tail == 0 { // RAX has the number of elements left
		f.I(x86.IMUL, x86.W64, x86.RAX, at(frame.Counter), x86.Imm(n))
	}
	for i := range n {
		k, left := lanes, n*f.Tail-i*f.W // used if the tail is known
		switch {
		case f.Masked && f.Tail > 0 && left >= f.W:
			k = nil
		case f.Masked && f.Tail > 0:
			f.I(x86.MOV, x86.W64, x86.RAX, x86.Imm(1<<max(left, 0)-1))
			f.I(f.kop(kmov), 0, k, x86.RAX)
		case f.Masked:
			f.I(x86.MOV, x86.W64, x86.RDX, x86.RAX)
			f.I(x86.CMP, x86.W64, x86.RDX, x86.Imm(f.W))
			f.I(x86.CMOVG, x86.W64, x86.RDX, f.Const64(uint64(f.W)))
			f.I(x86.SUB, x86.W64, x86.RAX, x86.RDX)
			f.I(x86.BZHI, x86.W64, x86.RDX, f.Const64(math.MaxUint64), x86.RDX)
			f.I(f.kop(kmov), 0, k, x86.RDX)
		}
		do(i, x86.At(x86.RCX, int32((first+i*f.W)*s.Size)), k)
	}
}

func (f *avx512) JoinFields(s *layout.Site, t dtype.Type, v []isa.Vec) {
	net, d, out := f.network(s.Size), dealer{avx512: f, t: t}, kept(v)
	if f.Layout.JoinsNarrow(f.Variant) {
		out = net.records(out)
	} else {
		out = kept(d.join(v))
	}
	hold(out)
	f.eachRecordVector(s, len(v), func(i int, m x86.Mem, lanes x86.Operand) {
		operands := []x86.Operand{m, net.get(out[i])}
		net.drop(out[i])
		if k, ok := lanes.(x86.Mask); ok {
			operands = append(operands, x86.Merge(k))
		}
		f.I(f.laneMove(t), f.LenOf(t), operands...)
	})
}

func (f *emitter) network(size int) *network {
	return &network{Asm: f.Asm, evex: f.evex, size: size, take: f.Tmp, keep: f.constantFor, masks: map[string]*result{}}
}

func (f *avx2) JoinFields(s *layout.Site, t dtype.Type, v []isa.Vec) {
	net, n, l := f.network(s.Size), len(v), f.LenOf(t)
	if n > mostHeld {
		net.masks = nil
	}
	out, order := net.join(kept(v), l == x86.L128 || f.AnyOrder)
	hold(out)
	first := f.stepLane(s, n) * n
	for _, i := range order {
		f.I(x86.VMOVUPS, l, x86.At(x86.RCX, int32((first+i*f.W)*s.Size)), net.get(out[i]))
		net.drop(out[i])
	}
}

func (f *avx2) splitFields(s *layout.Site, t dtype.Type, v []isa.Vec) []isa.Vec {
	n := len(v)
	if n < s.Line.Step() {
		return f.neighbours(s, t, v)
	}
	net := f.network(s.Size)
	net.spare = slices.Clone(v)
	first := f.stepLane(s, n) * n * s.Size
	pieces := make([]*result, n)
	for i := range pieces {
		if l := f.LenOf(t); l == x86.L128 || f.AnyOrder {
			pieces[i] = net.load(l, x86.At(x86.RCX, int32(first+int(l)/8*i)))
		} else {
			pieces[i] = net.pair(x86.At(x86.RCX, int32(first+16*i)), 16*n)
		}
	}
	fields := net.separate(pieces)
	hold(fields)
	out := make([]isa.Vec, n)
	for k, x := range fields {
		out[k] = net.get(x)
	}
	return out
}

func (f *emitter) Interleave(i int32, use func(k int, x isa.Vec), keep bool) {
	s, t := &f.Layout.Sites[i], f.Phase.Sites[i].Type
	bytes, narrow := f.VecBytes(t.Register()), s.Size*f.W
	widens := layout.PlaneBytes(narrow) && narrow < bytes // after the network
	if widens {
		bytes = narrow
	}
	net, m := f.network(bytes/f.W), mem(f.LaidAddress(s, i))
	v := make([]*result, f.Layout.Laid)
	for k, o := range f.Layout.LaidOffsets(s, 0, len(v)) {
		from := m
		from.Disp += int32(o * s.Size)
		if widens {
			v[k] = net.load(x86.Len(8*bytes), from)
		} else {
			v[k] = instruction(func(d x86.Vec, _ []x86.Vec) { f.own.loadLanes(d, t, from) })
		}
	}
	out, order := net.join(v, bytes == 16)
	for k := 0; widens && k < len(out); k++ {
		out[k] = instruction(func(d x86.Vec, from []x86.Vec) { f.own.loadLanes(d, t, from[0]) }, out[k])
	}
	hold(out)
	for _, k := range order {
		if use(k, net.get(out[k])); !keep {
			net.drop(out[k])
		}
	}
}

func (f *avx512) loadLanes(d x86.Vec, t dtype.Type, from x86.Operand) {
	row := loadRows[t]
	if f.LaneSize > 0 {
		row = f.narrowRow(t)
	}
	l := f.LenOf(t.Register())
	if f.I(row.lanes, l, d, from); t == dtype.BF16 {
		f.I(x86.VPSLLD, l, d, d, x86.Imm(16))
	}
}

func (f *avx2) loadLanes(d x86.Vec, t dtype.Type, from x86.Operand) {
	switch {
	case f.LaneSize > 0:
		f.fromNarrow(d, from, t)
	case t.Size() >= 4:
		f.I(x86.VMOVUPS, f.LenOf(t), d, from)
	default:
		f.widen(d, t, from)
	}
}

func (d *dealer) split(v []isa.Vec) []isa.Vec {
	n := len(v)
	if n == 1 {
		return v
	}
	p := 2
	for n%p != 0 {
		p++
	}
	dealt := make([][]isa.Vec, p)
	for at := 0; at < n; at += p {
		for r, x := range d.deal(v[at : at+p]) {
			dealt[r] = append(dealt[r], x)
		}
	}
	out := make([]isa.Vec, n)
	for r := range dealt {
		for k, x := range d.split(dealt[r]) {
			out[r+p*k] = x
		}
	}
	return out
}

// join is the inverse of split. It leaves the vectors as they are.
func (d *dealer) join(v []isa.Vec) []isa.Vec {
	n, p := len(v), 2
	if n == 1 {
		return v
	}
	for n%p != 0 {
		p++
	}
	joined := make([][]isa.Vec, p)
	for r := range joined {
		var fields []isa.Vec
		for k := r; k < n; k += p {
			fields = append(fields, v[k])
		}
		joined[r] = d.join(fields)
	}
	var out []isa.Vec
	for m := range n / p {
		in := make([]isa.Vec, p)
		for r := range in {
			in[r] = joined[r][m]
		}
		out = append(out, d.mix(in)...)
		if n > p {
			d.spare = append(d.spare, in...)
		}
	}
	return out
}

// mix returns element 0 of each of p vectors, then element 1 of each, and so on.
func (d *dealer) mix(v []isa.Vec) []isa.Vec {
	p, l, pair := len(v), d.LenOf(d.t), d.pair(d.t)
	out := make([]isa.Vec, p)
	for i := range out {
		out[i] = d.take()
		d.move(d.t, out[i], v[0])
		lanes := make([][]picked, p) // by the vector that they come from
		for lane := range d.W {
			q, e := (i*d.W+lane)%p, (i*d.W+lane)/p
			lanes[max(q, 1)] = append(lanes[max(q, 1)], picked{Lane: lane, At: min(q, 1)*d.W + e})
		}
		for q := 1; q < p; q++ {
			d.Within(func() { d.I(pair, l, out[i], d.index(d.t, lanes[q], 0, q > 1), v[q]) })
		}
	}
	return out
}

// deal returns the elements 0, p, 2p ... of p vectors, the elements 1, p+1 ..., and so on. It
// overwrites the vectors.
func (d *dealer) deal(v []isa.Vec) []isa.Vec {
	p, l := len(v), d.LenOf(d.t)
	if p%2 == 1 && p >= leastMerged && l != x86.L128 { // no permute of one vector has 128 bits
		return d.merge(v)
	}
	pair := d.pair(d.t)
	out := make([]isa.Vec, p)
	for r := range out {
		if out[r] = v[0]; r < p-1 {
			out[r] = d.take()
			d.CopyVec(d.t, out[r], v[0])
		}
		for q := 1; q < p; q++ {
			var lanes []picked
			for lane := range d.W {
				e := lane*p + r
				if in := e / d.W; in == q {
					lanes = append(lanes, picked{Lane: lane, At: d.W + e%d.W})
				} else if in == 0 && q == 1 {
					lanes = append(lanes, picked{Lane: lane, At: e})
				}
			}
			d.Within(func() { d.I(pair, l, out[r], d.index(d.t, lanes, 0, true), v[q]) })
		}
	}
	d.spare = append(d.spare, v[1:]...)
	return out
}

// leastMerged is the least number of vectors of which lanes are merged. It has no factor in common with
// the lanes, so the elements of a result have different lanes in different vectors. A merge under a mask
// takes half the time of a permute of two vectors, and one permute puts the lanes of a result in order.
const leastMerged = 5

// merge is deal for an odd number of vectors.
func (d *dealer) merge(v []isa.Vec) []isa.Vec {
	p, l, move := len(v), d.LenOf(d.t), d.laneMove(d.t)
	out := make([]isa.Vec, p)
	for r := range out[1:] {
		out[r+1] = d.take()
		d.CopyVec(d.t, out[r+1], v[0])
	}
	out[0] = v[0]
	for c := range p { // lanes c, c+p ... of vector q have elements of one result
		bits := int64(0)
		for lane := c; lane < d.W; lane += p {
			bits |= 1 << lane
		}
		d.Within(func() {
			k := d.TmpMask()
			d.setMask(k, x86.RAX, bits)
			for q := 1; q < p; q++ {
				d.I(move, l, out[(q*d.W+c)%p], v[q], x86.Merge(k))
			}
		})
	}
	for r, x := range out {
		lanes := make([]picked, d.W)
		for lane := range lanes {
			lanes[lane] = picked{Lane: lane, At: (lane*p + r) % d.W}
		}
		d.Within(func() { d.reorder(d.t, x, d.index(d.t, lanes, 0, true)) })
	}
	d.spare = append(d.spare, v[1:]...)
	return out
}

// take returns a vector that is not in use.
func (d *dealer) take() x86.Vec {
	if k := len(d.spare); k > 0 {
		x := d.spare[k-1]
		d.spare = d.spare[:k-1]
		return x
	}
	return d.Tmp()
}
