package net_test

import (
	"bytes"
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine/net"
	"github.com/oneloop/oneloop/expr"
)

// A recorder notes what it sees, and panics if it is told to.
type recorder struct {
	seen   []string
	panics bool
}

func (r *recorder) Start(x *net.Run) { r.note("start ", x) }

func (r *recorder) Stop(x *net.Run, err error) {
	if err != nil {
		r.seen = append(r.seen, "error")
	}
	r.note("stop ", x)
}

func (r *recorder) note(what string, x *net.Run) {
	r.seen = append(r.seen, what+x.Name())
	if r.panics {
		panic("the observer is broken")
	}
}

func TestObservers(t *testing.T) {
	ctx := context.Background()
	w := net.NewWorkspace()
	feed(t, w, "x", []float32{1})
	n, err := w.CreateNet(parse(t, `name: "n" op { type: "Exp" input: "x" output: "y" name: "e" }`))
	check(t, "CreateNet", err, nil)
	good, broken, timing := &recorder{}, &recorder{panics: true}, &net.Timing{}
	var log bytes.Buffer
	logs := &net.Log{Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	for _, x := range []net.Observer{broken, good, timing, logs} {
		n.AttachAll(x)
	}
	check(t, "Run", n.Run(ctx), nil)
	want := []string{"start n", "start e", "stop e", "stop n"}
	if !slices.Equal(good.seen, want) || !slices.Equal(broken.seen, want) {
		t.Errorf("the observers have seen %v and %v", good.seen, broken.seen)
	}
	check(t, "ObserverErr", n.ObserverErr(), expr.ErrValue)
	check(t, "ObserverErr", n.Operators()[0].ObserverErr(), expr.ErrValue)
	n.DetachAll(broken)
	feed(t, w, "x", []int32{1}) // Exp takes floats
	check(t, "Run", n.Run(ctx), expr.ErrType)
	if !slices.Contains(good.seen, "error") || len(broken.seen) != 4 || n.Observers() != 3 {
		t.Errorf("after Detach: %v, %v, %d observers", good.seen, broken.seen, n.Observers())
	}
	times := timing.Times()
	if len(times) != 2 || times[0].Runs != 2 || times[0].Failed != 1 || times[0].Max > times[0].Total {
		t.Errorf("times %+v", times)
	}
	if s := log.String(); strings.Count(s, "level=DEBUG") != 2 || strings.Count(s, "level=ERROR") != 2 || !strings.Contains(s, "name=e") {
		t.Errorf("log: %s", s)
	}
	n.DetachAll(good)
	n.DetachAll(timing)
	n.DetachAll(logs)
	if n.Observers() != 0 || n.Detach(good) {
		t.Error("an observer is left")
	}
}

// BenchmarkIdleObservers compares a run of an operator with the cost of asking for
// observers, of which there are none.
func BenchmarkIdleObservers(b *testing.B) {
	w := net.NewWorkspace()
	feed(b, w, "x", []float32{1})
	n, err := w.CreateNet(parse(b, `op { type: "Relu" input: "x" output: "y" }`))
	if err != nil {
		b.Fatal(err)
	}
	b.Run("run", func(b *testing.B) {
		for b.Loop() {
			if err := n.Run(context.Background()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("observers", func(b *testing.B) {
		for b.Loop() {
			if n.Observers() != 0 {
				b.Fatal("there is an observer")
			}
		}
	})
}
