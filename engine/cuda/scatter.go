package cuda

import (
	"math/bits"
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
)

var scatterKernels = []string{"oneloop_scatter_index", "oneloop_scatter_begin", "oneloop_scatter_part", "oneloop_scatter_combine"}

// scatterChunk is the number of updates that a thread combines at most, for operations with
// the same bits in any grouping.
const scatterChunk = 64

// scatterOf returns the routine of an ordered scatter. combine is the function of the prelude
// that combines an element with an update; without one the last update is the element. The
// indices are sorted with their positions, so that the updates of an element are
// neighbours in their order.
func scatterOf(combine string, positive bool) func(*routine) error {
	return func(r *routine) error {
		n := r.s.Node
		index, updates, out := r.s.Args[0], r.s.Args[1], r.s.Out
		axis, count := n.Axes[0], index.Shape.Size()
		size, before, after := out.Shape[axis], out.Shape[:axis].Size(), out.Shape[axis+1:].Size()
		full := slices.Concat(out.Shape[:axis], index.Shape, out.Shape[axis+1:])
		st, err := updates.Strides.BroadcastTo(updates.Shape, full)
		if err != nil {
			return err
		}
		indexRank, indexAxes := axesOf(index.Shape, index.Strides)
		rank, updateAxes := axesOf(full, st)
		base, baseRank, baseAxes := number(0), 1, []word{number(1), number(0)}
		inPlace := false
		if len(r.s.Args) > 2 {
			a := r.s.Args[2]
			base = array(a)
			baseRank, baseAxes = axesOf(a.Shape, a.Strides)
			inPlace = a.SameElements(out)
		}
		last := combine == ""
		exact := !last && (combine != "prim::add" || !out.Type.Register().IsFloat())
		t := cType(out.Type)
		if last {
			t = keyType(out.Type.Size())
		}
		k, err := r.text("scatter", scatterKernels, "T "+t, "U "+keyType(out.Type.Size()), "COMBINE(x, y) "+combine+"(x, y)",
			define("LAST", truth(last).add), define("EXACT", truth(exact).add), define("CHUNK", scatterChunk),
			define("INDEX_RANK", indexRank), define("RANK", rank), define("BASE_RANK", baseRank))
		if err != nil {
			return err
		}
		chunks, parts := 0, number(0)
		if exact && count > scatterChunk {
			chunks = (count + scatterChunk - 1) / scatterChunk
			parts = r.room(before*chunks*after, out.Type.Size())
		}
		least := -size
		if positive {
			least = 0
		}
		unsorted := r.keys(4, 1, count, true)
		args := func(from keys) []word {
			words := []word{
				array(index), array(updates), base, array(out), from.keys, from.tags,
				{base: isFault},
				parts,
				number(count), number(size), number(least), number(before), number(after), number(int(identityBits(combine, out.Type))),
			}
			return slices.Concat(words, indexAxes, updateAxes, baseAxes)
		}
		r.queue(k, "oneloop_scatter_index", r.blocks(count), 0, args(unsorted)...)
		sorted, err := r.order(unsorted, bits.Len(uint(max(size-1, 0))))
		if err != nil {
			return err
		}
		if !inPlace {
			r.queue(k, "oneloop_scatter_begin", r.blocks(out.Shape.Size()), 0, args(sorted)...)
		}
		r.queue(k, "oneloop_scatter_part", r.blocks(before*chunks*after), 0, args(sorted)...)
		r.queue(k, "oneloop_scatter_combine", r.blocks(before*count*after), 0, args(sorted)...)
		r.host, err = r.p.newHostCall(r.name, r.s)
		return err
	}
}

// identityBits returns the bits of the value that an element has without updates.
func identityBits(combine string, t dtype.Type) uint64 {
	switch combine {
	case "prim::max":
		return prim.Lowest(t)
	case "prim::min":
		return prim.Highest(t)
	}
	return 0
}
