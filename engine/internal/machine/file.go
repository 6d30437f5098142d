package machine

import (
	"fmt"
	"hash/fnv"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/oneloop/oneloop/engine/internal/cachefile"
	"github.com/oneloop/oneloop/engine/internal/cpucache"
)

// version counts the kinds of probes. Probes of another version do not read the file.
const version = 5

// sizeLimit bounds the file.
const sizeLimit = 1 << 12

// path returns the file of this model of processor. It is empty without a cache.
func path() string {
	dir := cachefile.Dir("machine")
	if dir == "" {
		return ""
	}
	key := fnv.New64a()
	fmt.Fprintf(key, "%d %s %s %+v %d", version, runtime.GOARCH, cpucache.Model(), cpucache.Of(), runtime.NumCPU())
	return filepath.Join(dir, fmt.Sprintf("%016x", key.Sum64()))
}

// read returns the model in a file. It returns false for a file that is missing or damaged.
func read(path string) (Model, bool) {
	if path == "" {
		return Model{}, false
	}
	b, err := cachefile.Read(path, sizeLimit)
	if err != nil {
		return Model{}, false
	}
	text, ok := strings.CutSuffix(string(b), "\n")
	m, set, err := Parse(text)
	return m, ok && set && err == nil
}

// write stores a model.
func write(path string, m Model) error {
	if path == "" {
		return cachefile.ErrNone
	}
	return cachefile.Write(path, []byte(m.String()+"\n"))
}
