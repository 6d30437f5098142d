package routine

import (
	"math"
	"math/bits"
	"time"
	"unsafe"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/shape"
	"gonum.org/v1/gonum/dsp/fourier"
)

// A Transform is a kind of discrete Fourier transform. None divides by the length.
type Transform int

// The transforms, as the first integer of a node. Complex numbers are pairs along a
// last axis of size 2; the axis before it is transformed. Real numbers have no such
// axis.
const (
	Forward      Transform = iota // complex to complex
	Backward                      // complex to complex, with the conjugate factors
	ForwardReal                   // real to the first half of the complex results
	BackwardReal                  // the first half to real
)

// Fourier returns the routine of discrete Fourier transforms of rows. Ints has the
// Transform and the number of points. They are computed in float64.
func Fourier() *tree.Routine {
	return &tree.Routine{New: newFourier, Keeps: keptByFourier, Checked: true, Total: true}
}

// A transformer transforms the rows of an array.
type transformer struct {
	kind    Transform
	length  int // points
	out     int // numbers of a row of results
	rows    int
	single  bool // float32
	call    *tree.Call
	offsets []int // of the rows of the operand, in elements
	plans   []rowPlan
	run     func(worker, lo, hi int)
}

// A rowPlan is what one worker transforms with.
type rowPlan struct {
	whole   *fourier.CmplxFFT
	half    *fourier.FFT
	points  []complex128
	numbers []float64
	chirp   *chirp       // in place of whole and half, for lengths with large prime factors
	all     []complex128 // of a chirp for real numbers
}

func newFourier(n *tree.Node) func(*tree.Call) error {
	t := &transformer{kind: Transform(n.Ints[0]), length: n.Ints[1], single: n.DType() == dtype.F32}
	t.rows = transformed(n)
	t.out = n.Shape().Size() / max(t.rows, 1)
	t.plans = make([]rowPlan, workers(t.rows))
	for i := range t.plans {
		if t.length < longRow {
			t.plans[i].prepare(t.kind, t.length)
		}
	}
	t.run = t.some
	return t.transform
}

// keptByFourier returns a size in bytes that the plans and the offsets of the rows do not exceed.
func keptByFourier(n *tree.Node) int {
	rows := transformed(n)
	return int(min(planBytes(n.Ints[1])*float64(workers(rows))+8*float64(rows), math.MaxInt&^1023)) // which a float64 holds
}

// planBytes returns a size in bytes that a plan does not exceed. gonum keeps six numbers for each complex
// point, beside the points. A chirp transforms up to four times as many.
func planBytes(points int) float64 {
	if isDirect(points) {
		return 64 * float64(points)
	}
	return 384 * float64(points)
}

// transformed returns the number of rows that a node transforms.
func transformed(n *tree.Node) int {
	s := n.Args[0].Shape()
	if Transform(n.Ints[0]) == ForwardReal {
		return s[:len(s)-1].Size()
	}
	return s[:len(s)-2].Size()
}

// room gives p the points and numbers of a row.
func (p *rowPlan) room(kind Transform, n int) {
	switch {
	case p.points != nil:
	case kind == Forward || kind == Backward:
		p.points = make([]complex128, n)
	default:
		p.points, p.numbers = make([]complex128, n/2+1), make([]float64, n)
	}
}

// prepare gives an empty plan all that it needs.
func (p *rowPlan) prepare(kind Transform, n int) {
	p.room(kind, n)
	whole, direct := kind == Forward || kind == Backward, isDirect(n)
	switch {
	case p.chirp != nil || p.whole != nil || p.half != nil:
	case !direct && whole:
		p.chirp = newChirp(n)
	case !direct:
		p.chirp, p.all = newChirp(n), make([]complex128, n)
	case whole:
		p.whole = fourier.NewCmplxFFT(n)
	default:
		p.half = fourier.NewFFT(n)
	}
}

// compute transforms the points or numbers of a row.
func (p *rowPlan) compute(kind Transform) {
	switch {
	case p.chirp != nil && kind == ForwardReal:
		p.chirp.coefficients(p.points, p.numbers, p.all)
	case p.chirp != nil && kind == BackwardReal:
		p.chirp.sequence(p.numbers, p.points, p.all)
	case p.chirp != nil:
		p.chirp.transform(p.points, kind == Backward)
	case kind == Forward:
		p.whole.Coefficients(p.points, p.points)
	case kind == Backward:
		p.whole.Sequence(p.points, p.points)
	case kind == ForwardReal:
		p.half.Coefficients(p.points, p.numbers)
	default:
		p.half.Sequence(p.numbers, p.points)
	}
}

// longRow is the least number of points of rows whose plans are made at their first use, and whose plans and transforms a
// run that is stopped does not wait for.
const longRow = 1 << 20

// computed computes the transform of a row, and reports whether it is done. It is not if the run is stopped
// within a long row: then another goroutine completes it with the plan, and p is empty.
func (t *transformer) computed(p *rowPlan) bool {
	if t.length < longRow {
		p.compute(t.kind)
		return true
	}
	plan, done := *p, make(chan struct{})
	go func() {
		plan.prepare(t.kind, t.length)
		plan.compute(t.kind)
		close(done)
	}()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-done:
			*p = plan
			return true
		case <-tick.C:
			if t.call.Stopped() {
				*p = rowPlan{}
				return false
			}
		}
	}
}

