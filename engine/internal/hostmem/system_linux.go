package hostmem

import (
	"bytes"
	"math"
	"os"
	"path"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// systemAvailable returns the number of bytes that the system lets the process
// allocate. mapped is the number of bytes that Go has mapped.
func systemAvailable(mapped int64) int64 {
	free := int64(math.MaxInt64)
	if kb, ok := field("/proc/meminfo", "MemAvailable:"); ok {
		free = kb << 10
	}
	for _, left := range groups() {
		free = min(free, left)
	}
	virtual, resident := sizes()
	free -= max(mapped-resident, 0) // allocated, and not touched yet
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_AS, &limit) == nil && limit.Cur < math.MaxInt64 {
		// Go maps whole arenas and tables for them, so keep the size of one arena.
		const arena = 64 << 20
		free = min(free, int64(limit.Cur)-virtual-arena)
	}
	return free
}

// sizes returns the size of the address space that the process uses, and the part
// of it that is in memory, both in bytes.
func sizes() (virtual, resident int64) {
	text, _ := os.ReadFile("/proc/self/statm")
	if f := bytes.Fields(text); len(f) > 1 {
		virtual, _ = strconv.ParseInt(string(f[0]), 10, 64)
		resident, _ = strconv.ParseInt(string(f[1]), 10, 64)
	}
	page := int64(os.Getpagesize())
	return virtual * page, resident * page
}

// field returns the number that follows name on the first line of the file that
// begins with name. It reports false if there is none.
func field(file, name string) (int64, bool) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, false
	}
	for line := range bytes.Lines(text) {
		if f := bytes.Fields(line); len(f) > 1 && string(f[0]) == name {
			n, err := strconv.ParseInt(string(f[1]), 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}

// groups returns the number of bytes left in each control group of the process
// that has a limit. Groups are nested, and the limit of a group includes the
// groups in it.
func groups() (left []int64) {
	text, _ := os.ReadFile("/proc/self/cgroup")
	for line := range strings.Lines(string(text)) {
		part := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(part) < 3 {
			continue
		}
		root, limit, usage, cache := "/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"
		if part[1] != "" {
			if part[1] != "memory" {
				continue
			}
			root, limit, usage, cache = root+"/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"
		}
		for dir := path.Clean("/" + part[2]); ; dir = path.Dir(dir) {
			if most, ok := number(root + dir + "/" + limit); ok {
				used, _ := number(root + dir + "/" + usage)
				idle, _ := field(root+dir+"/memory.stat", cache)
				left = append(left, most-used+idle)
			}
			if dir == "/" {
				break
			}
		}
	}
	return left
}

// number returns the number in a file. It reports false if the file contains none,
// such as "max".
func number(file string) (int64, bool) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64)
	return n, err == nil
}
