// Package progress shows on a terminal how far a task is.
package progress

import (
	"fmt"
	"io"
	"strings"
	"time"

	"golang.org/x/term"
)

// cells is the width of a bar.
const cells = 24

// A Bar is one line that replaces itself. The zero Bar shows nothing.
type Bar struct {
	Every time.Duration // the least time between two lines, but for the last one

	w           io.Writer // nil: shows nothing
	now         func() time.Time
	began       time.Time
	shown       time.Time
	total, done int
	length      int // of the line on the terminal
}

// New returns a bar for total steps. It shows nothing unless w is a terminal.
func New(w io.Writer, total int) *Bar {
	if !Terminal(w) {
		return &Bar{}
	}
	return newBar(w, total, time.Now)
}

func newBar(w io.Writer, total int, now func() time.Time) *Bar {
	return &Bar{w: w, now: now, began: now(), total: total}
}

// Terminal reports whether w writes to a terminal.
func Terminal(w io.Writer) bool {
	f, ok := w.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(int(f.Fd()))
}

// Show says what is done now, after done steps.
func (b *Bar) Show(done int, text string) {
	if b.w == nil {
		return
	}
	now := b.now()
	b.done = done
	if now.Sub(b.shown) < b.Every && done < b.total {
		return
	}
	b.shown = now
	b.write(b.line(now, text))
}

// line returns the text of the bar: what is done, the bar, the steps and the time that
// the others will take at the same speed.
func (b *Bar) line(now time.Time, text string) string {
	part := float64(b.done) / float64(max(b.total, 1))
	full := min(int(part*cells), cells)
	left := ""
	if b.done > 0 && b.done < b.total {
		took := now.Sub(b.began)
		rest := time.Duration(float64(took) * float64(b.total-b.done) / float64(b.done))
		left = fmt.Sprintf(", %v left", rest.Round(time.Second))
	}
	return fmt.Sprintf("[%s%s] %d/%d%s  %s", strings.Repeat("#", full), strings.Repeat(" ", cells-full), b.done, b.total, left, text)
}

// write replaces the line on the terminal. What goes wrong there stops no task.
func (b *Bar) write(line string) {
	n := len([]rune(line))
	_, _ = io.WriteString(b.w, "\r"+line+strings.Repeat(" ", max(b.length-n, 0)))
	b.length = n
}

// Clear removes the line.
func (b *Bar) Clear() {
	if b.w == nil || b.length == 0 {
		return
	}
	b.write("")
	_, _ = io.WriteString(b.w, "\r")
}
