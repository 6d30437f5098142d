package jit

import (
	le "encoding/binary"
	"fmt"
	"math"
	"runtime"
	"slices"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/engine/internal/hostmem"
	"github.com/oneloop/oneloop/engine/internal/interp"
	"github.com/oneloop/oneloop/engine/internal/jit/emit"
	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/jit/reduce"
	"github.com/oneloop/oneloop/engine/internal/machine"
	"github.com/oneloop/oneloop/engine/internal/machine/probe"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/plan/bound"
	"github.com/oneloop/oneloop/plan/ir"
)

// Fallback returns the reason why the interpreter ran a binding of this kernel, or
// an empty string.
func (c *code) Fallback() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.fallback
}

func newCode(p *lower.Program, gen *generator) *code {
	c := &code{p: p, gen: gen, functions: &functions{}}
	c.functions.list = c.functions.few[:0]
	runtime.AddCleanup(c, releaseAll, c.functions)
	return c
}

func releaseAll(fns *functions) {
	for _, fn := range fns.list {
		fn.code.Release()
	}
}

func (c *code) Bind(bind *ir.Binding) (backend.Instance, error) {
	in, err := c.bind(bind)
	if u, ok := err.(lower.Unsupported); ok {
		code, err := c.interpreted(string(u))
		if err != nil {
			return nil, err
		}
		return code.Bind(bind)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", c.gen.Name(), c.p.IR.Name, err)
	}
	return in, nil
}

// interpreted returns the interpreter's code of the kernel, and records the reason.
func (c *code) interpreted(reason string) (backend.Code, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fallback = reason
	if c.portable == nil {
		var err error
		if c.portable, err = newPortable(c.p.IR, reason); err != nil {
			return nil, err
		}
	}
	return c.portable, nil
}

func (c *code) bind(bind *ir.Binding) (*instance, error) {
	n, err := bound.New(c.p.IR, bind, false)
	if err != nil {
		return nil, err
	}
	n.Forward()
	b := &layout.Binder{
		Kernel: n, Binding: bind, Machine: model(), Vectors: c.gen.Vectors, Bytes: c.gen.Bytes,
		AtOnce: c.gen.RowsAtOnce, Tails: c.gen.Tails, NarrowPrefixes: c.gen.Prefixes, Blends: c.gen.Blends, Joins: c.gen.Joins, Joined: c.gen.LeastJoined, MostNarrow: c.gen.MostNarrow, Planes: c.gen.Planes, Sums: c.gen.Sums, Indices: c.gen.LoadsIndices,
	}
	b.Machine.Narrow = b.Machine.Narrow || b.Bytes <= layout.LineBytes/2 // there are no wider ones
	if in := c.bindColumns(b); in != nil {
		return in, nil
	}
	in := &instance{code: c, bind: bind, extents: n.Extents, lanes: 1, units: c.p.Units, main: c.p.Main}
	if in.vecs, in.phases = in.one.vecs[:0], in.one.phases[:1:1]; len(c.p.Phases) != 1 {
		in.phases = make([]*boundPhase, len(c.p.Phases))
	}
	_, in.count = n.Units()
	in.rowBytes = slices.Grow(in.one.rows[:0], len(c.p.IR.Bufs))[:len(c.p.IR.Bufs)]
	for i := range c.p.IR.Bufs {
		if d := &c.p.IR.Bufs[i]; d.Mode == ir.Row {
			in.rowBytes[i] = max(b.Size(i)*d.Type.Size(), 1)
		}
	}
	if in.items, err = in.bindItems(b, c.p.Items, in.one.items[:0]); err != nil {
		return nil, err
	}
	if in.joins() {
		in.join(b)
	}
	slots, err := in.functions(b, in.items)
	if err != nil {
		return nil, err
	}
	in.frame = c.p.SlotBase + slots*64
	in.findSplit()
	in.chooseCost()
	reds := 0
	switch {
	case in.units == bound.BlockUnits:
		reds = len(in.items[in.main].vec.reds)
	case in.split > 0:
		reds = len(in.items[in.main].par[in.at].vec.reds)
	}
	if err := hostmem.ReserveFor(in.count, reds*int(unsafe.Sizeof(reduce.Partial{})), in.rowBytes); err != nil {
		return nil, err
	}
	in.partials = lists.Make(reds, func(int) []reduce.Partial { return make([]reduce.Partial, in.count) })
	return in, nil
}

