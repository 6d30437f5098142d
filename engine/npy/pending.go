package npy

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/oneloop/oneloop/internal/zero"
)

// A Pending is a file that is complete on disk but not yet under its name. It
// must be finished with Commit or Abort, and is not safe for concurrent use.
type Pending struct {
	write  func(io.Writer) error
	direct bool        // Commit writes through, without a temporary file
	target string      // what Commit renames to or writes to
	flags  int         // with which a target that is written through is opened
	temp   string      // the complete file
	mode   fs.FileMode // of the temporary file
	done   bool
}

// Prepare writes an array to a temporary file in the folder of path and syncs
// it to disk. The file at path changes only at Commit, so a tool with several
// outputs prepares them all and then commits them all:
//
//	p, err := npy.Prepare(path, a)
//	if err != nil {
//		return err
//	}
//	defer p.Abort() // does nothing after Commit
//
// A new file has permissions 0666 less the umask; a replaced one keeps its
// permission bits (its owner becomes the writer) and must be writable. A
// symbolic link stays: the file it leads to is the one replaced. Other hard
// links to a replaced file keep the old contents. A process killed between
// Prepare and Commit leaves a file named .npy-*.tmp behind.
//
// What is not a regular file (a device, a pipe, /dev/stdout) cannot be
// replaced. Nothing is written to it until Commit, which writes it in place:
// until then the array must not change.
func Prepare(path string, a *Array) (*Pending, error) {
	if err := check(a); err != nil {
		return nil, err
	}
	return PrepareWith(path, func(w io.Writer) error { return write(w, a) })
}

// PrepareWith is [Prepare] for a file of any format, whose contents write writes.
func PrepareWith(path string, write func(io.Writer) error) (*Pending, error) {
	if write == nil {
		return nil, errors.New("oneloop: npy: the function that writes is nil")
	}
	p := &Pending{write: write, target: path, mode: 0o666}
	st, err := os.Stat(path)
	switch {
	case err == nil && st.IsDir():
		return nil, fmt.Errorf("oneloop: %w", &fs.PathError{Op: "write", Path: path, Err: errors.New("is a directory")})
	case err == nil && !st.Mode().IsRegular():
		p.direct, p.flags = true, os.O_WRONLY
		return p, nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("oneloop: %w", err)
	}
	exists := err == nil
	target, descriptor, err := resolve(path)
	if err != nil {
		return nil, &fileError{"writing " + oneLine(path), err}
	}
	if descriptor {
		// An open file, perhaps one that the shell appends to: add to it.
		p.direct, p.flags = true, os.O_WRONLY|os.O_APPEND
		return p, nil
	}
	p.target = target
	if exists {
		p.mode = st.Mode().Perm()
		// A rename needs rights on the folder only; check those on the file too.
		f, err := os.OpenFile(target, os.O_WRONLY, 0)
		if err != nil {
			return nil, fmt.Errorf("oneloop: %w", err)
		}
		f.Close()
	}
	if err := p.writeTemp(exists); err != nil {
		return nil, &fileError{"writing " + oneLine(path), err}
	}
	return p, nil
}

// writeTemp leaves the complete file at p.temp, or nothing.
func (p *Pending) writeTemp(keepMode bool) (err error) {
	dir := filepath.Dir(p.target)
	var f *os.File
	for range 100 {
		p.temp = filepath.Join(dir, fmt.Sprintf(".npy-%016x.tmp", rand.Uint64()))
		f, err = os.OpenFile(p.temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, p.mode)
		if !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	if err != nil {
		return err
	}
	complete := false
	defer func() { // also if write panics
		if !complete {
			f.Close()
			os.Remove(p.temp)
		}
	}()
	if keepMode { // the umask may have taken bits that the old file has
		if st, err := f.Stat(); err != nil || st.Mode().Perm() != p.mode {
			if err := f.Chmod(p.mode); err != nil {
				return err
			}
		}
	}
	if err := p.write(f); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	err = f.Close()
	complete = err == nil
	return err
}

// Commit puts the file under its name, in one step. If it fails the old file is
// untouched and the temporary one removed. It can be called once.
func (p *Pending) Commit() error {
	p = zero.IfNil(p)
	if p.done {
		return fmt.Errorf("oneloop: %s is already committed or aborted", oneLine(p.target))
	}
	if p.direct {
		p.done = true
		return p.writeThrough()
	}
	if err := os.Rename(p.temp, p.target); err != nil {
		p.Abort()
		return fmt.Errorf("oneloop: %w", err)
	}
	p.done = true
	// The file is in place whatever happens now; syncing the folder makes the
	// rename outlast a power cut where the system allows it.
	if d, err := os.Open(filepath.Dir(p.target)); err == nil {
		d.Sync()
		d.Close()
	}
	return nil
}

func (p *Pending) writeThrough() error {
	f, err := os.OpenFile(p.target, p.flags, 0)
	if err != nil {
		return fmt.Errorf("oneloop: %w", err)
	}
	if err := cmp.Or(p.write(f), f.Close()); err != nil {
		return fmt.Errorf("oneloop: %w", err)
	}
	return nil
}

// Abort removes the temporary file and leaves the old one. After Commit or
// Abort it does nothing.
func (p *Pending) Abort() {
	p = zero.IfNil(p)
	if p.done {
		return
	}
	p.done = true
	if p.temp != "" {
		os.Remove(p.temp)
	}
}

// resolve follows the symbolic links of path to the last name, which need not
// exist. descriptor reports a link such as
// /proc/self/fd/1, which names an open file rather than a path.
func resolve(path string) (target string, descriptor bool, err error) {
	full := path
	for range 40 { // as many as Linux follows
		dir, base := filepath.Split(full) // not Dir, which would undo a/../b before links are followed
		if dir, err = filepath.EvalSymlinks(cmp.Or(dir, ".")); err != nil {
			return "", false, err
		}
		if base == "" {
			return "", false, errors.New("the path names no file")
		}
		if slashed := filepath.ToSlash(dir); strings.HasPrefix(slashed, "/proc/") || slashed == "/dev/fd" {
			return full, true, nil
		}
		name := filepath.Join(dir, base)
		st, err := os.Lstat(name)
		if err != nil || st.Mode()&fs.ModeSymlink == 0 {
			if errors.Is(err, fs.ErrNotExist) {
				err = nil
			}
			return name, false, err
		}
		link, err := os.Readlink(name)
		if err != nil {
			return "", false, err
		}
		if full = link; !filepath.IsAbs(link) {
			full = dir + string(filepath.Separator) + link
		}
	}
	return "", false, errors.New("too many symbolic links")
}
