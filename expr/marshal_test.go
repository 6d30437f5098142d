package expr_test

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"encoding/xml"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/autograd"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

// encoding/xml needs the name of a type.
type report struct{ P *expr.Param[float64] }

// TestMarshal checks that encoders refuse expressions, which they would write without
// their values, and take tensors.
func TestMarshal(t *testing.T) {
	x := engine.Ones[float64](2)
	for _, v := range []any{
		expr.NewParam(2.), expr.Const(1.), op.Exp(x), op.Exp(x).Node(), expr.Let(x, op.Exp(x)),
		expr.TargetOf[float64](x.Node()), autograd.New(x),
		report{expr.NewParam(2.)},
	} {
		if b, err := json.Marshal(v); !errors.Is(err, expr.ErrUnsupported) {
			t.Errorf("json of %T: %s, %v", v, b, err)
		}
		if b, err := xml.Marshal(v); !errors.Is(err, expr.ErrUnsupported) {
			t.Errorf("xml of %T: %s, %v", v, b, err)
		}
		var text bytes.Buffer
		slog.New(slog.NewTextHandler(&text, nil)).Info("", "v", v)
		if _, logged := v.(slog.LogValuer); logged && strings.Contains(text.String(), "ERROR") {
			t.Errorf("slog of %T: %s", v, text.String())
		}
		if err := gob.NewEncoder(new(bytes.Buffer)).Encode(v); err == nil || !strings.Contains(err.Error(), "cannot be marshalled") {
			t.Errorf("gob of %T: %v", v, err)
		}
	}
	if _, err := json.Marshal(x); err != nil {
		t.Error(err)
	}
	if err := gob.NewEncoder(new(bytes.Buffer)).Encode(x); err != nil {
		t.Error(err)
	}
}
