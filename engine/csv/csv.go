// Package csv reads and writes tables of numbers with a header, as
// comma-separated values (RFC 4180).
//
//	t, err := csv.ReadFile[float64]("prices.csv", csv.Columns("open", "close"))
//	err = y.Assign(op.Log(op.Div(t.Column("close"), t.Column("open"))))
//
// A cell that is no number is an error with its line and its column. Columns of
// text are left out by naming the others. Empty cells of floats are NaN.
package csv

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/internal/files"
	"github.com/oneloop/oneloop/engine/internal/hostmem"
	"github.com/oneloop/oneloop/engine/npy"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/internal/zero"
)

// A Number is an element type that cells can hold.
type Number interface {
	float32 | float64 | dtype.Int
}

// A Table has columns of numbers with names. Row i of Data is column i of the
// table.
type Table[T Number] struct {
	Names []string
	Data  *engine.Tensor[T] // of shape [columns, rows]
}

// New returns a table of vectors of one length, which it copies.
func New[T Number](names []string, columns ...*engine.Tensor[T]) (*Table[T], error) {
	if len(names) != len(columns) || len(names) == 0 {
		return nil, errorf(tree.ErrShape, "%d names are given for %d columns", len(names), len(columns))
	}
	var data []T
	for i, c := range columns {
		if err := c.Err(); err != nil {
			return nil, err
		}
		if s := c.Shape(); len(s) != 1 || s[0] != columns[0].Shape()[0] {
			return nil, errorf(tree.ErrShape, "column %s has the shape %v; the columns are vectors of one length", strconv.Quote(names[i]), s)
		}
		data = append(data, c.Values()...)
	}
	return table(names, data)
}

// table returns a table of columns one after the other.
func table[T Number](names []string, data []T) (*Table[T], error) {
	if err := differ(names); err != nil {
		return nil, err
	}
	x, err := engine.FromSlice(data, len(names), len(data)/len(names))
	if err != nil {
		return nil, err
	}
	return &Table[T]{Names: slices.Clone(names), Data: x}, nil
}

// differ returns an error if two of the names are equal.
func differ(names []string) error {
	seen := make(map[string]bool, len(names))
	for _, n := range names {
		if seen[n] {
			return errorf(tree.ErrValue, "two columns are named %s", excerpt(n))
		}
		seen[n] = true
	}
	return nil
}

// Rows returns the number of rows, without the header. The zero Table has none.
func (t *Table[T]) Rows() int {
	t = zero.IfNil(t)
	if s := t.Data.Shape(); len(s) == 2 {
		return s[1]
	}
	return 0
}

// Column returns the column of a name, as a vector that shares its elements with
// the table. For a name that is not there, the tensor has the error.
func (t *Table[T]) Column(name string) *engine.Tensor[T] {
	t = zero.IfNil(t)
	i := slices.Index(t.Names, name)
	if i < 0 {
		return engine.Failed[T](errorf(tree.ErrValue, "there is no column %s; there are %s", strconv.Quote(name), list(t.Names)))
	}
	return t.Data.Slice(i, i+1).Reshape(t.Rows())
}

// Matrix returns all columns as a matrix of shape [rows, columns], which shares
// its elements with the table.
func (t *Table[T]) Matrix() *engine.Tensor[T] { return zero.IfNil(t).Data.Transpose() }

// An Option changes how a table is read or written.
type Option func(*options)

type options struct {
	columns []string
	comma   rune
	limit   int64
	bare    bool // there is no header
}

// Columns reads only the columns of these names, in this order.
func Columns(names ...string) Option { return func(o *options) { o.columns = names } }

// Comma sets the character between cells, such as ';' or '\t'.
func Comma(c rune) Option { return func(o *options) { o.comma = c } }

// NoHeader reads and writes a table whose first line has numbers. The columns are
// called 0, 1 and so on.
func NoHeader() Option { return func(o *options) { o.bare = true } }

// Limit bounds the bytes that are read. Without this option they are 1 GiB.
func Limit(bytes int64) Option { return func(o *options) { o.limit = bytes } }

