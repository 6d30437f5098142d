package formula_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/expr/formula"
	"github.com/oneloop/oneloop/expr/formula/numpy"
	"github.com/oneloop/oneloop/expr/formula/syntax"
	"github.com/oneloop/oneloop/expr/op/untyped"
)

// TestNumPyPage compares docs/numpy.md with the functions that formulas have and
// with the names in testdata/numpy.txt. A function that is missing here needs a
// reason there, and a function that formulas have needs none.
func TestNumPyPage(t *testing.T) {
	names, err := os.ReadFile("testdata/numpy.txt")
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]formula.Function{}
	for _, f := range formula.Functions() {
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
			_, err := formula.Compile[float64]("y = x." + method + "()") // some lack arguments
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
	b.WriteString("\n## Arguments\n\nFormulas have all other arguments of these functions, in NumPy's order. Those after one that is missing have names only.\n\n")
	b.WriteString("| argument | of | why not |\n|---|---|---|\n")
	for _, r := range missingArguments(t, have) {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", r.Argument, r.Functions, r.Reason)
	}
	checkTable(t, "numpy.md", b.String())
}

// arguments are what a function takes, as Python writes it.
type arguments struct {
	names      []string
	positional int // the first ones may be given without a name
	nameless   int // the first ones have no name that a call can use
	rest       int // this one takes all further positional ones; or -1
}

func parseSignature(text string) arguments {
	s := arguments{positional: -1, rest: -1}
	for p := range strings.SplitSeq(text, ", ") {
		name, _, _ := strings.Cut(p, "=")
		switch {
		case name == "*":
			s.positional = len(s.names)
			continue
		case name == "/":
			s.nameless = len(s.names)
			continue
		case strings.HasPrefix(name, "**"):
		case strings.HasPrefix(name, "*"):
			s.rest, s.positional = len(s.names), len(s.names)+1
		}
		s.names = append(s.names, strings.TrimLeft(name, "*"))
	}
	if s.positional < 0 {
		s.positional = len(s.names)
	}
	return s
}

// signatures returns the arguments of NumPy's functions.
func signatures(t *testing.T) (names []string, all map[string]arguments) {
	text, err := os.ReadFile("testdata/numpy_signatures.txt")
	if err != nil {
		t.Fatal(err)
	}
	all = map[string]arguments{}
	for line := range strings.Lines(string(text)) {
		if name, rest, ok := strings.Cut(strings.TrimSpace(line), "("); ok && !strings.HasPrefix(line, "#") {
			names, all[name] = append(names, name), parseSignature(strings.TrimSuffix(rest, ")"))
		}
	}
	return names, all
}

// missingArguments returns the arguments that functions lack. It compares the places of the others
// with NumPy's.
func missingArguments(t *testing.T, have map[string]formula.Function) []numpy.Refusal {
	out := formula.Refusals()
	of := make([][]string, len(out))
	names, all := signatures(t)
	for _, name := range names {
		f, ok := have[name]
		if !ok {
			continue
		}
		theirs, ours, complete := all[name], parseSignature(f.Arguments), true
		for i, arg := range theirs.names {
			at := slices.Index(ours.names, arg)
			switch {
			case at >= 0 && complete && (i < theirs.positional) && (at != i || i >= ours.positional && i != ours.rest):
				t.Errorf("argument %d of %s is %s in NumPy; here the arguments are %s", i, name, arg, f.Arguments)
			case at >= 0:
			case i < ours.nameless: // by another name, which no call uses
			default:
				complete = false
				k := slices.IndexFunc(out, func(r numpy.Refusal) bool {
					return r.Argument == arg && (r.Functions == "" || slices.Contains(strings.Fields(r.Functions), name))
				})
				if k < 0 {
					t.Errorf("%s has no argument %s, and expr/formula/numpy/refused.go has no reason", name, arg)
					continue
				}
				of[k] = append(of[k], name)
			}
		}
	}
	for i, list := range of {
		if len(list) == 0 {
			t.Errorf("no function lacks the argument %s of %q", out[i].Argument, out[i].Functions)
		}
		if out[i].Functions = "`" + strings.Join(list, "`, `") + "`"; len(list) > 9 {
			out[i].Functions = fmt.Sprintf("%d functions", len(list))
		}
	}
	return out
}

