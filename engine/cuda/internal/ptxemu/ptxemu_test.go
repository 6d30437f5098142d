package ptxemu

import (
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/oneloop/oneloop/engine/cuda/cu"
	"github.com/oneloop/oneloop/engine/cuda/internal/dl"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// An emulator is the driver, opened, with a context.
type emulator struct {
	reset   uintptr // standinReset
	context cu.Context
}

// TestEmulator builds the driver, takes instructions through it and compares
// registers with what the PTX ISA says, and runs kernels that have a fault.
func TestEmulator(t *testing.T) {
	if !testlevel.Deep() {
		t.Skip("building the emulator takes 15 s: runs with ONELOOP_TESTS=deep")
	}
	t.Setenv("ONELOOP_LIBCUDA", Build(t, t.TempDir()))
	t.Setenv("PTXEMU_RACE", "1")
	t.Setenv("PTXEMU_INIT", "1")
	e := open(t)
	for _, x := range []struct {
		name string
		test func(*testing.T, *emulator)
	}{
		{"instructions", testInstructions},
		{"kernels", testKernels},
		{"faults", testFaults},
		{"refusals", testRefusals},
	} {
		t.Run(x.name, func(t *testing.T) { x.test(t, e) })
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T) *emulator {
	t.Helper()
	check(t, cu.Init(0))
	l := dl.Library{Name: "driver", Env: "ONELOOP_LIBCUDA", Names: []string{""}}
	opened, err := l.Open(func(dl.Handle, string) error { return nil })
	check(t, err)
	e := &emulator{}
	e.reset, err = dl.Symbol(opened.Handle, "standinReset")
	check(t, err)
	d, err := cu.DeviceGet(0)
	check(t, err)
	e.context, err = cu.DevicePrimaryCtxRetain(d)
	check(t, err)
	return e
}

const header = ".version 8.0\n.target sm_90\n.address_size 64\n"

// entry returns a kernel k with the addresses of its input and output in %in and
// %out, and the number of the thread in %tid.
func entry(body string) string {
	return header + `.visible .entry k(.param .align 8 .b8 p[16])
.maxntid 256, 1, 1
{
	.reg .b64 %in, %out;
	.reg .b32 %tid, %block, %begin;
	.reg .b32 %r<16>;
	.reg .b64 %rd<16>;
	.reg .b16 %rs<16>;
	.reg .f32 %f<16>;
	.reg .pred %p<16>;
	ld.param.u64 %in, [p];
	ld.param.u64 %out, [p+8];
	mov.u32 %tid, %tid.x;
	mov.u32 %block, %ctaid.x;
` + body + "\n\tret;\n}\n"
}

// launch loads a kernel and runs it. It returns the bytes of the output. input may
// be longer than what kernels read; the output has size bytes, and nothing was
// stored to it before.
func (e *emulator) launch(t *testing.T, ptx string, blocks, threads int, input []byte, size int) ([]byte, error) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	check(t, cu.CtxSetCurrent(e.context))
	defer dl.Call(e.reset, 0, 0)
	m, err := cu.ModuleLoadData([]byte(ptx))
	check(t, err)
	f, err := m.GetFunction("k")
	check(t, err)
	in, err := cu.MemAlloc(int64(len(input)))
	check(t, err)
	check(t, cu.MemcpyHtoD(in, unsafe.Pointer(unsafe.SliceData(input)), int64(len(input))))
	out, err := cu.MemAlloc(int64(size))
	check(t, err)
	args := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, uint64(in)), uint64(out))
	l := cu.NewLaunch(f, cu.Dim3{X: blocks, Y: 1, Z: 1}, cu.Dim3{X: threads, Y: 1, Z: 1}, 1024, args)
	if err := l.Run(0); err != nil {
		return nil, errors.New(err.Error()) // the driver has the text until it is reset
	}
	result := make([]byte, size)
	if err := cu.MemcpyDtoH(unsafe.Pointer(unsafe.SliceData(result)), out, int64(size)); err != nil {
		return nil, errors.New(err.Error())
	}
	check(t, cu.MemFree(in))
	check(t, cu.MemFree(out))
	check(t, m.Unload())
	return result, nil
}

