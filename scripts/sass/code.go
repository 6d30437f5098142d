package main

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/oneloop/oneloop/engine/cuda"
	"github.com/oneloop/oneloop/engine/cuda/cu"
	"github.com/oneloop/oneloop/internal/failure"
	"github.com/oneloop/oneloop/internal/lists"
)

// An instruction is one of SASS.
type instruction struct {
	at        int
	line      int // line of the kernel in the source that it comes from
	within    int // line of the function in the source that it comes from
	op        string
	target    int   // address of a branch, or -1
	guarded   bool  // it has a predicate
	to, reads []int // registers
}

// A kernel is the machine code of one entry.
type kernel struct {
	name      string
	code      []instruction
	registers int
	spills    int // bytes stored and loaded, of a thread
}

// compile returns the kernels of a source, in the order of the entries.
func compile(source string, entries []string, arch, nvdisasm string) []kernel {
	out := failure.Must(cu.NvrtcCompile(source, "oneloop.cu", append(cuda.Options(arch), "-Xptxas=-v", "--no-cache")...))
	f := failure.Must(os.CreateTemp("", "*.cubin"))
	defer os.Remove(f.Name())
	failure.Must(f.Write(out.Cubin))
	failure.Check(f.Close())
	listing := parse(disassembled(nvdisasm, "-c", "-gi", f.Name()))
	ks := make([]kernel, len(entries))
	for i, name := range entries {
		ks[i] = kernel{name: name, code: listing[name]}
		if len(ks[i].code) == 0 {
			failure.Check(fmt.Errorf("there is no code of %s", name))
		}
		ks[i].usage(out.Log)
	}
	return ks
}

// disassembled returns what the disassembler writes.
func disassembled(nvdisasm string, args ...string) string {
	defer failure.In(nvdisasm)
	return string(failure.Must(exec.Command(nvdisasm, args...).Output()))
}

var (
	spilled = regexp.MustCompile(`(\d+) bytes spill stores, (\d+) bytes spill loads`)
	used    = regexp.MustCompile(`Used (\d+) registers`)
)

// usage reads what ptxas reports of k.
func (k *kernel) usage(log string) {
	_, part, _ := strings.Cut(log, "Compiling entry function '"+k.name+"'")
	part, _, _ = strings.Cut(part, "Compiling entry function")
	if m := used.FindStringSubmatch(part); m != nil {
		k.registers, _ = strconv.Atoi(m[1])
	}
	if m := spilled.FindStringSubmatch(part); m != nil {
		a, _ := strconv.Atoi(m[1])
		b, _ := strconv.Atoi(m[2])
		k.spills = a + b
	}
}

var (
	section = regexp.MustCompile(`^\.text\.(\S+):`)
	label   = regexp.MustCompile(`^(\.L\S+):`)
	place   = regexp.MustCompile(`^\s*//## File "[^"]*", line (\d+)(.*)`)
	insn    = regexp.MustCompile(`^\s*/\*([0-9a-f]+)\*/\s+(?:(@!?U?P\w+)\s+)?(\S+)(.*?);?\s*$`)
	goal    = regexp.MustCompile("`\\((\\.L\\S+)\\)")
	reg     = regexp.MustCompile(`\bR(\d+)(?:\.(64|reuse))?`)
)

// parse reads a listing of nvdisasm -c -gi: the instructions of each entry.
func parse(text string) map[string][]instruction {
	out := map[string][]instruction{}
	labels, wanted := map[string]int{}, map[string][]string{}
	name, line, within, fresh := "", 0, 0, true
	var waiting []string // labels before an instruction
	for _, s := range strings.Split(text, "\n") {
		if m := section.FindStringSubmatch(s); m != nil {
			name, waiting = m[1], nil
		} else if m := label.FindStringSubmatch(s); m != nil {
			waiting = append(waiting, m[1])
		} else if m := place.FindStringSubmatch(s); m != nil {
			n := failure.Must(strconv.Atoi(m[1]))
			if fresh { // the innermost function comes first
				within = n
			}
			if fresh = !strings.Contains(m[2], "inlined at"); fresh {
				line = n
			}
		} else if m := insn.FindStringSubmatch(s); m != nil {
			at := failure.Must(strconv.ParseInt(m[1], 16, 64))
			in := instruction{at: int(at), line: line, within: within, op: m[3], target: -1, guarded: m[2] != ""}
			in.registers(m[4])
			for _, l := range waiting {
				labels[l] = in.at
			}
			waiting = nil
			aim := ""
			if g := goal.FindStringSubmatch(m[4]); g != nil && strings.HasPrefix(in.op, "BRA") {
				aim = g[1]
			}
			out[name], wanted[name] = append(out[name], in), append(wanted[name], aim)
		}
	}
	for n, code := range out {
		for i := range code {
			if to := wanted[n][i]; to != "" {
				at, ok := labels[to]
				if !ok {
					failure.Check(fmt.Errorf("there is no label %s", to))
				}
				code[i].target = at
			}
		}
	}
	return out
}

