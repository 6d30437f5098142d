package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/csv"
	"github.com/oneloop/oneloop/engine/npy"
	"github.com/oneloop/oneloop/engine/picture"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/spf13/cobra"
)

// archived returns the .npz file that a setting names, and the array in it:
// a.npz:x, or a.npz for the array called as the setting is.
func (s setting) archived() (path, array string, ok bool) { return s.part(".npz") }

// part returns the file of an extension that a setting names, and what it means
// of the file.
func (s setting) part(ext string) (path, name string, ok bool) {
	if i := strings.LastIndex(strings.ToLower(s.value), ext+":"); i >= 0 {
		i += len(ext)
		return s.value[:i], s.value[i+1:], s.value[i+1:] != ""
	}
	return s.value, s.name, strings.EqualFold(filepath.Ext(s.value), ext)
}

// inside returns the file of a setting, the array in it, and whether the file can
// hold others.
func (s setting) inside() (path, array string, ok bool) {
	if path, array, ok = s.archived(); ok {
		return path, array, ok
	}
	return s.part(".csv")
}

// distinctFiles reports an output file, or an array in an archive, that is given
// for two names.
func distinctFiles(out []setting) error {
	for i, a := range out {
		pathA, arrayA, okA := a.inside()
		for _, b := range out[:i] {
			if pathB, arrayB, okB := b.inside(); (!okA || !okB || arrayA == arrayB) && sameFile(pathA, pathB) {
				return fmt.Errorf("the output file %s is given for both %s and %s", a.value, b.name, a.name)
			}
		}
	}
	return nil
}

func sameFile(a, b string) bool {
	if a == standard || b == standard {
		return a == b
	}
	fa, errA := os.Stat(a)
	fb, errB := os.Stat(b)
	if errA == nil && errB == nil {
		return os.SameFile(fa, fb) && fa.Mode().IsRegular()
	}
	return errA != nil && errB != nil && canonical(a) == canonical(b)
}

// canonical is the path of a file that need not exist, with links followed.
func canonical(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	for range 40 { // as many links as Linux follows
		if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
			path = filepath.Join(dir, filepath.Base(path))
		}
		link, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(link) {
			link = filepath.Join(filepath.Dir(path), link)
		}
		path = link
	}
	return path
}

// standard is the name of standard input and output among files.
const standard = "-"

// writable refuses output files with the extension of another format.
func writable(out []setting) error {
	for _, o := range out {
		if _, _, ok := o.archived(); ok {
			continue
		}
		if ext := o.extension(); !o.special() && !slices.Contains(arrays, ext) && !slices.Contains(imagesWritten, ext) {
			return usagef("-o %s: outputs are .npy, .npz, .csv, .png and .jpg files, not %s", o.value, ext)
		}
	}
	return nil
}

// special reports whether a setting names no regular file: standard input or
// output, a pipe, a folder. The name of such a file says nothing about its format.
func (s setting) special() bool {
	st, err := os.Stat(s.value)
	return s.value == standard || err == nil && !st.Mode().IsRegular()
}

// oneReader refuses to read standard input twice.
func oneReader(formula string, in []setting) error {
	read := formula == standard
	for _, s := range in {
		if s.value == standard && read {
			return usagef("standard input, -, can be read once only")
		}
		read = read || s.value == standard
	}
	return nil
}

// readInputs reads files into the environment of a formula.
func readInputs(in []setting, stdin io.Reader, env map[string]*tree.Node) error {
	for _, s := range in {
		a, err := s.read(stdin)
		if err != nil {
			return fmt.Errorf("-i %s: %w", s.name, err)
		}
		env[s.name] = a.Named(s.name).Node()
	}
	return nil
}

