package x86

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"

	"github.com/oneloop/oneloop/engine/internal/listing"
)

// An Asm collects the code of one object.
type Asm struct {
	// Listing makes Finish keep the text of each instruction, and the notes, labels
	// and padding.
	Listing bool
	// VEX makes an instruction that needs EVEX an error, for processors without AVX-512.
	VEX bool

	buf    []byte  // code without the events
	events []event // in the order of at
	labels []place
	relocs []reloc
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

// A reloc is a 32-bit displacement relative to the end of its instruction.
type reloc struct {
	disp  place // of the displacement
	end   int32 // of the instruction: an immediate may follow the displacement
	label Label
}

// A line is a line of the listing.
type line struct {
	place
	kind listing.Kind
	text string
}

// unbound is the position of a label before Bind.
const unbound = -1

// New is an empty assembler.
func New() *Asm { return &Asm{} }

// Reset empties a for the next object, and keeps its storage.
func (a *Asm) Reset() {
	*a = Asm{
		Listing: a.Listing, VEX: a.VEX, buf: a.buf[:0], events: a.events[:0], labels: a.labels[:0],
		relocs: a.relocs[:0], lines: a.lines[:0], pool: pool{a.pool.consts[:0]}, shift: a.shift[:0],
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

// Const is the constant b, of 4, 8, 16, 32 or 64 bytes, in memory. Equal
// constants are stored once.
func (a *Asm) Const(b []byte) Mem {
	c := constant{size: uint8(len(b))}
	switch len(b) {
	case 4:
		c.bits[0] = uint64(binary.LittleEndian.Uint32(b))
	case 8, 16, 32, 64:
		for i := range len(b) / 8 {
			c.bits[i] = binary.LittleEndian.Uint64(b[8*i:])
		}
	default:
		a.fail("constant of %d bytes", len(b))
	}
	return a.pool.add(c)
}

// Const32 is a constant of 4 bytes in memory.
func (a *Asm) Const32(x uint32) Mem { return a.pool.add(constant{bits: [8]uint64{uint64(x)}, size: 4}) }

// Const64 is a constant of 8 bytes in memory.
func (a *Asm) Const64(x uint64) Mem { return a.pool.add(constant{bits: [8]uint64{x}, size: 8}) }

// ConstLen is the size in bits of the constant that m is, or 0.
func (a *Asm) ConstLen(m Mem) Len {
	if !m.rip || m.ref >= 0 {
		return 0
	}
	return Len(8 * int(a.pool.consts[-1-m.ref].size))
}

// Note says what the code from here on does, for listings.
func (a *Asm) Note(text string) { a.record(listing.Note, text) }

// Head begins a part of the function, for listings.
func (a *Asm) Head(text string) { a.record(listing.Head, text) }

func (a *Asm) record(k listing.Kind, text string) {
	if a.Listing {
		a.lines = append(a.lines, line{a.here(), k, text})
	}
}

func (a *Asm) here() place { return place{at: int32(len(a.buf)), events: int32(len(a.events))} }

// A Mark is a place between two instructions.
type Mark struct{ place }

// Mark is this place.
func (a *Asm) Mark() Mark {
	a.events = append(a.events, event{at: int32(len(a.buf)), align: 1}) // nothing, between the labels before it and behind it
	return Mark{a.here()}
}

// Insert puts what code appends at a mark. That has no jumps, labels and padding.
func (a *Asm) Insert(m Mark, code func()) {
	end, relocs, lines := int32(len(a.buf)), len(a.relocs), len(a.lines)
	code()
	n, from := int32(len(a.buf))-end, m.at-end
	move := func(p *place) {
		if p.at != unbound && p.events >= m.events {
			p.at += n
		}
	}
	added := slices.Clone(a.buf[end:])
	copy(a.buf[m.at+n:], a.buf[m.at:end])
	copy(a.buf[m.at:], added)
	for i := range a.labels {
		move(&a.labels[i])
	}
	for i := range a.events[m.events:] {
		a.events[int(m.events)+i].at += n
	}
	for i := range a.relocs {
		r, by := &a.relocs[i], n
		if i >= relocs {
			r.disp.events, by = m.events, from
		}
		if r.disp.events >= m.events {
			r.disp.at += by
			r.end += by
		}
	}
	listed, at := slices.Clone(a.lines[lines:]), lines
	for i := range a.lines[:lines] {
		if l := &a.lines[i]; l.events >= m.events {
			at = min(at, i)
			move(&l.place)
		}
	}
	for i := range listed {
		listed[i].at += from
		listed[i].events = m.events
	}
	a.lines = slices.Insert(a.lines[:lines], at, listed...)
}

func (a *Asm) fail(format string, args ...any) {
	if a.err == nil {
		a.err = fmt.Errorf("x86: "+format, args...)
	}
}
