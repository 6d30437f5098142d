package sorting

import (
	"bytes"
	"math"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/expr/tree"
)

// A part is a range of a row that is still to be sorted, and where it goes. Its n keys, or the
// values of a whole row, begin at from. A part of keys begins at data. Its result goes to data,
// or if crossed is set to spare. Only parts of small ones have spare memory: while keys are in
// the first-level cache, a partition to other memory is the faster one, and beyond it takes
// twice the time of one in place.
type part struct {
	from, data, spare unsafe.Pointer
	n                 int
	crossed, values   bool
	repeats           bool  // many keys seem to be equal
	at                int   // number of keys of the row before the part
	floor             int64 // no key is below it
	left              int   // number of partitions after which the sort compares keys
}

// to returns where the result goes.
func (p *part) to() unsafe.Pointer {
	if p.crossed {
		return p.spare
	}
	return p.data
}

// form says that a sort of the part reads values or keys, and stores values.
func (p *part) form() form {
	if p.values {
		return enter | leave
	}
	return leave
}

// equal reports whether all bits of the keys of a part are those of the first.
func (p *part) equal(size int) bool {
	b := unsafe.Slice((*byte)(p.from), p.n*size)
	return bytes.Equal(b[:len(b)-size], b[size:])
}

// memory is the memory of one run. It has no pointers, so its allocation begins at a cache line, and vectors
// do not cross one.
type memory struct {
	work   [mergedBytes]byte // keys of a part that is merged
	spare  [smallBytes]byte  // of the parts of a small part, which are sorted before another one is split
	sample [largestSample]int64
	moved  [3 * unrollInPlace * largestVector]byte // keys that a partition in place has moved away
}

// newRun returns a run.
func newRun() *run { return &run{memory: new(memory)} }

// A run is what a worker needs.
type run struct {
	*memory
	f      *family
	of     *tree.Call // the call, which says when to stop
	avx2   *family    // the kernels of AVX2 for keys of the same size, if they have 4 or 8 bytes; sorts of narrower keys have no parts
	order  *order
	raw    bool  // the keys in memory are the floats themselves, and the sort has met no NaN
	most   int64 // no key is above it
	args   args
	random uint64
	places []int                   // of the keys that are wanted, in ascending order, or none: all are
	low    int                     // the first place of the part in which the last wanted key was found
	stack  [bits.UintSize + 1]part // parts that wait
	used   int                     // number of parts of the stack that have addresses
}

const (
	// callKeys is the largest number of keys that one call of a kernel reads. The runtime
	// cannot stop a goroutine in machine code.
	callKeys = 1 << 16
	// The pivot of so many keys is the median of a sample of so many.
	midKeys, midSample = 1 << 10, 32
	fewKeys            = 1 << 8 // the same where not all keys are wanted
	manyKeys           = 1 << 15
	// From so many keys on, wanted ones are looked for in a band; shortBand is the same for a single one with AVX-512, which sorts the larger
	// sample fast.
	bandKeys, shortBand = 1 << 12, 1 << 9
	largestSample       = 256
	// A part of fewer networks is merged in any case, if it may be merged; narrowBlocks is the same for keys of 4 bytes.
	mergedBlocks = 16
	narrowBlocks = 20
	// A part of fewer bytes is small. It has fewer keys than leastPart, so its parts stay with a worker.
	smallBytes = 1 << 14
)

// largest returns the number of keys that a network sorts at most.
func (f *family) largest() int { return f.most * f.lanes() }

// merged returns the number of keys below which a part is merged in any case, if it may be merged.
func (f *family) merged() int {
	if f.size == 4 {
		return narrowBlocks * f.largest()
	}
	return mergedBlocks * f.largest()
}

// begin prepares a run. raw says that the keys in memory may be the floats themselves.
func (u *run) begin(c *tree.Call, f *family, o *order, raw bool) {
	u.of, u.f, u.avx2, u.order = c, f, avx2.of(f.size), o
	u.args.order, u.args.tables = *o, theTables()
	u.setRaw(raw)
}

// end forgets the addresses of arrays.
func (u *run) end() {
	u.args, u.places, u.of = args{}, nil, nil
	clear(u.stack[:u.used])
	u.used = 0
}