// down returns the code of the rows as columns, or nil if there is none.
func (c *code) down() *code {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.asked {
		return c.columns
	}
	c.asked = true
	k := columnsOf(c.p.IR)
	if k == nil {
		return nil
	}
	p, err := lower.Kernel(k)
	if err != nil || slices.ContainsFunc(p.Phases, func(ph *lower.Phase) bool { return !ph.InLanes() }) {
		return nil
	}
	columns := newCode(p, c.gen)
	columns.folds = make([][]*code, len(p.Phases))
	for _, ph := range p.Phases {
		for i := range ph.Reds {
			if ph.LaneStep == 0 {
				continue
			}
			fold, err := lower.Kernel(foldOf(ph.Reds[i].Kern, ph.LaneStep))
			if err != nil {
				return nil
			}
			columns.folds[ph.ID] = append(columns.folds[ph.ID], newCode(fold, c.gen))
		}
	}
	c.columns = columns
	return c.columns
}

// bindColumns binds the rows as columns. It returns nil if that needs copies by Go, or rows that are several spans.
func (c *code) bindColumns(b *layout.Binder) *instance {
	if !c.favoursColumns(b) {
		return nil
	}
	d := c.down()
	if d == nil {
		return nil
	}
	in, err := d.bind(b.Binding)
	if err != nil || slices.ContainsFunc(in.phases, func(bp *boundPhase) bool {
		return len(bp.SeqSpans) > 1 || len(bp.Loads)+len(bp.Stores) > 0 || bp.Lowered.Kind == lower.SeqPhase && bp.together == 0 && bp.N < leastApart
	}) {
		return nil
	}
	for _, bp := range in.phases {
		for i, fold := range d.folds[bp.Lowered.ID] {
			if _, err = fold.Bind(&ir.Binding{Extents: []int{bp.strip}, Bufs: bp.lanes(&bp.Reds[i], &accState{})}); err != nil {
				return nil
			}
		}
	}
	return in
}

// bindItems appends the bound items to out.
func (in *instance) bindItems(b *layout.Binder, items []lower.Item, out []boundItem) ([]boundItem, error) {
	for i := range items {
		it := &items[i]
		bi := boundItem{axes: it.Axes, n: 1}
		var err error
		switch {
		case it.Scalar != nil:
			bi.scalar, err = in.bindPhase(b, it.Scalar)
		case it.Vec != nil:
			bi.vec, err = in.bindVec(b, it.Vec)
		default:
			bi.n = b.Product(it.Axes)
			bi.par, err = in.bindItems(b, it.Par, nil)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, bi)
	}
	return out, nil
}

func (in *instance) bindVec(b *layout.Binder, v *lower.VecLoop) (*boundVec, error) {
	bv := &in.one.vec
	if len(in.vecs) > 0 {
		bv = &boundVec{phases: make([]*boundPhase, 0, len(v.Phases))}
	} else {
		bv.phases = in.one.phases[1:1]
	}
	bv.v, bv.id, bv.n, bv.step = v, len(in.vecs), b.Product(v.Axes), layout.MaxLanes
	in.vecs = append(in.vecs, bv)
	for _, ph := range v.Phases {
		bp, err := in.bindPhase(b, ph)
		if err != nil {
			return nil, err
		}
		bp.vec = bv.id
		bp.FindTiles()
		bp.walked = bp.walks()
		bv.phases = append(bv.phases, bp)
		bp.strip = bp.mostLanes()
		bv.step = min(bv.step, bp.strip)
	}
	if len(v.Arrays) > 0 {
		bv.step = min(bv.step, 2*stageLanes)
	}
	bv.step = min(bv.step, in.code.gen.callLanes(bv))
	if len(bv.phases) == 1 {
		if bp := bv.phases[0]; len(bp.TileSites) > 0 {
			bv.row = bp.TileRows * bp.Spans[len(bp.Spans)-1]
			bv.step = bv.row * max(1, layout.MaxLanes/bv.row) // a call is a tile
		} else if bp.Tiled {
			bv.step = 16 * layout.MaxLanes // a call is a tile, or a row of one
			if rows, _ := bp.TileShape(); rows < layout.TileRows {
				all := rows * bp.Spans[len(bp.Spans)-1]
				bv.step = max(all, bv.step-bv.step%all)
			}
		}
	}
	if len(v.Reds) > 0 {
		bv.step = ir.Block * in.code.gen.callBlocks(bv)
	}
	for _, r := range v.Reds {
		bv.reds = append(bv.reds, &boundRed{Red: r, area: in.code.p.RedBase + int(r.State)*frame.RedBytes})
	}
	if len(v.Phases) == 1 && bv.phases[0].Most > layout.MaxLanes && bv.row == 0 && !bv.phases[0].Tiled {
		bv.step = in.code.gen.callLanes(bv)
	}
	if len(v.Phases) == 1 && bv.phases[0].Rows && bv.row == 0 {
		bp := bv.phases[0]
		bv.row = bp.Spans[len(bp.Spans)-1]
		if bv.row > bv.step {
			bv.row = 0
		} else {
			bv.step -= bv.step % bp.wholeGroups(bv.step)
		}
	}
	if len(v.Phases) == 1 && bv.phases[0].Laid > 0 && bv.row == 0 { // a call begins with a row
		bv.row = bv.phases[0].Laid
		bv.step = max(bv.step-bv.step%bv.row, bv.row)
	}
	bv.findWide(b.Machine)
	bv.findSpans()
	for _, bp := range bv.phases {
		if len(v.Reds) == 0 || bp.Lowered.Kind == lower.MapPhase { // blocks are one call
			bp.strip = bv.step
		}
		if bp.strip = min(bp.strip, bv.step); bv.wide {
			bp.strip = bv.step
		}
		if bp.Along && (bp.Each == 0 || !bp.FewSteps()) || bp.Prefixes {
			bp.strip = bp.alongLanes(bp.strip)
		}
		bp.findTogether(b.Machine)
	}
	bv.settles = len(v.Reds) > 0 && in.code.gen.cost(bv) >= shortRun && !slices.ContainsFunc(v.Phases, (*lower.Phase).Acts) && !slices.ContainsFunc(v.Reds, func(r *lower.Red) bool {
		return r.Type != dtype.Bool || r.Kern.Op != prim.And && r.Kern.Op != prim.Or
	})
	return bv, nil
}