// registers sets the registers that an instruction writes and reads.
func (in *instruction) registers(operands string) {
	first := true
	for i, part := range strings.Split(operands, ",") {
		for _, m := range reg.FindAllStringSubmatch(part, -1) {
			r, _ := strconv.Atoi(m[1])
			n := 1
			if m[2] == "64" {
				n = 2
			}
			// The address in a load or store follows the result, or comes first in a store.
			if first && i == 0 && !strings.HasPrefix(in.op, "ST") && !strings.Contains(part, "[") {
				for j := range max(in.width()/4, 1) {
					in.to = append(in.to, r+j)
				}
			} else {
				if strings.HasPrefix(in.op, "ST") && !strings.Contains(part, "[") {
					n = max(in.width()/4, 1)
				}
				for j := range n {
					in.reads = append(in.reads, r+j)
				}
			}
			first = false
		}
	}
}

// class is a kind of instruction that one unit of a multiprocessor runs.
type class int

const (
	float   class = iota // float32 add, multiply, fused multiply-add
	integer              // integer and logic, comparisons, selections, minima
	convert              // conversions
	special              // estimates of reciprocals and roots, conversions from and to float64
	double               // float64
	global               // loads and stores of arrays
	shared               // loads and stores of shared memory, shuffles
	other                // branches, barriers, moves, uniform instructions
	classes
)

var classNames = [...]string{"float", "int", "cvt", "special", "f64", "global", "shared", "other"}

var classOf = map[string]class{}

func init() {
	for c, names := range map[class]string{
		float:   "FADD FMUL FFMA FADD32I FMUL32I FFMA32I HADD2 HMUL2 HFMA2",
		integer: "IADD IADD3 IMAD LEA LOP3 SHF SHL SHR ISETP FSETP FSEL SEL FMNMX IMNMX VIMNMX VIADD VIADDMNMX IABS PRMT PLOP3 POPC BMSK SGXT FSET FCHK P2R R2P VABSDIFF VHMNMX LOP FMNMX3",
		convert: "F2F F2I I2F F2FP I2FP FRND",
		special: "MUFU",
		double:  "DADD DMUL DFMA DSETP DMNMX",
		global:  "LDG STG LD ST LDL STL",
		shared:  "LDS STS SHFL",
	} {
		for _, n := range strings.Fields(names) {
			classOf[n] = c
		}
	}
}

func (in *instruction) class() class {
	name, _, _ := strings.Cut(in.op, ".")
	if name == "F2F" && strings.Contains(in.op, "F64") {
		return special
	}
	if c, ok := classOf[name]; ok {
		return c
	}
	return other
}

// width returns the bytes that a load or store moves for a thread, or 0.
func (in *instruction) width() int {
	parts := strings.Split(in.op, ".")
	switch parts[0] {
	case "LDG", "STG", "LDS", "STS", "LDL", "STL", "LD", "ST":
	default:
		return 0
	}
	for _, p := range parts[1:] {
		switch p {
		case "U8", "S8":
			return 1
		case "U16", "S16":
			return 2
		case "64":
			return 8
		case "128":
			return 16
		}
	}
	return 4
}

// A loop is a stretch of code that ends with a branch to its beginning.
type loop struct {
	lo, hi int // addresses of its first and last instruction
	inner  bool
	blocks [][]instruction // basic blocks, without those of the loops inside it and what is rarely run
}

