package main

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/prim"
)

// evaluate prints the result of a lowering for each line of arguments; all are
// hexadecimal bits. scripts/goldens/measure.py compares them with mpmath.
func evaluate(in io.Reader, out io.Writer, name, typ string) error {
	lower := untyped.Lowerings()[name]
	t, err := dtype.Parse(typ)
	if err != nil {
		return err
	}
	if lower == nil {
		return fmt.Errorf("no function %q", name)
	}
	w := bufio.NewWriter(out)
	defer w.Flush()
	var p *prim.Program
	for sc := bufio.NewScanner(in); sc.Scan(); {
		fields := strings.Fields(sc.Text())
		args := make([]uint64, len(fields))
		for i, f := range fields {
			if args[i], err = strconv.ParseUint(f, 16, 64); err != nil {
				return err
			}
		}
		if p == nil {
			params := []dtype.Type{t, t}[:len(args)]
			if p, err = prim.NewProgram(params, lower); err != nil {
				return err
			}
		}
		fmt.Fprintf(w, "%x\n", p.Call(args...))
	}
	return nil
}
