package cli

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
)

// TestTableTypes checks that a table refuses the element types that it cannot have by their names.
func TestTableTypes(t *testing.T) {
	for _, typ := range []dtype.Type{dtype.U64, dtype.C64, dtype.C128} {
		a, err := engine.NewArray(typ, 3)
		if err != nil {
			t.Fatal(err)
		}
		err = writeTable(io.Discard, []string{"x"}, []*engine.Array{a})
		if !errors.Is(err, expr.ErrType) || !strings.Contains(err.Error(), "a table of "+typ.String()+" is not supported") {
			t.Errorf("a table of %v gives %v", typ, err)
		}
	}
}
