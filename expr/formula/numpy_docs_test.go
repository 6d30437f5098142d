package formula

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/expr/op"
)

// TestNumPyPage compares docs/numpy.md with the functions that formulas have and
// with the names in testdata/numpy.txt. A function that is missing here needs a
// reason there, and a function that formulas have needs none.
func TestNumPyPage(t *testing.T) {
	const path, begin, end = "../../docs/numpy.md", "<!-- functions -->\n", "<!-- end of functions -->\n"
	names, err := os.ReadFile("testdata/numpy.txt")
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]Function{}
	for _, f := range Functions() {
		for _, name := range append([]string{f.Name}, f.Aliases...) {
			have[name] = f
		}
	}
	var b strings.Builder
	for line := range strings.Lines(string(names)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "##") {
			continue
		}
		if page, ok := strings.CutPrefix(line, "# "); ok {
			fmt.Fprintf(&b, "\n## %s\n\n| NumPy | formulas | Go | gonum | JAX | numexpr |\n|---|---|---|---|---|---|\n", page)
			continue
		}
		x := strings.SplitN(line+";;;;", ";", 5)
		for i := range x {
			x[i] = strings.Trim(x[i], "; ")
		}
		f, ok := have[x[0]]
		name := f.Name
		if method, of := strings.CutPrefix(x[0], "ndarray."); of {
			_, err := Compile[float64]("y = x." + method + "()") // some lack arguments
			text := fmt.Sprint(err)
			f, ok = have[method], !strings.Contains(text, "no method") && !strings.Contains(text, "is an attribute")
			name = "x." + method + "()"
		}
		here := fmt.Sprintf("`%s` | %s", name, goName(f.Name))
		if !ok {
			here = x[4] + " | "
		}
		if !ok && x[4] == "" {
			t.Errorf("formulas have no %s, and testdata/numpy.txt has no reason", x[0])
		}
		if ok && x[4] != "" {
			t.Errorf("formulas have %s, but testdata/numpy.txt says %q", x[0], x[4])
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", x[0], here, code(x[1]), code(x[2]), code(x[3]))
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(text), begin)
	_, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatal("the marks of the table are missing")
	}
	want := head + begin + b.String() + "\n" + end + tail
	if want == string(text) {
		return
	}
	if !*update {
		t.Fatal("docs/numpy.md is out of date; run go test ./expr/formula -run TestNumPyPage -update")
	}
	if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

func code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + strings.ReplaceAll(text, "|", "\\|") + "`"
}

// goName returns the constructor of a function of formulas in package op, or "".
func goName(name string) string {
	if o, ok := op.Lookup(name); ok {
		return "`op." + o.Constructor() + "`"
	}
	for _, c := range op.Compositions() {
		if c.Name == name {
			return "`op." + c.Constructor() + "`"
		}
	}
	return code(map[string]string{
		"positive": "", "iscomplex": "op.ImagPart", "isreal": "op.ImagPart", "concatenate": "op.Concat", "array": "engine.FromSlice", "copy": "Clone", "astype": "op.Cast", "len": "Shape",
		"zeros": "engine.Zeros", "ones": "engine.Ones", "full": "engine.Full", "arange": "op.Arange", "dot": "op.Dot",
		"float_power": "op.Pow", "cumulative_sum": "op.CumSum", "cumulative_prod": "op.CumProd", "digitize": "op.SearchSorted", "matrix_transpose": "op.SwapAxes", "identity": "op.Eye",
		"fft": "op.FFT", "ifft": "op.IFFT", "rfft": "op.RFFT", "irfft": "op.IRFFT", "hfft": "op.HFFT", "ihfft": "op.IHFFT",
		"fft2": "op.FFTN", "ifft2": "op.IFFTN", "rfft2": "op.RFFTN", "irfft2": "op.IRFFTN",
		"fftn": "op.FFTN", "ifftn": "op.IFFTN", "rfftn": "op.RFFTN", "irfftn": "op.IRFFTN", "fftfreq": "op.FFTFreq", "rfftfreq": "op.RFFTFreq",
	}[name])
}
