package cuda

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/oneloop/oneloop/engine/cuda/cu"
	"github.com/oneloop/oneloop/engine/internal/cachefile"
)

// debugging has the flags of ONELOOP_DEBUG for this package: source prints the
// CUDA C++, sync waits after each launch, and sources is the directory to which each
// source is written, or "".
type debugging struct {
	source, sync bool
	sources      string
}

func debugFlags() (d debugging) {
	for _, word := range strings.Split(os.Getenv("ONELOOP_DEBUG"), ",") {
		switch name, dir, _ := strings.Cut(strings.TrimSpace(word), "="); {
		case name == "cuda" && dir != "":
			d.sources = dir
		case name == "cuda":
			d.source = true
		case name == "sync":
			d.sync = true
		}
	}
	return d
}

// show prints or writes a source, as the flags demand. The name of its file has the first of
// its entries, and its hash.
func (d *debugging) show(device, source, entry string) error {
	if d.source {
		fmt.Fprintf(os.Stderr, "oneloop: %s: CUDA C\n%s", device, source)
	}
	if d.sources == "" {
		return nil
	}
	return cachefile.Write(filepath.Join(d.sources, fmt.Sprintf("%.60s-%.8x.cu", entry, sha256.Sum256([]byte(source)))), []byte(source))
}

// A compiler compiles CUDA C++ to machine code. It compiles a source only if the
// disk cache does not have its code.
type compiler struct {
	options []string
	version string // the version of NVRTC
	disk    *diskCache
}

// Options returns the options of NVRTC for an architecture such as sm_90. They
// turn contraction off, because it would change bits.
func Options(arch string) []string {
	return []string{"-arch=" + arch, "--std=c++17", "-default-device", "-lineinfo", "--fmad=false"}
}

// newCompiler returns a compiler for an architecture: 90 is sm_90.
func newCompiler(arch int) (*compiler, error) {
	major, minor, err := cu.NvrtcVersion()
	if err != nil {
		return nil, err
	}
	known, err := cu.NvrtcArchs()
	if err != nil {
		return nil, err
	}
	driver, err := cu.DriverGetVersion() // 12080 is CUDA 12.8
	if err != nil {
		return nil, err
	}
	target, err := chooseTarget(arch, known, 1000*major+10*minor <= driver)
	if err != nil {
		return nil, err
	}
	return compilerFor(target)
}

// compilerFor returns a compiler for a target such as sm_90. It needs no driver.
func compilerFor(target string) (*compiler, error) {
	major, minor, err := cu.NvrtcVersion()
	if err != nil {
		return nil, err
	}
	return &compiler{options: Options(target), version: fmt.Sprintf("%d.%d", major, minor), disk: openDiskCache()}, nil
}

// chooseTarget returns what NVRTC makes for an architecture. It makes machine code
// if NVRTC knows the architecture. Otherwise it makes PTX of the newest
// architecture below, which the driver compiles. loads says whether the driver
// knows the version of that PTX. If not, it makes machine code of an older
// architecture with the same major number, which the GPU runs.
func chooseTarget(arch int, known []int, loads bool) (string, error) {
	below, same := 0, 0
	for _, k := range known {
		if k <= arch {
			below = max(below, k)
			if k/10 == arch/10 {
				same = max(same, k)
			}
		}
	}
	switch {
	case below == arch || same != 0 && !loads:
		return fmt.Sprintf("sm_%d", same), nil
	case below == 0:
		return "", fmt.Errorf("NVRTC makes code for the architectures %v, and the GPU is of %d", known, arch)
	case !loads:
		return "", fmt.Errorf("NVRTC makes code for the architectures %v, the GPU is of %d, and NVRTC's PTX is too new for the driver: install the NVRTC of the driver's version of CUDA", known, arch)
	}
	return fmt.Sprintf("compute_%d", below), nil
}

// key returns the hash of all that the code depends on. The source contains
// everything that a version of cudagen can change.
func (c *compiler) key(source string) [sha256.Size]byte {
	return sha256.Sum256([]byte(c.version + "\x00" + strings.Join(c.options, "\x00") + "\x00\x00" + source))
}

// compile returns the code of source: a cubin or PTX.
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
