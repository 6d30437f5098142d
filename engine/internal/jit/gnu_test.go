package jit

import (
	"bytes"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/oneloop/oneloop/engine/internal/listing"
)

// TestGNU assembles the listings with GNU as, and compares the bytes.
func TestGNU(t *testing.T) {
	for _, be := range generators {
		as := assembler(t, be.Name())
		if as == nil {
			continue
		}
		for _, name := range listedKernels {
			fns := listed(t, be, name)
			src := listing.GNU([]*listing.Kernel{{Name: name, Backend: be.Name(), Functions: fns}})
			dir := t.TempDir()
			in, out := filepath.Join(dir, "a.s"), filepath.Join(dir, "a.o")
			if err := os.WriteFile(in, []byte(src), 0o666); err != nil {
				t.Fatal(err)
			}
			if msg, err := exec.Command(as[0], append(as[1:], "-o", out, in)...).CombinedOutput(); err != nil {
				t.Errorf("%s %s: %s", be.Name(), name, msg[:min(len(msg), 2000)])
				continue
			}
			text := textSection(t, out)
			for _, fn := range fns {
				if n := len(fn.Code) - len(text); n > 0 { // as wrote fewer bytes: show where
					text = append(text, make([]byte, n)...)
				}
				compareCode(t, be.Name(), fn, text[:len(fn.Code)])
				text = text[min(len(text), (len(fn.Code)+63)&^63):]
			}
		}
	}
}

// assembler returns the command of GNU as for the processors of a target, or nil.
func assembler(t *testing.T, isa string) []string {
	processor, flags := "x86_64", []string{"--64"}
	if isa == "neon" {
		processor, flags = "aarch64", nil
	}
	for _, command := range []string{"as", processor + "-linux-gnu-as"} {
		v, _ := exec.Command(command, "--version").Output()
		if bytes.Contains(v, []byte("GNU")) && bytes.Contains(v, []byte(processor)) {
			return append([]string{command}, flags...)
		}
	}
	t.Logf("%s: no GNU as for %s", isa, processor)
	return nil
}

// compareCode reports the first instruction that differs.
func compareCode(t *testing.T, isa string, fn *listing.Function, got []byte) {
	t.Helper()
	if bytes.Equal(got, fn.Code) {
		return
	}
	for _, l := range fn.Lines {
		if a, b := got[l.Offset:l.Offset+l.Size], fn.Code[l.Offset:l.Offset+l.Size]; !bytes.Equal(a, b) {
			t.Errorf("%s %s: %q at %#x: as has % x, the code % x", isa, fn.Name, l.Text, l.Offset, a, b)
			return
		}
	}
	t.Errorf("%s %s: the constants differ", isa, fn.Name)
}

func textSection(t *testing.T, path string) []byte {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text, err := f.Section(".text").Data()
	if err != nil {
		t.Fatal(err)
	}
	return text
}
