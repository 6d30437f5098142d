// Package cachefile keeps files of the library in the cache directory of the user.
// What it cannot read or write, its callers compute again.
package cachefile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// ErrNone is the reason why there is no directory.
var ErrNone = errors.New("oneloop: this user has no cache directory, or ONELOOP_CACHE is off")

// TempPattern is the pattern of the temporary files that [Write] makes. A process that is
// killed leaves one.
const TempPattern = "*.tmp"

// Dir returns the directory of a part of the library: in ONELOOP_CACHE, or in the cache
// directory of the user. It is empty for "off" and if there is no such directory.
func Dir(part string) string {
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
	return filepath.Join(dir, part)
}

// Read returns the bytes of a regular file of at most limit bytes. It never waits, as
// a read of a pipe would.
func Read(path string, limit int64) ([]byte, error) {
	// The file is looked at before it is opened: opening a pipe waits for a writer.
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: no regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(b)) > limit {
		return nil, fmt.Errorf("%s: more than %d bytes", path, limit)
	}
	return b, err
}

// Write stores the parts of a file, one after the other. It makes the directory, and
// renames a temporary file, so that no reader sees a part.
func Write(path string, parts ...[]byte) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, TempPattern)
	if err != nil {
		return err
	}
	for _, p := range parts {
		if err == nil {
			_, err = f.Write(p)
		}
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}
