package ps_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/ps"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

// Two workers compute gradients on streams of their own. The stream of each waits for the
// update of the weights before it goes on.
func Example() {
	ctx := context.Background()
	weight := engine.MustFromSlice([]float32{1, 2})
	data := []*engine.Tensor[float32]{engine.MustFromSlice([]float32{1, 1}), engine.MustFromSlice([]float32{3, 5})}
	gradients := []*engine.Tensor[float32]{engine.Zeros[float32](2), engine.Zeros[float32](2)}
	s, err := ps.New(2, func(w, sum expr.Exp[float32]) expr.Exp[float32] { return op.Sub(w, op.Scale(.25, sum)) })
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := s.Init(ctx, 0, weight, gradients...); err != nil {
		fmt.Println(err)
		return
	}
	var all sync.WaitGroup
	for worker, g := range gradients {
		all.Go(func() {
			stream := engine.NewStream()
			defer stream.Close()
			p, err := engine.Compile(ctx, expr.Let(g, op.Sub(weight, data[worker])))
			if err != nil {
				fmt.Println(err)
				return
			}
			for range 10 {
				updated, err := s.Push(0, worker, p.RunAsync(stream))
				if err != nil {
					fmt.Println(err)
					return
				}
				stream.After(updated)
				if err := updated.Wait(ctx); err != nil {
					fmt.Println(err)
				}
			}
		})
	}
	all.Wait()
	copied := engine.Zeros[float32](2)
	err = s.Pull(ctx, 0, 1, copied)
	fmt.Printf("%.2f %v\n", copied.Data(), err) // the mean of both
	// Output: [2.00 3.00] <nil>
}

// TestOrder tests that sums have the order of the workers, whichever pushed first, and that pulls
// wait for all of them.
func TestOrder(t *testing.T) {
	const workers, n = 5, 1000
	r := rand.New(rand.NewPCG(1, 2))
	value := engine.Zeros[float32](n)
	var gradients []*engine.Tensor[float32]
	want := make([]float32, n)
	for w := range workers {
		g := engine.Zeros[float32](n)
		for i := range g.Data() {
			g.Data()[i] = float32(r.NormFloat64() * []float64{1, 1e4, 1e-4, 1, 1e8}[w])
			want[i] += g.Data()[i]
		}
		gradients = append(gradients, g)
	}
	s, err := ps.New[float32](workers, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Init(t.Context(), 7, value, gradients...); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		clear(value.Data())
		pulled := make(chan error, 1)
		to := engine.Zeros[float32](n)
		for i, w := range r.Perm(workers) {
			if _, err := s.Push(7, w); err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				s.PullRequest(t.Context(), 7, w, to, func(err error) { pulled <- err })
			}
		}
		if err := <-pulled; err != nil || !slices.Equal(to.Data(), want) {
			t.Fatalf("the sums differ: %v", err)
		}
	}
}

// TestErrors tests mistakes, and that an update after an error leaves the value.
func TestErrors(t *testing.T) {
	if _, err := ps.New[float32](0, nil); !errors.Is(err, expr.ErrValue) {
		t.Errorf("no workers: %v", err)
	}
	value, g := engine.MustFromSlice([]float64{5}), engine.MustFromSlice([]float64{1})
	s, err := ps.New[float64](2, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	for name, c := range map[string]struct{ err, want error }{
		"one gradient":   {s.Init(ctx, 0, value, g), expr.ErrValue},
		"another shape":  {s.Init(ctx, 0, value, g, engine.Zeros[float64](2)), expr.ErrShape},
		"a nil gradient": {s.Init(ctx, 0, value, g, nil), expr.ErrValue},
		"no key":         {s.Pull(ctx, 0, 0, g), expr.ErrValue},
	} {
		if !errors.Is(c.err, c.want) {
			t.Errorf("%s: %v", name, c.err)
		}
	}
	if err := s.Init(ctx, 0, value, g, g); err != nil {
		t.Fatal(err)
	}
	stream := engine.NewStream()
	stream.Go(func(context.Context) error { return errors.New("no gradient") })
	if _, err := s.Push(0, 0, stream.Record()); err != nil {
		t.Fatal(err)
	}
	_, twice := s.Push(0, 0)
	_, other := s.Push(0, 2)
	if !errors.Is(twice, expr.ErrValue) || !errors.Is(other, expr.ErrIndex) || !errors.Is(s.Init(ctx, 0, value, g, g), expr.ErrValue) {
		t.Errorf("%v, %v", twice, other)
	}
	short, cancel := context.WithTimeout(ctx, time.Millisecond)
	defer cancel()
	if err := s.Pull(short, 0, 0, g); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a pull before the second push: %v", err)
	}
	done, err := s.Push(0, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := done.Wait(ctx); err == nil || value.Data()[0] != 5 {
		t.Errorf("after a failed gradient: %v, %v", value, err)
	}
	if ok, err := done.Done(); !ok || err == nil {
		t.Errorf("the event: %t, %v", ok, err)
	}
	stream.Close()
	for w := range 2 { // the next round is a new one
		if done, err = s.Push(0, w); err != nil {
			t.Fatal(err)
		}
	}
	if err := done.Wait(ctx); err != nil || value.Data()[0] != 2 {
		t.Errorf("the next round: %v, %v", value, err)
	}
}

// TestPullBeforePush pulls a value while the next rounds store others: the copy is the value
// of one round.
func TestPullBeforePush(t *testing.T) {
	const n = 1 << 20
	ctx := context.Background()
	value, to, gradient := engine.Zeros[float64](n), engine.Zeros[float64](n), engine.Ones[float64](n)
	s, err := ps.New(1, func(value, sum expr.Exp[float64]) expr.Exp[float64] { return op.Add(value, sum) })
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Init(ctx, 0, value, gradient); err != nil {
		t.Fatal(err)
	}
	for range 10 {
		pulled := make(chan error)
		s.PullRequest(ctx, 0, 0, to, func(err error) { pulled <- err })
		for range 5 {
			if _, err := s.Push(0, 0); err != nil {
				t.Fatal(err)
			}
			time.Sleep(200 * time.Microsecond)
		}
		if err := <-pulled; err != nil {
			t.Fatal(err)
		}
		if x := to.Data(); slices.Min(x) != slices.Max(x) {
			t.Fatalf("the copy has elements of several rounds, %v and %v", slices.Min(x), slices.Max(x))
		}
	}
}
