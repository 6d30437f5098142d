package net

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/driver"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/internal/zero"
	"github.com/oneloop/oneloop/shape"
)

// An Error is an error of an operator in a net.
type Error struct {
	Net   string
	Index int    // of the operator in the net
	Type  string // of the operator
	Name  string // of the operator; may be empty
	Blob  string // that the error is about; empty if it is about none
	Err   error
}

func (e *Error) Error() string {
	e = zero.IfNil(e)
	s := fmt.Sprintf("net %q, operator %d (%s)", e.Net, e.Index, e.Type)
	if e.Name != "" {
		s = fmt.Sprintf("net %q, operator %d (%s %q)", e.Net, e.Index, e.Type, e.Name)
	}
	if e.Blob != "" {
		s += ", blob " + strconv.Quote(e.Blob)
	}
	return fmt.Sprint(s, ": ", e.Err)
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return zero.IfNil(e).Err }

// blobError returns an error about a blob. The operator is filled in by
// Operator.fail.
func blobError(name string, err error) error { return &aboutBlob{name, err} }

type aboutBlob struct {
	name string
	err  error
}

func (e *aboutBlob) Error() string { return fmt.Sprintf("blob %q: %s", e.name, e.err) }

func (e *aboutBlob) Unwrap() error { return e.err }

// An Operator is one operator of a net. Its methods Run and RunAsync must not be
// called while the net runs, and Inputs, Outputs and Program only by its kernel and
// its observers.
type Operator struct {
	Observable
	def    *OperatorDef
	net    *NetDef
	ws     *Workspace // nil while gradients are added
	owner  *Net       // nil while shapes are inferred
	index  int
	schema *Schema
	kernel Kernel
	engine string
	option *DeviceOption
	event  Event

	mu     sync.Mutex
	in     []*engine.Array // bound by the last run
	out    []*engine.Array
	runner Runner
}

// newOperator checks the definition of operator number i of a net on w.
func newOperator(w *Workspace, d *NetDef, i int) (*Operator, error) {
	o := &Operator{def: d.Op[i], net: d, ws: w, index: i}
	o.def = cmp.Or(o.def, &OperatorDef{})
	o.option = cmp.Or(o.def.DeviceOption, d.DeviceOption, &DeviceOption{})
	var err error
	if o.schema, err = schemaOf(o.def.Type); err != nil {
		return nil, o.fail(err)
	}
	if err := o.schema.check(o.def); err != nil {
		return nil, o.fail(err)
	}
	device, err := deviceName(o.option)
	if err != nil {
		return nil, o.fail(err)
	}
	if o.kernel, o.engine, err = kernelOf(o.def.Type, device, o.def.Engine); err != nil {
		return nil, o.fail(err)
	}
	return o, nil
}

// fail returns err as an error of the operator.
func (o *Operator) fail(err error) error {
	e := &Error{Net: zero.IfNil(o.net).Name, Index: o.index, Type: o.Type(), Name: zero.IfNil(o.def).Name, Err: err}
	var b *aboutBlob
	if errors.As(err, &b) {
		e.Blob, e.Err = b.name, b.err
	}
	return e
}

// deviceName returns the name of a device type in keys.
func deviceName(d *DeviceOption) (string, error) {
	switch t := *zero.IfNil(d.DeviceType); t {
	case 0:
		return "cpu", nil
	case 1:
		return "cuda", nil
	default:
		return "", tree.NewError(tree.ErrDevice, "", "device type %d is neither 0, the CPU, nor 1, CUDA", t)
	}
}

// Def returns the definition. The caller must not change it.
func (o *Operator) Def() *OperatorDef { return zero.IfNil(o).def }

// Schema returns the schema of the type.
func (o *Operator) Schema() *Schema { return zero.IfNil(o).schema }

// Type returns the type.
func (o *Operator) Type() string { return zero.IfNil(zero.IfNil(o).def).Type }

// Engine returns the engine whose kernel runs the operator.
func (o *Operator) Engine() string { return zero.IfNil(o).engine }

// Device returns the device option: the operator's own, or that of the net.
func (o *Operator) Device() *DeviceOption { return zero.IfNil(o).option }

// Args returns the arguments.
func (o *Operator) Args() *Args {
	o = zero.IfNil(o)
	return &Args{list: zero.IfNil(o.def).Arg, ws: o.ws}
}

// Inputs returns the arrays of the inputs that the last run has used.
func (o *Operator) Inputs() []*engine.Array { return zero.IfNil(o).in }

// Outputs returns the arrays of the outputs that the last run has used.
func (o *Operator) Outputs() []*engine.Array { return zero.IfNil(o).out }

// Event returns the event of the last run.
func (o *Operator) Event() *Event { return &zero.IfNil(o).event }

// Program returns the program that runs the operator, or nil if it has not run, or
// runs a Go function.
func (o *Operator) Program() *engine.Program {
	o = zero.IfNil(o)
	p, _ := o.runner.(*engine.Program)
	return p
}

// Run runs the operator. The event tells its state.
func (o *Operator) Run(ctx context.Context) error {
	o = zero.IfNil(o)
	if ctx == nil {
		return o.fail(errNilContext())
	}
	if err := o.start(); err != nil {
		return err
	}
	return o.run(ctx, 0)
}

