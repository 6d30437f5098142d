package x86

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestGNU compares every case with what GNU as makes of its text, where it is
// installed.
func TestGNU(t *testing.T) {
	as, err := exec.LookPath("as")
	if err != nil {
		t.Skip("no GNU as: ", err)
	}
	if v, _ := exec.Command(as, "--version").Output(); !bytes.Contains(v, []byte("GNU")) {
		t.Skip("as is not GNU's")
	}
	cases := someCases(t)
	var src bytes.Buffer
	src.WriteString(".intel_syntax noprefix\n")
	for _, c := range cases {
		// Each instruction in a slot of 16 bytes.
		fmt.Fprintf(&src, "1: %s\n.p2align 4, 0xcc\n", gnuText(&c))
	}
	dir := t.TempDir()
	in, out := filepath.Join(dir, "a.s"), filepath.Join(dir, "a.o")
	if err := os.WriteFile(in, src.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	if msg, err := exec.Command(as, "--64", "-o", out, in).CombinedOutput(); err != nil {
		lines := strings.Split(src.String(), "\n")
		n := 0
		shown := map[string]int{}
		for _, m := range regexp.MustCompile(`a\.s:(\d+): (Error.*)`).FindAllSubmatch(msg, -1) {
			fmt.Sscan(string(m[1]), &n)
			if name := strings.Fields(lines[n-1])[1]; shown[name] < 2 {
				t.Errorf("%s: %s", lines[n-1], m[2])
				shown[name]++
			}
		}
		t.Fatalf("%v", err)
	}
	file, err := elf.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	text, err := file.Section(".text").Data()
	if err != nil {
		t.Fatal(err)
	}
	var ours, theirs [][]byte
	var differ []*testCase
	for i := range cases {
		c := &cases[i]
		slot := text[16*i:]
		slot = slot[:min(16, len(slot))]
		slot = trimFill(slot)
		if !bytes.Equal(slot, c.bytes) {
			ours, theirs, differ = append(ours, c.bytes), append(theirs, slot), append(differ, c)
		}
	}
	// What differs must be two encodings of one instruction.
	bad, shown := 0, map[Op]int{}
	if len(differ) > 0 {
		a, b := objdump(t, as, ours), objdump(t, as, theirs)
		for i, c := range differ {
			if a[i] == b[i] {
				continue
			}
			bad++
			if shown[c.in.op]++; shown[c.in.op] <= 2 {
				t.Errorf("%s: % x (%s), as has % x (%s)", gnuText(c), ours[i], a[i], theirs[i], b[i])
			}
		}
	}
	t.Logf("%d instructions, %d encoded in another way, %d wrong", len(cases), len(differ), bad)
}

var relative = regexp.MustCompile(`\[rip[^\]]*\]`)

// objdump disassembles instructions, each in a slot of 16 bytes.
func objdump(t *testing.T, as string, code [][]byte) []string {
	objdump, err := exec.LookPath("objdump")
	if err != nil {
		t.Fatalf("as differs in %d instructions, and there is no objdump to compare them: %v", len(code), err)
	}
	var src bytes.Buffer
	for _, c := range code {
		for _, b := range append(bytes.Clone(c), bytes.Repeat([]byte{0xcc}, 16-len(c))...) {
			fmt.Fprintf(&src, ".byte %d\n", b)
		}
	}
	in, out := filepath.Join(t.TempDir(), "a.s"), filepath.Join(t.TempDir(), "a.o")
	if err := os.WriteFile(in, src.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	if msg, err := exec.Command(as, "--64", "-o", out, in).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, msg)
	}
	list, err := exec.Command(objdump, "-d", "-M", "intel", "--no-show-raw-insn", out).Output()
	if err != nil {
		t.Fatal(err)
	}
	texts := make([]string, len(code))
	for _, m := range regexp.MustCompile(`(?m)^ *([0-9a-f]+)0:\s*(.*)$`).FindAllSubmatch(list, -1) {
		n := 0
		fmt.Sscanf(string(m[1]), "%x", &n)
		text := strings.Join(strings.Fields(string(m[2])), " ")
		text = relative.ReplaceAllString(text, "[rip]") // the target is in a comment
		texts[n] = strings.Replace(text, ",0x1", ",1", 1)
	}
	return texts
}

// gnuText is the case's text with what as needs to choose our encoding among
// equivalent ones.
func gnuText(c *testCase) string {
	text := strings.ReplaceAll(c.text, "rip+L0", "rip+1b")
	f := &forms[c.form]
	if strings.HasPrefix(text, "vmov") && f.ops[0] == patR {
		text = "{load} " + text // not the store form, which may save a byte
	}
	if f.ops[0] == patRel {
		text = strings.Replace(text, "L0", "1b", 1)
	}
	if f.op == MOV && f.ops[1] == patI8 {
		text = "movabs" + text[3:]
	}
	return text
}

// trimFill removes the bytes that fill a slot.
func trimFill(slot []byte) []byte {
	for len(slot) > 1 && slot[len(slot)-1] == 0xcc {
		slot = slot[:len(slot)-1]
	}
	return slot
}
