package lower

import (
	"fmt"
	"sync"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/plan/ir"
)

// A lowerer passes values between phases by cells and scratch arrays.

type originKind uint8

const (
	noOrigin originKind = iota
	constOrigin
	cellOrigin
	phaseOrigin
	arrayOrigin
)

// An origin says where other phases find a value, and where the last phase that used it
// has it.
type origin struct {
	kind originKind
	bits uint64
	id   int32 // cell or array
	node int32 // of from
	from *Phase
	at   int32  // node of last
	last *Phase // or nil
}

type lowerer struct {
	k       *ir.Kernel
	p       *Program
	room    *roomyProgram // with p
	origins []origin
	cur     *Phase
	vec     *VecLoop
}

// A roomyProgram is a program with room for the lists of one of one loop.
type roomyProgram struct {
	Program
	phases [2]*Phase
	vec    VecLoop
	vecs   int // of the program
	inside [1]*Phase
	items  [2]Item
}

// A roomyPhase is a phase with room for its lists if it is short.
type roomyPhase struct {
	Phase
	nodes [roomyNodes]Node
	named [roomyNodes]ir.Value
	top   [roomyNodes]int32
	sites [4]site
}

// roomyNodes is the nodes of a roomyPhase.
const roomyNodes = 17

// lowerers has lowerers without programs, whose origins are zero.
var lowerers = sync.Pool{New: func() any { return &lowerer{} }}

// An Unsupported is the reason why machine code cannot run a kernel.
type Unsupported string

func (u Unsupported) Error() string { return string(u) }

func (l *lowerer) fail(format string, args ...any) { panic(Unsupported(fmt.Sprintf(format, args...))) }

// use returns the node of value v in the current phase. If another phase computes v,
// it adds a cell or a load.
func (l *lowerer) use(v ir.Value) int32 {
	ph := l.cur
	t, o := l.k.Types[v], &l.origins[v]
	if o.last == ph {
		return o.at
	}
	switch o.kind {
	case constOrigin:
		return ph.constant(t, o.bits, v)
	case cellOrigin:
		return ph.cell(t, o.id, v)
	case arrayOrigin:
		return l.loadArray(t, o.id, v)
	case phaseOrigin:
		from := o.from
		id, ok := from.saved[v]
		if from.Kind == ScalarPhase {
			if !ok {
				id = l.newCell(t)
				from.save(v, id)
				from.add(Node{Op: OpExport, Type: t, In: t, Args: [3]int32{o.node, None, None}, Aux: id}, ir.None)
			}
			return ph.cell(t, id, v)
		}
		if from.Kind == MapPhase && from.Vec == l.vec {
			if !ok {
				id = l.newArray(t)
				from.save(v, id)
				l.storeArray(from, t, id, o.node)
			}
			return l.loadArray(t, id, v)
		}
	}
	l.fail("%%%d is used outside the loop that computes it", v)
	return None
}

// storeArray adds the store of a node of a phase to a scratch array, and returns it.
func (l *lowerer) storeArray(ph *Phase, t dtype.Type, array, node int32) int32 {
	s := int32(len(ph.Sites))
	ph.Sites = append(ph.Sites, site{Access: -1, Type: t, Buf: -1, Array: array, Store: true})
	return ph.add(Node{Op: ir.Store, Type: t, In: t, Args: [3]int32{node, None, None}, Aux: s}, ir.None)
}

func (l *lowerer) loadArray(t dtype.Type, array int32, v ir.Value) int32 {
	ph := l.cur
	s := int32(len(ph.Sites))
	ph.Sites = append(ph.Sites, site{Access: -1, Type: t, Buf: -1, Array: array})
	// A load of an array is outside cold regions, even if its first use is inside one.
	list, cold := ph.list, ph.cold
	ph.cold = 0
	id := None
	if cold > 0 {
		id = ph.leafNode(Node{Op: ir.Load, Type: t, In: t, Args: [3]int32{None, None, None}, Aux: s}, v)
		ph.Top = append(ph.Top, id)
	} else {
		id = ph.add(Node{Op: ir.Load, Type: t, In: t, Args: [3]int32{None, None, None}, Aux: s}, v)
	}
	ph.list, ph.cold = list, cold
	l.origins[v].last, l.origins[v].at = ph, id
	return id
}

func (l *lowerer) newCell(t dtype.Type) int32 {
	l.p.cells = append(l.p.cells, t)
	return int32(len(l.p.cells) - 1)
}

func (l *lowerer) newArray(t dtype.Type) int32 {
	l.vec.Arrays = append(l.vec.Arrays, t)
	return int32(len(l.vec.Arrays) - 1)
}
