package numpy

import (
	"slices"
	"strings"

	"github.com/oneloop/oneloop/internal/lists"
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

// refusal returns the reason why a function lacks an argument, as the end of a message, or "". The
// reasons of where, dtype and casting are for functions of elements.
func refusal(f *Function, argument string) string {
	elements := f.Group == groups[0] || f.Group == groups[2]
	for _, r := range refusals {
		if r.Argument == argument && (elements || !slices.Contains([]string{"where", "dtype", "casting"}, argument)) {
			return "; " + strings.ReplaceAll(r.Reason, "`", "")
		}
	}
	return ""
}

// absent are functions of NumPy and Python that formulas do not have. Their
// names are no misspellings of others.
var absent = " " + strings.Join(strings.Fields(`
	det intersect1d inv linalg list load
	loadtxt map ndarray open piecewise polyfit print put random
	range save set setdiff1d solve str svd tuple type union1d zip`), " ") + " "

// lengthOfMask says why no mask selects.
const lengthOfMask = "its length depends on the elements, and formulas have shapes that are known before they run"

// atOnce has the functions of package engine whose results have such lengths.
var atOnce = map[string]string{
	"argwhere": "Nonzero", "compress": "Compress", "extract": "Compress", "flatnonzero": "Nonzero", "nonzero": "Nonzero", "unique": "Unique",
}

// suggestion names the function that a name is a misspelling of.
func suggestion(name string) string {
	if f := atOnce[name]; f != "" {
		return "; " + lengthOfMask + "; in Go engine." + f + " runs at once"
	}
	if strings.Contains(absent, " "+name+" ") {
		return ""
	}
	best, least := "", 1+min(max(len(name)/3, 1), 2)
	if len(name) > 30 || len(name) < 3 {
		return ""
	}
	for _, f := range sorted {
		for _, n := range append([]string{f.Name}, f.Aliases...) {
			if d := edits(name, n); d < least {
				best, least = n, d
			}
		}
	}
	if best == "" {
		return ""
	}
	return "; is it " + best + "?"
}

// edits is the number of letters to insert, remove, replace or exchange with
// the next one that make a from b.
func edits(a, b string) int {
	before, row := make([]int, len(b)+1), lists.UpTo(len(b)+1)
	for i := range len(a) {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range len(b) {
			d := row[j]
			if a[i] != b[j] {
				d++
			}
			next[j+1] = min(d, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}
