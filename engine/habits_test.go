package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"image"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/npy"
	"github.com/oneloop/oneloop/engine/picture"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

// TestMistakes checks what the first mistakes of a new user say.
func TestMistakes(t *testing.T) {
	x := engine.Ones[float64](2, 3)
	var none context.Context
	path := filepath.Join(t.TempDir(), "a.npz")
	if err := npy.WriteArchiveFile(path); err != nil {
		t.Fatal(err)
	}
	second := func(_ any, err error) error { return err }
	for want, f := range map[string]func() error{
		"engine.Eval: the expression is nil (habits_test.go:":                    func() error { return second(engine.Eval[float64](nil)) },
		"engine.Item: the expression is nil (habits_test.go:":                    func() error { return second(engine.Item[int](nil)) },
		"engine.EvalInto: the expression is nil (habits_test.go:":                func() error { return engine.EvalInto[int](nil, nil) },
		"engine.Rotate: tensor 1 is nil (habits_test.go:":                        func() error { return engine.Rotate(x, nil) },
		"Tensor.At: index [1] and shape [2 3] differ in length (habits_test.go:": func() error { x.At(1); return nil },
		"op.Stack: takes at least one operand, not 0 (habits_test.go:":           func() error { return second(engine.Eval(op.Stack[float64](0))) },
		"a zip archive: the name of an .npz archive ends in .npz:x":              func() error { return second(engine.Load[float64](path)) },
		"picture: the image is nil":                                              func() error { return second(picture.Tensor[uint8]((*image.RGBA)(nil))) },
		"the data have elements of type float32, not float64 (habits_test.go:":   func() error { return json.Unmarshal([]byte(`{"type":"float32","shape":[1],"data":[1]}`), x) },
		"Tensor.Assign: the operand is nil (habits_test.go:":                     func() error { return x.Assign(nil) },
		"engine.Run: the context is nil (habits_test.go:":                        func() error { return engine.Run(none, expr.Let(x, x)) },
	} {
		err := func() (err error) {
			defer func() {
				if r := recover(); r != nil {
					err = r.(error)
				}
			}()
			return f()
		}()
		if !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