func (u *run) setRaw(raw bool) {
	u.raw, u.most = raw, u.order.most
	if raw {
		u.most = u.order.limit // infinity is its own key
	}
}

// form returns the form of kernels that read, or store, values as f says.
func (u *run) form(f form) form {
	if u.raw {
		return f&enter | raw
	}
	return u.order.form(f)
}

// sort sorts a part. Where not all keys are wanted, only these are sure to be at their places. It returns early if the call is
// stopped.
func (u *run) sort(p *part) {
	u.stack[0] = *p
	for top := 0; top >= 0; {
		u.used = max(u.used, top+2)
		p := &u.stack[top]
		if p.n >= leastPart && u.of.Stopped() {
			return
		}
		if !u.wanted(p) || p.n > u.f.largest() && u.whole(p) {
			top--
			continue
		}
		if len(u.places) > 0 && u.keepBand(p) {
			continue
		}
		if p.n > u.f.largest() && p.left > 0 {
			high := &u.stack[top+1]
			u.split(p, high)
			if p.n < high.n {
				*p, *high = *high, *p // the smaller one is next, so that few wait
			}
			top++
			continue
		}
		top--
		switch {
		case p.n == 0:
		case p.n > u.f.largest():
			u.compare(p)
		default:
			n := network{vectors: (p.n + u.f.lanes() - 1) / u.f.lanes(), group: u.f.lanes(), form: u.form(leave)}
			if !u.network(n, rows{p.to(), p.from, 1, 0, 0}, p.n) {
				u.compare(p)
			}
		}
	}
}

// wanted reports whether keys of a part are wanted.
func (u *run) wanted(p *part) bool {
	if len(u.places) == 0 {
		return true
	}
	from, to := u.within(p)
	if from < to {
		u.low = p.at
	}
	return from < to
}

// within returns which of the places are in a part.
func (u *run) within(p *part) (from, to int) {
	if len(u.places) == 1 { // which most selections have
		at := u.places[0]
		if at < p.at {
			from = 1
		}
		if at < p.at+p.n {
			to = 1
		}
		return from, to
	}
	from, _ = slices.BinarySearch(u.places, p.at)
	to, _ = slices.BinarySearch(u.places, p.at+p.n)
	return from, to
}

// whole sorts a part without partitions, if that is faster.
func (u *run) whole(p *part) bool {
	if len(u.places) > 0 {
		return p.n <= 2*u.f.largest() && u.mergedRows(p.to(), p.from, 1, p.n, p.form())
	}
	repeats := u.repeats(p)
	return (p.repeats || p.values) && p.n >= mergedBlocks*u.f.largest() && u.counted(p) ||
		!repeats && u.f.sortsWhole(p.n) && u.mergedRows(p.to(), p.from, 1, p.n, p.form())
}

// repeats reports whether many of the keys of a part seem to be equal, so that partitions soon end. The
// merges of a short row take less time even then, or as much.
func (u *run) repeats(p *part) bool {
	switch {
	case p.n <= 2*u.f.largest():
		return !p.values && p.equal(u.f.size)
	case p.values && p.n < u.f.merged():
		return false
	case p.repeats:
		return true
	}
	var k [9]int64
	n := 0
	for i := range k {
		k[i] = u.load(p, i*(p.n/9))
		for _, before := range k[:i] {
			if before == k[i] {
				n++
			}
		}
	}
	p.repeats = n > 1
	return p.repeats
}

