package untyped

// A Lowering writes a function as primitives.
type Lowering = func(b *B, x ...V) V

// Lowerings returns the lowerings of the mathematical functions by name. Tests
// and scripts/ulp use them.
func Lowerings() map[string]Lowering {
	all := map[string]Lowering{}
	for i := range functions {
		if r := &functions[i]; r.Name != "sqrt" { // a primitive
			all[r.Name] = r.Lower
		}
	}
	return all
}
