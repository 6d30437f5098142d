// Package parquet reads and writes Apache Parquet files of vectors of numbers.
//
//	columns, err := parquet.ReadFile("prices.parquet", parquet.Columns("open", "close"))
//	err = parquet.WriteFile("returns.parquet", arrow.Column{Name: "r", Values: r.Array()})
//
// [Batches] reads a file that is larger than memory piece by piece.
package parquet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"
	"sync/atomic"

	aa "github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
	pq "github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/oneloop/oneloop/engine/npy"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/interop/arrow"
)

// An Option changes how a file is read.
type Option func(*options)

type options struct {
	columns []string
	rows    int
	limit   int64
}

// Columns reads only the columns of these names, in this order.
func Columns(names ...string) Option { return func(o *options) { o.columns = names } }

// Rows sets the greatest number of rows of a batch of [Batches]. Without this option
// it is 65536.
func Rows(n int) Option { return func(o *options) { o.rows = n } }

// Limit bounds the bytes of memory that reading takes at a time. Without this option
// they are 4 GiB. A small file can claim more than any machine has.
func Limit(bytes int64) Option { return func(o *options) { o.limit = bytes } }

// ReadFile returns columns of a file. The error is [expr.ErrValue] for a file that is
// malformed, [expr.ErrType] for a column whose type tensors lack, and
// [expr.ErrOutOfMemory] beyond the limit.
func ReadFile(path string, opts ...Option) (columns []arrow.Column, err error) {
	r, o, err := open(path, opts)
	if err != nil {
		return nil, err
	}
	defer r.close()
	defer r.recovered(&err)
	t, err := r.ReadRowGroups(context.Background(), r.which, lists.UpTo(r.ParquetReader().NumRowGroups()))
	if err != nil {
		return nil, r.wrong(err)
	}
	defer t.Release()
	if columns, err = arrow.FromTable(t, o.columns...); err != nil {
		return nil, r.about(err)
	}
	return columns, nil
}

// Batches returns the rows of columns of a file in order, a number of them at a time.
// The loop over it ends after the first error.
func Batches(path string, opts ...Option) iter.Seq2[[]arrow.Column, error] {
	return func(yield func([]arrow.Column, error) bool) {
		r, o, err := open(path, opts)
		if err != nil {
			yield(nil, err)
			return
		}
		defer r.close()
		next, stop, err := r.batches(o)
		if err != nil {
			yield(nil, err)
			return
		}
		defer stop()
		for {
			columns, err := next()
			if errors.Is(err, io.EOF) || !yield(columns, err) || err != nil {
				return
			}
		}
	}
}

// batches returns a function that reads a batch, and one that ends reading.
func (r *reader) batches(o options) (next func() ([]arrow.Column, error), stop func(), err error) {
	defer r.recovered(&err)
	records, err := r.GetRecordReader(context.Background(), r.which, nil)
	if err != nil {
		return nil, nil, r.wrong(err)
	}
	next = func() (columns []arrow.Column, err error) {
		defer r.recovered(&err)
		batch, err := records.Read()
		if errors.Is(err, io.EOF) {
			return nil, io.EOF
		}
		if err != nil {
			return nil, r.wrong(err)
		}
		if columns, err = arrow.FromRecord(batch, o.columns...); err != nil {
			return nil, r.about(err)
		}
		return columns, nil
	}
	return next, records.Release, nil
}

// A reader is an open file.
type reader struct {
	*pqarrow.FileReader
	path  string
	file  io.Closer
	mem   *limited
	which []int // the columns that are read
}

func open(path string, opts []Option) (r *reader, o options, err error) {
	o = options{rows: 1 << 16, limit: 4 << 30}
	for _, f := range opts {
		f(&o)
	}
	if o.rows < 1 {
		return nil, o, tree.NewError(tree.ErrValue, "", "batches of %d rows", o.rows)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, o, fmt.Errorf("oneloop: parquet: %w", err)
	}
	r = &reader{path: path, file: f}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	defer r.recovered(&err)
	mem := &limited{Allocator: memory.DefaultAllocator, limit: o.limit, left: o.limit}
	r.mem = mem
	p, err := file.NewParquetReader(f, file.WithReadProps(pq.NewReaderProperties(mem)))
	if err != nil {
		return nil, o, r.wrong(err)
	}
	// The types of the columns do not need what writers add, such as a schema of Arrow. Of a damaged one the library
	// allocates the sizes that it states, beside the allocator.
	p.MetaData().FileMetaData.KeyValueMetadata = nil
	if r.FileReader, err = pqarrow.NewFileReader(p, pqarrow.ArrowReadProperties{BatchSize: int64(o.rows)}, mem); err != nil {
		return nil, o, r.wrong(err)
	}
	s, err := r.Schema()
	if err != nil {
		return nil, o, r.wrong(err)
	}
	if r.which, err = leaves(s, o.columns); err != nil {
		return nil, o, r.about(err)
	}
	return r, o, nil
}