// split splits a part of more than one key in two, of which one may have no keys. The keys
// that remain in the part are below those that it moves to another one.
func (u *run) split(p, high *part) {
	if p.spare == nil && p.n*u.f.size < smallBytes {
		p.spare = unsafe.Pointer(&u.spare)
	}
	if !p.values && p.equal(u.f.size) {
		u.fill(p, u.key(p, u.load(p, 0)))
		p.n, high.n = 0, 0
		return
	}
	pivot := u.pivot(p)
	equal := pivot == p.floor
	if equal {
		if pivot == u.most {
			u.fill(p, pivot)
			p.n, high.n = 0, 0
			return
		}
		pivot++ // the keys below it are equal
	}
	n, ok := u.partition(p, pivot)
	if !ok {
		u.compare(p)
		p.n, high.n = 0, 0
		return
	}
	// The keys below the pivot are at the beginning of data, the others at the end of spare, or of
	// data if there is none.
	off := n * u.f.size
	if u.args.nan != 0 { // the sort begins again, with integers as keys
		if p.spare != nil {
			size := p.n*u.f.size - off // not 0: it has the NaN
			copy(unsafe.Slice((*byte)(unsafe.Add(p.data, off)), size), unsafe.Slice((*byte)(unsafe.Add(p.spare, off)), size))
		}
		u.setRaw(false)
		p.from, p.floor = p.data, ^u.order.most
		u.split(p, high)
		return
	}
	p.left--
	*high = part{repeats: p.repeats, at: p.at + n}
	if n < p.n { // else the pointers would be behind the arrays
		high.data = unsafe.Add(p.data, off)
		if p.spare != nil {
			high.data, high.spare, high.crossed = unsafe.Add(p.spare, off), high.data, !p.crossed
		}
		high.from, high.n, high.floor, high.left = high.data, p.n-n, pivot, p.left
	}
	p.n, p.from, p.values = n, p.data, false
	if equal {
		u.fill(p, p.floor)
		p.n = 0
	}
}

// partition moves the keys of p below a pivot to the beginning of data, and the others to
// the end of spare, or of data if there is none. It returns the number of the keys below; ok
// is false if there is no kernel. It sets args.nan if the keys in memory are to be floats but
// one is a NaN.
func (u *run) partition(p *part, pivot int64) (n int, ok bool) {
	k := u.form(0)
	if p.values {
		k = u.form(enter)
	}
	forward := u.f.partition(k, apart)
	if forward == nil {
		return 0, false
	}
	a := &u.args
	a.pivot = pivot
	if u.raw {
		a.pivot = u.order.value(pivot)
	}
	a.to, a.high, a.lower, a.end, a.nan = p.data, p.data, 0, p.n*u.f.size, 0
	from, left := p.from, p.n
	switch {
	case p.spare != nil:
		a.high = p.spare
	case p.from == p.data:
		code := u.f.partition(k, inPlace)
		if code == nil {
			return 0, false
		}
		left = u.inPlace(code, p)
		from = unsafe.Pointer(&u.moved)
	}
	if odd := left % u.f.partitioner().lanes(); odd > 0 && p.spare == nil { // the keys that fill no vector come first
		left -= odd
		u.forward(forward, p, unsafe.Add(from, left*u.f.size), odd)
	}
	for at := 0; at < left; at += callKeys {
		u.forward(forward, p, unsafe.Add(from, at*u.f.size), min(callKeys, left-at))
	}
	return a.lower / u.f.size, true
}

// forward partitions n keys to the places where those before them end.
func (u *run) forward(code *exec.Code, p *part, from unsafe.Pointer, n int) {
	a, nan := &u.args, u.args.nan
	a.from, a.n, a.to = from, n, unsafe.Add(p.data, a.lower)
	code.Call(unsafe.Pointer(a))
	a.lower += a.low * u.f.size
	a.end -= (n - a.low) * u.f.size
	a.nan |= nan
}

// inPlace partitions the keys of p where they are, but for some that it moves away. It returns
// their number.
func (u *run) inPlace(code *exec.Code, p *part) int {
	a, size := &u.args, u.f.size
	loop := unrollInPlace * u.f.partitioner().lanes()
	keys := unsafe.Slice((*byte)(p.data), p.n*size)
	head := copy(u.moved[:], keys[:(loop+p.n%loop)*size]) // the loops read the rest
	tail := copy(u.moved[head:], keys[(p.n-loop)*size:])
	a.left, a.right = head, len(keys)-tail
	for a.left < a.right {
		nan := a.nan
		a.n = min(callKeys, (a.right-a.left)/size)
		code.Call(unsafe.Pointer(a))
		a.nan |= nan
	}
	return (head + tail) / size
}

