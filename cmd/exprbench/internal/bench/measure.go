package bench

import (
	"context"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/oneloop/oneloop/cmd/exprbench/internal/roof"
	"github.com/oneloop/oneloop/cmd/exprbench/internal/stats"
)

// Limits say how long to measure.
type Limits struct {
	MinRounds int           // at least so many, whatever they take
	MaxRounds int           // at most so many
	Budget    time.Duration // rounds above MinRounds are made until it is spent
	Sample    time.Duration // short runs are repeated until a sample takes so long
}

// A Result is what was measured of one case. Times are nanoseconds.
type Result struct {
	Name        string               `json:"workload"`
	Text        string               `json:"text"`
	Type        string               `json:"dtype"`
	N           int                  `json:"n"`
	Elements    int                  `json:"elements"`
	Bytes       int                  `json:"bytes_moved_fused"`
	Compile     float64              `json:"compile_ns"`
	First       float64              `json:"first_run_ns"`
	FusedPasses int                  `json:"passes_fused"`
	NaivePasses int                  `json:"passes_naive"`
	FusedTemps  int                  `json:"temporaries_fused"`
	NaiveTemps  int                  `json:"temporaries_naive"`
	Times       map[string][]float64 `json:"rounds_ns"` // of one run, by way and round
	Warm        float64              `json:"warm_run_ns"`
	Spread      float64              `json:"spread"` // interquartile range / median of the fused times
	Ratios      map[string]Ratio     `json:"ratios"` // to the fused time
	Bound       *roof.Bound          `json:"bound"`
	Fraction    float64              `json:"fraction_of_limit"` // bound / fused time
}

// A Ratio is the median over the rounds, with a 95% confidence interval.
type Ratio struct {
	Median float64 `json:"median"`
	Lo     float64 `json:"lo95"`
	Hi     float64 `json:"hi95"`
}

// Measure verifies a case and measures it in interleaved rounds: every way once
// a round, so that what disturbs the machine meets them all, in random order, so
// that none always finds the caches and helpers as the same other has left them.
// The fused time is compared with the bound that top gives, if it is not nil.
func (c *Case) Measure(ctx context.Context, l Limits, top *roof.Roof) (*Result, error) {
	runtime.GC()
	fresh := c.snapshot() // without results, so that one that is missing shows
	start := time.Now()
	if err := c.program.Run(ctx); err != nil {
		return nil, err
	}
	r := &Result{
		Name: c.Name, Text: c.Text, Type: c.Type, N: c.N, Elements: c.elements, Bytes: c.moved(),
		Compile: float64(c.compile), First: float64(time.Since(start)),
		FusedPasses: len(c.program.Plan().Stages), FusedTemps: c.fusedTemps(),
		Times: map[string][]float64{},
	}
	if c.naive != nil {
		r.NaivePasses, r.NaiveTemps = c.naive.passes, len(c.naive.temps)
	}
	c.restore(fresh)
	if err := c.verify(ctx); err != nil {
		return nil, err
	}
	if err := c.rounds(ctx, l, r); err != nil {
		return nil, err
	}
	r.summarise()
	if top != nil {
		b := top.Program(c.program.Plan())
		r.Bound, r.Fraction = &b, b.Total/r.Warm
	}
	return r, nil
}

func (c *Case) rounds(ctx context.Context, l Limits, r *Result) error {
	var ways []Impl
	var reps [impls]int
	for _, i := range Impls() {
		if c.run[i] == nil {
			continue
		}
		ways = append(ways, i)
		once, err := c.sample(ctx, i, 1)
		if err != nil {
			return err
		}
		if once < float64(l.Sample) { // a warm one says more
			if once, err = c.sample(ctx, i, 1+int(float64(l.Sample)/8/max(once, 100))); err != nil {
				return err
			}
		}
		reps[i] = 1 + int(float64(l.Sample)/max(once, 1))
	}
	order := rand.New(rand.NewPCG(1, 1))
	start := time.Now()
	for round := 0; round < l.MinRounds || round < l.MaxRounds && time.Since(start) < l.Budget; round++ {
		order.Shuffle(len(ways), func(i, j int) { ways[i], ways[j] = ways[j], ways[i] })
		for _, i := range ways {
			t, err := c.sample(ctx, i, reps[i])
			if err != nil {
				return err
			}
			r.Times[i.String()] = append(r.Times[i.String()], t)
			if i == Alloc {
				runtime.GC() // its garbage is not to be collected in another's time
			}
		}
	}
	return nil
}

// sample is the time of one run out of several, in nanoseconds.
func (c *Case) sample(ctx context.Context, i Impl, reps int) (float64, error) {
	run := c.run[i]
	start := time.Now()
	for range reps {
		if err := run(ctx); err != nil {
			return 0, err
		}
	}
	t := time.Since(start)
	return float64(t) / float64(reps), ctx.Err()
}

func (r *Result) summarise() {
	fused := r.Times[Fused.String()]
	r.Warm = stats.Median(fused)
	r.Spread = stats.Spread(fused)
	r.Ratios = map[string]Ratio{}
	for _, i := range Impls()[1:] {
		if t := r.Times[i.String()]; t != nil {
			q := stats.Ratios(t, fused)
			lo, hi := stats.MedianCI(q, .95)
			r.Ratios[i.String()] = Ratio{stats.Median(q), lo, hi}
		}
	}
}

// noisy is the spread from which times say little.
const noisy = .1

// Noisy reports whether the fused times differ too much from round to round.
func (r *Result) Noisy() bool { return r.Spread > noisy }
