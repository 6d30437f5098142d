package cudagen

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/oneloop/oneloop/internal/zero"
	"github.com/oneloop/oneloop/plan/ir"
)

// A Device holds the properties of a GPU that a launch depends on.
type Device struct {
	SMs    int // multiprocessors
	Shared int // bytes of shared memory that a thread block may use
}

// FaultBytes is the size of the fault words, in bytes.
const FaultBytes = 8

// Raised returns the least fault in the fault words after a run, or ir.NoFault.
// words has FaultBytes bytes.
func Raised(words []byte) ir.FaultKind {
	if len(words) < FaultBytes {
		return ir.NoFault
	}
	for _, k := range []ir.FaultKind{ir.DivideFault, ir.IndexFault} {
		if binary.LittleEndian.Uint32(words[4*(k-1):]) != 0 {
			return k
		}
	}
	return ir.NoFault
}

// A Bound is a source with the numbers of a binding, ready to launch.
type Bound struct {
	Launches []Launch // run them in order, on one stream
	Args     []byte   // the argument struct: the only parameter of every launch, unless the source is Indirect
	Scratch  int      // bytes of scratch memory on the device, 256-byte aligned and uninitialised
	patches  []patch
}

// A Launch is one launch of a kernel. Its grid is never empty.
type Launch struct {
	Entry  int // index in Source.Entries
	Grid   [3]uint32
	Block  [3]uint32
	Shared uint32 // bytes of dynamic shared memory
	// Rows says that a thread block computes row after row. The fastest grid has as many
	// blocks as the GPU runs at once, and at most as many as Grid.
	Rows bool
}

// A patch is a field of the argument struct that SetArgs writes: an address or a
// scalar.
type patch struct {
	offset int
	kind   fieldKind
	x      int    // number of the buffer or scalar
	add    uint64 // bytes that SetArgs adds to an address
}

// SetArgs writes addresses and scalars into b.Args. addresses has an entry for
// each buffer, scalars one for each scalar. scratch is the address of b.Scratch
// bytes. faults is the address of FaultBytes bytes, which must be zero before the
// first launch. SetArgs allocates nothing.
func (b *Bound) SetArgs(addresses, scalars []uint64, scratch, faults uint64) {
	if b == nil {
		return
	}
	for i := range b.patches {
		p := &b.patches[i]
		v := p.add
		switch p.kind {
		case pointerField:
			v += addresses[p.x]
		case scalarField:
			v = scalars[p.x]
		case scratchField:
			v = scratch
		case faultsField:
			v = faults
		}
		binary.LittleEndian.PutUint64(b.Args[p.offset:], v)
	}
}

// Bind returns the launches for the numbers of b on device d. It returns an error
// if b has another layout than the source, or does not fit the kernel.
func (s *Source) Bind(b *ir.Binding, d Device) (*Bound, error) {
	n, err := bind(s.k, b, d, func(_ *numbers, c *copiedLoad) bool {
		return c.first < len(s.layout.sites) && s.layout.sites[c.first].makesCopy > 0
	})
	if err == nil {
		err = n.fits(s.layout)
	}
	if err != nil {
		return nil, fmt.Errorf("cudagen: %s: %w", s.k.Name, err)
	}
	out := &Bound{Args: make([]byte, s.size)}
	m := n.place(s)
	out.Scratch = m.scratch
	n.launches(s, m, out)
	for i := range s.fields {
		f := &s.fields[i]
		at := out.Args[f.offset : f.offset+f.size]
		switch f.kind {
		case pointerField:
			buf := int(s.layout.forms[f.x].buf)
			add := uint64(n.forms[f.x].base * s.k.Bufs[buf].Type.Size())
			out.patches = append(out.patches, patch{f.offset, f.kind, buf, add})
		case scalarField, scratchField, faultsField:
			out.patches = append(out.patches, patch{f.offset, f.kind, f.x, 0})
		case divisorField:
			divisor(at, n.extents[f.x])
		case blocksField:
			divisor(at, ceilDiv(n.total(int32(f.x)), ir.Block))
		case lanesField:
			divisor(at, n.total(int32(f.x)))
		case sideField:
			divisor(at, ceilDiv(n.extents[f.x], tileSide))
		case packsField:
			divisor(at, n.vectors(f.x))
		case paramDivField:
			divisor(at, b.Params[f.x])
		default:
			x := n.number(f, m)
			if f.size == 4 {
				binary.LittleEndian.PutUint32(at, uint32(x))
			} else {
				binary.LittleEndian.PutUint64(at, uint64(x))
			}
		}
	}
	return out, nil
}

// fits returns an error if the layout of the binding differs from l. Vector
// widths are taken from l, because they depend on addresses.
func (n *numbers) fits(l Layout) error {
	have := n.layout
	if len(have.loops) != len(l.loops) || len(have.sites) != len(l.sites) {
		return fmt.Errorf("the binding is of another kernel than the source")
	}
	have.wide = have.wide || l.wide
	if err := n.samePacks(l); err != nil {
		return err
	}
	if have.String() != l.String() {
		return fmt.Errorf("the binding has another layout than the source")
	}
	return nil
}

// number returns the value of an integer field.
func (n *numbers) number(f *field, m *memoryMap) int {
	switch f.kind {
	case paramField:
		return n.b.Params[f.x]
	case areaField:
		return m.offsets[f.x]
	case areaSizeField:
		return m.sizes[f.x]
	case strideField:
		return n.Arrays[f.x].Strides[f.y]
	case extentField:
		return n.Arrays[f.x].Extents[f.y]
	case coefField:
		return n.forms[f.x].coefs[f.y]
	case tilesField:
		return n.tileCount(int32(f.x))
	case runsField:
		return n.runCount(int32(f.x))
	case vectorsField:
		return n.allVectors(f.x)
	case totalField:
		return n.total(int32(f.x))
	}
	return n.extents[f.x] // dimField
}

// total returns the number of positions of a loop.
func (n *numbers) total(loop int32) int { return n.Product(n.k.Loops[loop].Axes) }

// divisor writes n to at. If at has 12 bytes, divisor adds the two numbers that
// replace a division of 0 <= x < 2^31 by n: x/n is x*mul >> shift, with
// mul = floor(2^shift/n) + 1 (Granlund & Montgomery 1994).
func divisor(at []byte, n int) {
	if len(at) == 8 {
		binary.LittleEndian.PutUint64(at, uint64(n))
		return
	}
	shift := 31 + bits.Len(uint(max(n, 1)-1))
	binary.LittleEndian.PutUint32(at, uint32(n))
	binary.LittleEndian.PutUint32(at[4:], uint32(uint64(1)<<shift/uint64(max(n, 1))+1))
	binary.LittleEndian.PutUint32(at[8:], uint32(shift))
}

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
