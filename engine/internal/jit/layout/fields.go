package layout

import (
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/bound"
	"github.com/oneloop/oneloop/plan/ir"
)

// Elements that belong together, such as the coordinates of points, are fields of a record.
// Loads of all fields of the same records share their vectors: as many as a record has fields. So
// do stores, and loads of some of the fields, if there are several and permutes reach their step.

// The fields of a record are at most mostFields, as registers are few. Accumulators leave mostReduced.
const (
	mostFields  = 16
	mostReduced = 4
)

// splits reports whether vectors of records of n fields can be split.
func (bp *Phase) splits(n int) bool {
	return 2 <= n && n <= mostFields && (len(bp.Lowered.Reds) == 0 || n <= mostReduced || bp.Lowered.Kind == lower.SeqPhase)
}

// findRecords finds the loads of records, and the stores.
func (b *Binder) findRecords(bp *Phase) {
	if bp.Lowered.Kind != lower.MapPhase && !(b.Blends && bp.downColumns()) {
		return
	}
	step := func(i int) int { return bp.Sites[i].Line.Step() }
	for _, whole := range []bool{true, false} {
		for i := range bp.Sites {
			store := bp.Lowered.Sites[i].Store
			if n := step(i); b.field(bp, int32(i), store) && (store && b.joinsFields(bp.Lowered, i, n, step) && bp.Lowered.Kind == lower.MapPhase || !store && bp.splits(n)) {
				b.addRecord(bp, int32(i), n, whole)
			}
		}
	}
}

// downColumns reports whether a seq loop goes down columns.
func (bp *Phase) downColumns() bool {
	return bp.Lowered.Kind == lower.SeqPhase && !bp.Along && !bp.Transposes()
}

// ReducesRecords reports whether a loop down columns only loads and reduces, without positions and programs, and loads
// elements with a step.
func (bp *Phase) ReducesRecords() bool {
	return bp.Blends && bp.downColumns() && bp.loadsDown(true) && slices.ContainsFunc(bp.Sites, func(s Site) bool { return s.Kind == Strided })
}

// RowsPacked reports whether the rows of a loop that only loads them and computes follow each other in memory: a vector may have
// several.
func (bp *Phase) RowsPacked() bool {
	return !slices.ContainsFunc(bp.Sites, func(s Site) bool { return s.Kind == Unit && s.Row != bp.N }) &&
		!slices.ContainsFunc(bp.Lowered.Top, func(id int32) bool { op := bp.Lowered.Nodes[id].Op; return op >= prim.NumOps && op != ir.Load })
}

// joinsFields reports whether the target stores all n fields of records at once. Site i is one of them. step returns the elements from
// lane to lane of a site.
func (b *Binder) joinsFields(ph *lower.Phase, i, n int, step func(i int) int) bool {
	if n <= 1 || n > mostJoined || b.Joins>>n&1 == 0 {
		return false
	}
	all := 0
	for j := range ph.Sites {
		store := ph.Sites[j].Store
		if all += int(frame.Bit(store)); n > fewStores && !store && step(j) != 0 && step(j) != 1 {
			return false
		}
	}
	size := ph.Sites[i].Type.Size()
	return n <= fewStores || size >= 4 && size == ph.Widest && n == all
}

// field reports whether a site may be a field that is loaded, or stored.
func (b *Binder) field(bp *Phase, i int32, store bool) bool {
	s, info := &bp.Sites[i], &bp.Lowered.Sites[i]
	if s.Kind != Strided || s.Record > 0 || !s.Affine() || s.Size < b.Joined || s.Size < 4 && s.Line.Step() > b.MostNarrow {
		return false
	}
	return info.Store == store && !info.Cold && info.Type != dtype.Bool && !bp.Lowered.Conflict(int(i))
}

// together reports whether two buffers are surely in the same memory.
func (b *Binder) together(x, y int32) bool {
	bufs := b.Binding.Bufs
	return x == y || bufs[x].Memory != 0 && bufs[x].Memory == bufs[y].Memory
}

// stepsLike reports whether a site has the steps of another one.
func (s *Site) stepsLike(x *Site) bool {
	return slices.Equal(s.Line.Spans, x.Line.Spans) && slices.Equal(s.Line.Outer, x.Line.Outer) && slices.Equal(s.Seq, x.Seq)
}