// TestNumPyArguments checks that the formulas that are compared with NumPy give each argument of
// each function of the pages.
func TestNumPyArguments(t *testing.T) {
	have := map[string]*formula.Function{}
	for _, f := range formula.Functions() {
		for _, name := range append([]string{f.Name}, f.Aliases...) {
			have[name] = &f
		}
	}
	used := map[string]bool{}
	for _, f := range fixed {
		st, err := syntax.Parse(f.text)
		if err != nil {
			t.Fatal(f.text, err)
		}
		for _, s := range st {
			useArguments(s.Value, have, used)
		}
	}
	names, _ := signatures(t)
	for _, name := range names {
		f := have[name]
		if f == nil || f.Group == "element by element" && !strings.Contains(f.Arguments, "=") {
			continue
		}
		for _, arg := range parseSignature(f.Arguments).names {
			if !used[f.Name+" "+arg] {
				t.Errorf("no formula compares argument %s of %s with NumPy", arg, f.Name)
			}
		}
	}
}

// useArguments marks the arguments of all calls in a tree.
func useArguments(n *syntax.Node, have map[string]*formula.Function, used map[string]bool) {
	if n == nil {
		return
	}
	for _, a := range n.Args {
		useArguments(a, have, used)
	}
	f := have[n.Text]
	if f == nil || n.Kind != syntax.Call && n.Kind != syntax.Method {
		return
	}
	s, keys := parseSignature(f.Arguments), n.Keys
	if n.Kind == syntax.Method {
		keys = append([]string{""}, keys...)
	}
	for i, key := range keys {
		if key == "" && s.rest >= 0 {
			i = min(i, s.rest)
		}
		if key == "" && i < len(s.names) {
			key = s.names[i]
		}
		used[f.Name+" "+key] = true
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
	if o, ok := untyped.Lookup(name); ok {
		return "`op." + o.Constructor() + "`"
	}
	for _, c := range untyped.Compositions() {
		if c.Name == name {
			return "`op." + c.Constructor() + "`"
		}
	}
	return code(map[string]string{
		"positive": "", "iscomplex": "op.ImagPart", "isreal": "op.ImagPart", "concatenate": "op.Concat", "array": "engine.FromSlice", "copy": "Clone", "astype": "op.Cast", "len": "Shape",
		"zeros": "engine.Zeros", "ones": "engine.Ones", "full": "engine.Full", "arange": "op.Arange", "dot": "op.Dot",
		"float_power": "op.Pow", "cumulative_sum": "op.CumSum", "cumulative_prod": "op.CumProd", "digitize": "op.SearchSorted", "matrix_transpose": "op.SwapAxes", "identity": "op.Eye",
		"divmod": "op.FloorDiv, op.Mod", "modf": "op.Trunc", "frexp": "op.Frexp", "split": "op.Slice", "array_split": "op.Slice", "hsplit": "op.Slice", "vsplit": "op.Slice", "dsplit": "op.Slice", "unstack": "op.Index",
		"block": "op.HStack, op.VStack", "rollaxis": "op.MoveAxis", "broadcast_arrays": "op.BroadcastTo", "histogram": "op.Histogram", "histogram_bin_edges": "op.HistogramEdges",
		"ndim": "Rank", "shape": "Shape", "size": "Size", "histogram2d": "op.Bincount", "histogramdd": "op.Bincount",
		"fft": "op.FFT", "ifft": "op.IFFT", "rfft": "op.RFFT", "irfft": "op.IRFFT", "hfft": "op.HFFT", "ihfft": "op.IHFFT",
		"fft2": "op.FFTN", "ifft2": "op.IFFTN", "rfft2": "op.RFFTN", "irfft2": "op.IRFFTN",
		"fftn": "op.FFTN", "ifftn": "op.IFFTN", "rfftn": "op.RFFTN", "irfftn": "op.IRFFTN", "fftfreq": "op.FFTFreq", "rfftfreq": "op.RFFTFreq",
	}[name])
}
