// Package timeline writes what ran when as JSON in the trace event format, which
// ui.perfetto.dev and chrome://tracing open.
package timeline

import (
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/oneloop/oneloop/internal/zero"
)

// A Span is something that ran.
type Span struct {
	Name     string
	Category string
	Lane     int // spans of one lane are in one row; from 1
	Began    time.Time
	Took     time.Duration
	Args     map[string]string // details, by name
}

// A Timeline is a list of spans. The zero Timeline is empty. It is safe for
// concurrent use.
type Timeline struct {
	mu    sync.Mutex
	spans []Span
}

// Add adds a span.
func (t *Timeline) Add(s Span) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.spans = append(t.spans, s)
}

// event is a complete event of the trace event format. Times are in
// microseconds.
type event struct {
	Name  string            `json:"name"`
	Cat   string            `json:"cat"`
	Phase string            `json:"ph"`
	At    float64           `json:"ts"`
	Took  float64           `json:"dur"`
	PID   int               `json:"pid"`
	TID   int               `json:"tid"`
	Args  map[string]string `json:"args,omitempty"`
}

// WriteTo writes the spans so far. Times count from the beginning of the earliest.
func (t *Timeline) WriteTo(w io.Writer) (int64, error) {
	if w == nil {
		return 0, errors.New("oneloop: timeline: the writer is nil")
	}
	t = zero.IfNil(t)
	t.mu.Lock()
	defer t.mu.Unlock()
	events := make([]event, len(t.spans))
	var first time.Time
	for i, s := range t.spans {
		if i == 0 || s.Began.Before(first) {
			first = s.Began
		}
	}
	for i, s := range t.spans {
		events[i] = event{s.Name, s.Category, "X", micros(s.Began.Sub(first)), micros(s.Took), 1, s.Lane, s.Args}
	}
	b, err := json.Marshal(map[string]any{"traceEvents": events, "displayTimeUnit": "ns"})
	if err != nil {
		return 0, err
	}
	n, err := w.Write(b)
	return int64(n), err
}

func micros(d time.Duration) float64 { return float64(d) / 1e3 }
