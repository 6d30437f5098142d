// Package ptxemu builds a CUDA driver whose GPU is an emulator of PTX, so that the
// suite for real GPUs runs on what a real NVRTC makes, on any machine with g++. It
// is a test tool: it says nothing about speed, and machine code is not run.
//
// Every thread of a kernel is carried out by the rules of the PTX ISA, in any
// order, with or without preemption. These are errors that end the context, as a
// fault of a GPU does:
//
//   - accesses outside of allocations, and misaligned ones;
//   - races between threads that no barrier orders, in shared and global memory,
//     where stores differ;
//   - loads and copies of memory that nothing was stored to;
//   - barriers and shuffles that not all threads reach, and deadlocks.
//
// Not emulated are SASS, the kernels of cuBLAS, weak memory order between two
// barriers, atomics, tensor cores and arithmetic of halves. A module that has them
// is refused, with the instruction in the error.
//
// The rest of the driver is the stand-in's: see package standin.
package ptxemu

import (
	"embed"
	"path/filepath"
	"testing"

	"github.com/oneloop/oneloop/engine/cuda/internal/standin"
)

//go:embed src
var sources embed.FS

// Library is the name of the driver that Build makes. A real NVRTC would take
// libcuda.so.1 for a real driver, ask it for what the emulator lacks, and crash.
const Library = "libptxemu.so"

// Build compiles the driver into a directory. It returns the path of the library. Where there is
// no g++ the test is skipped. src/code.cc lists the options that the driver reads
// from the environment.
func Build(t testing.TB, dir string) string {
	t.Helper()
	for _, from := range []embed.FS{standin.Sources, sources} {
		standin.Write(t, from, dir)
	}
	flags := []string{"-ffp-contract=off", "-frounding-math", "-fno-strict-aliasing", "-fwrapv", "-pthread"}
	files := []string{"cuda.cc", "bits.cc", "code.cc", "memory.cc", "ops.cc", "parse.cc", "run.cc"}
	standin.Compile(t, dir, Library, standin.Library(Library, append(flags, files...)...)...)
	return filepath.Join(dir, Library)
}
