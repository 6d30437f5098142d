// Package machine tells what the tool runs on.
package machine

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sys/cpu"
)

// An Info describes the machine and the build.
type Info struct {
	CPU      string   `json:"cpu"`
	Features []string `json:"features"`
	Cores    int      `json:"cores"`
	OS       string   `json:"goos"`
	Arch     string   `json:"goarch"`
	Go       string   `json:"go"`
	Memory   int      `json:"memory_available"` // bytes, 0 if not known
}

// Read finds out.
func Read() Info {
	return Info{
		CPU: model(), Features: features(), Cores: runtime.NumCPU(), OS: runtime.GOOS, Arch: runtime.GOARCH,
		Go: runtime.Version(), Memory: Available(),
	}
}

// model is the name of the CPU as the system gives it.
func model() string {
	for _, key := range []string{"model name", "Hardware", "Processor"} {
		if v := lookup("/proc/cpuinfo", key); v != "" {
			return v
		}
	}
	return "unknown " + runtime.GOARCH
}

// lookup is the value of the first line "key: value" of a file.
func lookup(path, key string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if k, v, ok := strings.Cut(s.Text(), ":"); ok && strings.TrimSpace(k) == key {
			return strings.TrimSpace(v)
		}
	}
	return ""
}

// features are the extensions of the instruction set that matter here.
func features() (list []string) {
	x, a := cpu.X86, cpu.ARM64
	for _, f := range []struct {
		has  bool
		name string
	}{
		{x.HasSSE41, "sse4.1"},
		{x.HasAVX, "avx"},
		{x.HasAVX2, "avx2"},
		{x.HasFMA, "fma"},
		{x.HasAVX512F, "avx512f"},
		{x.HasAVX512DQ, "avx512dq"},
		{x.HasAVX512BW, "avx512bw"},
		{x.HasAVX512VL, "avx512vl"},
		{x.HasAVX512BF16, "avx512bf16"},
		{a.HasASIMD, "neon"},
		{a.HasFPHP, "fp16"},
		{a.HasSVE, "sve"},
	} {
		if f.has {
			list = append(list, f.name)
		}
	}
	return list
}

// Available is the memory that this program can still use, in bytes; 0 if not
// known.
func Available() int {
	fields := strings.Fields(lookup("/proc/meminfo", "MemAvailable"))
	if len(fields) == 0 {
		return 0
	}
	kb, err := strconv.ParseInt(fields[0], 10, 64)
	if err != nil {
		return 0
	}
	return int(min(kb<<10, addressable))
}

const (
	// addressable is the most memory of a program of 32 bits. One of 64 bits has no limit.
	addressable = 1 << (30 + 32*(^uint(0)>>63))
	// unknownLimit is what an allocation may take where nothing is known.
	unknownLimit = 1 << (30 + 6*(^uint(0)>>63))
)

// Room reports an allocation that cannot succeed: Go ends the program on those.
func Room(bytes int) error {
	if limit := cmp.Or(Available(), unknownLimit); bytes < 0 || bytes > limit {
		return fmt.Errorf("out of memory: %s are needed, %s are free", Size(bytes), Size(limit))
	}
	return nil
}

// Size is a number of bytes for people.
func Size(n int) string {
	units := []string{"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	v, i := float64(n), 0
	for v >= 1024 && i < len(units)-1 {
		v /= 1024
		i++
	}
	if i == 0 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%.3g %s", v, units[i])
}