// read reads the array of an input.
func (s setting) read(stdin io.Reader) (*engine.Array, error) {
	if s.value == standard {
		f, err := npy.Read(stdin, -1)
		if err != nil {
			return nil, err
		}
		return engine.FromNPY(f)
	}
	if path, column, ok := s.part(".csv"); ok {
		t, err := csv.ReadFile[float64](path, csv.Columns(column))
		if err != nil && path == s.value && strings.Contains(err.Error(), "has no column") {
			return nil, fmt.Errorf("%w; write name=%s:column", err, path)
		}
		if err != nil {
			return nil, err
		}
		return t.Column(column).Array(), nil
	}
	path, array, ok := s.archived()
	switch ext := s.extension(); {
	case ok:
		return engine.ReadFile(path + ":" + array)
	case s.special() || slices.Contains(arrays, ext):
		return engine.ReadFile(path)
	case slices.Contains(imagesRead, ext):
		return picture.ReadArray(path)
	default:
		return nil, usagef("%s: inputs are .npy, .npz, .csv, .png, .jpg and .gif files, not %s", path, ext)
	}
}

// An output is a file with its arrays.
type output struct {
	setting
	path    string
	format  string // the extension; "" for one array in NumPy's format
	arrays  []npy.Member
	columns []*engine.Array // the same arrays
}

// several reports whether files of a format hold several arrays.
func several(format string) bool { return format == ".npz" || format == ".csv" }

// outputs returns the files of settings. Settings that name arrays of one
// archive are one file.
func outputs(out []setting, values map[string]*engine.Array) ([]*output, error) {
	var files []*output
	for _, s := range out {
		a, err := values[s.name].NPY()
		if err != nil {
			return nil, fmt.Errorf("-o %s: %w", s.name, err)
		}
		path, array, format := s.value, s.name, ""
		if !s.special() {
			format = s.extension()
		}
		if several(format) {
			path, array, _ = s.part(format)
		}
		i := slices.IndexFunc(files, func(f *output) bool { return several(format) && f.format == format && sameFile(f.path, path) })
		if i < 0 {
			i = len(files)
			files = append(files, &output{setting: s, path: path, format: format})
		}
		files[i].arrays = append(files[i].arrays, npy.Member{Name: array, Array: a})
		files[i].columns = append(files[i].columns, values[s.name])
	}
	return files, nil
}

// prepare writes the file, but not under its name. It returns nil for standard
// output.
func (o *output) prepare() (*npy.Pending, error) {
	switch {
	case o.value == standard:
		return nil, nil
	case o.format == ".npz":
		return npy.PrepareArchive(o.path, o.arrays...)
	case o.format == ".csv":
		names := lists.Map(o.arrays, func(a npy.Member) string { return a.Name })
		return npy.PrepareWith(o.path, func(w io.Writer) error { return writeTable(w, names, o.columns) })
	case slices.Contains(imagesWritten, o.format):
		return npy.PrepareWith(o.path, func(w io.Writer) error { return writeImage(w, o.format[1:], o.columns[0]) })
	}
	return npy.Prepare(o.value, o.arrays[0].Array)
}

// writeOutputs writes all files, or, as far as can be known before the first is
// put in its place, none.
func writeOutputs(ctx context.Context, out []setting, values map[string]*engine.Array, stdout io.Writer) error {
	writing.Lock()
	defer writing.Unlock()
	files, err := outputs(out, values)
	if err != nil {
		return err
	}
	pending := make([]*npy.Pending, len(files))
	for i, o := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if pending[i], err = o.prepare(); err != nil {
			return fmt.Errorf("-o %s: %w", o.name, err)
		}
		if pending[i] != nil {
			defer pending[i].Abort()
		}
	}
	for i, p := range pending {
		if p == nil {
			if err := npy.Write(stdout, files[i].arrays[0].Array); err != nil {
				return err
			}
		}
	}
	for i, p := range pending {
		if p == nil {
			continue
		}
		if err := p.Commit(); err != nil {
			return fmt.Errorf("-o %s: %w", files[i].name, err)
		}
	}
	return nil
}

// writeTo writes what write produces to a file, or to the output of a command where path is -.
func writeTo(cmd *cobra.Command, path string, write func(io.Writer) error) error {
	if path == standard {
		return write(cmd.OutOrStdout())
	}
	return writeFileWith(path, write)
}

// writeFile writes a text, whole or not at all where the file is a regular one.
func writeFile(path, text string) error {
	return writeFileWith(path, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

// writeFileWith is writeFile for what write writes.
func writeFileWith(path string, write func(io.Writer) error) error {
	writing.Lock()
	defer writing.Unlock()
	return npy.WriteFileWith(path, write)
}
