package blob

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/oneloop/oneloop/engine/internal/files"
	"github.com/oneloop/oneloop/engine/internal/pb"
	"github.com/oneloop/oneloop/engine/npy"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/internal/zero"
	"github.com/oneloop/oneloop/shape"
)

// A Proto is Caffe's message BlobProto, with the numbers of its fields. A blob of
// float32 has Data and Diff, one of float64 has DoubleData and DoubleDiff. Old
// files have Num, Channels, Height and Width instead of Shape.
type Proto struct {
	Num        *int32      `pb:"1,num"`
	Channels   *int32      `pb:"2,channels"`
	Height     *int32      `pb:"3,height"`
	Width      *int32      `pb:"4,width"`
	Data       []float32   `pb:"5,data,packed"`
	Diff       []float32   `pb:"6,diff,packed"`
	Shape      *ProtoShape `pb:"7,shape"`
	DoubleData []float64   `pb:"8,double_data,packed"`
	DoubleDiff []float64   `pb:"9,double_diff,packed"`
}

// A ProtoShape is Caffe's message BlobShape.
type ProtoShape struct {
	Dim []int64 `pb:"1,dim,packed"`
}

// MarshalBinary returns the message in the wire format, as protobuf's library
// writes it.
func (p *Proto) MarshalBinary() ([]byte, error) {
	if p == nil {
		return nil, errNilProto()
	}
	return pb.Marshal(p)
}

func errNilProto() error { return tree.NewError(tree.ErrType, "", "the proto is nil") }

// UnmarshalBinary reads a message in the wire format. It allocates memory in
// proportion to data. The error is [expr.ErrValue] and names the offset of the
// fault. Fields that BlobProto does not have are skipped.
func (p *Proto) UnmarshalBinary(data []byte) error {
	if p == nil {
		return errNilProto()
	}
	*p = Proto{}
	return pb.Unmarshal(data, p)
}

// legacy reports whether p has one of the fields of old files.
func (p *Proto) legacy() bool {
	return p.Num != nil || p.Channels != nil || p.Height != nil || p.Width != nil
}

// dims returns the extents that p says.
func (p *Proto) dims() ([]int, error) {
	var wide []int64
	if p.legacy() {
		wide = lists.Map([]*int32{p.Num, p.Channels, p.Height, p.Width}, func(d *int32) int64 { return int64(*zero.IfNil(d)) })
	} else if p.Shape != nil {
		wide = p.Shape.Dim
	}
	if len(wide) > MaxAxes {
		return nil, tree.NewError(tree.ErrShape, "", "the proto has %d axes, more than %d", len(wide), MaxAxes)
	}
	dims := make([]int, len(wide))
	for i, d := range wide {
		if dims[i] = int(d); int64(dims[i]) != d {
			return nil, tree.NewError(tree.ErrShape, "", "the extent %d of the proto is too large", d)
		}
	}
	if _, err := shape.New(dims...); err != nil {
		return nil, tree.NewError(tree.ErrShape, "", "%s", err)
	}
	return dims, nil
}

// ShapeEquals reports whether p has the shape of b. The four extents of an old
// file are compared with [Blob.LegacyShape] of axes -4 to -1, so [1 1 2 3] is
// equal to [2 3].
func (b *Blob[T]) ShapeEquals(p *Proto) bool {
	b = zero.IfNil(b)
	if p == nil {
		return false
	}
	if p.legacy() {
		own, ok := b.legacy()
		return ok && own == [4]int32{*zero.IfNil(p.Num), *zero.IfNil(p.Channels), *zero.IfNil(p.Height), *zero.IfNil(p.Width)}
	}
	dims, err := p.dims()
	return err == nil && b.shape.Equal(dims)
}

// ToProto returns the shape and the data of b, and its diff if diff is set. It
// fetches elements from a device.
func (b *Blob[T]) ToProto(diff bool) (*Proto, error) {
	b = zero.IfNil(b)
	p := &Proto{Shape: &ProtoShape{Dim: lists.Map(b.shape, func(d int) int64 { return int64(d) })}}
	if err := b.put(b.data, &p.Data, &p.DoubleData); err != nil || !diff {
		return p, err
	}
	return p, b.put(b.diff, &p.Diff, &p.DoubleDiff)
}

// MarshalBinary returns the data and the diff of b as a Proto in the wire format. Package
// encoding/gob uses this method.
func (b Blob[T]) MarshalBinary() ([]byte, error) {
	p, err := b.ToProto(true)
	if err != nil {
		return nil, err
	}
	return p.MarshalBinary()
}

