package enginetest

import (
	"bytes"
	"context"
	"runtime"
	"slices"
	"sync"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/driver"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/plan"
)

// Options select what the suite tests: back ends of the host, or a device.
type Options struct {
	engine.Options
	Backends []string      // those of the host to test, in place of Backend
	Device   driver.Device // nil for the host
}

// A runner is a program of the engine on the host, or a remote.
type runner interface {
	Run(ctx context.Context) error
	Interpreted() []string
}

// compile compiles statements on arrays of the host. For a device, the program
// works on copies of the arrays there.
func compile(ctx context.Context, o Options, stmts ...expr.Statement) (runner, error) {
	if o.Device == nil || slices.ContainsFunc(stmts, func(s expr.Statement) bool { return s.Err() != nil }) {
		return engine.CompileWith(ctx, o.Options, stmts...)
	}
	r := &remote{}
	if err := r.copyMemories(o.Device, stmts); err != nil {
		return nil, err
	}
	there := plan.MapLeaves(stmts, r.moved)
	p, err := engine.CompileWith(ctx, o.Options, there...)
	r.Program = p
	return r, err
}

// A remote is a program on a device for arrays of the host. A run copies their
// memory to the device and back.
type remote struct {
	*engine.Program
	mu     sync.Mutex // held during a run: like a program of the host, one run at a time
	pieces []piece
	at     map[*engine.Memory]piece
}

// A piece is the place of a memory on the device. Two memories that share bytes
// on the host share the same bytes there.
type piece struct {
	here, there *engine.Memory
	offset      int
}

// copyMemories allocates device memory for all memories that the statements
// reach.
func (r *remote) copyMemories(d driver.Device, stmts []expr.Statement) error {
	r.at = map[*engine.Memory]piece{}
	const line = 64 // a multiple of each element size, so that elements stay aligned
	for _, group := range memories(stmts).groups() {
		lo, hi := group.span()
		lo -= lo % line
		there, err := engine.NewSyncedMemory(d, int(hi-lo))
		if err != nil {
			return err
		}
		for _, m := range group {
			p := piece{m.mem, there, int(m.mem.Locate() - lo)}
			r.at[m.mem] = p
			r.pieces = append(r.pieces, p)
		}
	}
	return nil
}

// moved returns a leaf as the same leaf on the device.
func (r *remote) moved(n *tree.Node) *tree.Node {
	here, ok := n.Leaf.Mem.(*engine.Memory)
	if !ok {
		return n
	}
	p := r.at[here]
	l := *n.Leaf
	l.Mem, l.Offset = p.there, l.Offset+p.offset/n.DType().Size()
	return tree.NewLeaf(n.DType(), n.Shape(), &l)
}

// Run copies the memory to the device, runs, and copies changed memory back, also
// after an error.
func (r *remote) Run(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.pieces {
		b, err := p.there.MutableHost()
		if err != nil {
			return err
		}
		copy(b[p.offset:], host(p.here))
	}
	err := r.Program.Run(ctx)
	for _, p := range r.pieces {
		b, e := p.there.Host()
		if e != nil {
			return e
		}
		if now := b[p.offset : p.offset+p.here.Size()]; !bytes.Equal(host(p.here), now) {
			copy(mutable(p.here), now) // other goroutines may read memory that does not change
		}
	}
	return err
}

// steady returns the program itself, whose runs copy nothing. First it runs the
// program five times, so that a device may record it as a graph, and collects
// garbage, so that no cleanup of earlier tests is left.
func steady(p runner) (runner, error) {
	r, ok := p.(*remote)
	if !ok {
		return p, nil
	}
	for range 5 {
		runtime.GC()
		if err := r.Program.Run(ctx); err != nil {
			return nil, err
		}
	}
	return r.Program, nil
}
