package cuda

import (
	"bytes"
	"debug/elf"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/oneloop/oneloop/cudagen"
	"github.com/oneloop/oneloop/engine/cuda/cu"
	"github.com/oneloop/oneloop/engine/internal/host"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/zero"
	"github.com/oneloop/oneloop/plan"
	"github.com/oneloop/oneloop/plan/ir"
)

// A Listing is the code that a loop of a plan has on a GPU.
type Listing struct {
	Stage  int
	Source string // CUDA C++, without the prelude
	PTX    string // empty if there is no NVRTC
	Usage  []Usage
}

// A Usage has the resources of one kernel as ptxas reports them, and the size of
// its machine code.
type Usage struct {
	Kernel      string
	Registers   int // of a thread
	Stack       int // bytes of a thread
	SpillStores int // bytes of a thread
	SpillLoads  int // bytes of a thread
	Shared      int // bytes of a block, static
	SASS        int // bytes
}

// List returns the CUDA C++ of the loops of a plan, and compiles it for an
// architecture such as sm_90. It assumes arrays that are aligned to 256 bytes and
// do not overlap. It needs no GPU. Without NVRTC it returns only the sources, and
// missing has the reason.
func List(pl *plan.Plan, arch string) (list []Listing, missing, err error) {
	_, _, missing = cu.NvrtcVersion()
	at := addresses{}
	for i, s := range zero.IfNil(pl).Stages {
		if s.Kind != plan.Loop {
			continue
		}
		if s.Kernel == nil {
			return nil, nil, fmt.Errorf("oneloop: cuda: stage %d has no kernel", i)
		}
		src, err := at.source(pl, s)
		if err != nil {
			return nil, nil, err
		}
		l := Listing{Stage: i, Source: strings.TrimPrefix(src.Code, cudagen.Prelude)}
		if missing == nil {
			if err := l.compile(src.Code, s.Kernel, arch); err != nil {
				return nil, nil, err
			}
		}
		list = append(list, l)
	}
	return list, missing, nil
}

// listedGPU is the GPU for which List chooses code: an H100.
var listedGPU = cudagen.Device{SMs: 132, Shared: 227 << 10}

// addresses are invented: one for each memory, and one for the arena under nil.
type addresses map[tree.Memory]uint64

func (at addresses) source(pl *plan.Plan, s *plan.Stage) (*cudagen.Source, error) {
	const room = 1 << 40
	b := host.Binding(s)
	where := make([]uint64, len(s.Bufs))
	for i, o := range s.Bufs {
		a := o.Array
		if a == nil {
			continue
		}
		if at[a.Mem] == 0 {
			at[a.Mem] = uint64(len(at)+1) * room
		}
		where[i] = at[a.Mem] + uint64(a.Offset*a.Type.Size())
		if a.Mem == nil {
			where[i] += uint64(pl.Temps[a.Temp].Offset)
		}
	}
	layout, err := cudagen.LayoutOf(s.Kernel, &b, where, listedGPU)
	if err != nil {
		return nil, err
	}
	return cudagen.Generate(s.Kernel, layout), nil
}

func (l *Listing) compile(source string, k *ir.Kernel, arch string) error {
	out, err := cu.NvrtcCompile(source, "oneloop.cu", append(Options(arch), "-Xptxas=-v", "--no-cache")...)
	if e, ok := err.(*cu.NvrtcError); ok && strings.Contains(e.Log+e.Text, "--no-cache") { // NVRTC before 12.9 does not know the option
		out, err = cu.NvrtcCompile(source, "oneloop.cu", append(Options(arch), "-Xptxas=-v")...)
	}
	if err != nil {
		return &CompileError{Kernel: k.String(), Source: source, Cause: err}
	}
	l.PTX = string(out.PTX)
	if l.Usage = usage(out.Log); out.Cubin == nil {
		return nil
	}
	return l.sizes(out.Cubin)
}

var (
	ptxasKernel = regexp.MustCompile(`Compiling entry function '([^']+)'`)
	ptxasStack  = regexp.MustCompile(`(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads`)
	ptxasUsed   = regexp.MustCompile(`Used (\d+) registers`)
	ptxasShared = regexp.MustCompile(`(\d+) bytes smem`)
)

// usage parses the output of ptxas -v.
func usage(log string) []Usage {
	var list []Usage
	number := func(s string) int {
		n, _ := strconv.Atoi(s)
		return n
	}
	for _, line := range strings.Split(log, "\n") {
		if m := ptxasKernel.FindStringSubmatch(line); m != nil {
			list = append(list, Usage{Kernel: m[1]})
		}
		if len(list) == 0 {
			continue
		}
		u := &list[len(list)-1]
		if m := ptxasStack.FindStringSubmatch(line); m != nil {
			u.Stack, u.SpillStores, u.SpillLoads = number(m[1]), number(m[2]), number(m[3])
		}
		if m := ptxasUsed.FindStringSubmatch(line); m != nil {
			u.Registers = number(m[1])
		}
		if m := ptxasShared.FindStringSubmatch(line); m != nil {
			u.Shared = number(m[1])
		}
	}
	return list
}

// sizes reads the sizes of the machine code from a cubin, which is an ELF file.
func (l *Listing) sizes(cubin []byte) error {
	f, err := elf.NewFile(bytes.NewReader(cubin))
	if err != nil {
		return fmt.Errorf("the cubin: %w", err)
	}
	for i := range l.Usage {
		if s := f.Section(".text." + l.Usage[i].Kernel); s != nil {
			l.Usage[i].SASS = int(s.Size)
		}
	}
	return nil
}
