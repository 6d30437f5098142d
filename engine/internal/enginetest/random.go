package enginetest

import (
	"flag"
	"os"
	"strconv"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/internal/testlevel"
	"pgregory.net/rapid"
)

// Random compares random programs with the reference, and with the same trees
// unfused. Their arrays overlap. The flags of package rapid set the length of a
// run.
func Random(t *testing.T, o Options) {
	t.Run("small", func(t *testing.T) { rapid.Check(t, randomProgram(o, false, 60, 5, 3)) })
	t.Run("large", func(t *testing.T) { rapid.Check(t, randomProgram(o, false, 6000, 4, 2)) })
	t.Run("shallow", func(t *testing.T) { rapid.Check(t, randomProgram(o, true, 1000, 2, 3)) })
	t.Run("chains", func(t *testing.T) { rapid.Check(t, randomChain(o)) })
	t.Run("deep", func(t *testing.T) { rapid.Check(t, randomProgram(o, false, 24, 9, 1)) })
}

// randomProgram returns a check of a program of up to count statements. Arrays
// have up to size elements, and trees a depth of up to depth. The trees have few operations if shallow
// is set.
func randomProgram(o Options, shallow bool, size, depth, count int) func(*rapid.T) {
	return func(t *rapid.T) {
		g := newGenerator(t, size)
		g.shallow = shallow
		n := rapid.IntRange(1, count).Draw(t, "statements")
		stmts := lists.Make(n, func(int) expr.Statement { return g.statement(depth) })
		o := o
		o.Threads = rapid.IntRange(1, 4).Draw(t, "threads")
		if rapid.Bool().Draw(t, "chains") {
			o.Chains = engine.ChainsAlways
		}
		s := suite{t, o}
		if !s.checkFused(stmts...) {
			t.FailNow()
		}
	}
}

// statement returns a statement with a random target.
func (g *generator) statement(depth int) expr.Statement {
	typ := g.elem("target type")
	if g.flip("into", 20) {
		return g.into(typ, depth)
	}
	s := g.shape("target shape", g.size)
	target := g.array(typ, s, true)
	g.made = nil // statements share no nodes with each other
	value := g.node(typ, s, depth)
	if g.flip("narrow value", 8) {
		value = g.node(typ, g.narrow(s), depth)
	}
	saver := expr.Set
	if typ.IsFloat() || typ.IsInt() {
		saver = pick(g, "saver", []expr.Saver{expr.Set, expr.Set, expr.Set, expr.Set, expr.Plus, expr.Minus, expr.Times, expr.Over})
	}
	if saver == expr.Over && typ.IsInt() {
		value = g.nonzero(value)
	}
	return expr.Statement{Saver: saver, Target: target, Value: value}
}

// into returns an assignment to a concatenation.
func (g *generator) into(typ dtype.Type, depth int) expr.Statement {
	s := g.shape("target shape", g.size).Clone()
	if len(s) == 0 {
		s = []int{3}
	}
	axis := rapid.IntRange(0, len(s)-1).Draw(g.t, "axis")
	cut := rapid.IntRange(0, s[axis]).Draw(g.t, "cut")
	a, b := s.Clone(), s.Clone()
	a[axis], b[axis] = cut, s[axis]-cut
	target := concat(axis, g.array(typ, a, true), g.array(typ, b, true))
	g.made = nil
	saver := expr.Set
	if typ.IsFloat() && g.flip("saver", 3) {
		saver = expr.Plus
	}
	return expr.Statement{Saver: saver, Target: target, Value: g.node(typ, s, depth)}
}

// Main runs the tests of a package with a fixed seed for random trees, so that all
// runs have the same result. Long runs choose another: -rapid.seed=N
// -rapid.checks=N.
func Main(m *testing.M) {
	flag.Parse()
	given := map[string]bool{}
	flag.Visit(func(f *flag.Flag) { given[f.Name] = true })
	for name, value := range map[string]int{"rapid.seed": 20261121, "rapid.checks": testlevel.Every(100, 50, 20)} {
		if f := flag.Lookup(name); f != nil && !given[name] {
			if err := f.Value.Set(strconv.Itoa(value)); err != nil {
				panic(err)
			}
		}
	}
	os.Exit(m.Run())
}