// findTogether sets bp.together: the first level keeps the accumulators of a call beside the rows that pass at once. Memory takes
// longer to begin a row than the second level to give accumulators. All calls of a block have about as many lanes.
func (bp *boundPhase) findTogether(m machine.Model) {
	if bp.N == 0 || bp.N > bp.strip || !bp.RowsFollow() {
		return
	}
	room, lanes := m.Caches.L1/(1+max(bp.AtOnce, 1)), bp.Lowered.LaneStep
	if bp.Moved() >= m.Beyond() {
		room = m.Caches.L2 / 16
	}
	calls := (lanes-1)/max(room/(bp.N*bp.StateBytes()), 1) + 1
	bp.together = (lanes-1)/calls + 1
}

// alongLanes returns the number of lanes of a call that goes along the steps of one lane after the other: at most most.
func (bp *boundPhase) alongLanes(most int) int {
	if bp.Prefixes && !bp.PrefixLanes() || !bp.Prefixes && bp.Each == 0 {
		return 1
	}
	steps := bp.SeqN
	if steps > ir.Run { // whole rows
		steps = (steps + ir.Run - 1) &^ (ir.Run - 1)
	}
	return min(most, max(transposedElements/steps, 1))
}

// mostLanes returns the lanes of a call as far as staged elements, fields of records and transposed rows
// have memory of the frame.
func (bp *boundPhase) mostLanes() int {
	strip := layout.MaxLanes
	if len(bp.Loads)+len(bp.Stores) > 0 {
		strip = stageLanes
		if bp.Lowered.Kind == lower.SeqPhase {
			strip = 128
		}
	}
	if n := len(bp.Woven); n > 0 {
		strip = min(strip, max(woven/(n*bp.Sites[bp.Woven[0]].Size)&^63, 64))
	}
	if bp.Transposes() {
		strip = min(strip, max(transposedElements/bp.SeqN&^(layout.TransposedLanes-1), layout.TransposedLanes))
		for bp.N > strip && bp.N%strip > 0 && bp.N%strip < 16 { // the last lanes would be fewer than those of a vector
			strip += 16
		}
	}
	return strip
}

