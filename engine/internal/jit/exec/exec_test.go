package exec

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

func install(t testing.TB, code []byte) *Code {
	t.Helper()
	if _, err := Probe(); err != nil {
		t.Skip(err)
	}
	c, err := Install(code)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// answer returns code that stores x to its arguments.
func answer(x uint32) []byte {
	if runtime.GOARCH != "arm64" { // mov eax, x; mov [rdi], rax; ret
		return []byte{0xb8, byte(x), byte(x >> 8), byte(x >> 16), byte(x >> 24), 0x48, 0x89, 0x07, 0xc3}
	}
	return words(
		0x52800001|x&0xffff<<5, // movz w1, x
		0x72a00001|x>>16<<5,    // movk w1, x >> 16, lsl 16
		0xf9000001,             // str x1, [x0]
		0xd65f03c0,             // ret
	)
}

// words returns the bytes of instructions of arm64.
func words(insns ...uint32) (code []byte) {
	for _, x := range insns {
		code = binary.LittleEndian.AppendUint32(code, x)
	}
	return code
}

// child runs this program again for a test.
func child(t *testing.T, env ...string) ([]byte, error) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if errors.Is(err, syscall.ENOEXEC) {
		t.Skip("an emulator runs this program: ", err)
	}
	return out, err
}

// nothing returns code that returns.
func nothing() []byte {
	code := answer(0)
	if runtime.GOARCH == "arm64" {
		return code[12:]
	}
	return code[8:]
}

// TestCallKeeps calls code that changes all registers that it may.
func TestCallKeeps(t *testing.T) {
	if runtime.GOARCH != "arm64" {
		t.Skip("for arm64")
	}
	var code []byte
	for r := range uint32(18) {
		code = append(code, words(0x92800000|r)...) // mov xr, -1
	}
	for v := range uint32(32) {
		code = append(code, words(0x6f000400|v)...) // mvni vr.4s, 0
	}
	c := install(t, append(code, nothing()...))
	defer c.Release()
	x, y := 1.5, 7
	for range 100 {
		var grown [64]byte
		c.Call(unsafe.Pointer(&grown))
		runtime.Gosched()
		if x = x*2 - 1.5; x != 1.5 || y != 7 {
			t.Fatal(x, y)
		}
	}
}

func TestProbe(t *testing.T) {
	m, err := Probe()
	t.Logf("%v, %v", m, err)
	if err == nil != (m != None) {
		t.Errorf("method %v with error %v", m, err)
	}
	if !callable && !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("error %v, want ErrUnsupported", err)
	}
}

func TestCall(t *testing.T) {
	c := install(t, append(answer(7), answer(8)...))
	defer c.Release()
	var x uint64
	if c.Call(unsafe.Pointer(&x)); x != 7 {
		t.Errorf("Call: %d", x)
	}
	if c.entry%codeAlign != 0 || c.size != 2*len(answer(7)) {
		t.Errorf("address %#x, size %d", c.entry, c.size)
	}
}

// TestMethods runs every method that works here, not only the probed one.
func TestMethods(t *testing.T) {
	for m := DualMap; m < numMethods; m++ {
		t.Run(m.String(), func(t *testing.T) {
			if !callable {
				t.Skip("no machine code here")
			}
			if err := permitted(m); err != nil {
				t.Skip(err)
			}
			a := &arena{mem: arenas[m].mem, granule: arenas[m].granule, limit: arenaLimit}
			var codes []*Code
			for i := range 600 {
				c, err := a.install(answer(uint32(i)))
				if errors.Is(err, errors.ErrUnsupported) {
					t.Skip(err)
				}
				if err != nil {
					t.Fatal(err)
				}
				codes = append(codes, c)
			}
			big, err := a.install(bytes.Repeat([]byte{0x90}, 3*segmentSize))
			if err != nil {
				t.Fatal(err)
			}
			for round := range 3 {
				for i, c := range codes {
					var x uint64
					if c.Call(unsafe.Pointer(&x)); x != uint64(i) {
						t.Fatalf("round %d: code %d answers %d", round, i, x)
					}
				}
				for i := round; i < len(codes); i += 3 {
					codes[i].Release()
					if codes[i], err = a.install(answer(uint32(i))); err != nil {
						t.Fatal(err)
					}
				}
			}
			noWriteAndExec(t)
			big.Release()
			for _, c := range codes {
				c.Release()
			}
			a.mu.Lock()
			a.clean()
			a.mu.Unlock()
			if len(a.segments) != 1 || !a.segments[0].empty() || a.total != len(a.segments[0].write) {
				t.Errorf("%d segments, %d bytes left", len(a.segments), a.total)
			}
			if err := a.mem.free(a.segments[0].write, a.segments[0].exec); err != nil {
				t.Error(err)
			}
		})
	}
}

