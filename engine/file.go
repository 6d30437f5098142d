package engine

import (
	"strings"

	"github.com/oneloop/oneloop/engine/internal/files"
	"github.com/oneloop/oneloop/engine/npy"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/shape"
)

// ReadFile returns the array of an .npy file, or of an archive: "a.npz:x" is the
// array x of a.npz. The elements stay in the order of the file.
func ReadFile(path string) (*Array, error) {
	if i := strings.LastIndex(path, ".npz:"); i >= 0 {
		z, err := npy.OpenArchive(path[:i+len(".npz")])
		if err != nil {
			return nil, err
		}
		defer z.Close()
		return fromFile(z.Read(path[i+len(".npz:"):]))
	}
	return fromFile(npy.ReadFile(path))
}

// Load returns the tensor in a file, as [ReadFile] does. The error is
// [expr.ErrType] if the type of the elements is not T.
func Load[T expr.Elem](path string) (*Tensor[T], error) {
	a, err := ReadFile(path)
	if err != nil {
		return nil, err
	}
	if have := a.DType(); have != dtype.Of[T]() {
		return nil, tree.NewError(tree.ErrType, "engine.Load", "%s has elements of type %v, not %v", path, have, dtype.Of[T]())
	}
	return TensorOf[T](a)
}

// LoadMapped returns the tensor in an .npy file without reading it: the system reads
// the elements when they are used, so the file may be larger than memory. Stores to
// the tensor do not change the file. The caller calls unmap, after which a use of x is an
// error; programs that use x, and its views, read 0. [npy.Map] says which files are refused.
func LoadMapped[T expr.Elem](path string) (x *Tensor[T], unmap func() error, err error) {
	m, err := npy.Map(path)
	if err != nil {
		return nil, nil, err
	}
	if m.Type != dtype.Of[T]() {
		_ = m.Close()
		return nil, nil, tree.NewError(tree.ErrType, "engine.LoadMapped", "%s has elements of type %v, not %v", path, m.Type, dtype.Of[T]())
	}
	a, err := FromNPY(&m.Array)
	if err == nil {
		x, err = TensorOf[T](a)
	}
	if err != nil {
		_ = m.Close()
		return nil, nil, err
	}
	return x, func() error {
		x.a, x.bad = nil, tree.Errorf(tree.ErrValue, "engine.LoadMapped", "%s is not mapped any more", path)
		return m.Close()
	}, nil
}

// Save writes the array to an .npy file, which it creates or replaces as a whole:
// after a failure the path holds what it held before. A path with another extension is
// [expr.ErrValue]; one without an extension stays as it is, where np.save adds .npy.
func (a *Array) Save(path string) error {
	if err := files.CheckExtension(path); err != nil {
		return err
	}
	f, err := a.NPY()
	if err != nil {
		return err
	}
	return npy.WriteFile(path, f)
}

// Save writes the tensor as [Array.Save] does.
func (t *Tensor[T]) Save(path string) error {
	if err := t.Err(); err != nil {
		return err
	}
	return t.a.Save(path)
}

// NPY returns the array as package npy writes it. It may share the elements. Bools
// other than 0 are 1.
func (a *Array) NPY() (*npy.Array, error) {
	data, err := a.Bytes()
	if err != nil {
		return nil, err
	}
	return &npy.Array{Type: a.DType(), Shape: a.Shape(), Data: normalBools(a.DType(), data)}, nil
}

func normalBools(t dtype.Type, data []byte) []byte {
	for i, b := range data {
		if t == dtype.Bool && b > 1 {
			out := append([]byte(nil), data...)
			for k := i; k < len(out); k++ {
				out[k] = min(out[k], 1)
			}
			return out
		}
	}
	return data
}

func fromFile(f *npy.Array, err error) (*Array, error) {
	if err != nil {
		return nil, err
	}
	return FromNPY(f)
}

// FromNPY returns an array that shares the elements of a file that package npy
// has read. They may be in Fortran order.
func FromNPY(f *npy.Array) (*Array, error) {
	if f == nil {
		return nil, tree.NewError(tree.ErrValue, "", "there is no array")
	}
	s := shape.Shape(f.Shape)
	st := s.Strides()
	if f.Fortran {
		st = s.FortranStrides()
	}
	return ArrayOf(MemoryOf(f.Data), f.Type, s, st, 0)
}