// joins reports whether a store is one of those of all n fields of a record.
func (l *layouter) joins(i int32, n int) bool {
	step := func(i int) int {
		if f := l.offsets[i]; len(l.vec) > 0 && f.Coef != nil {
			return f.Coef[l.vec[len(l.vec)-1]]
		}
		return 0
	}
	if !l.joinsFields(l.ph, int(i), n, step) || l.ph.Kind != lower.MapPhase {
		return false
	}
	var has [mostJoined]bool
	s, bufs := &l.bp.Sites[i], l.Binding.Bufs
	for j := range l.bp.Sites {
		x := &l.bp.Sites[j]
		if !l.ph.Sites[j].Store || x.Kind != Uniform || x.Size != s.Size || x.Guard || x.Dyn != nil || !l.together(x.Buf, s.Buf) {
			continue
		}
		at := l.offsets[j].C - l.offsets[i].C + (bufs[x.Buf].Offset-bufs[s.Buf].Offset)/s.Size
		if slices.Equal(l.offsets[j].Coef, l.offsets[i].Coef) && -n < at && at < n {
			if at < 0 {
				at += n
			}
			has[at] = true
		}
	}
	return !slices.Contains(has[:n], false)
}

// addRecord adds the record of n fields that begins with site first, if all of its fields are
// loaded, or all stored. If whole is not set, several of them suffice, where permutes of wide vectors reach them.
func (b *Binder) addRecord(bp *Phase, first int32, n int, whole bool) {
	fields := slices.Repeat([]int32{-1}, n)
	s, bufs, store := &bp.Sites[first], b.Binding.Bufs, bp.Lowered.Sites[first].Store
	for i := range bp.Sites {
		x := &bp.Sites[i]
		if x.Buf < 0 || !b.together(x.Buf, s.Buf) {
			continue
		}
		at := x.Line.Base - s.Line.Base + (bufs[x.Buf].Offset-bufs[s.Buf].Offset)/s.Size
		beside := 0 <= at && at < n && x.Size == s.Size && x.stepsLike(s)
		if beside && fields[at] < 0 && b.field(bp, int32(i), store) {
			fields[at] = int32(i)
		}
	}
	found := slices.DeleteFunc(slices.Clone(fields), func(i int32) bool { return i < 0 })
	permutes := b.wide() && bp.Lowered.Kind == lower.MapPhase && !store && s.Step != 0
	if some := len(found); some < n && (whole || some < 2 || !permutes || (n-1)/(n/some)+1+some > mostFields) { // a vector has the elements of n/some others
		return
	}
	bp.Records = append(bp.Records, found)
	for at, i := range fields {
		if i >= 0 {
			bp.Sites[i].Record, bp.Sites[i].Field = len(bp.Records), at
		}
	}
	if bp.Lowered.Kind == lower.SeqPhase { // down columns they share the address of the row
		near := slices.Min(fields)
		for at, i := range fields {
			if i != near {
				bp.Sites[i].Near, bp.Sites[i].Apart = near+1, (at-bp.Sites[near].Field)*s.Size
			}
		}
	}
}

// findWoven sets bp.Woven if the staged stores of a map are neighbouring fields of records:
// their scratch memory is a matrix, whose transpose is the records.
func (l *layouter) findWoven() {
	bp, bufs := l.bp, l.Binding.Bufs
	if l.ph.Kind != lower.MapPhase || len(bp.Stores) < 2 {
		return
	}
	type field struct {
		site int32
		at   int
	}
	fields := make([]field, 0, len(bp.Stores))
	first := &bp.Sites[bp.Stores[0]]
	var coef []int
	for _, i := range bp.Stores {
		s, f := &bp.Sites[i], l.offsets[i]
		same := l.together(s.Buf, first.Buf)
		if s.Guard || s.Stage.Index || f.Coef == nil || !same || s.Size != first.Size || coef != nil && !slices.Equal(f.Coef, coef) {
			return
		}
		coef = f.Coef
		_, spans := l.Spans(l.vec, []bound.Form{f})
		if len(spans[0]) != 1 {
			return
		}
		s.Stage.Line = l.Line(f, l.vec, spans[0])
		fields = append(fields, field{i, f.C + bufs[s.Buf].Offset/s.Size})
	}
	slices.SortFunc(fields, func(a, b field) int { return a.at - b.at })
	for k := range fields {
		if fields[k].at != fields[0].at+k {
			return
		}
	}
	if step := first.Stage.Line.Step(); step < len(fields) { // lanes would share elements
		return
	}
	for _, f := range fields {
		bp.Woven = append(bp.Woven, f.site)
	}
}
