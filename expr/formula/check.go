package formula

import "github.com/oneloop/oneloop/expr"

// check reports what is wrong with a formula whatever its variables are: unknown
// functions and attributes, wrong arguments, and errors in parts that have no
// names, such as 1/0.
func (s *Source) check() error {
	b := &builder{src: s, checking: true}
	for _, st := range s.statements {
		v, err := b.eval(st.value)
		if err != nil {
			return err
		}
		if v.kind == vNone || v.kind == vString {
			return b.fail(st.value, expr.ErrType, "%s cannot be assigned", v.describe())
		}
		if st.target.kind == aIndex {
			if _, err := b.eval(st.target); err != nil {
				return err
			}
		}
		if st.op != "=" {
			if _, err := b.operand(st.value, v); err != nil {
				return err
			}
		}
	}
	return nil
}
