package main

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/internal/failure"
)

// references are the float64 functions that float32 results are compared with.
var references = map[string]func(float64) float64{
	"exp": math.Exp, "exp2": math.Exp2, "expm1": math.Expm1,
	"log": math.Log, "log2": log2, "log10": log10, "log1p": math.Log1p,
	"sin": math.Sin, "cos": math.Cos, "tan": math.Tan,
	"sinh": math.Sinh, "cosh": math.Cosh, "tanh": math.Tanh,
	"asin": math.Asin, "acos": math.Acos, "atan": math.Atan,
	"asinh": math.Asinh, "acosh": math.Acosh, "atanh": math.Atanh,
	"erf": math.Erf, "erfc": math.Erfc, "cbrt": math.Cbrt, "cube": func(x float64) float64 { return x * x * x },
	"inverse_square": func(x float64) float64 { return 1 / (x * x) },
	"sigmoid":        sigmoid, "gelu": gelu, "gelu_tanh": geluTanh, "rsqrt": func(x float64) float64 { return 1 / math.Sqrt(x) },
}

// log2 is relative to Log so that it is accurate near 1 (math.Log2 cancels).
func log2(x float64) float64 {
	if x > 0.5 && x < 2 {
		return math.Log(x) * (1 / math.Ln2)
	}
	return math.Log2(x)
}

func log10(x float64) float64 {
	if x > 0.5 && x < 2 {
		return math.Log(x) * (1 / math.Ln10)
	}
	return math.Log10(x)
}

func sigmoid(x float64) float64 {
	e := math.Exp(-math.Abs(x))
	if x < 0 {
		return e / (1 + e)
	}
	return 1 / (1 + e)
}

// erfc of x/sqrt(2), whose argument is rounded: the relative error is x^2 times
// the error of the rounding, at most 2^-45.
func gelu(x float64) float64 {
	if math.IsInf(x, -1) {
		return math.Copysign(0, -1)
	}
	return x * math.Erfc(-x*(1/math.Sqrt2)) / 2
}

func geluTanh(x float64) float64 {
	u := math.Sqrt(2/math.Pi) * (x + float64(0.044715*x)*x*x)
	if math.IsInf(x, -1) {
		return math.Copysign(0, -1)
	}
	return x / (1 + math.Exp(-2*u))
}

// evaluate prints the result of a lowering for each line of arguments; all are
// hexadecimal bits. scripts/goldens/measure.py compares them with mpmath.
func evaluate(in io.Reader, out io.Writer, name, typ string) {
	lower, t := untyped.Lowerings()[name], failure.Must(dtype.Parse(typ))
	if lower == nil {
		failure.Check(fmt.Errorf("no function %q", name))
	}
	w := bufio.NewWriter(out)
	defer w.Flush()
	var p *prim.Program
	for sc := bufio.NewScanner(in); sc.Scan(); {
		fields := strings.Fields(sc.Text())
		args := make([]uint64, len(fields))
		for i, f := range fields {
			args[i] = failure.Must(strconv.ParseUint(f, 16, 64))
		}
		if p == nil {
			p = failure.Must(prim.NewProgram([]dtype.Type{t, t}[:len(args)], lower))
		}
		fmt.Fprintf(w, "%x\n", p.Call(args...))
	}
}