// UnmarshalBinary gives b the shape, the data and the diff that MarshalBinary wrote.
func (b *Blob[T]) UnmarshalBinary(data []byte) error {
	p := &Proto{}
	if err := p.UnmarshalBinary(data); err != nil {
		return err
	}
	return b.FromProto(p, true)
}

// MarshalJSON returns the data and the diff of b as a Proto. NaN and infinities, which are no
// numbers of JSON, are an error.
func (b Blob[T]) MarshalJSON() ([]byte, error) {
	p, err := b.ToProto(true)
	if err != nil {
		return nil, err
	}
	return json.Marshal(p)
}

// UnmarshalJSON gives b the shape, the data and the diff that MarshalJSON wrote. null leaves b as it is,
// as package encoding/json asks of its implementers.
func (b *Blob[T]) UnmarshalJSON(data []byte) error {
	if b != nil && string(bytes.TrimSpace(data)) == "null" {
		return nil
	}
	p := &Proto{}
	if err := json.Unmarshal(data, p); err != nil {
		return tree.NewError(tree.ErrValue, "", "%s", err)
	}
	return b.FromProto(p, true)
}

// put appends the elements of m to the one of two slices that has their type.
func (b *Blob[T]) put(m *SyncedMemory, single *[]float32, double *[]float64) error {
	bytes, err := m.Host()
	if err != nil {
		return err
	}
	bytes = bytes[:b.Count()*size[T]()]
	if dtype.Of[T]() == dtype.F64 {
		*double = append(*double, dtype.Slice[float64](bytes)...)
	} else {
		*single = append(*single, dtype.Slice[float32](bytes)...)
	}
	return nil
}

// FromProto copies the data of p into b, and its diff if it has one. Elements are
// converted to T. If reshape is set, b gets the shape of p; otherwise p must have
// the shape of b. The error is [expr.ErrShape] if the shape is not legal or does
// not fit the number of elements; then b is unchanged.
func (b *Blob[T]) FromProto(p *Proto, reshape bool) error {
	switch {
	case b == nil:
		return errNil()
	case p == nil:
		return errNilProto()
	}
	dims, err := p.dims()
	if err != nil {
		return err
	}
	n := b.Count()
	if reshape {
		n = shape.Shape(dims).Size()
	} else if !b.ShapeEquals(p) {
		return tree.NewError(tree.ErrShape, "", "the proto has shape %v, the blob %v", dims, b.shape)
	}
	data, diff := elements[T](p.Data, p.DoubleData), elements[T](p.Diff, p.DoubleDiff)
	if len(data) != n || diff != nil && len(diff) != n {
		return tree.NewError(tree.ErrShape, "", "the proto of shape %v has %d elements of data and %d of diff", dims, len(data), len(diff))
	}
	if reshape {
		if err := b.Reshape(dims...); err != nil {
			return err
		}
	}
	if err := b.get(b.data, data); err != nil || diff == nil {
		return err
	}
	return b.get(b.diff, diff)
}

func (b *Blob[T]) get(m *SyncedMemory, from []T) error {
	bytes, err := m.MutableHost()
	if err != nil {
		return err
	}
	copy(dtype.Slice[T](bytes), from)
	return nil
}

// elements returns the one of two slices that has elements, the doubles first,
// with elements of type T.
func elements[T Elem](single []float32, double []float64) []T {
	if len(double) > 0 {
		return converted[T](double)
	}
	return converted[T](single)
}

// converted returns nil if there are no elements.
func converted[T, From Elem](from []From) []T {
	if len(from) == 0 {
		return nil
	}
	if same, ok := any(from).([]T); ok {
		return same
	}
	return lists.Map(from, func(x From) T { return T(x) })
}

// ReadFile reads a binaryproto file: one BlobProto in the wire format. The error
// names the file.
func ReadFile(path string) (*Proto, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("oneloop: blob: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	p := &Proto{}
	switch {
	case err != nil:
	case len(data) > maxFile:
		err = files.Errorf("blob", tree.ErrValue, "the file has more than %d bytes", maxFile)
	default:
		err = p.UnmarshalBinary(data)
	}
	if err != nil {
		return nil, &files.Error{Package: "blob", Path: path, Err: err}
	}
	return p, nil
}

// maxFile is the largest size of a message that protobuf's libraries read.
const maxFile = 1<<31 - 1

// WriteFile writes a binaryproto file, which it creates or replaces as a whole: after a
// failure the path holds what it held before.
func WriteFile(path string, p *Proto) error {
	b, err := p.MarshalBinary()
	if err != nil {
		return err
	}
	if len(b) > maxFile {
		return tree.NewError(tree.ErrValue, "", "the message has %d bytes, more than %d", len(b), maxFile)
	}
	return npy.WriteFileWith(path, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
}
