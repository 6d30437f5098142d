package machine

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/oneloop/oneloop/engine/internal/cpucache"
)

// version counts the kinds of probes. Probes of another version do not read the file.
const version = 1

// errNoCache is the reason why there is no file.
var errNoCache = errors.New("oneloop: this user has no cache directory, or ONELOOP_CACHE is off")

// path returns the file of this model of processor: in ONELOOP_CACHE, or in the cache
// directory of the user. It is empty for "off" and if there is no such directory.
func path() string {
	dir := os.Getenv("ONELOOP_CACHE")
	if dir == "off" {
		return ""
	}
	if dir == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return ""
		}
		dir = filepath.Join(user, "oneloop")
	}
	key := sha256.Sum256(fmt.Appendf(nil, "%d %s %s %+v %d", version, runtime.GOARCH, cpucache.Model(), cpucache.Of(), runtime.NumCPU()))
	return filepath.Join(dir, "machine", hex.EncodeToString(key[:8]))
}

// read returns the model in a file. It returns false for a file that is missing or damaged.
func read(path string) (Model, bool) {
	if path == "" {
		return Model{}, false
	}
	b, err := os.ReadFile(path)
	if err != nil || len(b) > 1<<12 {
		return Model{}, false
	}
	text, ok := strings.CutSuffix(string(b), "\n")
	m, set, err := Parse(text)
	return m, ok && set && err == nil
}

// write stores a model. It renames a temporary file of the same directory, so that no
// reader sees a part.
func write(path string, m Model) error {
	if path == "" {
		return errNoCache
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "*.tmp")
	if err != nil {
		return err
	}
	_, err = f.WriteString(m.String() + "\n")
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}
