package main

import (
	"context"
	"fmt"
	"os"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/csv"
	"github.com/oneloop/oneloop/engine/npy"
	"github.com/oneloop/oneloop/engine/picture"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/formula"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/shape"
)

func main() {
	x := engine.MustFromSlice([]float64{1, 2, 3})
	m := engine.MustFromSlice([]float64{1, 2, 3, 4, 5, 6}, 2, 3)
	y := engine.Zeros[float64](3)
	say := func(name string, err error) { fmt.Println(name, "=>", err) }
	_, err := engine.ArrayOf(x.Array().Memory(), dtype.F64, shape.Shape{3}, nil, 0)
	say("nil strides", err)
	_, err = engine.TensorOf[float32](x.Array())
	say("tensorof", err)
	say("reshape", x.Reshape(2, 2).Err())
	say("reshape2", m.Transpose().Reshape(6).Err())
	say("index", x.Index(5).Err())
	say("span", x.Span(op.Span{}, op.Span{}).Err())
	say("transpose", x.Transpose(0, 0).Err())
	idx := engine.MustFromSlice([]int64{0, 9, 1})
	say("take", y.Assign(op.Take(x, idx, 0)))
	say("softmax", op.Softmax(m, 5).Node().Err())
	say("squeeze", op.Squeeze(m, 0).Node().Err())
	say("onehot", op.OneHot[float64](idx, -1).Node().Err())
	say("unwindows", op.Unwindows(m, []int{5}, op.Window{Size: 2}).Node().Err())
	say("arange", op.Arange[int8](0, 300, 1).Node().Err())
	say("full", op.Full[uint8](1.5).Node().Err())
	say("full300", op.Full[int8](300).Node().Err())
	say("scale", op.Scale(1.5, op.Cast[uint8](x)).Node().Err())
	i := engine.MustFromSlice([]int32{0, 1, 2})
	say("div", i.Assign(op.Div(op.Full[int32](1), i)))
	say("matmul", op.MatMul(m, m).Node().Err())
	say("assign", x.Assign(m))
	say("add", x.Assign(op.Add(m, engine.Zeros[float64](4))))
	p, err := engine.Compile(context.Background(), expr.Let(y, op.Take(x, idx, 0)))
	say("compile", err)
	say("run", p.Run(context.Background()))
	_, err = formula.MustCompile[float64]("full(2, 300.5, int8)").Eval(context.Background(), nil)
	say("full 300.5", err)
	_, err = formula.Compile[float64]("full(2, 300, int8)")
	say("full 300", err)
	_, err = formula.MustCompile[float64]("zeros(150000000)").Eval(context.Background(), nil)
	say("zeros", err)
	os.WriteFile("/tmp/users-msg/a.npy", []byte("PK\x03\x04aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"), 0o644)
	_, err = npy.ReadFile("/tmp/users-msg/a.npy")
	say("npz", err)
	_, err = engine.Load[float64]("/tmp/users-msg/none.npy")
	say("none", err)
	_, err = csv.ReadFile[float64]("/tmp/users-msg/a.npy")
	say("csv", err)
	_, err = picture.ReadFile[float64]("/tmp/users-msg/a.npy")
	say("picture", err)
	_, err = engine.Item[float64](x)
	say("item", err)
	_, err = engine.FromSlice([]float64{1, 2}, 3)
	say("fromslice", err)
	_, err = engine.FromRows([][]float64{{1}, {1, 2}})
	say("rows", err)
	say("sum", op.Sum(x, op.Axis(3)).Node().Err())
	say("concat", op.Concat[float64](0, x, m).Node().Err())
	say("windows", op.Windows(x, op.Window{Size: 9}).Node().Err())
	say("rotate", engine.Rotate(x, m))
	say("nil", x.Assign(nil))
	func() {
		defer func() { fmt.Println("at =>", recover()) }()
		x.At(7)
	}()
	func() {
		defer func() { fmt.Println("data =>", recover()) }()
		m.Transpose().Data()
	}()
	func() {
		defer func() { fmt.Println("zeros =>", recover()) }()
		engine.Zeros[float64](-1)
	}()
	say("int", nil)
	say("together", engine.Run(context.Background(), engine.Together(expr.Let(x, m))...))
}