// findWide sets bv.wide if all seq loops go along whole rows, as far as the first-level cache has the states, or the
// second-level one where the arrays are in memory. The rows of whole arrays follow each other there, which takes half
// the time.
func (bv *boundVec) findWide(m machine.Model) {
	if len(bv.reds) > 0 { // a call has whole blocks
		return
	}
	var across *boundPhase
	state, moved, lanes, most := 0, 0, false, math.MaxInt
	for _, bp := range bv.phases {
		if len(bp.Loads)+len(bp.Stores) > 0 { // see bindPhase
			most = ir.Block
		}
		if bp.Lowered.Kind == lower.SeqPhase {
			if !bp.Across && bp.Whole == 0 {
				return
			}
			across = bp
			state += bp.StateBytes() * max(bp.Lowered.LaneStep, 1)
			lanes = lanes || bp.Lowered.LaneStep > 0
			moved += bp.Moved()
		}
	}
	if across == nil {
		return
	}
	least, cache := 2*stageLanes, m.Caches.L1
	if moved >= m.Beyond() || lanes || across.Whole > 0 { // registers have the states of whole rows
		cache = m.Caches.L2
	}
	if lanes { // as many accumulators for each
		least = stageLanes / 2
	}
	span := across.Spans[len(across.Spans)-1]
	bv.wide, bv.step = true, min(max(cache/2/max(state, 1)&^63, least), most)
	if span <= bv.step {
		bv.step = max(least/span, 1) * span
		if len(across.Spans) > 1 {
			bv.row = span
		}
	}
}

// findSpans lets calls and chunks of a loop down short columns have whole spans of them: a part of a span is a call of its own, of other code.
func (bv *boundVec) findSpans() {
	for _, bp := range bv.phases {
		k := len(bp.Spans)
		if bp.Lowered.Kind != lower.SeqPhase || k < 2 || bv.row > 0 || len(bv.reds) > 0 || bp.Transposes() || bp.Along || bp.Prefixes {
			continue
		}
		if span := bp.Spans[k-1]; span <= min(bv.step, mostGrain, bv.n/leastGrains) {
			bv.row, bv.step = span, bv.step-bv.step%span
		}
	}
}

func (in *instance) bindPhase(b *layout.Binder, ph *lower.Phase) (*boundPhase, error) {
	bp := &in.one.phase
	if ph.ID > 0 {
		bp = &boundPhase{}
	}
	bp.Phase = b.Phase(ph)
	in.phases[ph.ID] = bp
	if bp.Narrowing != nil {
		in.assumed = append(in.assumed, bp.Narrowing.Assumed...)
	}
	if ph.Kind == lower.SeqPhase {
		for i := range ph.Reds {
			r := &ph.Reds[i]
			if bp.LaneSize > 0 {
				r = r.Narrow(bp.LaneSize)
			}
			arg := ph.ArgBase + (len(ph.Sites)+2*i)*frame.SiteBytes
			bp.Reds = append(bp.Reds, layout.SeqRed{Red: r, At: arg, PosAt: arg + frame.SiteBytes})
			bp.Ordered = bp.Ordered || r.Kern.Ordered
		}
	}
	for _, i := range bp.TileSites {
		tile, err := in.code.gen.tile(bp.Sites[i].Size, bp.Far)
		if err != nil {
			return nil, lower.Unsupported(err.Error())
		}
		bp.tiles = append(bp.tiles, tile)
	}
	if len(bp.Woven) > 0 {
		tile, err := in.code.gen.tile(bp.Sites[bp.Woven[0]].Size, false)
		if err != nil {
			return nil, lower.Unsupported(err.Error())
		}
		bp.weave = tile
	}
	for _, i := range append(slices.Clone(bp.Loads), bp.Stores...) {
		in.need.Add(&bp.Sites[i].Stage.Site)
		in.lanes = ir.Block
		if bp.Sites[i].Stage.Period > 0 && !slices.Contains(in.periodic, bp) {
			in.periodic = append(in.periodic, bp)
		}
	}
	for i := range bp.Sites {
		for d := range bp.Sites[i].Dyn {
			in.need.Add(&bp.Sites[i].Dyn[d].Site)
		}
	}
	return bp, nil
}