// pivot returns a key near the median of a part, or, where not all keys are wanted, a key beside a
// wanted one that leaves this in the smaller part.
func (u *run) pivot(p *part) int64 {
	some := len(u.places) > 0
	if p.n < fewKeys || p.n < midKeys && !some {
		var k [9]int64
		for i := range k {
			k[i] = u.key(p, u.load(p, i*(p.n/9)))
		}
		return median(median(k[0], k[3], k[6]), median(k[1], k[4], k[7]), median(k[2], k[5], k[8]))
	}
	count := midSample
	switch {
	case p.n < manyKeys:
	case some:
		count = largestSample
	default:
		count = u.f.largest()
	}
	sample := u.sampled(p, count)
	from, to := u.within(p)
	at := count / 2
	if from < to {
		place, side := u.places[(from+to)/2], 1.
		if 2*(place-p.at) > p.n {
			side = -1
		}
		at = beside(p, count, place, side)
	}
	return u.key(&sample, u.load(&sample, at))
}

// sampled returns the keys of a sample of a part in order.
func (u *run) sampled(p *part, count int) part {
	u.random = u.random*6364136223846793005 + 1442695040888963407
	switch u.f.size {
	case 2:
		take[int16](u, p, count)
	case 4:
		take[int32](u, p, count)
	default:
		take[int64](u, p, count)
	}
	sample := part{from: unsafe.Pointer(&u.sample), n: count}
	if count <= u.f.largest() {
		u.network(network{vectors: count / u.f.lanes(), group: u.f.lanes(), form: u.form(0)}, rows{sample.from, sample.from, 1, 0, 0}, count)
	} else {
		u.mergedRows(sample.from, sample.from, 1, count, 0)
	}
	return sample
}

// take stores count keys of a part to sample: two neighbours at a pseudorandom place of each of half as many pieces.
func take[K int16 | int32 | int64](u *run, p *part, count int) {
	step, place := uint64(p.n/count), uint32(u.random>>32)
	keys, to := unsafe.Slice((*[2]K)(p.from), p.n/2), (*[largestSample / 2][2]K)(unsafe.Pointer(&u.sample))[:count/2]
	for i := range to {
		to[i] = keys[uint64(i)*step+uint64(place)*step>>32]
		place += goldenRatio
	}
	if p.values && !u.raw && u.order.form(enter) != 0 {
		for i, k := range to {
			to[i] = [2]K{K(u.order.key(int64(k[0]))), K(u.order.key(int64(k[1])))}
		}
	}
}

// goldenRatio is 2^32 divided by the golden ratio. Its multiples modulo 2^32 are spread evenly.
const goldenRatio = 0x9e3779b9

// beside returns the place, among the count keys of a sample, of a key beside the one at a place of the part: side times the
// error of that place away.
func beside(p *part, count, place int, side float64) int {
	at := float64(place-p.at) / float64(p.n)
	return min(max(int(at*float64(count)+side*(math.Sqrt(float64(count)*at*(1-at))+1)), 0), count-1)
}

func median(a, b, c int64) int64 { return max(min(a, b), min(max(a, b), c)) }

// load returns number i of a part in memory, and key the key of such a number. Raw floats
// that are equal have one key.
func (u *run) load(p *part, i int) int64 {
	return load(unsafe.Add(p.from, i*u.f.stored), u.f.stored)
}

func (u *run) key(p *part, k int64) int64 {
	switch {
	case u.raw:
		if k = min(u.order.key(k), u.most); k == -1 { // -0
			k = 0
		}
	case p.values:
		k = u.order.key(k)
	}
	return k
}

// fill stores the result of a part whose keys are equal.
func (u *run) fill(p *part, key int64) {
	v := u.order.value(key)
	switch u.f.size {
	case 2:
		fill(u, p, int16(v))
	case 4:
		fill(u, p, int32(v))
	default:
		fill(u, p, v)
	}
}

func fill[K int16 | int32 | int64](u *run, p *part, v K) {
	to, from := unsafe.Slice((*K)(p.to()), p.n), unsafe.Slice((*K)(p.from), p.n)
	negative := 0
	if u.raw && v == 0 { // of both signs
		for _, k := range from {
			negative += int(uint64(k) >> 63)
		}
	}
	repeat(to, v)
	least := K(u.order.value(-1))
	for i := range negative {
		to[i] = least
	}
}

