package cuda

import (
	"crypto/sha256"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/oneloop/oneloop/engine/cuda/cu"
)

// debugging is what ONELOOP_DEBUG asks of this package.
type debugging struct{ source, sync bool }

func debugFlags() debugging {
	words := strings.Split(os.Getenv("ONELOOP_DEBUG"), ",")
	return debugging{slices.Contains(words, "cuda"), slices.Contains(words, "sync")}
}

// A compiler makes machine code of CUDA C, once for each source, as long as it
// stays on the disk.
type compiler struct {
	options []string
	version string // of NVRTC
	disk    *diskCache
}

// Options are what kernels are compiled with for an architecture: 90 is sm_90.
// Contraction would change bits.
func Options(arch string) []string {
	return []string{"-arch=" + arch, "--std=c++17", "-default-device", "-lineinfo", "--fmad=false"}
}

// newCompiler is for GPUs of an architecture: machine code, where NVRTC makes it,
// else PTX of the newest architecture that is not newer, for the driver to
// compile.
func newCompiler(arch int) (*compiler, error) {
	major, minor, err := cu.NvrtcVersion()
	if err != nil {
		return nil, err
	}
	known, err := cu.NvrtcArchs()
	if err != nil {
		return nil, err
	}
	target, err := chooseTarget(arch, known)
	if err != nil {
		return nil, err
	}
	return &compiler{options: Options(target), version: fmt.Sprintf("%d.%d", major, minor), disk: openDiskCache()}, nil
}

func chooseTarget(arch int, known []int) (string, error) {
	best := 0
	for _, k := range known {
		if k == arch {
			return fmt.Sprintf("sm_%d", arch), nil
		}
		if k < arch {
			best = max(best, k)
		}
	}
	if best == 0 {
		return "", fmt.Errorf("NVRTC makes code for the architectures %v, and the GPU is of %d", known, arch)
	}
	return fmt.Sprintf("compute_%d", best), nil
}

// key names what the code depends on. The source has all that cudagen's version
// could change.
func (c *compiler) key(source string) [sha256.Size]byte {
	return sha256.Sum256([]byte(c.version + "\x00" + strings.Join(c.options, "\x00") + "\x00\x00" + source))
}

// compile makes code of source.
func (c *compiler) compile(source string) ([]byte, error) {
	key := c.key(source)
	if code, ok := c.disk.load(key); ok {
		return code, nil
	}
	out, err := cu.NvrtcCompile(source, "oneloop.cu", c.options...)
	if err != nil {
		return nil, err
	}
	code := out.Cubin
	if code == nil {
		code = out.PTX
	}
	c.disk.store(key, code)
	return code, nil
}