// loops returns the loops of the code, the shortest first.
func (k *kernel) loops(source []string) (all []loop) {
	rare := k.rare(source)
	ends := map[int]int{}
	starts := map[int]bool{} // of basic blocks
	for i, in := range k.code {
		if in.target < 0 {
			continue
		}
		starts[in.target] = true
		if i+1 < len(k.code) {
			starts[k.code[i+1].at] = true
		}
		if in.target < in.at && !rare[in.at] {
			ends[in.target] = max(ends[in.target], in.at)
		}
	}
	for lo, hi := range ends {
		all = append(all, loop{lo: lo, hi: hi, inner: true})
	}
	slices.SortFunc(all, func(x, y loop) int { return cmp.Or(cmp.Compare(x.hi-x.lo, y.hi-y.lo), cmp.Compare(x.lo, y.lo)) })
	last := -1
	for _, in := range k.code {
		home := slices.IndexFunc(all, func(l loop) bool { return in.at >= l.lo && in.at <= l.hi })
		if rare[in.at] || home < 0 {
			last = -1
			continue
		}
		l := &all[home]
		if home != last || starts[in.at] || len(l.blocks) == 0 {
			l.blocks = append(l.blocks, nil)
		}
		l.blocks[len(l.blocks)-1] = append(l.blocks[len(l.blocks)-1], in)
		last = home
		for i := home + 1; i < len(all); i++ {
			if all[i].lo <= l.lo && all[i].hi >= l.hi {
				all[i].inner = false
			}
		}
	}
	return all
}

// rare returns the addresses of the code that only extreme operands reach: a stretch that
// a branch jumps over and that calls the slow path of a division or root, or comes
// from a line of the source that ends with "// rare"; and the slow paths, which follow the entry.
func (k *kernel) rare(source []string) map[int]bool {
	out := map[int]bool{}
	exits := slices.ContainsFunc(k.code, func(in instruction) bool { return strings.HasPrefix(in.op, "RET") })
	last := -1 // the branch to itself that ends an entry
	for _, in := range k.code {
		if in.target == in.at && last < 0 {
			last = in.at
		}
		if exits && last >= 0 && in.at > last {
			out[in.at] = true
		}
	}
	retries := slices.IndexFunc(k.code, func(in instruction) bool { return strings.HasPrefix(in.op, "WARPSYNC.COLLECTIVE") })
	if retries >= 0 { // shuffles of warps that have diverged
		for retries > 0 && k.code[retries-1].target < 0 && !strings.HasPrefix(k.code[retries-1].op, "EXIT") {
			retries--
		}
		for _, in := range k.code[retries:] {
			out[in.at] = true
		}
	}
	for i, in := range k.code {
		if !in.guarded || in.target <= in.at {
			continue
		}
		body := k.code[i+1:]
		end := slices.IndexFunc(body, func(x instruction) bool { return x.at >= in.target })
		if end < 0 || end > 24 {
			continue
		}
		if slices.ContainsFunc(body[:end], func(x instruction) bool {
			return strings.HasPrefix(x.op, "CALL") || strings.HasSuffix(source[x.within-1], "// rare")
		}) {
			for _, x := range body[:end] {
				out[x.at] = true
			}
		}
	}
	return out
}

// version returns the version of the disassembler.
func version(nvdisasm string) string {
	_, rest, ok := strings.Cut(disassembled(nvdisasm, "--version"), ", V")
	if !ok {
		failure.Check(fmt.Errorf("%s tells no version", nvdisasm))
	}
	return strings.Fields(rest)[0]
}

// widths counts the accesses of arrays, scratch and shared memory by operation and
// bytes, in the text of the whole kernel.
func (k *kernel) widths() string {
	n := map[string]int{}
	for i := range k.code {
		if w := k.code[i].width(); w > 0 {
			name, _, _ := strings.Cut(k.code[i].op, ".")
			n[fmt.Sprintf("%s%d", name, 8*w)]++
		}
	}
	list := lists.Map(slices.Sorted(maps.Keys(n)), func(name string) string { return fmt.Sprintf("%s:%d", name, n[name]) })
	return strings.Join(list, " ")
}