// words returns the bytes of n numbers of 4 bytes.
func words(n int, of func(i int) uint32) []byte {
	b := make([]byte, 4*n)
	for i := range n {
		binary.LittleEndian.PutUint32(b[4*i:], of(i))
	}
	return b
}

// inOut returns a kernel of 64 threads with its own lines between the load of an
// element to %r1 and the store of %r2.
func inOut(lines string) string {
	return entry(`	mul.wide.u32 %rd1, %tid, 4;
	add.s64 %rd2, %in, %rd1;
	add.s64 %rd3, %out, %rd1;
	ld.global.u32 %r1, [%rd2];
	mov.u32 %r3, %laneid;
` + lines + `
	st.global.u32 [%rd3], %r2;`)
}

// staged stores %r1 to shared memory and loads what thread %r5 stored, with lines
// between the two.
func staged(between string) string {
	return strings.Replace(inOut(`	mov.u32 %r4, s;
	shl.b32 %r6, %tid, 2;
	add.s32 %r7, %r4, %r6;
	st.shared.u32 [%r7], %r1;
`+between+`
	shl.b32 %r6, %r5, 2;
	add.s32 %r8, %r4, %r6;
	ld.shared.u32 %r2, [%r8];`), ".visible", ".shared .align 16 .b8 s[256];\n.visible", 1)
}

