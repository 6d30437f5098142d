package cudagen

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/oneloop/oneloop/internal/zero"
)

// maxArgs is the limit of the argument struct, in bytes. Every GPU can pass that
// much by value.
const maxArgs = 4096

// A fieldKind says what a field of the argument struct holds.
type fieldKind uint8

const (
	pointerField  fieldKind = iota // pointer of form x, which includes the constant of the form
	scalarField                    // scalar x
	scratchField                   // address of the scratch memory
	faultsField                    // address of the fault words
	paramField                     // parameter x
	areaField                      // offset in bytes of area x in the scratch or shared memory
	areaSizeField                  // size in bytes of area x for one row
	strideField                    // stride of dimension y of buffer x
	extentField                    // extent of dimension y of buffer x
	coefField                      // coefficient of term y of form x
	totalField                     // number of positions of loop x
	blocksField                    // divisor: number of blocks of 4096 positions of loop x
	lanesField                     // divisor: number of positions of loop x
	dimField                       // extent of dimension x
	divisorField                   // divisor: extent of dimension x
	runsField                      // number of threads for the runs of the columns of loop x
	tilesField                     // number of tiles of loop x
	sideField                      // divisor: number of tiles along dimension x
	packsField                     // divisor: number of vectors of a row of loop x
	vectorsField                   // number of vectors of loop x
	paramDivField                  // divisor: parameter x
)

// A field is a member of the argument struct.
type field struct {
	name, ctype string
	size, align int
	kind        fieldKind
	x, y        int
	offset      int
}

// args collects the fields of the argument struct. Two fields with the same name
// are one field.
type args struct {
	fields []field
	byName map[string]int
}

// put adds field f if its name is new, and returns its name in the code.
func (a *args) put(f field) string {
	if _, ok := a.byName[f.name]; !ok {
		zero.Put(&a.byName, f.name, len(a.fields))
		a.fields = append(a.fields, f)
	}
	return "a." + f.name
}

// place orders the fields by alignment, largest first, sets their offsets, and
// returns the size of the struct, in bytes. The size is at least 1.
func (a *args) place() int {
	slices.SortStableFunc(a.fields, func(x, y field) int { return cmp.Compare(y.align, x.align) })
	size, align := 0, 1
	for i := range a.fields {
		f := &a.fields[i]
		size = (size + f.align - 1) / f.align * f.align
		f.offset = size
		size += f.size
		align = max(align, f.align)
	}
	return max((size+align-1)/align*align, align)
}

// text writes the declaration of the struct with the given name.
func (a *args) text(w *strings.Builder, name string) {
	fmt.Fprintf(w, "struct %s {\n", name)
	for _, f := range a.fields {
		fmt.Fprintf(w, "  %s %s;\n", f.ctype, f.name)
	}
	if len(a.fields) == 0 {
		w.WriteString("  u8 none;\n")
	}
	w.WriteString("};\n")
}