func (t *transformer) transform(c *tree.Call) error {
	a := &c.Args[0]
	if t.offsets == nil {
		lead := len(a.Shape) - 1
		if t.kind != ForwardReal {
			lead--
		}
		t.offsets = make([]int, 0, t.rows)
		shape.Each(a.Shape[:lead], a.Strides[:lead], 0, func(off int) { t.offsets = append(t.offsets, off) })
	}
	t.call = c
	if min(c.Threads, t.rows) > len(t.plans) {
		t.some(0, 0, t.rows)
	} else {
		c.Parallel(t.rows, 2*float64(t.length*bits.Len(uint(t.length))), t.run)
	}
	t.call = nil
	return nil
}

func (t *transformer) some(worker, lo, hi int) {
	if t.single {
		transformRows[float32](t, &t.plans[worker], lo, hi)
		return
	}
	transformRows[float64](t, &t.plans[worker], lo, hi)
}

func transformRows[T float32 | float64](t *transformer, p *rowPlan, lo, hi int) {
	a := &t.call.Args[0]
	last := a.Strides[len(a.Strides)-1]
	p.room(t.kind, t.length)
	for r := lo; r < hi && !t.call.Stopped(); r++ {
		from := t.offsets[r]
		out := unsafe.Slice((*T)(unsafe.Add(t.call.Out.Ptr, r*t.out*int(unsafe.Sizeof(T(0))))), t.out)
		if t.kind == ForwardReal {
			for i := range p.numbers {
				p.numbers[i] = float64(load[T](a, from+i*last))
			}
			if !t.computed(p) {
				return
			}
			storePoints(out, p.points)
			continue
		}
		step := a.Strides[len(a.Strides)-2]
		for i := range p.points {
			p.points[i] = complex(float64(load[T](a, from+i*step)), float64(load[T](a, from+i*step+last)))
		}
		if !t.computed(p) {
			return
		}
		if t.kind != BackwardReal {
			storePoints(out, p.points)
			continue
		}
		for i, v := range p.numbers {
			out[i] = T(v)
		}
	}
}

func storePoints[T float32 | float64](out []T, points []complex128) {
	for i, v := range points {
		out[2*i], out[2*i+1] = T(real(v)), T(imag(v))
	}
}

// mostFactors is the greatest sum of the prime factors of a length that is transformed directly, in
// a time that grows with the length times the sum. Three transforms of a power of two are faster
// beyond.
const mostFactors = 100

// isDirect reports whether rows of n points are transformed directly.
func isDirect(n int) bool {
	sum := 0
	for p := 2; p*p <= n && sum <= mostFactors; p++ {
		for ; n%p == 0; n /= p {
			sum += p
		}
	}
	if n > 1 {
		sum += n
	}
	return sum <= mostFactors
}

// A chirp transforms rows of any length by Bluestein's algorithm: the product of two indices is half
// the sum of their squares less the square of their difference, so the transform is a convolution,
// which transforms of a power of two compute.
type chirp struct {
	fft      *fourier.CmplxFFT
	factors  []complex128 // exp(-i pi k^2 / n)
	spectrum []complex128 // of the conjugate factors around 0, divided by the number of its points
	work     []complex128
}

func newChirp(n int) *chirp {
	m := 1 << bits.Len(uint(2*n-2))
	c := &chirp{fourier.NewCmplxFFT(m), make([]complex128, n), make([]complex128, m), make([]complex128, m)}
	for k := range n {
		high, low := bits.Mul64(uint64(k), uint64(k))
		_, square := bits.Div64(high, low, uint64(2*n)) // k*k < 2n*2^64, because k < n
		sin, cos := math.Sincos(math.Pi * float64(square) / float64(n))
		c.factors[k] = complex(cos, -sin)
		factor := complex(cos/float64(m), sin/float64(m))
		c.spectrum[k] = factor
		c.spectrum[(m-k)%m] = factor
	}
	c.fft.Coefficients(c.spectrum, c.spectrum)
	return c
}

// transform replaces the points by their transform, or by the one with the conjugate factors.
func (c *chirp) transform(points []complex128, back bool) {
	turn := func(v complex128) complex128 {
		if back {
			return complex(real(v), -imag(v))
		}
		return v
	}
	for k, v := range points {
		c.work[k] = turn(v) * c.factors[k]
	}
	clear(c.work[len(points):])
	c.fft.Coefficients(c.work, c.work)
	for k, v := range c.spectrum {
		c.work[k] *= v
	}
	c.fft.Sequence(c.work, c.work)
	for k := range points {
		points[k] = turn(c.work[k] * c.factors[k])
	}
}

// coefficients stores the first half of the transform of numbers to points.
func (c *chirp) coefficients(points []complex128, numbers []float64, all []complex128) {
	for i, v := range numbers {
		all[i] = complex(v, 0)
	}
	c.transform(all, false)
	copy(points, all)
}

// sequence stores the numbers of whose transform points is the first half.
func (c *chirp) sequence(numbers []float64, points, all []complex128) {
	n := len(all)
	for k, v := range points {
		if k == 0 || 2*k == n {
			v = complex(real(v), 0)
		}
		all[k], all[(n-k)%n] = v, complex(real(v), -imag(v))
	}
	all[0] = complex(real(points[0]), 0)
	c.transform(all, true)
	for i, v := range all {
		numbers[i] = real(v)
	}
}
