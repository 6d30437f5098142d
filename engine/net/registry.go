package net

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/shape"
)

// A Schema describes the operators of one type.
type Schema struct {
	Type string
	Doc  string // one sentence
	// Names of inputs and outputs. The last of them stands for any number, from 1,
	// if it ends in "...".
	Inputs, Outputs []string
	Optional        int         // number of inputs at the end that may be missing
	Args            []ArgDoc    // the arguments; others are errors
	InPlace         map[int]int // outputs that may be the same blob as an input, by its number
	Forced          bool        // the outputs of InPlace must be the same blobs

	// Infer returns types and shapes of the outputs. Define derives it.
	Infer func(a *Args, in []Info) ([]Info, error)
}

// An ArgDoc describes an argument.
type ArgDoc struct {
	Name, Doc string
	Required  bool
}

// An Info is the type and the shape of a blob.
type Info struct {
	Type  dtype.Type
	Shape shape.Shape
}

// A Key chooses a kernel. Devices are "cpu" and "cuda". The engine "" is the default.
type Key struct{ Type, Device, Engine string }

// A Kernel returns what runs an operator, whose inputs and outputs are bound to
// arrays. It is called again when these arrays change.
type Kernel func(ctx context.Context, o *Operator) (Runner, error)

// A Runner runs an operator. Programs of the engine are runners.
type Runner interface {
	Run(ctx context.Context) error
}

// RunFunc is a Go function as a [Runner].
type RunFunc func(ctx context.Context) error

// Run calls f. It returns an error if f is nil.
func (f RunFunc) Run(ctx context.Context) error {
	if f == nil {
		return tree.NewError(tree.ErrType, "", "the function of a kernel is nil")
	}
	return f(ctx)
}

var registry = struct {
	sync.RWMutex
	schemas map[string]*Schema
	kernels map[Key]Kernel
}{schemas: map[string]*Schema{}, kernels: map[Key]Kernel{}}

// Register adds a type of operators. It panics if the type is registered, or has no
// name or Infer.
func Register(s Schema) {
	registry.Lock()
	defer registry.Unlock()
	if s.Type == "" || s.Infer == nil || registry.schemas[s.Type] != nil {
		panic("net.Register: " + s.Type + " has no name or shapes, or is registered")
	}
	registry.schemas[s.Type] = &s
}

// RegisterKernel adds a kernel for a registered type. It panics if there is one for
// the key, or no such type.
func RegisterKernel(key Key, k Kernel) {
	registry.Lock()
	defer registry.Unlock()
	if k == nil || registry.schemas[key.Type] == nil || registry.kernels[key] != nil {
		panic("net.RegisterKernel: the kernel is nil, its type unknown, or its key taken: " + key.Type)
	}
	registry.kernels[key] = k
}

// Schemas returns all schemas by type.
func Schemas() []*Schema {
	registry.RLock()
	defer registry.RUnlock()
	return slices.SortedFunc(maps.Values(registry.schemas), func(a, b *Schema) int { return strings.Compare(a.Type, b.Type) })
}

// schemaOf returns the schema of a type.
func schemaOf(typ string) (*Schema, error) {
	registry.RLock()
	defer registry.RUnlock()
	if s := registry.schemas[typ]; s != nil {
		return s, nil
	}
	return nil, tree.NewError(tree.ErrUnsupported, "", "there is no operator type %q", typ)
}

// kernelOf returns the kernel for a type on a device and the first of the engines,
// which have commas between them, that has one. The default engine comes last.
func kernelOf(typ, device, engines string) (Kernel, string, error) {
	registry.RLock()
	defer registry.RUnlock()
	for _, e := range append(strings.Split(engines, ","), "") {
		if k := registry.kernels[Key{typ, device, e}]; k != nil {
			return k, e, nil
		}
	}
	return nil, "", tree.NewError(tree.ErrUnsupported, "", "no kernel of %s for %s", typ, device)
}

// check returns an error if the definition d does not fit the schema. The error
// names the blob or the argument.
func (s *Schema) check(d *OperatorDef) error {
	if err := count("inputs", len(d.Input), s.Inputs, s.Optional); err != nil {
		return err
	}
	if err := count("outputs", len(d.Output), s.Outputs, 0); err != nil {
		return err
	}
	for i, out := range d.Output {
		at, allowed := s.InPlace[i]
		for j, in := range d.Input {
			if in == out && !(allowed && at == j) {
				return blobError(out, tree.NewError(tree.ErrValue, "", "output %d may not be input %d", i, j))
			}
		}
		if s.Forced && allowed && d.Input[at] != out {
			return blobError(out, tree.NewError(tree.ErrValue, "", "output %d must be input %d, %q", i, at, d.Input[at]))
		}
		if slices.Contains(d.Output[:i], out) {
			return blobError(out, tree.NewError(tree.ErrValue, "", "two outputs are the same blob"))
		}
	}
	seen := map[string]bool{}
	for _, a := range d.Arg {
		switch {
		case a == nil:
			return tree.NewError(tree.ErrValue, "", "an argument is nil")
		case seen[a.Name]:
			return tree.NewError(tree.ErrValue, "", "argument %q stands twice", a.Name)
		case !slices.ContainsFunc(s.Args, func(x ArgDoc) bool { return x.Name == a.Name }):
			return tree.NewError(tree.ErrValue, "", "there is no argument %q", a.Name)
		}
		seen[a.Name] = true
	}
	for _, a := range s.Args {
		if a.Required && !seen[a.Name] {
			return tree.NewError(tree.ErrValue, "", "argument %q is missing", a.Name)
		}
	}
	return nil
}

// count returns an error if n blobs are not as many as there are names.
func count(what string, n int, names []string, optional int) error {
	most, least := len(names), len(names)-optional
	if most > 0 && strings.HasSuffix(names[most-1], "...") {
		most = n
	}
	if n < least || n > most {
		return tree.NewError(tree.ErrValue, "", "%d %s, but the operator has %s", n, what, strings.Join(names, ", "))
	}
	return nil
}
