package report

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"strings"
)

// A chart is a picture in SVG with two logarithmic axes, or one and lines of text.
type chart struct {
	b             strings.Builder
	width, height float64 // of the frame, in pixels
	left, top     float64 // of the frame
	x, y          axis
	names         []float64 // the heights of the names of slopes
}

// An axis maps numbers from lo to hi, both positive, to 0..1 by their logarithms.
type axis struct {
	lo, hi float64
	name   string
}

const (
	below      = 42  // pixels under the frame, for the numbers and the name of the axis
	textHeight = 12. // pixels from line to line
	letter     = 7.  // the width of a letter in pixels, and the least distance of numbers
)

// newAxis returns an axis that holds all positive values, with some room. Without
// any it goes from 1 to 10.
func newAxis(name string, values ...float64) axis {
	a := axis{math.Inf(1), 0, name}
	for _, v := range values {
		if v > 0 && !math.IsInf(v, 0) {
			a.lo, a.hi = min(a.lo, v), max(a.hi, v)
		}
	}
	if a.hi == 0 {
		return axis{1, 10, name}
	}
	a.lo, a.hi = a.lo/1.25, a.hi*1.25
	return a
}

// at returns the place of v between 0 and 1.
func (a axis) at(v float64) float64 {
	return math.Log(min(max(v, a.lo), a.hi)/a.lo) / math.Log(a.hi/a.lo)
}

// ticks returns round numbers within the axis: powers of ten, and where there are
// few of them also their double and fivefold.
func (a axis) ticks() (list []float64) {
	steps := []float64{1}
	if a.hi/a.lo < 1e3 {
		steps = []float64{1, 2, 5}
	}
	for e := math.Floor(math.Log10(a.lo)); e <= math.Log10(a.hi); e++ {
		for _, s := range steps {
			if v := s * math.Pow(10, e); v >= a.lo && v <= a.hi {
				list = append(list, v)
			}
		}
	}
	return list
}

func (c *chart) px(v float64) float64 { return c.left + c.width*c.x.at(v) }
func (c *chart) py(v float64) float64 { return c.top + c.height*(1-c.y.at(v)) }

// frame draws the axes. One without a name has neither lines nor numbers.
func (c *chart) frame() {
	fmt.Fprintf(&c.b, `<rect class="frame" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>`, c.left, c.top, c.width, c.height)
	bottom := c.top + c.height
	end := math.Inf(-1) // of the last number, in pixels
	for _, v := range c.x.ticks() {
		c.line("grid", c.px(v), c.top, c.px(v), bottom)
		number := fmt.Sprintf("%g", v)
		if half := letter / 2 * float64(len(number)); c.px(v)-half > end+letter {
			c.text("middle", c.px(v), bottom+14, number)
			end = c.px(v) + half
		}
	}
	c.text("middle", c.left+c.width/2, bottom+32, c.x.name)
	if c.y.name == "" {
		return
	}
	for _, v := range c.y.ticks() {
		c.line("grid", c.left, c.py(v), c.left+c.width, c.py(v))
		c.text("end", c.left-6, c.py(v)+4, fmt.Sprintf("%g", v))
	}
	c.text("start", 0, c.top-8, c.y.name)
}

func (c *chart) line(class string, x1, y1, x2, y2 float64) {
	fmt.Fprintf(&c.b, `<line class="%s" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`, class, x1, y1, x2, y2)
}

func (c *chart) text(anchor string, x, y float64, s string) {
	fmt.Fprintf(&c.b, `<text text-anchor="%s" x="%.1f" y="%.1f">%s</text>`, anchor, x, y, html.EscapeString(s))
}

// dot draws a point with a text that appears where the reader points at it.
func (c *chart) dot(class string, x, y float64, hint string) {
	fmt.Fprintf(&c.b, `<circle class="%s" cx="%.1f" cy="%.1f" r="4"><title>%s</title></circle>`, class, x, y, html.EscapeString(hint))
}

// path draws lines from point to point, in pixels.
func (c *chart) path(class string, points [][2]float64) {
	fmt.Fprintf(&c.b, `<path class="%s" d="`, class)
	for i, p := range points {
		fmt.Fprintf(&c.b, "%c%.1f %.1f", "ML"[min(i, 1)], p[0], p[1])
	}
	c.b.WriteString(`"/>`)
}

// svg returns the picture.
func (c *chart) svg() template.HTML {
	w, h := c.left+c.width+16, c.top+c.height+below
	return template.HTML(fmt.Sprintf(`<svg width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f">%s</svg>`, w, h, w, h, c.b.String())) //nolint:gosec // all text is escaped
}