// noWriteAndExec fails if any memory of the process is both.
func noWriteAndExec(t *testing.T) {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return
	}
	for _, line := range strings.Split(string(maps), "\n") {
		if f := strings.Fields(line); len(f) > 1 && strings.Contains(f[1], "w") && strings.Contains(f[1], "x") {
			t.Errorf("writable and executable: %s", line)
		}
	}
}

func TestReleaseTwice(t *testing.T) {
	c := install(t, answer(1))
	c.Release()
	defer func() {
		if recover() == nil {
			t.Error("Release of released code does not panic")
		}
	}()
	c.Release()
}

func TestFull(t *testing.T) {
	if _, err := Probe(); err != nil {
		t.Skip(err)
	}
	if _, err := Install(make([]byte, arenaLimit+1)); !errors.Is(err, ErrFull) {
		t.Errorf("error %v, want ErrFull", err)
	}
	if _, err := Install(nil); err == nil {
		t.Error("no error for no code")
	}
}

// TestSpans gives and takes parts in random order against a map of bytes.
func TestSpans(t *testing.T) {
	s := &segment{write: make([]byte, 64), free: []span{{0, 64}}}
	a := &arena{segments: []*segment{s}, granule: 1}
	var owned [64]bool
	var live []span
	rng := uint32(1)
	for range 20000 {
		rng = rng*1664525 + 1013904223
		if n := int(rng >> 24); n%2 == 0 || len(live) == 0 {
			_, p, ok := a.find(1 + n%7)
			if !ok {
				continue
			}
			for i := p.start; i < p.end; i++ {
				if owned[i] {
					t.Fatalf("byte %d given twice", i)
				}
				owned[i] = true
			}
			live = append(live, p)
		} else {
			k := n % len(live)
			p := live[k]
			live[k] = live[len(live)-1]
			live = live[:len(live)-1]
			for i := p.start; i < p.end; i++ {
				owned[i] = false
			}
			s.give(p)
		}
		last := -1
		for _, f := range s.free {
			if f.start <= last || f.end <= f.start {
				t.Fatalf("free list %v", s.free)
			}
			last = f.end
			for i := f.start; i < f.end; i++ {
				if owned[i] {
					t.Fatalf("byte %d is free and owned", i)
				}
			}
		}
	}
}

func BenchmarkCall(b *testing.B) {
	c := install(b, nothing())
	defer c.Release()
	b.ReportAllocs()
	for b.Loop() {
		block := struct{ p, q unsafe.Pointer }{}
		c.Call(unsafe.Pointer(&block))
	}
}

func BenchmarkInstall(b *testing.B) {
	code := make([]byte, 2000)
	install(b, code).Release()
	for m := DualMap; m < numMethods; m++ {
		b.Run(strings.ReplaceAll(m.String(), " ", "-"), func(b *testing.B) {
			for b.Loop() {
				c, err := arenas[m].install(code)
				if err != nil {
					b.Skip(err)
				}
				c.Release()
			}
		})
	}
}