// leaves returns the columns of a file that hold the columns of the names. A column
// that consists of several is [expr.ErrType].
func leaves(s *aa.Schema, names []string) ([]int, error) {
	for _, f := range s.Fields() {
		if _, nested := f.Type.(aa.NestedType); nested {
			return nil, tree.NewError(tree.ErrType, "", "column %q is of the nested type %s", f.Name, f.Type)
		}
	}
	return arrow.Indices(s, names)
}

func (r *reader) close() { r.file.Close() }

// recovered turns a panic of the library, which malformed files cause, into an error.
func (r *reader) recovered(err *error) {
	if p := recover(); p != nil {
		*err = r.wrong(fmt.Errorf("%v", p))
	}
}

// wrong returns an error of the library as [expr.ErrValue], or as [expr.ErrOutOfMemory] if
// the limit is its cause: the library recovers from panics of its goroutines itself.
func (r *reader) wrong(err error) error {
	if r.mem != nil && r.mem.exhausted.Load() {
		return r.named(tree.ErrOutOfMemory, fmt.Sprintf("reading needs more than %d bytes", r.mem.limit))
	}
	if x := (*tree.Error)(nil); errors.As(err, &x) {
		return r.about(x)
	}
	return r.named(tree.ErrValue, strings.TrimPrefix(err.Error(), "parquet: "))
}

// about returns err with the path.
func (r *reader) about(err error) error {
	if x := (*tree.Error)(nil); errors.As(err, &x) {
		return r.named(x.Kind, x.Msg)
	}
	return fmt.Errorf("oneloop: parquet: %s: %w", r.path, err)
}

// named returns an error of what the file holds. No place in the program is at fault.
func (r *reader) named(kind error, text string) error {
	e := tree.NewError(kind, "", "parquet: %s: %s", r.path, text)
	e.File = ""
	return e
}

// A limited allocator panics where an allocation goes beyond a limit.
type limited struct {
	memory.Allocator
	limit, left int64
	exhausted   atomic.Bool
}

func (l *limited) Allocate(size int) []byte {
	l.take(int64(size))
	return l.Allocator.Allocate(size)
}

func (l *limited) Reallocate(size int, b []byte) []byte {
	l.take(int64(size - len(b)))
	return l.Allocator.Reallocate(size, b)
}

func (l *limited) Free(b []byte) {
	l.left += int64(len(b))
	l.Allocator.Free(b)
}

func (l *limited) take(n int64) {
	if n > l.left {
		l.exhausted.Store(true)
		panic("the limit is exhausted")
	}
	l.left -= n
}

// A Writer writes a file piece by piece. It is not safe for concurrent use.
type Writer struct {
	w    io.Writer
	file *pqarrow.FileWriter
}

// NewWriter returns a writer to w. The caller closes it.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Write writes columns of one length as one group of rows, compressed by Snappy. The
// first call decides the names and types of the columns, and whether a column may
// have nulls.
func (w *Writer) Write(columns ...arrow.Column) error {
	if len(columns) == 0 {
		return tree.NewError(tree.ErrValue, "", "there is no column to write")
	}
	r, err := arrow.ToRecord(columns...)
	if err != nil {
		return err
	}
	defer r.Release()
	if w.file == nil {
		props := pq.NewWriterProperties(pq.WithCompression(compress.Codecs.Snappy))
		// Without the schema of Arrow in the file some readers of other libraries take float16 for bytes.
		if w.file, err = pqarrow.NewFileWriter(r.Schema(), keepOpen{w.w}, props, pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema())); err != nil {
			return fmt.Errorf("oneloop: parquet: %w", err)
		}
	}
	if err := w.file.Write(r); err != nil {
		return fmt.Errorf("oneloop: parquet: %w", err)
	}
	return nil
}

// Close writes the end of the file. Without any column that was written, it is
// [expr.ErrValue].
func (w *Writer) Close() error {
	if w.file == nil {
		return tree.NewError(tree.ErrValue, "", "no column was written")
	}
	if err := w.file.Close(); err != nil {
		return fmt.Errorf("oneloop: parquet: %w", err)
	}
	return nil
}

// keepOpen hides the method Close of a writer, which its owner calls.
type keepOpen struct{ io.Writer }

// WriteFile writes columns to a file, which it creates or replaces as a whole: after a
// failure the path holds what it held before.
func WriteFile(path string, columns ...arrow.Column) error {
	return npy.WriteFileWith(path, func(w io.Writer) error {
		p := NewWriter(w)
		if err := p.Write(columns...); err != nil {
			return err
		}
		return p.Close()
	})
}
