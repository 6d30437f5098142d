package cuda

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/oneloop/oneloop/engine/cuda/cu"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/zero"
)

// An Error is a failure of a GPU or of its libraries. It matches expr.ErrDevice
// or expr.ErrOutOfMemory, and its cause, such as a *cu.Error.
type Error struct {
	Device string // "cuda:0"
	Doing  string
	Cause  error
	kind   error
}

func (e *Error) Error() string {
	e = zero.IfNil(e)
	return fmt.Sprintf("oneloop: %s: %s: %v", e.Device, e.Doing, e.Cause)
}

// Unwrap returns the kind and the cause.
func (e *Error) Unwrap() []error {
	e = zero.IfNil(e)
	return []error{e.kind, e.Cause}
}

// A CompileError is a kernel that NVRTC or the driver rejects. It is a defect of
// this module, not of the program. It matches expr.ErrDevice.
type CompileError struct {
	Kernel string // text of the loop IR
	Source string // CUDA C++
	Cause  error  // an *cu.NvrtcError has the log
}

func (e *CompileError) Error() string {
	e = zero.IfNil(e)
	return fmt.Sprintf("oneloop: cuda: a kernel does not compile: %v\n%s\n%s", e.Cause, e.Kernel, e.Source)
}

// Unwrap returns the kind and the cause.
func (e *CompileError) Unwrap() []error { return []error{tree.ErrDevice, zero.IfNil(e).Cause} }

// fail returns err as an error of this device, nil if err is nil. A sticky error
// makes the device unusable. That error, and every later one, names the kernels
// that may have caused it.
func (d *device) fail(doing string, err error) error {
	if err == nil {
		return nil
	}
	if complete(err) {
		return err
	}
	e := &Error{Device: d.name, Doing: doing, Cause: err, kind: tree.ErrDevice}
	if errors.Is(err, cu.ERROR_OUT_OF_MEMORY) {
		e.kind = tree.ErrOutOfMemory
	}
	var r cu.Result
	if errors.As(err, &r) && r.Sticky() {
		e.Doing += d.suspects()
		d.dead.CompareAndSwap(nil, e)
		return d.dead.Load()
	}
	return e
}

// complete reports whether err needs no device added: it is from this package, it
// is an error of the program, or the context has ended.
func complete(err error) bool {
	var (
		known    *Error
		compiled *CompileError
		fault    *tree.Error
	)
	return errors.As(err, &known) || errors.As(err, &compiled) || errors.As(err, &fault) ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// suspects names the kernels that may be running, for the message of a sticky
// error.
func (d *device) suspects() string {
	d.mu.Lock()
	driverStreams := append([]*driverStream(nil), d.driverStreams...)
	d.mu.Unlock()
	var names []string
	for _, l := range driverStreams {
		names = append(names, l.runningKernels()...)
	}
	if len(names) == 0 {
		return " (the device is lost)"
	}
	return " (the device is lost; kernels in flight: " + strings.Join(names, ", ") + ")"
}

// alive returns an error with the sticky error as its cause, nil if there was
// none.
func (d *device) alive() error {
	if e := d.dead.Load(); e != nil {
		return &Error{Device: d.name, Doing: "not tried, because of an earlier failure", Cause: e, kind: tree.ErrDevice}
	}
	return nil
}

var errOtherStream = errors.New("the stream is not one of this device")
