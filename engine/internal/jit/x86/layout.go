package x86

import (
	"encoding/binary"
	"slices"

	"github.com/oneloop/oneloop/engine/internal/listing"
)

// Code lays the code out and returns its bytes with the constants.
func (a *Asm) Code() ([]byte, error) {
	o, err := a.Finish()
	if err != nil {
		return nil, err
	}
	return o.Code, nil
}

// Finish lays the code out, which is position-independent. a can be Reset afterwards; the object stays.
func (a *Asm) Finish() (*listing.Object, error) {
	for _, e := range a.events {
		if e.align == 0 && a.labels[e.label].at == unbound {
			a.fail("label %d is not bound", e.label)
		}
	}
	for _, r := range a.relocs {
		if r.label >= 0 && (int(r.label) >= len(a.labels) || a.labels[r.label].at == unbound) {
			a.fail("label %d is not bound", r.label)
		}
	}
	if a.err != nil {
		return nil, a.err
	}
	shift := a.relax()
	o := &listing.Object{Code: a.expand(shift)}
	o.Text = len(o.Code)
	o.Code, o.Consts = a.pool.appendTo(o.Code)
	for _, r := range a.relocs {
		var target int32
		if r.label < 0 {
			target = o.Consts[-1-r.label]
		} else {
			target = a.offset(r.label)
		}
		at := o.Code[r.disp.at+shift[r.disp.events]:]
		disp := int32(binary.LittleEndian.Uint32(at)) + target - (r.end + shift[r.disp.events])
		binary.LittleEndian.PutUint32(at, uint32(disp))
	}
	o.Lines = a.listed(shift, o.Text)
	return o, nil
}

// offset is the position of a bound label in the code that was laid out last.
func (a *Asm) offset(l Label) int32 { return a.labels[l].at + a.shift[a.labels[l].events] }

// relax finds the sizes of jumps and padding. Jumps start short and only grow,
// so it ends. The result has, for each number of events, their total size.
func (a *Asm) relax() []int32 {
	a.shift = slices.Grow(a.shift[:0], len(a.events)+1)[:len(a.events)+1]
	shift := a.shift
	shift[0] = 0
	for grown := true; grown; {
		grown = false
		for i := range a.events {
			e := &a.events[i]
			shift[i+1] = shift[i] + e.size(e.at+shift[i])
		}
		for i := range a.events {
			e := &a.events[i]
			if e.align != 0 || e.long {
				continue
			}
			l := a.labels[e.label]
			if d := l.at + shift[l.events] - (e.at + shift[i+1]); d != int32(int8(d)) {
				e.long, grown = true, true
			}
		}
	}
	return shift
}

func (e *event) size(at int32) int32 {
	switch {
	case e.align != 0:
		return -at & (e.align - 1)
	case !e.long:
		return 2
	case e.op == JMP:
		return 5
	}
	return 6
}

// expand is the code with jumps and padding put in.
func (a *Asm) expand(shift []int32) []byte {
	code := make([]byte, 0, len(a.buf)+int(shift[len(a.events)])+maxAlign+64*len(a.pool.consts))
	from := int32(0)
	for i := range a.events {
		e := &a.events[i]
		code = append(code, a.buf[from:e.at]...)
		from = e.at
		n := shift[i+1] - shift[i]
		if e.align != 0 {
			code = appendNops(code, int(n))
			continue
		}
		l := a.labels[e.label]
		d := l.at + shift[l.events] - (e.at + shift[i+1])
		opcode := forms[firstForm[e.op]].opcode
		switch {
		case !e.long && e.op == JMP:
			code = append(code, 0xeb, byte(d))
		case !e.long:
			code = append(code, opcode-0x10, byte(d))
		case e.op == JMP:
			code = binary.LittleEndian.AppendUint32(append(code, opcode), uint32(d))
		default:
			code = binary.LittleEndian.AppendUint32(append(code, 0x0f, opcode), uint32(d))
		}
	}
	return append(code, a.buf[from:]...)
}

// nops are the recommended NOPs of each size (SDM vol. 2B, table 4-12).
var nops = [...]string{
	"",
	"\x90",
	"\x66\x90",
	"\x0f\x1f\x00",
	"\x0f\x1f\x40\x00",
	"\x0f\x1f\x44\x00\x00",
	"\x66\x0f\x1f\x44\x00\x00",
	"\x0f\x1f\x80\x00\x00\x00\x00",
	"\x0f\x1f\x84\x00\x00\x00\x00\x00",
	"\x66\x0f\x1f\x84\x00\x00\x00\x00\x00",
}

func appendNops(code []byte, n int) []byte {
	for n > 0 {
		k := min(n, len(nops)-1)
		code = append(code, nops[k]...)
		n -= k
	}
	return code
}

// listed is the lines with their offsets in code of so many bytes. A line has
// the bytes up to the next one.
func (a *Asm) listed(shift []int32, size int) []listing.Line {
	out := make([]listing.Line, 0, len(a.lines))
	for i, l := range a.lines {
		at, end := int(l.at+shift[l.events]), size
		if i+1 < len(a.lines) {
			n := a.lines[i+1]
			end = int(n.at + shift[n.events])
		}
		if l.kind == listing.Pad && end == at {
			continue
		}
		out = append(out, listing.Line{Kind: l.kind, Offset: at, Size: end - at, Text: l.text})
	}
	return out
}
