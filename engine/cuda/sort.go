package cuda

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/plan"
)

// The numbers of routines/order.cuh.
const (
	orderTile   = 2048 // keys that a block sorts
	orderDigit  = 4    // bits of a digit
	orderDigits = 1 << orderDigit
	orderSums   = routineBlock + routineBlock/16
)

var orderKernels = []string{"oneloop_order_count", "oneloop_order_sum", "oneloop_order_move", "oneloop_order_rows"}

// keys are rows of unsigned integers in scratch memory, with a tag for each if there are tags.
type keys struct {
	size, rows, length int
	tagged             bool
	keys, tags         word
}

// keys returns room for rows of keys.
func (r *routine) keys(size, rows, length int, tagged bool) keys {
	k := keys{size: size, rows: rows, length: length, tagged: tagged, keys: r.room(rows*length, size), tags: number(0)}
	if tagged {
		k.tags = r.room(rows*length, 4)
	}
	return k
}

// order sorts the rows of keys by their lowest bits, and returns where they are then. Equal
// keys keep their order. The contents of from are lost.
func (r *routine) order(from keys, bits int) (keys, error) {
	if bits == 0 || from.rows*from.length == 0 {
		return from, nil
	}
	k, err := r.text("order", orderKernels, "K "+keyType(from.size), fmt.Sprintf("TAGS %d", truth(from.tagged).add))
	if err != nil {
		return from, err
	}
	to := r.keys(from.size, from.rows, from.length, from.tagged)
	shared := 4*(orderDigits*routineBlock+orderSums+orderTile) + from.size*orderTile
	if from.length <= orderTile {
		many := orderTile / from.length
		blocks := (from.rows + many - 1) / many
		r.queue(k, "oneloop_order_rows", blocks, shared, orderArgs(from, to, tiling{tiles: 1, bits: bits, many: many})...)
		return to, nil
	}
	tiles := (from.length + orderTile - 1) / orderTile
	counts := r.room(from.rows*tiles*orderDigits, 4)
	for shift := 0; shift < bits; shift += orderDigit {
		args := orderArgs(from, to, tiling{counts: counts, tiles: tiles, shift: shift, bits: bits, many: 1})
		r.queue(k, "oneloop_order_count", from.rows*tiles, shared, args...)
		r.queue(k, "oneloop_order_sum", from.rows, shared, args...)
		r.queue(k, "oneloop_order_move", from.rows*tiles, shared, args...)
		from, to = to, from
	}
	return from, nil
}

// A tiling is how blocks share the keys of a sort.
type tiling struct {
	counts      word // scratch memory of several tiles for each row
	tiles, many int  // tiles of a row, rows of a tile
	shift, bits int  // of the digit, of the keys
}

func orderArgs(from, to keys, t tiling) []word {
	return []word{
		from.keys, from.tags, to.keys, to.tags, t.counts,
		number(from.rows), number(from.length), number(t.tiles), number(t.shift), number(t.bits), number(t.many),
	}
}

var sortKernels = []string{"oneloop_sort_load", "oneloop_sort_values", "oneloop_sort_order", "oneloop_sort_ranks", "oneloop_sort_places", "oneloop_sort_words", "oneloop_sort_parts"}

// sortPlaces is the number of places of sorted elements that a launch takes.
const sortPlaces = 128

// A sorter queues the kernels of a sort along an axis.
type sorter struct {
	*routine
	in             *plan.Array
	rows, length   int
	columns, count int // rows along the axes after; places
	descending     bool
	text           kernelText
	axes           []word
}

func (r *routine) sorter() (*sorter, error) {
	n, in := r.s.Node, r.s.Args[0]
	axis := n.Axes[0]
	x := &sorter{routine: r, in: in, length: in.Shape[axis], columns: in.Shape[axis+1:].Size()}
	x.rows = in.Shape[:axis].Size() * x.columns
	rank, axes := axesOf(in.Shape, in.Strides)
	x.axes = axes
	var err error
	x.text, err = r.text("sort", sortKernels, "T "+cType(in.Type), "K "+keyType(in.Type.Register().Size()), define("RANK", rank), define("PLACES", sortPlaces))
	return x, err
}

