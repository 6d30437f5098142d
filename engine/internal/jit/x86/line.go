package x86

import "github.com/oneloop/oneloop/engine/internal/listing"

type line struct {
	place
	kind listing.Kind
	text string
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
