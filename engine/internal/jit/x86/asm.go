package x86

import (
	"fmt"
	"strconv"

	"github.com/oneloop/oneloop/engine/internal/listing"
)

// An Asm collects the code of one object.
type Asm struct {
	// Listing makes Finish keep the text of each instruction, and the notes, labels
	// and padding.
	Listing bool

	buf    []byte  // code without the events
	events []event // in the order of at
	labels []place
	refs   []ref
	lines  []line
	pool   pool
	shift  []int32 // of the last relax
	err    error
}

// A place is a position in buf, after a number of events.
type place struct{ at, events int32 }

// An event is code whose size depends on the layout: a jump to a label, or
// padding.
type event struct {
	at    int32
	op    Op
	long  bool  // the jump needs 32 bits
	align int32 // padding to a multiple of this; 0 is a jump
	label Label
}

// A ref is a 32-bit displacement relative to the end of its instruction.
type ref struct {
	disp  place // of the displacement
	end   int32 // of the instruction: an immediate may follow the displacement
	label Label
}

// unbound is the position of a label before Bind.
const unbound = -1

// New is an empty assembler.
func New() *Asm { return &Asm{} }

// Reset empties a for the next object, and keeps its storage.
func (a *Asm) Reset() {
	*a = Asm{
		Listing: a.Listing, buf: a.buf[:0], events: a.events[:0], labels: a.labels[:0],
		refs: a.refs[:0], lines: a.lines[:0], pool: pool{a.pool.consts[:0]}, shift: a.shift[:0],
	}
}

// Err is the first error.
func (a *Asm) Err() error { return a.err }

// Size is about the size of the code so far: jumps and padding not counted.
func (a *Asm) Size() int { return len(a.buf) }

// NewLabel is a label that Bind places later.
func (a *Asm) NewLabel() Label {
	a.labels = append(a.labels, place{at: unbound})
	return Label(len(a.labels) - 1)
}

// Bind places l here.
func (a *Asm) Bind(l Label) {
	if int(l) >= len(a.labels) || l < 0 || a.labels[l].at != unbound {
		a.fail("label %d is unknown or bound twice", l)
		return
	}
	a.labels[l] = a.here()
	if a.Listing {
		a.record(listing.Label, "L"+strconv.Itoa(int(l)))
	}
}

// Align pads with long NOPs to a multiple of n, a power of two up to 64.
func (a *Asm) Align(n int) {
	if n < 1 || n > maxAlign || n&(n-1) != 0 {
		a.fail("alignment %d", n)
		return
	}
	if n > 1 {
		a.record(listing.Pad, "")
		a.events = append(a.events, event{at: int32(len(a.buf)), align: int32(n)})
	}
}

// Bytes appends b as it is.
func (a *Asm) Bytes(b ...byte) {
	a.record(listing.Data, "")
	a.buf = append(a.buf, b...)
}

// I appends the instruction op of length l. See [Operand] for the operands.
func (a *Asm) I(op Op, l Len, ops ...Operand) {
	var in insn
	if !in.set(op, l, ops) {
		a.fail("%s: operands", requestText(op, l, ops))
		return
	}
	f, evex := in.match()
	if f == nil {
		a.fail("%s: no such form", requestText(op, l, ops))
		return
	}
	if a.Listing {
		a.record(listing.Insn, a.comment(&in, in.text(f, evex)))
	}
	if f.ops[0] == patRel {
		a.jump(op, in.label)
		return
	}
	a.encode(f, evex, &in)
}

func (a *Asm) jump(op Op, l Label) {
	if int(l) >= len(a.labels) || l < 0 {
		a.fail("%s: unknown label %d", op, l)
		return
	}
	a.events = append(a.events, event{at: int32(len(a.buf)), op: op, label: l})
}

func (a *Asm) here() place {
	return place{at: int32(len(a.buf)), events: int32(len(a.events))}
}

func (a *Asm) fail(format string, args ...any) {
	if a.err == nil {
		a.err = fmt.Errorf("x86: "+format, args...)
	}
}
