package expr_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
)

func TestConst(t *testing.T) {
	for want, n := range map[string]*tree.Node{
		"1.5":                  expr.Const(float32(1.5)).Node(),
		"-2.5":                 expr.Const(-2.5).Node(),
		"0.5":                  expr.Const(dtype.F16From(.5)).Node(),
		"0.25":                 expr.Const(dtype.BF16From(.25)).Node(),
		"-1":                   expr.Const(int8(-1)).Node(),
		"-2":                   expr.Const(int32(-2)).Node(),
		"-3":                   expr.Const(int64(-3)).Node(),
		"254":                  expr.Const(uint8(254)).Node(),
		"4294967295":           expr.Const(uint32(math.MaxUint32)).Node(),
		"18446744073709551615": expr.Const(uint64(math.MaxUint64)).Node(),
		"True":                 expr.Const(true).Node(),
		"False":                expr.Const(false).Node(),
	} {
		if got := n.String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if n.Kind() != tree.Map || len(n.Shape()) != 0 {
			t.Errorf("%s has kind %v and shape %v", want, n.Kind(), n.Shape())
		}
	}
}

func TestParam(t *testing.T) {
	p := expr.NewParam[float32](2)
	n := p.Node()
	if got := n.String(); got != "param(2)" {
		t.Errorf("got %s", got)
	}
	p.Set(.5)
	if got := n.Param.Load(); got != uint64(math.Float32bits(.5)) {
		t.Errorf("set to .5, the cell holds %#x", got)
	}
	if n.Param.Name = "lr"; n.String() != "lr" {
		t.Errorf("got %s", n)
	}
	h := expr.NewParam(dtype.F16From(1.5))
	if got := h.Node().Param.Load(); got != uint64(math.Float32bits(1.5)) {
		t.Errorf("a half parameter holds %#x, not a float32", got)
	}
}

func TestTyped(t *testing.T) {
	x := engine.Zeros[float32](2).Named("x")
	if err := expr.Of[float64](x.Node()).Node().Err(); !errors.Is(err, expr.ErrType) {
		t.Errorf("float32 as float64: %v", err)
	}
	if err := expr.TargetOf[int8](x.Node()).Node().Err(); !errors.Is(err, expr.ErrType) {
		t.Errorf("float32 as an int8 target: %v", err)
	}
	if e := expr.Of[float32](x.Node()); e.Node() != x.Node() || fmt.Sprint(e) != "x" {
		t.Errorf("float32 as float32: %v", e)
	}
	if e := expr.TargetOf[float32](x.Node()); e.Node() != x.Node() || fmt.Sprint(e) != "x" {
		t.Errorf("float32 as a float32 target: %v", e)
	}
}