// A sortCall has the operands of a kernel.
type sortCall struct {
	from, sorted keys
	places       []int // at most sortPlaces of all places, from the first on
	first        int
}

// run queues a kernel over n elements.
func (x *sorter) run(entry string, n int, c sortCall) {
	at, out := number(0), array(x.s.Out)
	if x.s.Node.Op.Result() == tree.ResultInt64 {
		at, out = out, at
	}
	words := []word{
		array(x.in), out, at, c.from.keys, c.sorted.keys, c.from.tags,
		number(x.rows), number(x.length), number(max(x.columns, 1)), truth(x.descending), number(x.count), number(c.first), number(len(c.places)),
	}
	for i := range sortPlaces {
		place := 0
		if i < len(c.places) {
			place = c.places[i]
		}
		words = append(words, number(place))
	}
	x.queue(x.text, entry, x.blocks(n), 0, append(words, x.axes...)...)
}

// sorted loads the keys, with tags if asked for, and sorts them.
func (x *sorter) sorted(tagged bool) (keys, error) {
	size := x.in.Type.Register().Size()
	k := x.keys(size, x.rows, x.length, tagged)
	x.run("oneloop_sort_load", x.rows*x.length, sortCall{from: k})
	return x.order(k, 8*size)
}

func (r *routine) sort() error    { return r.sortTo("oneloop_sort_values", false) }
func (r *routine) argsort() error { return r.sortTo("oneloop_sort_order", true) }
func (r *routine) rank() error    { return r.sortTo("oneloop_sort_ranks", true) }

func (r *routine) sortTo(store string, tagged bool) error {
	x, err := r.sorter()
	if err != nil {
		return err
	}
	x.descending = slices.Equal(r.s.Node.Ints, []int{1})
	k, err := x.sorted(tagged)
	if err == nil {
		x.run(store, x.rows*x.length, sortCall{from: k, sorted: k})
	}
	return err
}

// parted stores the elements, or their positions, in parts: it sorts words with the number of the part above the
// position.
func (r *routine) parted() error {
	x, err := r.sorter()
	if err != nil {
		return err
	}
	places := r.s.Node.Ints[1:]
	x.descending, x.count = r.s.Node.Ints[0] == 1, bits.Len(uint(x.length))
	k, err := x.sorted(true)
	if err != nil {
		return err
	}
	words := x.keys(8, x.rows, x.length, false)
	for first := 0; first == 0 || first < len(places); first += sortPlaces {
		some := places[first:min(first+sortPlaces, len(places))]
		x.run("oneloop_sort_words", x.rows*x.length, sortCall{from: keys{keys: words.keys, tags: k.tags}, sorted: k, places: some, first: first})
	}
	if words, err = x.order(words, x.count+bits.Len(uint(2*len(places)))); err == nil {
		x.run("oneloop_sort_parts", x.rows*x.length, sortCall{from: words, sorted: words})
	}
	return err
}

// selected stores the elements at places of the sorted order.
func (r *routine) selected() error {
	x, err := r.sorter()
	if err != nil {
		return err
	}
	k, err := x.sorted(false)
	if err != nil {
		return err
	}
	places := r.s.Node.Ints
	x.count = len(places)
	for first := 0; first < len(places); first += sortPlaces {
		some := places[first:min(first+sortPlaces, len(places))]
		x.run("oneloop_sort_places", x.rows*len(some), sortCall{sorted: k, places: some, first: first})
	}
	return nil
}

// search queues the search of values in a sorted vector.
func (r *routine) search() error {
	vector, values := r.s.Args[0], r.s.Args[1]
	rank, axes := axesOf(values.Shape, values.Strides)
	k, err := r.text("search", []string{"oneloop_search"}, "T "+cType(vector.Type), define("RANK", rank))
	if err != nil {
		return err
	}
	n := values.Shape.Size()
	r.queue(k, "oneloop_search", r.blocks(n), 0, append([]word{
		array(vector), array(values), array(r.s.Out), number(vector.Shape[0]), number(vector.Strides[0]), number(n), truth(slices.Equal(r.s.Node.Ints, []int{1})),
	}, axes...)...)
	return nil
}

// define returns a definition of a number.
func define(name string, n int) string { return fmt.Sprintf("%s %d", name, n) }
