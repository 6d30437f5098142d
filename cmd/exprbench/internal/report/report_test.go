package report

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/cmd/exprbench/internal/bench"
	"github.com/oneloop/oneloop/cmd/exprbench/internal/machine"
	"github.com/oneloop/oneloop/cmd/exprbench/internal/roof"
)

func TestDuration(t *testing.T) {
	for _, c := range []struct {
		ns   float64
		want string
	}{{0, "0.00 ns"}, {9.994, "9.99 ns"}, {9.996, "10.0 ns"}, {999.4, "999 ns"}, {999.6, "1.00 us"}, {12_345, "12.3 us"}, {2.5e6, "2.50 ms"}, {3e9, "3.00 s"}, {1e12, "1000 s"}} {
		if got := Duration(c.ns); got != c.want {
			t.Errorf("Duration(%v) = %q, want %q", c.ns, got, c.want)
		}
	}
}

func TestTable(t *testing.T) {
	tab := newTable(1, "name", "n", "time")
	tab.row("a", "1", "2 s")
	tab.gap()
	tab.row("longer", "1234", "10 s")
	want := "name       n  time\na          1   2 s\n\nlonger  1234  10 s\n"
	if got := tab.String(0); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	want = "name       n\na          1\n\nlonger  1234\n\nname    time\na        2 s\n\nlonger  10 s\n"
	for _, width := range []int{17, 12, 1} {
		if got := tab.String(width); got != want {
			t.Errorf("in %d columns: got\n%s\nwant\n%s", width, got, want)
		}
	}
	if got := tab.String(18); got != tab.String(0) {
		t.Errorf("in 18 columns:\n%s", got)
	}
}

func sample() *Report {
	return &Report{
		Machine: machine.Info{CPU: "Some CPU", Cores: 2, OS: "linux", Arch: "amd64", Go: "go1.26"},
		Backend: "interp", Threads: 2,
		Results: []*bench.Result{
			{
				Name: "Add", Type: "f32", N: 1000, Elements: 1000, Bytes: 12000, Warm: 2000, FusedPasses: 1, NaivePasses: 2, NaiveTemps: 1, Spread: .3,
				Times:  map[string][]float64{"fused": {2000, 2100}, "naive": {4000, 4100}},
				Ratios: map[string]bench.Ratio{"naive": {Median: 2, Lo: 1.9, Hi: 2.25}},
			},
			{Name: "Six", Type: "f64", N: 10, Elements: 10, Warm: 1},
		},
	}
}

// TestWidth checks that lines fit a terminal.
func TestWidth(t *testing.T) {
	for _, width := range []int{80, 100} {
		var b bytes.Buffer
		r := sample()
		r.Limits = nil
		if err := Write(&b, "text", r, width); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if n := len(strings.TrimSuffix(line, "\n")); n > width {
				t.Errorf("%d characters, more than %d: %s", n, width, line)
			}
		}
	}
}

func TestText(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, "text", sample(), 0); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Some CPU, 2 cores, linux/amd64, go1.26; backend interp, 2 threads", "2.00 us", "2.000", "6.00", "1.90..2.25", "1/2", "0/1", "in 1 of 2 cases", "fewer than 6 rounds"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
}

func TestBenchFormat(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, "bench", sample(), 0); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"goos: linux\n", "cpu: Some CPU\n", "backend: interp\n", "threads: 2\n",
		"\nBenchmarkAdd/impl=fused/dtype=f32/n=1000 \t1\t2000.0 ns/op\t6000.00 MB/s\n",
		"\nBenchmarkAdd/impl=naive/dtype=f32/n=1000 \t1\t4100.0 ns/op\t2926.83 MB/s\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
}

// TestHTML checks that a page shows each result in each of its pictures.
func TestHTML(t *testing.T) {
	r := sample()
	other := *r.Results[0]
	other.N, other.Elements, other.Warm = 10_000, 10_000, 30_000
	other.Bound = &roof.Bound{Bytes: 120_000, Flops: 10_000}
	r.Results = slices.Insert(r.Results, 1, &other)
	r.Limits = &roof.Table{Levels: []roof.Level{{Name: "L1", Copy: []roof.Rate{1e11}}}, Flops32: []roof.Rate{5e10}, Flops64: []roof.Rate{2.5e10}}
	var b bytes.Buffer
	if err := Write(&b, "html", r, 0); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, want := range []string{
		"Add f32 1000, naive: 2.00 (1.90..2.25)", ">Six f64 10<", // ratios
		"Add f32 10000: 0.333 GFLOP/s", ">L1<", ">float64<", // the roofline
		"ns/element, Add f32", "fused, n = 1000: 2 ns/element", "naive, n = 10000: 6 ns/element", // scaling
		"Some CPU, 2 cores",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing", want)
		}
	}
	for _, bad := range []string{"NaN", "Inf", "http:", "https:", "ns/element, Six"} {
		if strings.Contains(text, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	if err := Write(&b, "html", &Report{}, 0); err != nil {
		t.Errorf("without results: %v", err)
	}
}

// TestNumbersOfAxes checks that the numbers under a frame do not run into each other.
func TestNumbersOfAxes(t *testing.T) {
	c := &chart{width: 240, height: 100, x: axis{8000, 2.5e6, "n"}, y: axis{1, 10, ""}}
	c.frame()
	end, count := -10., 0
	for _, m := range regexp.MustCompile(`<text text-anchor="middle" x="([0-9.]+)" y="114.0">([^<]+)`).FindAllStringSubmatch(c.b.String(), -1) {
		x, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		if half := 3.3 * float64(len(m[2])); x-half < end+2 {
			t.Errorf("%s at %v begins before %v", m[2], x, end)
		} else {
			end = x + half
		}
		count++
	}
	if count < 3 {
		t.Errorf("%d numbers", count)
	}
}

func TestJSON(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, "json", sample(), 0); err != nil {
		t.Fatal(err)
	}
	var r Report
	if err := json.Unmarshal(b.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Results) != 2 || r.Results[0].Ratios["naive"].Hi != 2.25 || r.Machine.CPU != "Some CPU" {
		t.Errorf("%+v", r)
	}
	if Write(&b, "xml", &r, 0) == nil {
		t.Error("an unknown format was written")
	}
}

// TestSlopesHaveNamesApart tests that the names of close lines do not cover each other.
func TestSlopesHaveNamesApart(t *testing.T) {
	c := &chart{width: 600, height: 400, x: newAxis("x", .1, 10), y: newAxis("y", 1, 1000)}
	for _, bandwidth := range []float64{100, 101, 102, 50} {
		c.slope(bandwidth, 900, "line")
	}
	if len(c.names) != 4 {
		t.Fatalf("%d names", len(c.names))
	}
	for i, y := range c.names {
		for _, other := range c.names[:i] {
			if d := y - other; d < textHeight && d > -textHeight {
				t.Errorf("two names are %v pixels apart", d)
			}
		}
	}
}
