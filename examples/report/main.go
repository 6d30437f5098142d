// Command report reads a table of flowers and writes a table with the number, the
// mean, the deviation and the extremes of a column for each species.
package main

import (
	"log"
	"math"
	"os"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/csv"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

type exp = expr.Exp[float64]

var nan = math.NaN()

// report returns one row for each of the groups 0 .. n-1 of a column.
func report(column, group exp, n int) (*csv.Table[float64], error) {
	number := op.Arange[float64](0, float64(n), 1)
	here := op.Equal(op.NewAxis(number, 1), group)        // [group row]
	only := op.Where(here, column, op.Full[float64](nan)) // the others are NaN
	rows := op.Axis(1)
	names := []string{"species", "count", "mean", "std", "min", "max"}
	values := []exp{
		number, op.Sum(op.Cast[float64](here), rows), op.NaNMean(only, rows), op.NaNStd(only, rows, op.DDof(1)),
		op.NaNMin(only, rows), op.NaNMax(only, rows),
	}
	columns := make([]*engine.Tensor[float64], len(values))
	for i, e := range values {
		var err error
		if columns[i], err = engine.Eval(op.Round(e, 4)); err != nil {
			return nil, err
		}
	}
	return csv.New(names, columns...)
}

func run(in, name string) error {
	t, err := csv.ReadFile[float64](in, csv.Columns(name, "species"))
	if err != nil {
		return err
	}
	r, err := report(t.Column(name), t.Column("species"), 3)
	if err != nil {
		return err
	}
	return csv.Write(os.Stdout, r)
}

func main() {
	if err := run("testdata/iris/iris.csv", "petal_length"); err != nil {
		log.Fatal(err)
	}
}