// testKernels runs kernels without a fault and compares their results.
func testKernels(t *testing.T, e *emulator) {
	const n = 64
	input := words(n, func(i int) uint32 { return uint32(1000 + i) })
	for _, x := range []struct {
		name, ptx string
		want      func(i int) uint32
	}{
		{"copy", inOut("mov.u32 %r2, %r1;"), func(i int) uint32 { return uint32(1000 + i) }},
		{"predicate", inOut("mov.u32 %r2, 5; setp.lt.u32 %p1, %tid, 10; @%p1 mov.u32 %r2, 6; @!%p1 add.s32 %r2, %r2, 2;"), func(i int) uint32 {
			if i < 10 {
				return 6
			}
			return 7
		}},
		{"loop", inOut("mov.u32 %r2, 0; mov.u32 %r4, 0; $L: add.s32 %r2, %r2, %r4; add.s32 %r4, %r4, 1; setp.le.u32 %p1, %r4, %tid; @%p1 bra $L;"), func(i int) uint32 { return uint32(i * (i + 1) / 2) }},
		{"scopes", inOut("{ .reg .b32 %t; mov.u32 %t, 3; { .reg .b32 %t; mov.u32 %t, 4; } mov.u32 %r2, %t; }"), func(int) uint32 { return 3 }},
		{"xor", inOut("shfl.sync.bfly.b32 %r2|%p1, %r1, 3, 31, -1;"), func(i int) uint32 { return uint32(1000 + (i ^ 3)) }},
		{"down", inOut("shfl.sync.down.b32 %r2|%p1, %r1, 5, 31, -1; @!%p1 mov.u32 %r2, 1;"), func(i int) uint32 {
			if i%32+5 > 31 {
				return 1
			}
			return uint32(1005 + i)
		}},
		{"up", inOut("shfl.sync.up.b32 %r2|%p1, %r1, 5, 0, -1; @!%p1 mov.u32 %r2, 1;"), func(i int) uint32 {
			if i%32 < 5 {
				return 1
			}
			return uint32(995 + i)
		}},
		{"index of 8 lanes", inOut("shfl.sync.idx.b32 %r2, %r1, 2, 0x181f, -1;"), func(i int) uint32 { return uint32(1000 + (i &^ 7) + 2) }},
		{"half a warp", inOut("mov.u32 %r2, 9; setp.lt.u32 %p1, %r3, 16; @!%p1 bra $E; shfl.sync.bfly.b32 %r2, %r1, 8, 31, 0xffff; $E:"), func(i int) uint32 {
			if i%32 < 16 {
				return uint32(1000 + (i ^ 8))
			}
			return 9
		}},
		{"vote", inOut("setp.lt.u32 %p1, %tid, 40; vote.sync.ballot.b32 %r2, %p1, -1; vote.sync.all.pred %p2, %p1, -1; @%p2 mov.u32 %r2, 7; vote.sync.any.pred %p2, %p1, -1; @!%p2 mov.u32 %r2, 8;"), func(i int) uint32 {
			if i < 32 {
				return 7
			}
			return 0xff
		}},
		{"lane mask", inOut("mov.u32 %r2, %lanemask_lt;"), func(i int) uint32 { return 1<<(i%32) - 1 }},
		{"block barrier", staged("bar.sync 0; sub.s32 %r5, 63, %tid;"), func(i int) uint32 { return uint32(1063 - i) }},
		{"warp barrier", staged("bar.warp.sync -1; xor.b32 %r5, %tid, 1;"), func(i int) uint32 { return uint32(1000 + (i ^ 1)) }},
		{"own value", staged("mov.u32 %r5, %tid;"), func(i int) uint32 { return uint32(1000 + i) }},
		{"equal stores", strings.Replace(inOut("mov.u32 %r4, s; st.shared.u32 [%r4], 17; bar.sync 0; ld.shared.u32 %r2, [%r4];"), ".visible", ".shared .align 4 .b8 s[4];\n.visible", 1), func(int) uint32 { return 17 }},
		{"dynamic", ".extern .shared .align 16 .b8 d[];\n" + strings.Replace(staged("mov.u32 %r9, d; add.s32 %r9, %r9, %r6; st.shared.u32 [%r9], %r6; mov.u32 %r5, %tid;"), header, "", 1), func(i int) uint32 { return uint32(1000 + i) }},
		{"local", inOut(".local .align 8 .b8 a[16]; mov.u64 %rd4, a; st.local.u32 [%rd4+8], %r1; st.local.u8 [%rd4+9], 0; ld.local.u32 %r2, [%rd4+8];"), func(i int) uint32 { return uint32(1000+i) & 0xff }},
		{"signed byte", inOut("ld.global.s8 %rs1, [%rd2]; cvt.s32.s16 %r2, %rs1;"), func(i int) uint32 { return uint32(int32(int8(1000 + i))) }},
		{"vector", inOut("and.b32 %r4, %tid, 62; mul.wide.u32 %rd4, %r4, 4; add.s64 %rd4, %in, %rd4; ld.global.v2.u32 {%r5, %r6}, [%rd4]; mov.b64 %rd5, {%r5, %r6}; mov.b64 {%r7, %r8}, %rd5; sub.s32 %r2, %r8, %r5;"), func(int) uint32 { return 1 }},
		{"table", strings.Replace(inOut("mov.u64 %rd4, t; and.b32 %r4, %tid, 3; mul.wide.u32 %rd5, %r4, 2; add.s64 %rd4, %rd4, %rd5; ld.global.nc.u16 %rs1, [%rd4]; cvt.u32.u16 %r2, %rs1;"), ".visible", ".global .align 2 .u16 t[4] = {3, 0x10, 7, 65535};\n.visible", 1), func(i int) uint32 {
			return []uint32{3, 16, 7, 65535}[i%4]
		}},
	} {
		t.Run(x.name, func(t *testing.T) {
			ptx := x.ptx
			if !strings.HasPrefix(ptx, ".version") {
				ptx = header + ptx
			}
			got, err := e.launch(t, ptx, 1, n, input, 4*n)
			check(t, err)
			for i := range n {
				if g := binary.LittleEndian.Uint32(got[4*i:]); g != x.want(i) {
					t.Fatalf("thread %d: %#x, want %#x", i, g, x.want(i))
				}
			}
		})
	}
}

