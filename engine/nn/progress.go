package nn

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/oneloop/oneloop/internal/progress"
)

// A display shows an epoch of [Trainer.Fit]. A display without a writer shows nothing.
// What goes wrong at the writer does not stop the training.
type display struct {
	w      io.Writer
	bar    *progress.Bar
	epochs int
	began  time.Time
}

// begin returns the display of an epoch.
func (f *Fit[T]) begin(epoch int) *display {
	d := &display{w: f.Progress, epochs: f.Epochs, began: time.Now(), bar: &progress.Bar{}}
	if f.Progress != nil {
		d.bar = progress.New(f.Progress, f.Data.Batches())
		d.bar.Every = 100 * time.Millisecond
		d.bar.Show(0, fmt.Sprintf("epoch %d/%d", epoch+1, f.Epochs))
	}
	return d
}

// batch shows that some batches are trained.
func (d *display) batch(done int, r Report) {
	if d.w != nil {
		d.bar.Show(done, fmt.Sprintf("epoch %d/%d, loss %.4g", r.Epoch+1, d.epochs, r.Loss))
	}
}

// clear removes the bar, for what others write to the terminal.
func (d *display) clear() {
	if d != nil {
		d.bar.Clear()
	}
}

// end writes the line of an epoch.
func (d *display) end(r Report) {
	if d.w == nil {
		return
	}
	d.bar.Clear()
	_, _ = fmt.Fprintf(d.w, "epoch %d/%d: %s, %v\n", r.Epoch+1, d.epochs, r, time.Since(d.began).Round(time.Millisecond))
}

// String returns the loss and the scores, such as "loss 0.25; validation: accuracy
// 0.98, loss 0.3".
func (r Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "loss %.4g", r.Loss)
	for i, name := range slices.Sorted(maps.Keys(r.Validation)) {
		before := ", "
		if i == 0 {
			before = "; validation: "
		}
		fmt.Fprintf(&b, "%s%s %.4g", before, name, r.Validation[name])
	}
	return b.String()
}
