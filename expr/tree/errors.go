package tree

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"github.com/oneloop/oneloop/internal/zero"
)

// The kinds of error, for errors.Is.
var (
	ErrShape       = errors.New("shape error")
	ErrType        = errors.New("type error")
	ErrDevice      = errors.New("device error")
	ErrOutOfMemory = errors.New("out of memory")
	ErrUnsupported = errors.New("unsupported")
	ErrDivide      = errors.New("integer division by zero")
	ErrIndex       = errors.New("index out of range")
	ErrValue       = errors.New("invalid value")
)

// An Error describes a mistake in an expression in one line, and the line of
// the program that built it.
type Error struct {
	Kind error  // one of the Err variables
	Op   string // the name of a function of package op, a name with its package, or empty
	Msg  string
	File string // base name and line of the call that built the node, or empty
	Line int

	site *site // of the node on which a run failed, or nil
}

func (e *Error) Error() string {
	e = zero.IfNil(e)
	var b strings.Builder
	b.WriteString("oneloop: ")
	switch {
	case strings.Contains(e.Op, "."): // a function of another package
		b.WriteString(e.Op + ": ")
	case e.Op != "":
		b.WriteString("op." + e.Op + ": ")
	}
	b.WriteString(e.Msg)
	if e.File != "" {
		fmt.Fprintf(&b, " (%s:%d)", e.File, e.Line)
	}
	return b.String()
}

// Unwrap returns the kind of the error, for errors.Is(err, ErrShape) and the
// like.
func (e *Error) Unwrap() error { return zero.IfNil(e).Kind }

// Errorf returns a node that carries an error. Every tree built on it carries
// the same error, and the assignment returns it. The error has the position of
// the first caller outside this library.
func Errorf(kind error, op, format string, args ...any) *Node {
	return &Node{Op: invalid, Attributes: &none, err: NewError(kind, op, format, args...)}
}

// As returns n. If n has an error that no operand of the composition called op
// has, the result has that error in the name of op: the caller called op, not
// the functions that it is composed of. An operand that is nil is an error of op.
func (n *Node) As(op string, operands ...*Node) *Node {
	if n == nil {
		return Errorf(ErrType, op, "the tree is nil")
	}
	if n.err == nil {
		return n
	}
	for i, a := range operands {
		if a.Absent() {
			return Errorf(ErrType, op, "operand %d is nil", i)
		}
	}
	if n.err.Op == op {
		return n
	}
	for _, a := range operands {
		if a != nil && a.err == n.err {
			return n
		}
	}
	e := *n.err
	e.Op = op
	return Failed(&e)
}

// Failed returns a node that carries err.
func Failed(err error) *Node {
	e, ok := err.(*Error)
	if err == nil || e == nil && ok {
		e, ok = NewError(ErrValue, "", "no error given"), true
	}
	if !ok {
		e = NewError(ErrValue, "", "%s", err)
	}
	return &Node{Op: invalid, Attributes: &none, err: e}
}

// NewError returns an Error with the position of the first caller outside this
// library.
func NewError(kind error, op, format string, args ...any) *Error {
	e := &Error{Kind: kind, Op: op, Msg: fmt.Sprintf(format, args...)}
	e.File, e.Line = caller()
	return e
}

// library is the directory of this library. Functions are identified by their
// files, because an inlined function has the name of its caller.
var library = func() string {
	_, file, _, _ := runtime.Caller(0)
	return path.Dir(path.Dir(path.Dir(filepath.ToSlash(file)))) + "/"
}()

// caller returns the position of the first caller outside this library.
func caller() (file string, line int) {
	var pcs [32]uintptr
	_, file, line = outside(pcs[:runtime.Callers(3, pcs[:])])
	return file, line
}