// testFaults runs kernels that have a fault and looks for it in the error.
func testFaults(t *testing.T, e *emulator) {
	const n = 64
	input := words(n, func(i int) uint32 { return uint32(1000 + i) })
	shared := func(s string) string {
		return strings.Replace(s, ".visible", ".shared .align 16 .b8 s[256];\n.visible", 1)
	}
	for _, x := range []struct {
		name, ptx string
		result    cu.Result
		text      string
	}{
		{"load after store", staged("and.b32 %r5, %tid, 31;"), cu.ERROR_LAUNCH_FAILED, "a race, a load after a store"},
		{"load after store in a warp", staged("and.b32 %r5, %tid, 62;"), cu.ERROR_LAUNCH_FAILED, "a race, a load after a store"},
		{"warp barrier for a block", staged("bar.warp.sync -1; and.b32 %r5, %tid, 31;"), cu.ERROR_LAUNCH_FAILED, "a race, a load after a store"},
		{"half a warp barrier", staged("and.b32 %r5, %r3, 16; shl.b32 %r9, 0xffff, %r5; bar.warp.sync %r9; and.b32 %r5, %tid, 0x2f;"), cu.ERROR_LAUNCH_FAILED, "a race, a load after a store"},
		{"a shuffle orders nothing", staged("shfl.sync.bfly.b32 %r2, %r1, 1, 31, -1; xor.b32 %r5, %tid, 1;"), cu.ERROR_LAUNCH_FAILED, "a race, a load after a store"},
		{"store after load", staged("bar.sync 0; setp.lt.u32 %p1, %tid, 32; @%p1 ld.shared.u32 %r9, [%r7+128]; @!%p1 st.shared.u32 [%r7], %tid; mov.u32 %r5, %tid;"), cu.ERROR_LAUNCH_FAILED, "a race, a store after a load"},
		{"one of many loads", staged("bar.sync 0; setp.lt.u32 %p1, %tid, 63; @%p1 ld.shared.u32 %r9, [%r4+252]; @!%p1 ld.shared.u32 %r9, [%r7]; @!%p1 st.shared.u32 [%r7], %tid; mov.u32 %r5, %tid;"), cu.ERROR_LAUNCH_FAILED, "a race, a store after a load"},
		{"two stores", shared(inOut("mov.u32 %r4, s; st.shared.u32 [%r4], %tid; mov.u32 %r2, 1;")), cu.ERROR_LAUNCH_FAILED, "a race, two stores"},
		{"parts of a word", shared(inOut("mov.u32 %r4, s; and.b32 %r5, %tid, 1; add.s32 %r4, %r4, %r5; cvt.u16.u32 %rs1, %tid; st.shared.u8 [%r4], %rs1; mov.u32 %r2, 1;")), cu.ERROR_LAUNCH_FAILED, "a race, two stores"},
		{"blocks", inOut("add.s32 %r2, %r1, %block;"), cu.ERROR_LAUNCH_FAILED, "a race, two stores"},
		{"uninitialised shared", shared(inOut("mov.u32 %r4, s; ld.shared.u32 %r2, [%r4];")), cu.ERROR_LAUNCH_FAILED, "a load of memory that nothing was stored to"},
		{"uninitialised global", inOut("ld.global.u32 %r2, [%rd3];"), cu.ERROR_LAUNCH_FAILED, "a load of memory that nothing was stored to"},
		{"uninitialised copy", inOut("mov.u32 %r2, 1; setp.eq.s32 %p1, %tid, 63; @%p1 ret;"), cu.ERROR_LAUNCH_FAILED, "a copy of memory that nothing was stored to"},
		{"beyond", inOut("ld.global.u32 %r2, [%rd2+256];"), cu.ERROR_ILLEGAL_ADDRESS, "outside of all allocations"},
		{"before", inOut("ld.global.u32 %r2, [%rd2+-4];"), cu.ERROR_ILLEGAL_ADDRESS, "outside of all allocations"},
		{"beyond shared", shared(inOut("mov.u32 %r4, s; add.s32 %r4, %r4, 1280; st.shared.u32 [%r4], 1; mov.u32 %r2, 1;")), cu.ERROR_ILLEGAL_ADDRESS, "outside of shared memory"},
		{"null", inOut("mov.u64 %rd4, 0; ld.global.u32 %r2, [%rd4];"), cu.ERROR_ILLEGAL_ADDRESS, "outside of all allocations"},
		{"misaligned", inOut("ld.global.u32 %r2, [%rd2+2];"), cu.ERROR_MISALIGNED_ADDRESS, "misaligned"},
		{"misaligned vector", inOut("ld.global.v2.u32 {%r2, %r4}, [%rd2];"), cu.ERROR_MISALIGNED_ADDRESS, "misaligned"},
		{"barrier after exit", inOut("mov.u32 %r2, 1; setp.lt.u32 %p1, %tid, 32; @%p1 ret; bar.sync 0;"), cu.ERROR_LAUNCH_FAILED, "a barrier after a thread of the block has exited"},
		{"different barriers", inOut("mov.u32 %r2, 1; setp.lt.u32 %p1, %tid, 32; @%p1 bra $A; bar.sync 0; bra $E; $A: bar.sync 0; $E:"), cu.ERROR_LAUNCH_FAILED, "different barriers"},
		{"deadlock", inOut("setp.lt.u32 %p1, %r3, 16; mov.u32 %r2, 1; @%p1 bra $A; bar.sync 0; bra $E; $A: bar.warp.sync -1; $E:"), cu.ERROR_LAUNCH_FAILED, "deadlock"},
		{"lane that has exited", inOut("setp.lt.u32 %p1, %r3, 16; @%p1 ret; shfl.sync.bfly.b32 %r2, %r1, 1, 31, -1;"), cu.ERROR_LAUNCH_FAILED, "a lane that is not there"},
		{"wrong mask", inOut("shfl.sync.bfly.b32 %r2, %r1, 1, 31, 0xffff;"), cu.ERROR_LAUNCH_FAILED, "not in its own mask"},
		{"lane that takes no part", inOut("mov.u32 %r2, 1; setp.lt.u32 %p1, %r3, 16; @!%p1 bra $E; shfl.sync.bfly.b32 %r2, %r1, 16, 31, 0xffff; $E:"), cu.ERROR_LAUNCH_FAILED, "does not take part"},
		{"trap", inOut("mov.u32 %r2, 1; trap;"), cu.ERROR_LAUNCH_FAILED, "a trap"},
	} {
		t.Run(x.name, func(t *testing.T) {
			blocks := 1
			if x.name == "blocks" {
				blocks = 2
			}
			_, err := e.launch(t, x.ptx, blocks, n, input, 4*n)
			if err == nil || !strings.Contains(err.Error(), x.text) || !strings.Contains(err.Error(), fmt.Sprintf("(%d)", x.result)) {
				t.Errorf("error is %v, want %d with %q", err, x.result, x.text)
			}
		})
	}
}