// functions makes the machine code of items and returns how many slots it needs.
func (in *instance) functions(b *layout.Binder, items []boundItem) (slots int, err error) {
	phase := func(bp *boundPhase) error {
		v := layout.Variant{Rows: bp.Rows, Narrow: bp.Narrow, Fetch: bp.Fetch, Ahead: bp.Ahead}
		if bp.Fetch || len(bp.Pure) > 0 {
			probe.Want()
		}
		n, _ := in.code.gen.inRuns(bp.Phase)
		if bp.Combines && (bp.fewRuns() || bp.Compares() && bp.AtOnce > 1 && !b.Far(bp.Phase)) { // extremes of rows at once take less time
			n = 0
		}
		one := []*layout.Phase{bp.Phase}
		if bp.fn, err = in.code.function(one, v); err != nil {
			return err
		}
		slots = max(slots, bp.fn.slots)
		if n > 0 {
			if bp.runs, err = in.code.function(one, layout.Variant{Runs: n, Ahead: b.AheadRuns(bp.Phase)}); err != nil {
				return err
			}
			slots = max(slots, bp.runs.slots)
		}
		if bp.TransposesRows {
			if bp.transposed, err = in.code.function(one, layout.Variant{Transposed: true, Narrow: true}); err != nil {
				return err
			}
			slots = max(slots, bp.transposed.slots)
		}
		if len(bp.Pure) > 0 {
			bp.pastBytes = b.PastBytes(bp.Phase)
			v.Narrow, v.Stream, v.Ahead = bp.pastBytes < b.Bytes, true, b.Machine.StreamFetch<<frame.Bit(bp.Leads) // twice as far along single rows
			if bp.streamed, err = in.code.function(one, v); err != nil {
				return err
			}
			slots = max(slots, bp.streamed.slots)
		}
		return nil
	}
	for i := range items {
		switch it := &items[i]; {
		case it.scalar != nil:
			err = phase(it.scalar)
		case it.vec != nil:
			for _, bp := range it.vec.phases {
				if err = phase(bp); err != nil {
					return 0, err
				}
			}
		default:
			n := 0
			if it.rows == nil {
				it.rows = in.findRowLoop(b, it)
			}
			if it.rows == nil {
				n, err = in.functions(b, it.par)
			} else if it.rows.fn, err = in.code.function(it.rows.phases, it.rows.variant(it.n)); err == nil {
				n = it.rows.fn.slots
			}
			slots = max(slots, n)
		}
		if err != nil {
			return 0, err
		}
	}
	return slots, nil
}

// function returns the machine code of phases for their layouts. It generates the
// code on the first use.
func (c *code) function(phases []*layout.Phase, v layout.Variant) (*function, error) {
	var few [256]byte
	key := few[:0]
	for _, bp := range phases {
		key = bp.AppendKey(key)
	}
	key = append(key, byte(frame.Bit(v.Rows)|frame.Bit(v.Stream)<<1|frame.Bit(v.Narrow)<<2|frame.Bit(v.Fetch)<<3|frame.Bit(v.Wide)<<4|frame.Bit(v.Transposed)<<5), byte(v.Runs), byte(v.Ahead>>6), byte(v.Ahead>>14))
	if v.Runs > 0 {
		key = le.LittleEndian.AppendUint16(key, uint16(phases[0].Columns()))
		for i := range phases[0].Sites {
			key = le.LittleEndian.AppendUint64(key, uint64(phases[0].Sites[i].RunBytes()))
		}
	}
	if v.Transposed {
		for i := range phases[0].Sites {
			key = le.LittleEndian.AppendUint64(key, uint64(phases[0].Sites[i].Row))
		}
	}
	var wide *function
	if !v.Wide && slices.ContainsFunc(phases, func(bp *layout.Phase) bool { return bp.Narrowing != nil && len(bp.Narrowing.Assumed) > 0 }) {
		var err error
		if wide, err = c.function(phases, layout.Variant{Rows: v.Rows, Narrow: v.Narrow, Wide: true}); err != nil {
			return nil, err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if f := c.functions.find(key); f != nil {
		return f, nil
	}
	obj, err := emit.Generate(c.gen.isa, c.p, phases, v, false)
	if err != nil {
		return nil, err
	}
	f := function{key: string(key), slots: obj.Slots, variant: v, combines: obj.Combines, wide: wide}
	if wide != nil {
		f.slots = max(f.slots, wide.slots)
	}
	if f.code, err = exec.Install(obj.Code); err != nil {
		return nil, lower.Unsupported(err.Error())
	}
	return c.functions.add(f), nil
}

func (in *instance) Units() (n, grain int, cost float64) {
	if in.units == bound.ElementUnits {
		return in.count, in.vecs[0].grain(), in.cost
	}
	return in.count, 1, in.cost
}

// Wide implements [backend.Wide].
func (in *instance) Wide() bool { return in.units == bound.ElementUnits && in.vecs[0].wide }

// A portable is a kernel that the interpreter runs.
type portable struct {
	backend.Code
	reason string
}

func (p *portable) Fallback() string { return p.reason }

func newPortable(k *ir.Kernel, reason string) (backend.Code, error) {
	c, err := interp.New().Compile(k)
	if err != nil {
		return nil, err
	}
	return &portable{c, reason}, nil
}