func choose(opts []Option) options {
	o := options{comma: ',', limit: 1 << 30}
	for _, f := range opts {
		if f != nil {
			f(&o)
		}
	}
	return o
}

// Read reads a table. Its first line is the header, unless [NoHeader] is given.
func Read[T Number](r io.Reader, opts ...Option) (*Table[T], error) {
	if r == nil {
		return nil, errorf(tree.ErrType, "the reader is nil")
	}
	o := choose(opts)
	limited := &io.LimitedReader{R: r, N: max(o.limit, 0)}
	in := bufio.NewReader(limited)
	if bom, _ := in.Peek(3); string(bom) == "\ufeff" {
		_, _ = in.Discard(3)
	}
	c := csv.NewReader(in)
	c.Comma, c.ReuseRecord = o.comma, true
	c.TrimLeadingSpace = !unicode.IsSpace(o.comma) // else empty cells would be trimmed
	t, err := read[T](c, o)
	if limited.N == 0 {
		if n, _ := r.Read(make([]byte, 1)); n > 0 {
			return nil, errorf(tree.ErrOutOfMemory, "the text is longer than the limit of %d bytes", o.limit)
		}
	}
	return t, err
}

func read[T Number](c *csv.Reader, o options) (*Table[T], error) {
	header, err := c.Read()
	switch {
	case errors.Is(err, io.EOF) && o.bare:
		return nil, errorf(tree.ErrValue, "there is no row")
	case errors.Is(err, io.EOF):
		return nil, errorf(tree.ErrValue, "there is no header")
	case err != nil:
		return nil, wrong(err)
	}
	names, places := make([]string, len(header)), map[string][]int{}
	for i, n := range header {
		names[i] = strings.TrimSpace(n)
		if o.bare {
			names[i] = strconv.Itoa(i)
		}
		places[names[i]] = append(places[names[i]], i)
	}
	which := make([]int, 0, len(names))
	if o.columns == nil {
		o.columns = names
	}
	for _, n := range o.columns {
		switch at := places[n]; len(at) {
		case 0:
			return nil, errorf(tree.ErrValue, "the header has no column %s; it has %s", excerpt(n), list(names))
		case 1:
			which = append(which, at[0])
		default:
			return nil, errorf(tree.ErrValue, "two columns are named %s", excerpt(n))
		}
	}
	if len(which) == 0 {
		return nil, errorf(tree.ErrValue, "no column is to be read")
	}
	columns := make([][]T, len(which))
	for first := o.bare; ; first = false {
		record, err := header, error(nil)
		if !first {
			record, err = c.Read()
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, wrong(err)
		}
		for k, i := range which {
			v, err := parse[T](strings.TrimSpace(record[i]))
			if err != nil {
				line, _ := c.FieldPos(i)
				return nil, errorf(tree.ErrValue, "line %d, column %s: %s %s", line, strconv.Quote(names[i]), excerpt(record[i]), err)
			}
			if columns[k], err = grow(columns[k]); err != nil {
				return nil, err
			}
			columns[k] = append(columns[k], v)
		}
	}
	if err := reserve[T](len(columns) * len(columns[0])); err != nil {
		return nil, err
	}
	return table(slices.Clone(o.columns), slices.Concat(columns...))
}

// grow returns s with room for one more element.
func grow[T Number](s []T) ([]T, error) {
	if len(s) < cap(s) {
		return s, nil
	}
	n := max(64, len(s)+len(s)/2)
	if err := reserve[T](n); err != nil {
		return nil, err
	}
	return append(make([]T, 0, n), s...), nil
}

// reserve refuses n elements if the process cannot have memory for them.
func reserve[T Number](n int) error {
	if err := hostmem.Reserve(n * dtype.Of[T]().Size()); err != nil {
		return errorf(tree.ErrOutOfMemory, "%s", err)
	}
	return nil
}

