package engine

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/oneloop/oneloop/engine/npy"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/shape"
)

// SaveBinary writes the tensor to a file in the format of mshadow's SaveBinary: the
// extents as int32, then the elements, row-major and little-endian. The file does
// not tell its rank and its element type. It is written as a whole or not at all.
func (t *Tensor[T]) SaveBinary(path string) error {
	if err := t.Err(); err != nil {
		return err
	}
	data, err := t.a.Bytes()
	if err != nil {
		return err
	}
	var head []byte
	for _, d := range t.Shape() {
		if d > math.MaxInt32 {
			return tree.NewError(tree.ErrShape, "", "the file holds no axis of %d elements", d)
		}
		head = binary.LittleEndian.AppendUint32(head, uint32(d))
	}
	return npy.WriteFileWith(path, func(w io.Writer) error {
		_, err := w.Write(head)
		if err == nil {
			_, err = w.Write(normalBools(t.a.DType(), data))
		}
		return err
	})
}

// LoadBinary returns the tensor of a rank in a file that [Tensor.SaveBinary] or
// mshadow has written. The error is [expr.ErrValue] unless the file has the size that
// its extents state.
func LoadBinary[T expr.Elem](path string, rank int) (*Tensor[T], error) {
	if rank < 0 {
		return nil, tree.NewError(tree.ErrShape, "", "a tensor of rank %d does not exist", rank)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("oneloop: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("oneloop: %w", err)
	}
	n := int(info.Size())
	if n/4 < rank {
		return nil, tree.NewError(tree.ErrValue, "", "%s has %d bytes, which hold no %d extents", path, n, rank)
	}
	head := make([]byte, 4*rank)
	if _, err := io.ReadFull(file, head); err != nil {
		return nil, fmt.Errorf("oneloop: %w", err)
	}
	dims := lists.Make(rank, func(i int) int { return int(int32(binary.LittleEndian.Uint32(head[4*i:]))) })
	s, err := shape.New(dims...)
	size, n := dtype.Of[T]().Size(), n-len(head)
	if err != nil || s.Size() != n/size || n%size != 0 {
		return nil, tree.NewError(tree.ErrValue, "", "%s has %d bytes of elements, which are no %v of shape %v", path, n, dtype.Of[T](), dims)
	}
	t, err := New[T](dims...)
	if err != nil {
		return nil, err
	}
	data := dtype.Bytes(t.Data())
	if _, err := io.ReadFull(file, data); err != nil {
		return nil, fmt.Errorf("oneloop: %w", err)
	}
	copy(data, normalBools(t.a.DType(), data))
	return t, nil
}
