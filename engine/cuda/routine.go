package cuda

import (
	"embed"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/oneloop/oneloop/cudagen"
	"github.com/oneloop/oneloop/engine/cuda/cu"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/plan"
	"github.com/oneloop/oneloop/plan/ir"
	"github.com/oneloop/oneloop/shape"
)

// routines are the operators over whole arrays that have kernels: each queues them for a
// stage. Their results have the bits of the Go functions. All other such operators run on the
// CPU.
var routines = map[*tree.Operator]func(*routine) error{
	untyped.Row("scatter"):      scatterOf("", false),
	untyped.Row("scatter_add"):  scatterOf("prim::add", false),
	untyped.Row("bincount"):     scatterOf("prim::add", true),
	untyped.Row("scatter_max"):  scatterOf("prim::max", false),
	untyped.Row("scatter_min"):  scatterOf("prim::min", false),
	untyped.Row("sort"):         (*routine).sort,
	untyped.Row("partition"):    (*routine).parted,
	untyped.Row("argpartition"): (*routine).parted,
	untyped.Row("argsort"):      (*routine).argsort,
	untyped.Row("rank"):         (*routine).rank,
	untyped.Row("select"):       (*routine).selected,
	untyped.Row("searchsorted"): (*routine).search,
}

// hasKernels reports whether a stage of a Go function runs as kernels. Kernels number the
// elements of an axis, and updates, by 32 bits.
func hasKernels(s *plan.Stage) bool {
	large := func(a *plan.Array) bool { return a.Shape.Size() > math.MaxInt32 }
	return routines[s.Node.Op] != nil && !large(s.Out) && !slices.ContainsFunc(s.Args, large)
}

//go:embed routines
var routineTexts embed.FS

// A routine is the step of an operator over whole arrays that runs as kernels.
type routine struct {
	kernels
	patches []patch
	scratch int
	host    *hostCall // makes the error of an index that is outside; nil if there can be none
}

// A word is an argument of 8 bytes: a number, or the address of an array of the stage, of
// scratch memory, or of the word of index faults, plus a number.
type word struct {
	base  base
	array *plan.Array
	add   int
}

type base uint8

const (
	isNumber base = iota
	isArray
	isScratch
	isFault
)

func number(n int) word { return word{add: n} }

func truth(b bool) word {
	if b {
		return number(1)
	}
	return number(0)
}

// A patch is an argument that is not known before a run.
type patch struct {
	at []byte
	word
}

// array returns the address of the first element of an array.
func array(a *plan.Array) word { return word{base: isArray, array: a} }

// room returns the address of n numbers of scratch memory.
func (r *routine) room(n, size int) word {
	at := r.scratch
	r.scratch += (n*size + 255) &^ 255
	return word{base: isScratch, add: at}
}

// A kernelText is a loaded source.
type kernelText struct {
	module  *module
	entries []string
}

// text loads the kernels of a file, after definitions such as "T f32".
func (r *routine) text(file string, entries []string, definitions ...string) (kernelText, error) {
	return r.p.text("the operator "+r.s.Node.Op.Name(), file, entries, definitions...)
}

// text is routine.text. what names the use of the kernels in errors.
func (p *program) text(what, file string, entries []string, definitions ...string) (kernelText, error) {
	var b strings.Builder
	b.WriteString(cudagen.Prelude)
	for _, d := range definitions {
		b.WriteString("#define " + d + "\n")
	}
	for _, name := range []string{"axes", file} {
		text, err := routineTexts.ReadFile("routines/" + name + ".cuh")
		if err != nil {
			return kernelText{}, err
		}
		b.Write(text)
	}
	m, err := p.d.source(&p.resources.code, what, b.String(), entries...)
	return kernelText{m, entries}, err
}

// routineBlock is the number of threads of a block.
const routineBlock = 256

// queue adds a launch of a kernel with so many blocks, unless there are none.
func (r *routine) queue(k kernelText, entry string, blocks, shared int, words ...word) {
	if blocks == 0 {
		return
	}
	args := make([]byte, 8*len(words))
	for i, w := range words {
		at := args[8*i:]
		binary.LittleEndian.PutUint64(at, uint64(w.add))
		if w.base != isNumber {
			r.patches = append(r.patches, patch{at, w})
		}
	}
	r.add(k.module.entries[slices.Index(k.entries, entry)], blocks, routineBlock, shared, args)
}

// blocks returns the number of blocks whose threads share n elements.
func (r *routine) blocks(n int) int { return min((n+routineBlock-1)/routineBlock, 16*r.p.d.limit.SMs) }

// axesOf returns the words of an array in row-major order, and their number of axes.
func axesOf(s shape.Shape, st shape.Strides) (rank int, words []word) {
	dims, all := shape.Collapse(s, st)
	if len(dims) == 0 {
		return 1, []word{number(1), number(0)}
	}
	extents, strides := make([]word, len(dims)), make([]word, len(dims))
	for i, n := range dims {
		extents[len(dims)-1-i], strides[len(dims)-1-i] = number(n), number(all[0][i])
	}
	return len(dims), append(extents, strides...)
}

// cType returns the name of an element type in kernels. A bool is a byte.
func cType(t dtype.Type) string {
	if t = t.Register(); t == dtype.Bool {
		return "u8"
	}
	return t.Short()
}

// keyType returns the name of the unsigned integers of a size.
func keyType(size int) string { return fmt.Sprintf("u%d", 8*size) }

func (r *routine) prepare() (int, error) {
	for _, x := range r.patches {
		if x.base == isArray {
			binary.LittleEndian.PutUint64(x.at, uint64(r.p.address(x.array))+uint64(x.add))
		}
	}
	return r.scratch, nil
}

func (r *routine) bind(scratch, faults cu.DevicePtr) {
	for _, x := range r.patches {
		switch x.base {
		case isScratch:
			binary.LittleEndian.PutUint64(x.at, uint64(scratch)+uint64(x.add))
		case isFault:
			binary.LittleEndian.PutUint64(x.at, uint64(faults)+4*uint64(ir.IndexFault-1))
		}
	}
}

func (r *routine) raises() bool { return r.host != nil }
