package arm64

import (
	le "encoding/binary"
	"fmt"
	"slices"
	"strconv"

	"github.com/oneloop/oneloop/engine/internal/listing"
)

// An Asm collects the code of one object. Every instruction has 4 bytes.
type Asm struct {
	// Listing makes Finish keep the text of each instruction, and the notes, labels and padding.
	Listing bool

	buf    []byte
	labels []int // offsets
	refs   []ref
	lines  []listing.Line
	pool   [][16]byte
	// written has the end of the last instruction that names a general register first, and bound
	// the place of the last label.
	written [32]int
	bound   int
	err     error
}

// A ref is an instruction with a label, or with a constant, -1 less its number.
type ref struct {
	at     int
	letter byte
	label  Label
}

const unbound = -1

// New returns an empty assembler.
func New() *Asm { return &Asm{} }

// Reset empties a for the next object, and keeps its storage.
func (a *Asm) Reset() {
	*a = Asm{buf: a.buf[:0], labels: a.labels[:0], refs: a.refs[:0], lines: a.lines[:0], pool: a.pool[:0]}
}

func (a *Asm) fail(format string, args ...any) {
	if a.err == nil {
		a.err = fmt.Errorf("arm64: "+format, args...)
	}
}

// NewLabel returns a label that Bind places later.
func (a *Asm) NewLabel() Label {
	a.labels = append(a.labels, unbound)
	return Label(len(a.labels) - 1)
}

// Bind places l here.
func (a *Asm) Bind(l Label) {
	if a.labels[l] != unbound {
		a.fail("label %d is bound twice", l)
	}
	a.labels[l] = len(a.buf)
	a.bound = len(a.buf)
	a.record(listing.Label, "L"+strconv.Itoa(int(l)))
}

// nop is an instruction that does nothing.
const nop = 0xd503201f

// Align pads with instructions that do nothing to a multiple of n, a power of two.
func (a *Asm) Align(n int) {
	if len(a.buf)&(n-1) == 0 {
		return
	}
	a.record(listing.Pad, "")
	for len(a.buf)&(n-1) != 0 {
		a.buf = le.LittleEndian.AppendUint32(a.buf, nop)
	}
}

// Bytes appends data.
func (a *Asm) Bytes(b ...byte) {
	a.record(listing.Data, "")
	a.buf = append(a.buf, b...)
}

// Head begins a part of the listing. Note says what the code from here on computes.
func (a *Asm) Head(text string) { a.record(listing.Head, text) }

// Note says in the listing what the code from here on computes.
func (a *Asm) Note(text string) { a.record(listing.Note, text) }

func (a *Asm) record(kind listing.Kind, text string) {
	if a.Listing {
		a.lines = append(a.lines, listing.Line{Kind: kind, Offset: len(a.buf), Text: text})
	}
}

// Const returns the label of a constant of 16 bytes, which stands after the code.
func (a *Asm) Const(x [16]byte) Label {
	if i := slices.Index(a.pool, x); i >= 0 {
		return Label(-1 - i)
	}
	a.pool = append(a.pool, x)
	return Label(-len(a.pool))
}

// I appends an instruction. See [Operand] for the operands.
func (a *Asm) I(in Op, r Arr, ops ...Operand) {
	bits := in.arrange(r)
	want := 0
	for i, letter := range []byte(in.ops) {
		if letter == 'z' {
			break
		}
		if want++; i >= len(ops) {
			break
		}
		bits |= a.operand(in, r, letter, ops[i])
	}
	if want != len(ops) {
		a.fail("%s: %d operands", in.name, len(ops))
	}
	if a.Listing {
		a.record(listing.Insn, a.text(in, r, ops))
	}
	a.buf = le.LittleEndian.AppendUint32(a.buf, bits)
	if len(ops) > 0 {
		if r, ok := ops[0].(Reg); ok {
			a.written[r] = len(a.buf)
		}
	}
}

// Here returns the size of the code so far.
func (a *Asm) Here() int { return len(a.buf) }

// Kept reports whether no register of some has been written since the code had a size, and no label
// was bound.
func (a *Asm) Kept(since int, some ...Reg) bool {
	return a.bound <= since && !slices.ContainsFunc(some, func(r Reg) bool { return a.written[r] > since })
}

// arrange returns the bits of an instruction of an arrangement.
func (in *insn) arrange(r Arr) uint32 {
	size, q := uint32(r.Size()), uint32(r&1)<<30
	switch in.class {
	case general:
		if r != X {
			return in.bits
		}
		bits := in.bits | 1<<31
		if in.ops == "rs<" || in.ops == "rs>" {
			bits |= 1 << 22 // the width again, and the last bit of a shift
			if in.ops == "rs>" {
				bits |= 1 << 15
			}
		}
		return bits
	case ints:
		return in.bits | q | size<<22
	case floats:
		return in.bits | q | (size-2)<<22
	case halves:
		return in.bits | q | (size-1)<<22
	case whole, one:
		return in.bits | q
	case copies:
		return in.bits | q | 1<<(16+size)
	case repeats:
		return in.bits | q | size<<10
	case address:
		return in.bits &^ scaled
	}
	return in.bits
}

