package npy

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/internal/zero"
)

// An Archive is an .npz file that is open for reading: a zip of .npy files, as
// NumPy's savez and savez_compressed write it. It is not safe for concurrent
// use.
type Archive struct {
	// Limit bounds the bytes of the data of one array. [NewArchive] sets it to 1
	// GiB, or to 64 times the size of the file if that is more. A file of 10 MB
	// can claim 10 GB of zeros.
	Limit int64

	names   []string
	members map[string]*zip.File
	path    string
	file    io.Closer
}

const extension = ".npy"

// NewArchive opens an archive of size bytes. Its directory is checked, and no
// array is read. Names that repeat are a [*FormatError].
func NewArchive(r io.ReaderAt, size int64) (*Archive, error) {
	if r == nil {
		return nil, errors.New("oneloop: npy: the reader is nil")
	}
	z, err := zip.NewReader(r, size)
	if errors.Is(err, zip.ErrFormat) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return nil, formatError(0, "not an .npz file: no zip directory is at its end")
	}
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) { // nothing is unpacked, so no path can do harm
		return nil, fmt.Errorf("oneloop: npy: %w", err)
	}
	const least, times = 1 << 30, 64
	a := &Archive{Limit: max(least, min(size, 1<<50)*times), members: map[string]*zip.File{}}
	for _, f := range z.File {
		name, ok := strings.CutSuffix(f.Name, extension)
		if !ok {
			continue // NumPy gives such members as bytes
		}
		if a.members[name] != nil {
			return nil, formatError(0, "the array %s is there twice", excerpt(name))
		}
		a.members[name] = f
		a.names = append(a.names, name)
	}
	return a, nil
}

// OpenArchive opens the archive in a regular file. The caller closes it.
func OpenArchive(path string) (*Archive, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("oneloop: npy: %w", err)
	}
	st, err := f.Stat()
	if err == nil && !st.Mode().IsRegular() {
		err = errors.New("an .npz archive is read from a regular file")
	}
	var a *Archive
	if err == nil {
		a, err = NewArchive(f, st.Size())
	}
	if err != nil {
		f.Close()
		return nil, inFile(err, path)
	}
	a.path, a.file = path, f
	return a, nil
}

// inFile returns err with the path of the file.
func inFile(err error, path string) error {
	var fe *FormatError
	if errors.As(err, &fe) {
		fe.Path = path
		return err
	}
	return fmt.Errorf("oneloop: npy: %s: %w", oneLine(path), err)
}

// Names returns the names of the arrays, without .npy, in the order of the
// archive. Members of other names are not listed.
func (a *Archive) Names() []string { return slices.Clone(zero.IfNil(a).names) }

// Read reads the array of a name. It fails if the archive has none, and if the
// data are longer than a.Limit or do not have the checksum of the archive.
func (a *Archive) Read(name string) (*Array, error) {
	a = zero.IfNil(a)
	f, where := a.members[name], ""
	if a.path != "" {
		where = oneLine(a.path) + ": "
	}
	if f == nil {
		return nil, fmt.Errorf("oneloop: npy: %sthe archive has no array %s; it has %s", where, oneLine(name), a.list())
	}
	out, err := a.read(f)
	var fe *FormatError
	switch {
	case errors.As(err, &fe):
		fe.Path = a.path
		fe.Msg = oneLine(f.Name) + ": " + fe.Msg
	case err != nil:
		err = &fileError{"npy: " + where + oneLine(f.Name), err}
	}
	return out, err
}

// list names the arrays for messages.
func (a *Archive) list() string {
	const most = 20
	names := lists.Map(a.names[:min(most, len(a.names))], oneLine)
	switch {
	case len(a.names) == 0:
		return "none"
	case len(a.names) > most:
		names = append(names, "...")
	}
	return strings.Join(names, ", ")
}

// read reads a member. Memory for the elements grows with what arrives, because
// the size that a member claims proves nothing.
func (a *Archive) read(f *zip.File) (*Array, error) {
	const encrypted = 1
	if f.Flags&encrypted != 0 {
		return nil, errors.New("encrypted members are not supported")
	}
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	limited := &io.LimitedReader{R: r, N: min(a.Limit, math.MaxInt64-maxHeader) + maxHeader}
	out, err := Read(limited, -1)
	if err != nil {
		if limited.N <= 0 {
			return nil, formatError(0, "the data are longer than the limit of %d bytes", a.Limit)
		}
		return nil, err
	}
	// The checksum is verified at the end of the member.
	if _, err := io.Copy(io.Discard, limited); err != nil {
		return nil, err
	}
	return out, nil
}

// Close closes the file that [OpenArchive] opened.
func (a *Archive) Close() error {
	a = zero.IfNil(a)
	if a.file == nil {
		return nil
	}
	err := a.file.Close()
	a.file = nil
	return err
}

// A Member is an array with its name in an archive.
type Member struct {
	Name  string // without .npy
	Array *Array
}

// WriteArchive writes an .npz archive without compression, as NumPy's savez. The
// arrays and their names are checked before the first byte is written.
func WriteArchive(w io.Writer, members ...Member) error {
	if err := checkMembers(members); err != nil {
		return err
	}
	if err := writeArchive(w, members); err != nil {
		return fmt.Errorf("oneloop: npy: writing: %w", err)
	}
	return nil
}

// PrepareArchive is [Prepare] for an archive.
func PrepareArchive(path string, members ...Member) (*Pending, error) {
	if err := checkMembers(members); err != nil {
		return nil, err
	}
	return PrepareWith(path, func(w io.Writer) error { return writeArchive(w, members) })
}

// WriteArchiveFile is [WriteFile] for an archive.
func WriteArchiveFile(path string, members ...Member) error {
	return committed(PrepareArchive(path, members...))
}

func checkMembers(members []Member) error {
	seen := map[string]bool{}
	for _, m := range members {
		if m.Name == "" || seen[m.Name] {
			return fmt.Errorf("oneloop: npy: the name %q of an array is empty or there twice", m.Name)
		}
		seen[m.Name] = true
		if err := check(m.Array); err != nil {
			return err
		}
	}
	return nil
}

func writeArchive(w io.Writer, members []Member) error {
	if w == nil {
		return errNilWriter
	}
	z := zip.NewWriter(w)
	for _, m := range members {
		f, err := z.CreateHeader(&zip.FileHeader{Name: m.Name + extension, Method: zip.Store})
		if err == nil {
			err = write(f, m.Array)
		}
		if err != nil {
			return err
		}
	}
	return z.Close()
}
