package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/oneloop/oneloop/cmd/exprbench/internal/bench"
	"github.com/oneloop/oneloop/cmd/exprbench/internal/roof"
	"github.com/oneloop/oneloop/internal/lists"
)

//go:embed report.html
var source string

var layout = template.Must(template.New("report").Parse(source))

// writeHTML writes one self-contained page: the ratios to the fused time, the
// roofline, the times over the number of elements, and the table of the text.
func writeHTML(w io.Writer, r *Report) error {
	var text strings.Builder
	if err := writeText(&text, r, 0); err != nil {
		return err
	}
	page := struct {
		Title, Text  string
		Ways         []string
		Ratios, Roof template.HTML
		Scaling      []template.HTML
	}{
		Title: fmt.Sprintf("exprbench run: %s, %d threads", r.Backend, r.Threads), Text: text.String(),
		Ratios: ratios(r.Results), Scaling: scaling(r.Results), Ways: lists.Map(bench.Impls(), bench.Impl.String),
	}
	if r.Limits != nil {
		page.Roof = roofline(r)
	}
	return layout.Execute(w, page)
}

// title names a result.
func title(x *bench.Result) string { return fmt.Sprintf("%s %s %d", x.Name, x.Type, x.N) }

// ratios draws a line for each result, with the time of each way over the fused one
// and its interval.
func ratios(results []*bench.Result) template.HTML {
	const line = 18
	values := []float64{1}
	for _, x := range results {
		for _, q := range x.Ratios {
			values = append(values, q.Lo, q.Hi, q.Median)
		}
	}
	c := &chart{width: 620, height: line*float64(len(results)) + 8, left: 190, top: 8, x: newAxis("time / time of the fused program", values...)}
	c.frame()
	c.line("one", c.px(1), c.top, c.px(1), c.top+c.height)
	for k, x := range results {
		y := c.top + line*(float64(k)+.7)
		c.text("end", c.left-8, y+4, title(x))
		for _, i := range bench.Impls() {
			q, ok := x.Ratios[i.String()]
			if !ok {
				continue
			}
			c.line(i.String(), c.px(q.Lo), y, c.px(q.Hi), y)
			c.dot(i.String(), c.px(q.Median), y, fmt.Sprintf("%s, %s: %.2f (%.2f..%.2f)", title(x), i, q.Median, q.Lo, q.Hi))
		}
	}
	return c.svg()
}

// roofline draws the limits of the machine, and each result that computes with
// floats at its operations for a byte and its operations in a second.
func roofline(r *Report) template.HTML {
	last := func(rates []roof.Rate) float64 {
		if len(rates) == 0 {
			return 0
		}
		return float64(rates[len(rates)-1])
	}
	peak := max(last(r.Limits.Flops32), last(r.Limits.Flops64))
	intensities, rates := []float64{.1, 10}, []float64{peak / 1e9}
	var points []*bench.Result
	for _, x := range r.Results {
		if x.Bound == nil || x.Bound.Flops == 0 || x.Bound.Bytes == 0 || !(x.Warm > 0) {
			continue
		}
		points = append(points, x)
		intensities = append(intensities, float64(x.Bound.Flops)/float64(x.Bound.Bytes))
		rates = append(rates, float64(x.Bound.Flops)/x.Warm)
	}
	c := &chart{width: 620, height: 380, left: 70, top: 24, x: newAxis("floating-point operations for a byte", intensities...), y: newAxis("GFLOP/s", rates...)}
	c.frame()
	for _, l := range r.Limits.Levels {
		bandwidth := last(l.Copy)
		if bandwidth == 0 {
			continue
		}
		c.slope(bandwidth/1e9, peak/1e9, l.Name)
	}
	for _, p := range []struct {
		name        string
		rate, aside float64 // the names stand side by side, because the lines can be close
	}{{"float32", last(r.Limits.Flops32), 4}, {"float64", last(r.Limits.Flops64), 4 + 8*letter}} {
		if y := p.rate / 1e9; y >= c.y.lo && y <= c.y.hi {
			c.line("limit", c.left, c.py(y), c.left+c.width, c.py(y))
			c.text("end", c.left+c.width-p.aside, c.py(y)-4, p.name)
		}
	}
	for _, x := range points {
		flops, bytes := float64(x.Bound.Flops), float64(x.Bound.Bytes)
		c.dot(x.Type, c.px(flops/bytes), c.py(flops/x.Warm), fmt.Sprintf("%s: %.3g GFLOP/s, %.0f%% of the limit", title(x), flops/x.Warm, 100*x.Fraction))
	}
	return c.svg()
}

// slope draws the operations in a second that a bandwidth allows, up to the peak.
func (c *chart) slope(bandwidth, peak float64, name string) {
	from, to := max(c.x.lo, c.y.lo/bandwidth), min(c.x.hi, min(peak, c.y.hi)/bandwidth)
	if from >= to {
		return
	}
	c.line("limit", c.px(from), c.py(from*bandwidth), c.px(to), c.py(to*bandwidth))
	y := c.py(from*bandwidth) - 6
	for slices.ContainsFunc(c.names, func(other float64) bool { return math.Abs(y-other) < textHeight }) {
		y += textHeight // lines can be so close that their names would cover each other
	}
	c.names = append(c.names, y)
	c.text("start", c.px(from)+4, y, name)
}

// scaling draws, for each workload and type of several sizes, the time of an element
// over the number of elements.
func scaling(results []*bench.Result) (charts []template.HTML) {
	for from := 0; from < len(results); {
		to := from + 1
		for to < len(results) && results[to].Name == results[from].Name && results[to].Type == results[from].Type {
			to++
		}
		if to-from > 1 {
			charts = append(charts, scale(results[from:to]))
		}
		from = to
	}
	return charts
}

// scale draws one workload of one type.
func scale(results []*bench.Result) template.HTML {
	var sizes, times []float64
	lines := map[bench.Impl][][2]float64{}
	for _, x := range results {
		sizes = append(sizes, float64(x.N))
		for _, i := range bench.Impls() {
			t := x.Warm * x.Ratios[i.String()].Median
			if i == bench.Fused {
				t = x.Warm
			}
			if t > 0 {
				t /= float64(max(x.Elements, 1))
				times = append(times, t)
				lines[i] = append(lines[i], [2]float64{float64(x.N), t})
			}
		}
	}
	c := &chart{width: 300, height: 170, left: 50, top: 24, x: newAxis("n", sizes...), y: newAxis("ns/element, "+results[0].Name+" "+results[0].Type, times...)}
	c.frame()
	for _, i := range bench.Impls() {
		points := lists.Map(lines[i], func(p [2]float64) [2]float64 { return [2]float64{c.px(p[0]), c.py(p[1])} })
		if len(points) > 0 {
			c.path(i.String(), points)
		}
		for k, p := range lines[i] {
			c.dot(i.String(), points[k][0], points[k][1], fmt.Sprintf("%s, n = %.0f: %.3g ns/element", i, p[0], p[1]))
		}
	}
	return c.svg()
}