// parse reads a number in decimal.
func parse[T Number](s string) (T, error) {
	var zero T
	one := T(1)
	bits := 8 * dtype.Of[T]().Size()
	var v T
	var err error
	switch {
	case one/2 != 0 && s == "":
		return T(math.NaN()), nil
	case one/2 != 0 && strings.ContainsAny(s, "_xX"): // forms of Go's source text
		err = strconv.ErrSyntax
	case one/2 != 0:
		var f float64
		f, err = strconv.ParseFloat(s, bits)
		v = T(f)
	case zero-one > 0:
		var u uint64
		u, err = strconv.ParseUint(s, 10, bits)
		v = T(u)
	default:
		var i int64
		i, err = strconv.ParseInt(s, 10, bits)
		v = T(i)
	}
	switch {
	case err == nil:
		return v, nil
	case errors.Is(err, strconv.ErrRange):
		return v, fmt.Errorf("does not fit %T", v)
	}
	return v, fmt.Errorf("is no %T", v)
}

// ReadFile reads the table in a file.
func ReadFile[T Number](path string, opts ...Option) (*Table[T], error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("oneloop: csv: %w", err)
	}
	defer f.Close()
	t, err := Read[T](f, opts...)
	if err != nil {
		return nil, &files.Error{Package: "csv", Path: path, Err: err}
	}
	return t, nil
}

// Write writes a table with its header. Each float has the fewest digits that
// read back as the same number.
func Write[T Number](w io.Writer, t *Table[T], opts ...Option) error {
	o := choose(opts)
	if w == nil {
		return errorf(tree.ErrType, "the writer is nil")
	}
	if t == nil || t.Data.Err() != nil || len(t.Data.Shape()) != 2 || len(t.Names) != t.Data.Shape()[0] {
		return errorf(tree.ErrShape, "the table has not one name for each row of its data")
	}
	c := csv.NewWriter(w)
	c.Comma = o.comma
	write := func() error { return c.Write(t.Names) }
	switch {
	case o.bare:
		write = func() error { return nil }
	case len(t.Names) == 1 && t.Names[0] == "":
		// The writer would leave the line empty, which a reader skips.
		write = func() error { _, err := io.WriteString(w, "\"\"\n"); return err }
	}
	if err := write(); err != nil {
		return wrong(err)
	}
	data, rows := t.Data.Values(), t.Rows()
	record := make([]string, len(t.Names))
	for i := range rows {
		for k := range record {
			record[k] = format(data[k*rows+i])
		}
		if err := c.Write(record); err != nil {
			return wrong(err)
		}
	}
	c.Flush()
	if err := c.Error(); err != nil {
		return wrong(err)
	}
	return nil
}

func format[T Number](v T) string {
	switch x := any(v).(type) {
	case float64:
		return strconv.FormatFloat(x, 'g', -1, 64)
	case float32:
		return strconv.FormatFloat(float64(x), 'g', -1, 32)
	case uint64:
		return strconv.FormatUint(x, 10)
	}
	return strconv.FormatInt(int64(v), 10)
}

// WriteFile writes a table to a file, which it creates or replaces as a whole: after
// a failure the path holds what it held before.
func WriteFile[T Number](path string, t *Table[T], opts ...Option) error {
	return npy.WriteFileWith(path, func(w io.Writer) error { return Write(w, t, opts...) })
}

func errorf(kind error, format string, args ...any) error {
	return files.Errorf("csv", kind, format, args...)
}

// wrong returns an error of encoding/csv.
func wrong(err error) error {
	var p *csv.ParseError
	if errors.As(err, &p) {
		return errorf(tree.ErrValue, "line %d: %s", p.Line, p.Err)
	}
	if text, ok := strings.CutPrefix(err.Error(), "csv: "); ok { // such as a Comma that is none
		return errorf(tree.ErrValue, "%s", text)
	}
	return fmt.Errorf("oneloop: csv: %w", err)
}

func excerpt(s string) string {
	const most = 40
	if len(s) > most {
		s = s[:most] + "..."
	}
	return strconv.Quote(s)
}

// list names columns for messages.
func list(names []string) string {
	const most = 20
	out := lists.Map(names[:min(most, len(names))], excerpt)
	if len(names) > most {
		out = append(out, "...")
	}
	return strings.Join(out, ", ")
}
