// Command statistics reads a table of flowers into a matrix of gonum, and computes
// on its memory: standard scores, correlations, means by group, and distances of
// Mahalanobis with a decomposition of gonum.
package main

import (
	"flag"
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/csv"
	"github.com/oneloop/oneloop/engine/gonum"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

type tensor = *engine.Tensor[float64]

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

// means returns the mean of each column in each of three groups.
func means(x expr.Exp[float64], group expr.Exp[float64]) expr.Exp[float64] {
	member := op.OneHot[float64](op.Cast[int64](group), 3)
	return op.Div(op.MatMul(op.T(member), x), op.NewAxis(op.Sum(member, op.Axis(0)), 1))
}

// outliers returns the distance of Mahalanobis of each row from the mean.
func outliers(x tensor) tensor {
	centred := must(engine.Eval(op.Sub(x, op.Mean(x, op.Axis(0)))))
	var inverse mat.Dense
	must(0, inverse.Inverse(must(gonum.Dense(must(engine.Eval(op.Cov(op.T(x), 1)))))))
	weighted := op.MatMul(centred, must(gonum.FromDense(&inverse)))
	return must(engine.Eval(op.Sqrt(op.Sum(op.Mul(weighted, centred), op.Axis(1)))))
}

func main() {
	path := flag.String("data", "testdata/iris/iris.csv", "the table")
	flag.Parse()
	t := must(csv.ReadFile[float64](*path))
	m := mat.DenseCopyOf(gonum.View[float64]{Of: t.Matrix()})
	x := must(gonum.FromDense(m.Slice(0, t.Rows(), 0, 4).(*mat.Dense)))
	species := t.Column("species")

	fmt.Printf("%.4f\n", must(engine.Eval(op.CorrCoef(op.T(x)))))
	fmt.Printf("%.3f\n", must(engine.Eval(means(x, species))))
	far := outliers(x)
	at := must(engine.Item(op.ArgMax(far)))
	fmt.Printf("row %d is farthest: %.6f\n", at, far.At(int(at)))
	must(x, x.Assign(op.Div(op.Sub(x, op.Mean(x, op.Axis(0))), op.Std(x, op.Axis(0), op.DDof(1)))))
	fmt.Printf("%.4f\n", m.RawRowView(0)[:4]) // the scores are in the matrix of gonum
}
