package engine

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/host"
	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/engine/internal/overlap"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
)

// A Binding is a compiled program with addresses of its own, for callers that run
// it often, on other data of the same shapes, strides and types. Its runs take no
// lock and look for no changes. A Binding keeps the data alive that it is bound to. Runs and calls
// of Set must follow each other. Several bindings of a program may run at once. For
// the zero Binding and a nil Binding, Run and Set return an error.
type Binding struct {
	host   *host.Program
	memory aliasing // all memories of the program
	data   [][]byte // of each memory
	old    [][]byte // scratch memory of Set
	given  []int    // numbers of the memories that the caller gave to Bind
}

// Bind compiles the statements of p again, as a binding to the current data of their
// arrays. The binding does not notice a later [Memory.Rebind]. [Binding.Set] changes
// the data of the given memories. The error is [expr.ErrValue] if p does not use one
// of them, or if one is given twice, and [expr.ErrUnsupported] if p runs on a device.
func (p *Program) Bind(ctx context.Context, memories ...*Memory) (*Binding, error) {
	if p == nil || p.plan.Load() == nil || ctx == nil {
		return nil, cmp.Or(p.usable(), checkContext(ctx, "Program.Bind"))
	}
	if p.device != nil {
		return nil, tree.NewError(tree.ErrUnsupported, "", "a program on %s has no bindings", p.device.name)
	}
	if err := p.lock(ctx); err != nil {
		return nil, err
	}
	defer p.mu.Unlock()
	o, be, err := p.options.resolve()
	if err != nil {
		return nil, err
	}
	b := &Binding{memory: aliasingOf(p.memory.memories), old: make([][]byte, len(p.memory.memories))}
	b.memory.relations = p.memory.relations
	b.data = lists.Map(p.memory.memories, func(m *Memory) []byte { return m.data })
	for i, m := range memories {
		if m == nil {
			return nil, tree.NewError(tree.ErrType, "Program.Bind", "memory %d is nil", i)
		}
		k := slices.Index(b.memory.memories, m)
		if k < 0 {
			return nil, tree.NewError(tree.ErrValue, "Program.Bind", "the program does not use memory %d", i)
		}
		if slices.Contains(b.given, k) {
			return nil, tree.NewError(tree.ErrValue, "Program.Bind", "memory %d is given twice", i)
		}
		b.given = append(b.given, k)
	}
	b.host, err = hostProgramOn(ctx, o, be, p.plan.Load(), b.bytes)
	return b, err
}

// bytes returns the bytes that a memory of the program stands for.
func (b *Binding) bytes(m tree.Memory) []byte {
	for i, x := range b.memory.memories {
		if x == m {
			return b.data[i]
		}
	}
	return m.(*Memory).data
}

// Set makes later runs use other data: data[i] in place of the bytes of memory i of
// those that the caller gave to Bind. nil keeps what was there. Data must have the
// size of the memory, be aligned for its elements, and overlap as the memories did
// when Bind was called. Otherwise the error is [expr.ErrShape], and nothing changes.
// Set does not allocate.
func (b *Binding) Set(data ...[]byte) error {
	if err := b.usable(); err != nil {
		return err
	}
	if len(data) != len(b.given) {
		return tree.NewError(tree.ErrShape, "Binding.Set", "the call has %d slices, not one for each memory of the binding (%d)", len(data), len(b.given))
	}
	for i, d := range data {
		m := b.memory.memories[b.given[i]]
		if d != nil && len(d) != m.size {
			return tree.NewError(tree.ErrShape, "Binding.Set", "slice %d has %d bytes, and its memory %d", i, len(d), m.size)
		}
		if size := int(m.align.Load()); d != nil && size > 0 && !aligned(d, size) {
			return tree.NewError(tree.ErrShape, "Binding.Set", "slice %d is not aligned for elements of %d bytes", i, size)
		}
	}
	copy(b.old, b.data)
	for i, d := range data {
		if d != nil {
			b.data[b.given[i]] = d
		}
	}
	same := b.overlapsAsBefore()
	if !same {
		copy(b.data, b.old)
	}
	clear(b.old)
	if !same {
		return tree.NewError(tree.ErrShape, "Binding.Set", "the data overlap otherwise than the memories of the program")
	}
	b.host.Rebind()
	return nil
}

// overlapsAsBefore reports whether the distances between data that overlap are those
// between the memories of the program.
func (b *Binding) overlapsAsBefore() bool {
	for i, d := range b.data {
		b.memory.at[i] = overlap.Extent{Address: uintptr(unsafe.Pointer(unsafe.SliceData(d))), Size: len(d)}
	}
	return b.memory.matches()
}

// Run carries out the statements, as [Program.Run] does.
func (b *Binding) Run(ctx context.Context) error {
	if b == nil || b.host == nil || ctx == nil {
		return cmp.Or(b.usable(), checkContext(ctx, "Binding.Run"))
	}
	if c := b.host.Again(); c != nil && b.host.Ready() && (ctx.Done() == nil || !b.host.Ends(ctx)) {
		for ; c != nil; c = c.Next {
			exec.Put(c.Words)
			c.Call()
		}
		runtime.KeepAlive(b) // the calls have the addresses of its arrays as integers
		return nil
	}
	return b.runAny(ctx)
}

// runAny is Run for any binding.
func (b *Binding) runAny(ctx context.Context) error {
	if err := b.usable(); err != nil {
		return err
	}
	err := b.host.Run(ctx)
	if err != nil {
		err = located(err, func(n *tree.Node) *tree.Node { return n }, func(n *tree.Node) (*Array, error) { return b.evaluate(ctx, n) })
	}
	return err
}

// evaluate returns the value of a tree of the program on the data of the binding.
func (b *Binding) evaluate(ctx context.Context, n *tree.Node) (*Array, error) {
	return evaluateBy(ctx, n, func(p *Program) error {
		var memories []*Memory
		var data [][]byte
		for i, m := range b.memory.memories {
			if slices.Contains(p.memory.memories, m) {
				memories, data = append(memories, m), append(data, b.data[i])
			}
		}
		q, err := p.Bind(ctx, memories...)
		if err != nil {
			return err
		}
		if err := q.Set(data...); err != nil {
			return err
		}
		return q.host.Run(ctx)
	})
}

// usable returns an error for a binding that Bind did not make, and for one that is running.
func (b *Binding) usable() error {
	switch {
	case b == nil || b.host == nil:
		return tree.NewError(tree.ErrValue, "", "the binding is nil or the zero Binding; Program.Bind makes bindings")
	case b.host.Reentered():
		return errReentered()
	}
	return nil
}