// operand returns the bits of an operand.
func (a *Asm) operand(in *insn, r Arr, letter byte, op Operand) uint32 {
	switch x := op.(type) {
	case Vec:
		return uint32(x) << shifts[letter]
	case Reg:
		return uint32(x) << shifts[letter]
	case Lane:
		return lane(r, letter, x)
	case Cond:
		if in.ops == "rc" { // CSET has the condition of the 0
			x ^= 1
		}
		return uint32(x) << 12
	case Imm:
		return a.number(in, r, letter, int(x))
	case Label:
		if x >= 0 && int(x) >= len(a.labels) {
			a.fail("%s: label %d is unknown", in.name, x)
		}
		a.refs = append(a.refs, ref{len(a.buf), letter, x})
		return 0
	case Mem:
		return a.memory(in, x)
	}
	a.fail("%s: an operand is a %T", in.name, op)
	return 0
}

// shifts are the bits where registers stand.
var shifts = [128]uint8{
	'n': 5, 'N': 5, 'm': 16, 's': 5, 't': 16, 'u': 10, 'x': 5, 'g': 5, '1': 5,
}

// lane returns the bits of a lane, or of the lane that is loaded or stored.
func lane(r Arr, letter byte, x Lane) uint32 {
	size := r.Size()
	bits := uint32(x.V)
	if letter == 'i' {
		bits <<= 5
	}
	if letter != 'p' {
		if letter == 'i' && size == 3 {
			bits |= uint32(r&1) << 30 // of UMOV
		}
		return bits | uint32(x.I<<1|1)<<(16+size)
	}
	at := uint32(x.I) << size // Q, S and size of an element of one byte
	bits |= at>>3<<30 | at>>2&1<<12 | at&3<<10
	return bits | [...]uint32{0, 2 << 13, 4 << 13, 4<<13 | 1<<10}[size]
}

// number returns the bits of a number.
func (a *Asm) number(in *insn, r Arr, letter byte, x int) uint32 {
	width := 8 << r.Size()
	if in.class == general {
		width = 32
		if r == X {
			width = 64
		}
	}
	check := func(limit int) uint32 {
		if x < 0 || x >= limit {
			a.fail("%s: number %d", in.name, x)
		}
		return uint32(x)
	}
	switch letter {
	case 'a':
		return check(1<<12) << 10
	case 'w':
		return check(1<<16) << 5
	case 'f':
		return check(64) / 16 << 21
	case 'l':
		return check(64) << 10
	case 'e':
		return check(16) << 11
	case 'k':
		return check(64)&31<<19 | uint32(x)>>5<<31
	case '<':
		if in.class == general { // a rotation to the right, and the last bit that stays
			return uint32(width-int(check(width)))&uint32(width-1)<<16 | uint32(width-1-x)<<10
		}
		return (uint32(width) + check(width)) << 16
	case '>':
		if in.class == general {
			return check(width) << 16
		}
		if x == 0 {
			a.fail("%s: number 0", in.name)
		}
		return (2*uint32(width) - check(width+1)) << 16
	}
	a.fail("%s: a number", in.name)
	return 0
}

// scaled says that a displacement is in units of the size.
const scaled = 1 << 24

// memory returns the bits of memory: an index, a displacement in units of the size, or one in
// bytes.
func (a *Asm) memory(in *insn, m Mem) uint32 {
	base := uint32(m.Base) << 5
	switch {
	case m.Indexed:
		if m.Disp != 0 || m.Shift != 0 && int(m.Shift) != in.size {
			a.fail("%s: no such address", in.name)
		}
		bits := base | 1<<21 | uint32(m.Index)<<16 | 0x6800
		if m.Shift != 0 {
			bits |= 1 << 12
		}
		return bits
	case m.Disp&(1<<in.size-1) == 0 && 0 <= m.Disp && m.Disp>>in.size < 1<<12:
		return base | scaled | uint32(m.Disp>>in.size)<<10
	case m.fits(in.size):
		return base | uint32(m.Disp)&511<<12
	}
	a.fail("%s: displacement %d", in.name, m.Disp)
	return base
}

// Finish lays the code out. a can be Reset afterwards; the object stays.
func (a *Asm) Finish() (*listing.Object, error) {
	o := &listing.Object{Code: append([]byte(nil), a.buf...), Text: len(a.buf)}
	for len(a.pool) > 0 && len(o.Code)%16 != 0 {
		o.Code = append(o.Code, 0) // no instruction
	}
	for _, c := range a.pool {
		o.Consts = append(o.Consts, int32(len(o.Code)))
		o.Code = append(o.Code, c[:]...)
	}
	for _, r := range a.refs {
		var to int
		if r.label < 0 {
			to = int(o.Consts[-1-r.label])
		} else if to = a.labels[r.label]; to == unbound {
			a.fail("label %d is not bound", r.label)
		}
		at := o.Code[r.at:]
		le.LittleEndian.PutUint32(at, le.LittleEndian.Uint32(at)|a.distance(r.letter, to-r.at))
	}
	if a.err != nil {
		return nil, a.err
	}
	if a.Listing {
		o.Lines = append(o.Lines, a.lines...)
		end := o.Text
		for i := len(o.Lines) - 1; i >= 0; i-- {
			l := &o.Lines[i]
			l.Size, end = end-l.Offset, l.Offset
		}
	}
	return o, nil
}

// distance returns the bits of a distance in bytes to a label.
func (a *Asm) distance(letter byte, d int) uint32 {
	bits, at := 19, 5
	switch letter {
	case 'A':
		if d < -1<<20 || d >= 1<<20 {
			a.fail("a label is too far")
		}
		return uint32(d)&3<<29 | uint32(d>>2)&(1<<19-1)<<5
	case 'B':
		bits, at = 26, 0
	case 'T':
		bits = 14
	}
	if d >>= 2; d < -1<<(bits-1) || d >= 1<<(bits-1) {
		a.fail("a label is too far")
	}
	return uint32(d) & (1<<bits - 1) << at
}