// RunAsync queues a run on a stream and returns the event of the operator.
func (o *Operator) RunAsync(s driver.Stream) *Event {
	o = zero.IfNil(o)
	if s == nil {
		return failedEvent(o.fail(tree.NewError(tree.ErrType, "", "the stream is nil")))
	}
	if err := o.start(); err != nil {
		return failedEvent(err)
	}
	var called atomic.Bool
	s.Go(func(ctx context.Context) error {
		called.Store(true)
		return o.run(ctx, 0)
	})
	end := s.Record()
	go func() { // a stream that is closed or fails before does not call
		if err := end.Wait(context.Background()); !called.Load() {
			o.event.SetFinished(o.fail(err))
		}
	}()
	return &o.event
}

func errNilContext() error { return tree.NewError(tree.ErrValue, "", "the context is nil") }

// start schedules the event for the next run.
func (o *Operator) start() error {
	if o.kernel == nil {
		return o.fail(tree.NewError(tree.ErrType, "", "the operator is not one of a net"))
	}
	if err := o.event.Reset(); err != nil {
		return o.fail(err)
	}
	return o.event.Record()
}

// run runs a scheduled operator and finishes its event.
func (o *Operator) run(ctx context.Context, worker int) error {
	r := o.begin(o.owner, o, worker)
	err := o.carry(ctx)
	if err != nil {
		err = o.fail(err)
	}
	r.end(err)
	o.event.SetFinished(err)
	return err
}

// carry binds and runs the operator. A panic of a user's kernel is an error.
func (o *Operator) carry(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = tree.NewError(tree.ErrValue, "", "the operator panicked: %v", p)
		}
	}()
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := o.bind(ctx); err != nil {
		return err
	}
	return o.runner.Run(ctx)
}

// bind finds the arrays of inputs and outputs, makes outputs that do not exist in
// the shape that the inputs give, and gets a runner if an array has changed.
func (o *Operator) bind(ctx context.Context) error {
	w := o.ws
	if o.bound(w) {
		return nil
	}
	in := make([]*engine.Array, len(o.def.Input))
	for i, name := range o.def.Input {
		if in[i] = w.Blob(name); in[i] == nil {
			return blobError(name, tree.NewError(tree.ErrValue, "", "the blob does not exist"))
		}
	}
	infos := lists.Map(in, func(a *engine.Array) Info { return Info{a.DType(), a.Shape()} })
	outs, err := o.infer(infos)
	if err != nil {
		return err
	}
	out := make([]*engine.Array, len(outs))
	for i, name := range o.def.Output {
		if out[i], err = o.output(w.Blob(name), outs[i]); err != nil {
			return blobError(name, err)
		}
	}
	o.in, o.out, o.runner = in, out, nil
	r, err := o.kernel(ctx, o)
	if err != nil {
		return err
	}
	for i, name := range o.def.Output {
		if err := w.Feed(name, out[i]); err != nil {
			return err
		}
	}
	o.runner = r
	return nil
}

// bound reports whether the runner of the last run fits the arrays of w.
func (o *Operator) bound(w *Workspace) bool {
	is := func(name string, a *engine.Array) bool { return w.Blob(name) == a }
	return o.runner != nil && slices.EqualFunc(o.def.Input, o.in, is) && slices.EqualFunc(o.def.Output, o.out, is)
}

// infer returns types and shapes of the outputs.
func (o *Operator) infer(in []Info) ([]Info, error) {
	a := o.Args()
	outs, err := o.schema.Infer(a, in)
	switch {
	case err != nil:
		return nil, err
	case a.Err() != nil:
		return nil, a.Err()
	case len(outs) != len(o.def.Output):
		return nil, tree.NewError(tree.ErrValue, "", "%d outputs are defined, and %d named", len(outs), len(o.def.Output))
	}
	return outs, nil
}

// output returns the array old if it fits, or a new one on the operator's device.
func (o *Operator) output(old *engine.Array, x Info) (*engine.Array, error) {
	if old != nil && old.DType() == x.Type && old.Shape().Equal(x.Shape) {
		return old, nil
	}
	if *zero.IfNil(o.option.DeviceType) == 0 {
		return engine.NewArray(x.Type, x.Shape...)
	}
	d, err := engine.OpenDevice("cuda:" + strconv.Itoa(int(*zero.IfNil(o.option.DeviceID))))
	if err != nil {
		return nil, err
	}
	m, err := engine.NewSyncedMemory(d, x.Shape.Size()*x.Type.Size())
	if err != nil {
		return nil, err
	}
	return engine.ArrayOf(m, x.Type, x.Shape, nil, 0)
}

// gapless returns an error if an output is a view whose elements do not follow each
// other.
func (o *Operator) gapless() error {
	for i, a := range o.out {
		if !a.IsContiguous() {
			return blobError(o.def.Output[i], tree.NewError(tree.ErrUnsupported, "", "the elements of the blob have gaps"))
		}
	}
	return nil
}

// hostElements returns the elements of a contiguous array of float32 for writing on
// the host.
func hostElements(a *engine.Array) ([]float32, error) {
	b, err := a.Memory().MutableHost()
	if err != nil || a.Size() == 0 { // without elements the offset may be beyond the memory
		return nil, err
	}
	return dtype.Slice[float32](b)[a.Offset():][:a.Shape().Size()], nil
}

// newShape returns a checked shape.
func newShape(dims []int) (shape.Shape, error) {
	s, err := shape.New(dims...)
	if err != nil {
		return nil, tree.NewError(tree.ErrShape, "", "%s", err)
	}
	return s, nil
}
