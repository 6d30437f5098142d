package exec

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
)

// perfMap is the file in which perf finds the names of code that stands in no
// executable file. It is made at the first use.
var perfMap struct {
	sync.Mutex
	file *os.File
}

// PerfMapPath is where perf looks for the map of this process.
func PerfMapPath() string { return fmt.Sprintf("/tmp/perf-%d.map", os.Getpid()) }

// Record gives c a name in the map for perf, once. There is a map on Linux only.
func (c *Code) Record(name string) error {
	if runtime.GOOS != "linux" {
		return errors.ErrUnsupported
	}
	if c.recorded.Swap(true) {
		return nil
	}
	perfMap.Lock()
	defer perfMap.Unlock()
	if perfMap.file == nil {
		// A file of a process before us that had our number goes; one that
		// somebody else has put there cannot be removed, and is not followed.
		_ = os.Remove(PerfMapPath())
		f, err := os.OpenFile(PerfMapPath(), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		if err != nil {
			return err
		}
		perfMap.file = f
	}
	name = strings.Map(func(r rune) rune {
		if r < ' ' {
			return '?'
		}
		return r
	}, name)
	_, err := fmt.Fprintf(perfMap.file, "%x %x %s\n", c.entry, c.size, name)
	return err
}