// testRefusals loads modules that the emulator must not take.
func testRefusals(t *testing.T, e *emulator) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	check(t, cu.CtxSetCurrent(e.context))
	for _, line := range []string{
		"add.f16x2 %r2, %r1, %r1;", "atom.global.add.u32 %r2, [%rd1], %r1;", "add.sat.s32 %r2, %r1, %r1;", "min.xorsign.abs.f32 %f1, %f2, %f3;",
		"bar.sync 1;", "setp.lt.and.s32 %p1, %r1, %r2, %p2;", "mov.u32 %r2, %nothere;", "bra $NOWHERE;", "ld.u32 %r2, [%rd1];", "ld.volatile.global.u32 %r2, [%rd1];",
		"call f;", "fma.rn.relu.f32 %f1, %f2, %f3, %f4;", "mul.s32 %r1, %r2, %r3;", "cvt.f16.s32 %rs1, %r1;", "setp.ltu.s32 %p1, %r1, %r2;", "add.s32 %r1, %r2;",
	} {
		if _, err := cu.ModuleLoadData([]byte(entry(line))); err == nil || !strings.Contains(err.Error(), "PTX: ") {
			t.Errorf("%s: error is %v", line, err)
		}
	}
	if _, err := cu.ModuleLoadData([]byte("\x7fELF")); err == nil || !strings.Contains(err.Error(), "takes PTX") {
		t.Errorf("a cubin: error is %v", err)
	}
}
