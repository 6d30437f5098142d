package cuda

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/oneloop/oneloop/engine/internal/cachefile"
)

// A diskCache keeps machine code in files. A hash of source, options and compiler
// version names the file. After any failure the cache acts as if it did not have
// the file. A nil cache is empty.
type diskCache struct {
	dir    string
	limit  int64 // bytes
	mu     sync.Mutex
	stored int // files stored; every evictEvery-th store evicts
}

const (
	diskLimit  = 1 << 30 // as the cache of the driver
	evictEvery = 64      // stores between two evictions
	diskMagic  = "oneloop cubin 1\n"
	diskSuffix = ".cubin"
	abandoned  = 10 * time.Minute // the age from which a temporary file is removed
)

// openDiskCache returns the cache. It returns nil if this user keeps none. The
// first store creates the directory.
func openDiskCache() *diskCache {
	dir := cachefile.Dir("cuda")
	if dir == "" {
		return nil
	}
	return &diskCache{dir: dir, limit: diskLimit}
}

func (c *diskCache) path(key [sha256.Size]byte) string {
	return filepath.Join(c.dir, hex.EncodeToString(key[:])+diskSuffix)
}

// load returns the code that was stored under key. It removes a damaged file. It
// sets the modification time, so that this is the time of the last use.
func (c *diskCache) load(key [sha256.Size]byte) ([]byte, bool) {
	if c == nil {
		return nil, false
	}
	path := c.path(key)
	b, err := cachefile.Read(path, c.limit)
	if err != nil {
		return nil, false
	}
	rest, ok := bytes.CutPrefix(b, []byte(diskMagic))
	if !ok || len(rest) < sha256.Size || sha256.Sum256(rest[sha256.Size:]) != [sha256.Size]byte(rest[:sha256.Size]) {
		_ = os.Remove(path)
		return nil, false
	}
	now := time.Now()
	_ = os.Chtimes(path, now, now)
	return rest[sha256.Size:], true
}

// store keeps code under key.
func (c *diskCache) store(key [sha256.Size]byte, code []byte) {
	if c == nil {
		return
	}
	if sum := sha256.Sum256(code); cachefile.Write(c.path(key), []byte(diskMagic), sum[:], code) != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stored++; c.stored%evictEvery == 1 {
		c.evict()
	}
}

// evict removes the least recently used files until the rest fit the limit.
func (c *diskCache) evict() {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return
	}
	var files []os.FileInfo
	total := int64(0)
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			continue
		}
		switch filepath.Ext(e.Name()) {
		case diskSuffix:
			files = append(files, info)
			total += info.Size()
		case filepath.Ext(cachefile.TempPattern):
			if time.Since(info.ModTime()) > abandoned {
				_ = os.Remove(filepath.Join(c.dir, e.Name()))
			}
		}
	}
	slices.SortFunc(files, func(a, b os.FileInfo) int {
		return cmp.Or(a.ModTime().Compare(b.ModTime()), cmp.Compare(a.Name(), b.Name()))
	})
	for _, f := range files {
		if total <= c.limit {
			return
		}
		if os.Remove(filepath.Join(c.dir, f.Name())) == nil {
			total -= f.Size()
		}
	}
}
