package tree

import (
	"cmp"
	"errors"
	"fmt"
	"go/token"
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
	if n.err.Op == op || slices.ContainsFunc(operands, func(a *Node) bool { return a != nil && a.err == n.err }) {
		return n
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
// library. An empty op stands for the function that this caller called.
func NewError(kind error, op, format string, args ...any) *Error {
	e := &Error{Kind: kind, Op: op, Msg: fmt.Sprintf(format, args...)}
	var pcs [32]uintptr
	called, file, line := outside(pcs[:runtime.Callers(2, pcs[:])])
	e.Op, e.File, e.Line = cmp.Or(op, called), file, line
	return e
}

// library is the directory of this library. Its files say which frames are inside, the names of
// functions what an Error prints.
var library = func() string {
	_, file, _, _ := runtime.Caller(0)
	return path.Dir(path.Dir(path.Dir(filepath.ToSlash(file)))) + "/"
}()

// outside returns the position of the first frame outside this library, and the
// exported function that this frame calls.
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
		if name, ok := exported(f.Function); ok {
			op = name
		}
	}
}

// named are the packages whose exported functions errors name. Errors of the others begin with a
// file, a net, or a place in a text.
var named = []string{"autograd", "blob", "engine", "expr", "grad", "nn", "op"}

// exported returns the name by which an Error calls a function, and whether it is an exported
// function of the library. The name is Type.Method for a method, Function for a function of
// package op, and package.Function for others. The name is empty for functions of packages that
// are not named, and for functions that constructors of package op return.
func exported(function string) (name string, ok bool) {
	path, ok := strings.CutPrefix(strings.ReplaceAll(function, "[...]", ""), module)
	if !ok {
		return "", false
	}
	pkg, rest, _ := strings.Cut(path[strings.LastIndexByte(path, '/')+1:], ".")
	parts := append(strings.Split(rest, "."), "")
	receiver := strings.Trim(parts[0], "(*)")
	method := token.IsExported(parts[1])
	switch {
	case !token.IsExported(receiver) || receiver != parts[0] && !method:
		return "", false
	case !slices.Contains(named, pkg) || pkg == "op" && len(parts) > 2:
		return "", true
	case method:
		return receiver + "." + parts[1], true
	case pkg == "op":
		return receiver, true
	}
	return pkg + "." + receiver, true
}

// callers are the packages of the standard library that call functions of the library
// for the user, such as String and MarshalJSON, or for the library, such as those of its goroutines.
var callers = []string{
	"encoding/binary", "encoding/gob", "encoding/json", "encoding/json/v2", "encoding/xml", "expvar", "fmt", "html/template", "io", "log",
	"log/slog", "maps", "reflect", "slices", "sort", "sync", "text/template",
}

// standard is the directory of the standard library, or empty if paths of files begin with
// their packages.
var standard = func() string {
	f := runtime.FuncForPC(reflect.ValueOf(strings.Fields).Pointer())
	file, _ := f.FileLine(f.Entry())
	root, _ := strings.CutSuffix(filepath.ToSlash(file), "strings/strings.go")
	return root
}()

// module begins the functions of the library.
const module = "github.com/oneloop/oneloop/"

// nested begins the functions of the modules in the folder interop. Their files can be
// anywhere.
const nested = module + "interop/"

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
		if !n.Op.row.Fails {
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
		out.File, out.Line = file, line
		if op != "" && (out.Op == "" || !strings.Contains(op, ".")) {
			out.Op = op
		}
	}
	return &out
}

// Of reports whether e is the error of a run that failed on n, as a plan has it or
// as the caller made it.
func (e *Error) Of(n *Node) bool {
	return e != nil && n != nil && e.site != nil && n.Attributes != nil && n.site == e.site
}
