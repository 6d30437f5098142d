package x86

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestGoAssembler compares the vector and mask instructions with what go tool
// asm makes of them, where it knows them. It has no syntax for relative
// addresses without a symbol.
func TestGoAssembler(t *testing.T) {
	if msg, err := exec.Command("go", "tool", "-n", "asm").CombinedOutput(); err != nil {
		t.Skipf("no go tool asm: %v %s", err, msg)
	}
	var cases []testCase
	for _, c := range someCases(t) {
		if f := &forms[c.form]; !f.gp && !c.in.mem.rip && !otherForm(&c) {
			cases = append(cases, c)
		}
	}
	unknown := map[string]int{}
	bad, shown := 0, map[Op]int{}
	n := 0
	for part := range slices.Chunk(cases, 50_000) {
		have := goAssemble(t, part, unknown)
		for i, c := range part {
			if have[i] == nil {
				continue
			}
			n++
			if !bytes.Equal(have[i], c.bytes) {
				bad++
				if shown[c.in.op]++; shown[c.in.op] <= 2 {
					t.Errorf("%s: % x, go tool asm has % x for %s", c.text, c.bytes, have[i], goText(&c))
				}
			}
		}
	}
	t.Logf("%d instructions, %d differ; %d unknown to go tool asm: %v", n, bad, len(cases)-n, unknown)
}

// otherForm reports whether go tool asm prefers another encoding: stores for
// moves between registers, and that of general registers for VMOVQ.
func otherForm(c *testCase) bool {
	return c.in.op == VMOVQ || strings.HasPrefix(c.in.op.String(), "vmov") &&
		forms[c.form].ops[0] == patR && c.in.kind[c.in.n-1] == kindVec
}

var (
	asmError  = regexp.MustCompile(`(?m)^\S+\.s:(\d+): (.*)$`)
	asmOffset = regexp.MustCompile(`^\t0x([0-9a-f]+) \d+ \(\S+\.s:(\d+)\)\t([A-Z0-9.]+)`)
	asmBytes  = regexp.MustCompile(`^\t0x[0-9a-f]+((?: [0-9a-f]{2})+)  `)
)

// goAssemble is the code of each case, nil where the assembler does not take
// it.
func goAssemble(t *testing.T, cases []testCase, unknown map[string]int) [][]byte {
	dir := t.TempDir()
	file := filepath.Join(dir, "a.s")
	const perFunction = 500
	skip := make([]bool, len(cases))
	var out []byte
	var lineOf map[int]int
	for attempt := 0; ; attempt++ {
		var src bytes.Buffer
		lineOf = map[int]int{}
		line := 1
		for i := range cases {
			if i%perFunction == 0 {
				fmt.Fprintf(&src, "TEXT ·f%d(SB), 516, $0-0\n", i) // NOSPLIT|NOFRAME
				line++
			}
			if !skip[i] {
				fmt.Fprintf(&src, "\t%s\n", goText(&cases[i]))
				lineOf[line] = i
				line++
			}
		}
		if err := os.WriteFile(file, src.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("go", "tool", "asm", "-S", "-e", "-p", "p", "-o", filepath.Join(dir, "a.o"), file)
		cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64")
		var err error
		if out, err = cmd.CombinedOutput(); err == nil {
			break
		}
		dropped := 0
		for _, m := range asmError.FindAllSubmatch(out, -1) {
			n, _ := strconv.Atoi(string(m[1]))
			if i, ok := lineOf[n]; ok && !skip[i] {
				skip[i] = true
				dropped++
				if unknown[cases[i].in.op.String()]++; unknown[cases[i].in.op.String()] <= 1 && testing.Verbose() {
					t.Logf("%s: %s", goText(&cases[i]), m[2])
				}
			}
		}
		if dropped == 0 || attempt == 5 {
			t.Fatalf("go tool asm: %v\n%.2000s", err, out)
		}
	}
	codes := make([][]byte, len(cases))
	var at []int // case, offset
	var code []byte
	flush := func() {
		for k := 0; k+1 < len(at); k += 2 {
			end := len(code)
			if k+3 < len(at) {
				end = at[k+3]
			}
			if at[k] >= 0 {
				codes[at[k]] = code[at[k+1]:end]
			}
		}
		at, code = at[:0], nil
	}
	for _, l := range strings.Split(string(out), "\n") {
		if m := asmOffset.FindStringSubmatch(l); m != nil {
			if m[3] == "TEXT" {
				flush()
				continue
			}
			off, _ := strconv.ParseInt(m[1], 16, 64)
			n, _ := strconv.Atoi(m[2])
			i, ok := lineOf[n]
			if !ok {
				i = -1
			}
			at = append(at, i, int(off))
		} else if m := asmBytes.FindStringSubmatch(l); m != nil {
			b, err := hex.DecodeString(strings.ReplaceAll(m[1], " ", ""))
			if err != nil {
				t.Fatal(err)
			}
			code = append(code, b...)
		}
	}
	flush()
	return codes
}

// goText is the case in the Go assembler's syntax: operands in reverse, with
// the mask before the destination.
func goText(c *testCase) string {
	f := &forms[c.form]
	in := &c.in
	name := strings.ToUpper(in.op.String())
	narrow := false // the name says the length
	switch in.op {
	case VCVTPD2PS, VCVTTPD2DQ, VCVTTPD2UDQ, VCVTQQ2PS, VCVTUQQ2PS:
		narrow = in.len != L512
	case VFPCLASSPS:
		narrow = true
	case VCVTTSS2SI, VCVTTSD2SI:
		name += map[Len]string{W32: "", W64: "Q"}[in.len]
	case BZHI:
		name += map[Len]string{W32: "L", W64: "Q"}[in.len]
	}
	if narrow {
		name += map[Len]string{L128: "X", L256: "Y", L512: "Z"}[in.len]
	}
	if in.mem.Broadcast {
		name += ".BCST"
	}
	if in.with.Zero {
		name += ".Z"
	}
	var ops []string
	for i := in.n - 1; i >= 0; i-- {
		switch in.kind[i] {
		case kindReg:
			ops = append(ops, goReg(in.reg[i]))
		case kindVec:
			ops = append(ops, strings.ToUpper(strings.Replace(vecName(in.reg[i], max(16, in.vecBytes(f, i))), "mm", "", 1)))
		case kindMask:
			ops = append(ops, fmt.Sprintf("K%d", in.reg[i]))
		case kindImm:
			n := in.imm
			if f.ops[i] == patI {
				n = int64(uint8(n))
			}
			ops = append(ops, fmt.Sprintf("$%d", n))
		case kindMem:
			m := in.mem
			s := fmt.Sprintf("(%s)", goReg(uint8(m.Base)))
			if m.Disp != 0 {
				s = strconv.Itoa(int(m.Disp)) + s
			}
			switch {
			case m.Scale == 0:
			case m.VecIndex:
				s += fmt.Sprintf("(%s*%d)", strings.ToUpper(strings.Replace(vecName(m.Index, max(16, in.vecBytes(f, i))), "mm", "", 1)), m.Scale)
			default:
				s += fmt.Sprintf("(%s*%d)", goReg(m.Index), m.Scale)
			}
			ops = append(ops, s)
		}
	}
	if in.with.K != 0 {
		ops = slices.Insert(ops, len(ops)-1, fmt.Sprintf("K%d", in.with.K))
	}
	return name + " " + strings.Join(ops, ", ")
}

func goReg(r uint8) string {
	if r >= 8 {
		return "R" + strconv.Itoa(int(r))
	}
	return strings.ToUpper(Reg(r).name(W16))
}
