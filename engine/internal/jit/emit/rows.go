package emit

import (
	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
)

// nextRow emits the end of a row loop: it steps the sites and jumps to again if rows
// are left.
func nextRow(a *x86.Asm, phases []*layout.Phase, again x86.Label) {
	for _, bp := range phases {
		for i := range bp.Sites {
			if s := &bp.Sites[i]; s.Row != 0 {
				a.I(x86.MOV, x86.W64, x86.RAX, isa.Frame(s.Arg+frame.SiteRow))
				a.I(x86.ADD, x86.W64, isa.Frame(s.Arg+frame.SitePtr), x86.RAX)
			}
		}
	}
	a.I(x86.SUB, x86.W64, isa.Frame(frame.Rows), x86.Imm(1))
	a.I(x86.JNE, 0, again)
}

// results emits code that stores the reductions of a row, which is one block, in their
// cells.
func (f *phaseCode) results() {
	for i := range f.accs {
		r, area := f.accs[i].Red, int(f.accs[i].area)
		cell := x86.At(x86.RDI, int32(f.Program.CellBase)+r.Cell*8)
		if f.accs[i].Kern.Arg {
			found := f.Asm.NewLabel()
			f.I(x86.MOV, x86.W32, x86.RAX, isa.Frame(area+frame.RedBytes/2))
			f.I(x86.CMP, x86.W32, x86.RAX, x86.Imm(frame.NoPosition))
			f.I(x86.JNE, 0, found)
			f.I(x86.XOR, x86.W32, x86.RAX, x86.RAX) // every element is the identity
			f.Asm.Bind(found)
			f.I(x86.MOV, x86.W64, cell, x86.RAX)
			continue
		}
		size := x86.W32
		if f.accs[i].Kern.Lane.Size() == 8 {
			size = x86.W64
		}
		f.I(x86.MOV, size, x86.RAX, isa.Frame(area))
		switch r.Type {
		case dtype.I8:
			f.I(x86.SHL, x86.W32, x86.RAX, x86.Imm(24))
			f.I(x86.SAR, x86.W32, x86.RAX, x86.Imm(24))
		case dtype.U8:
			f.I(x86.AND, x86.W32, x86.RAX, x86.Imm(0xff))
		case dtype.Bool: // any: not 0; all: 0
			f.I(x86.NEG, x86.W32, x86.RAX)
			f.I(x86.MOV, x86.W32, x86.RAX, x86.Imm(0))
			f.I(x86.ADC, x86.W32, x86.RAX, x86.Imm(0))
			if r.Kern.All() {
				f.I(x86.XOR, x86.W32, x86.RAX, x86.Imm(1))
			}
		}
		f.I(x86.MOV, x86.W64, cell, x86.RAX)
	}
}