// outside returns the position of the first frame outside this library, and the
// typed constructor of package op that this frame calls, if it calls one.
func outside(pcs []uintptr) (op, file string, line int) {
	if len(pcs) == 0 {
		return "", "", 0
	}
	frames := runtime.CallersFrames(pcs)
	for {
		f, more := frames.Next()
		if strings.HasPrefix(f.Function, "runtime.") {
			return "", "", 0 // the stack ends in a goroutine of the library
		}
		if !inside(f) {
			return op, filepath.Base(f.File), f.Line
		}
		if !more {
			return "", "", 0
		}
		op = ""
		if _, name, ok := strings.Cut(f.Function, "/expr/op."); ok {
			op, ok = strings.CutSuffix(name, "[...]") // typed constructors are generic
			if !ok {
				op = ""
			}
		}
	}
}

// callers are the packages of the standard library that call methods of the library
// for the user, such as String and MarshalJSON.
var callers = []string{
	"encoding/binary", "encoding/gob", "encoding/json", "encoding/json/v2", "encoding/xml", "expvar", "fmt", "html/template", "io", "log",
	"log/slog", "maps", "reflect", "slices", "sort", "text/template",
}

// standard is the directory of the standard library, or empty if paths of files begin with
// their packages.
var standard = func() string {
	f := runtime.FuncForPC(reflect.ValueOf(strings.Fields).Pointer())
	file, _ := f.FileLine(f.Entry())
	root, _ := strings.CutSuffix(filepath.ToSlash(file), "strings/strings.go")
	return root
}()

// nested begins the functions of the modules in the folder interop. Their files can be
// anywhere.
const nested = "github.com/oneloop/oneloop/interop/"

// inside reports whether a frame belongs to the library, or to a package that calls
// methods of the library for the user.
func inside(f runtime.Frame) bool {
	if name, ok := strings.CutPrefix(filepath.ToSlash(f.File), standard); ok && slices.Contains(callers, path.Dir(name)) {
		return true
	}
	if strings.HasPrefix(f.Function, nested) && !strings.HasSuffix(f.File, "_test.go") {
		return true
	}
	file, ok := strings.CutPrefix(filepath.ToSlash(f.File), library)
	if !ok || strings.HasSuffix(file, "_test.go") || strings.HasPrefix(file, "engine/internal/enginetest/") || strings.HasPrefix(file, "engine/internal/acceptance/") {
		return false
	}
	top, _, _ := strings.Cut(file, "/")
	return top == "expr" || top == "engine" || top == "plan" || top == "shape"
}

// A site is the stack of calls that made a node.
type site [8]uintptr

// mark records the calls that made a node which can fail on data. The error
// occurs when a program runs, and states where the node was made.
func (n *Node) mark() {
	switch n.Op.Class() {
	case Opaque:
	case View:
		if len(n.Args) < 2 || n.Op.Name() == "concat" {
			return
		}
	default:
		if n.Op.Fault() == nil || n.dtype.IsFloat() {
			return
		}
	}
	if n.Attributes == &none { // few nodes are marked; the others share none
		n.Attributes = &Attributes{}
	}
	n.site = new(site)
	runtime.Callers(3, n.site[:])
}

// At returns e as the error of a run that failed on n, a node that can fail on data: an
// integer division, a view that reads at computed positions, or a Go function. The error
// states the function of package op that the caller called, which may build several nodes,
// and the place of the call.
func (e *Error) At(n *Node) *Error {
	out := *zero.IfNil(e)
	if n == nil || n.Attributes == nil || n.site == nil {
		return &out
	}
	out.site = n.site
	pcs := n.site[:]
	if end := slices.Index(pcs, 0); end >= 0 {
		pcs = pcs[:end]
	}
	if op, file, line := outside(pcs); file != "" {
		out.Op, out.File, out.Line = cmp.Or(op, out.Op), file, line
	}
	return &out
}

// Of reports whether e is the error of a run that failed on n, as a plan has it or
// as the caller made it.
func (e *Error) Of(n *Node) bool {
	return e != nil && n != nil && e.site != nil && n.Attributes != nil && n.site == e.site
}