// repeat sets all elements to v.
func repeat[K int16 | int32 | int64](to []K, v K) {
	done := 1
	if all := to[:cap(to)]; len(all) >= 16 { // without a branch for each, and what is too much is overwritten
		a, b := (*[8]K)(all), (*[8]K)(all[8:])
		a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7] = v, v, v, v, v, v, v, v
		b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7] = v, v, v, v, v, v, v, v
		done = 16
	}
	for to[0] = v; done < len(to); done *= 2 {
		copy(to[done:], to[:done])
	}
}

// compare sorts a part without kernels.
func (u *run) compare(p *part) {
	switch u.f.stored {
	case 1:
		compare[int8](u, p)
	case 2:
		compare[int16](u, p)
	case 4:
		compare[int32](u, p)
	default:
		compare[int64](u, p)
	}
}

func compare[K int8 | int16 | int32 | int64](u *run, p *part) {
	to := unsafe.Slice((*K)(p.to()), p.n)
	for i := range to {
		k := u.load(p, i)
		if p.values || u.raw {
			k = u.order.key(k)
		}
		to[i] = K(k)
	}
	slices.Sort(to)
	for i, k := range to {
		to[i] = K(u.order.value(int64(k)))
	}
}

// few sorts neighbouring rows that are short, or whose keys are all equal. It returns false for others, or if there is no kernel.
func (u *run) few(to, from unsafe.Pointer, count, length int) bool {
	p := part{from: from, data: to, n: count * length, values: true}
	fills := len(u.places) == 0 && count > 0 && length > u.f.lanes() && u.f.size == u.f.stored
	switch {
	case fills && p.equal(u.f.size):
		u.fill(&p, u.order.key(u.load(&p, 0)))
		return true
	case length <= u.f.largest():
		u.short(to, from, count, length)
		return true
	case length <= u.f.selected*u.f.largest(), length < u.f.merged() && len(u.places) == 0:
		return u.mergedRows(to, from, count, length, enter|leave)
	}
	return false
}

// short sorts neighbouring rows of at most largest keys.
func (u *run) short(to, from unsafe.Pointer, count, length int) {
	lanes, n := u.f.lanes(), u.f.rows(length, u.form(enter|leave))
	each := length // keys of a row of the network
	if length == n.group {
		each = lanes // some whole rows
	}
	if to == from && each%lanes != 0 { // a load would wait for the store under a mask to the row before
		bytes := length * u.f.stored
		some := smallBytes / bytes
		for at := 0; at < count; at += some {
			rows, here := min(some, count-at), unsafe.Add(from, at*bytes)
			u.short(unsafe.Pointer(&u.work), here, rows, length)
			copy(unsafe.Slice((*byte)(here), rows*bytes), u.work[:])
		}
		return
	}
	for at, end := 0, count*length; at < end; {
		size := min(each, end-at)
		some := max(1, min(callKeys, end-at)/each)
		off := at * u.f.stored
		if u.network(n, rows{unsafe.Add(to, off), unsafe.Add(from, off), some, each * u.f.stored, each * u.f.stored}, size) {
			at += (some - u.args.rows) * size
			if u.args.rows > 0 { // the next row has a NaN
				n.form = u.order.form(enter | leave)
			}
			continue
		}
		u.compare(&part{from: unsafe.Add(from, off), data: unsafe.Add(to, off), n: length, values: true})
		at += length
	}
}

// rows returns the network of rows of so many values.
func (f *family) rows(length int, k form) network {
	n := network{vectors: (length + f.lanes() - 1) / f.lanes(), group: 1, form: k}
	for n.group < min(length, f.lanes()) {
		n.group *= 2
	}
	return n
}

// rows are n rows that a kernel reads, and where it stores them. The steps are the bytes from row to row.
type rows struct {
	to, from        unsafe.Pointer
	n, toStep, step int
}

// network runs a network on rows of n keys. It returns false if there is no kernel.
func (u *run) network(w network, r rows, n int) bool {
	code := u.f.network(w)
	if code == nil {
		return false
	}
	u.call(code, r, n-(w.vectors-1)*u.f.lanes())
	return true
}

// call runs a kernel on rows.
func (u *run) call(code *exec.Code, r rows, n int) {
	a := &u.args
	a.to, a.from, a.rows, a.toStep, a.step, a.n = r.to, r.from, r.n, r.toStep, r.step, n
	code.Call(unsafe.Pointer(a))
}
