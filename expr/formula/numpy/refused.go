package numpy

import (
	"slices"
	"strings"
)

// A Refusal is an argument of functions of NumPy that formulas do not have.
type Refusal struct {
	Argument  string
	Functions string // separated by spaces; "": all that have it in NumPy
	Reason    string
}

var refusals = []Refusal{
	{"out", "", "assign the result: `y[:] = f(x)` keeps the memory of y"},
	{"where", "", "without out the other elements have no value; write `where(mask, f(x), y)`"},
	{"dtype", "", "convert the operands: `f(float32(x))`"},
	{"casting", "", "convert the operands: `f(float32(x))`"},
	{"order", "", "values of formulas have no layout; the arrays that they are stored in have theirs"},
	{"subok", "", "there is one kind of arrays"},
	{"like", "", "there is one kind of arrays"},
	{"device", "", "a program runs where its arrays are; `x.To(device)` moves a tensor"},
	{"kwargs", "clip", "those of ufuncs, see there"},
}

// Refusals returns the arguments that formulas do not have, with the reasons.
func Refusals() []Refusal { return slices.Clone(refusals) }

// refusal returns the reason why a function lacks an argument, as the end of a message, or "". Where,
// dtype and casting are those of functions of elements.
func refusal(f *Function, argument string) string {
	elements := f.Group == groups[0] || f.Group == groups[2]
	for _, r := range refusals {
		if r.Argument == argument && (elements || !slices.Contains([]string{"where", "dtype", "casting"}, argument)) {
			return "; " + strings.ReplaceAll(r.Reason, "`", "")
		}
	}
	return ""
}
