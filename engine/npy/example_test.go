package npy_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/oneloop/oneloop/engine/npy"
	"github.com/oneloop/oneloop/expr/dtype"
)

func Example() {
	dir, err := os.MkdirTemp("", "npy")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "x.npy")

	x := []float32{1, 2, 3, 4, 5, 6}
	err = npy.WriteFile(path, &npy.Array{Type: dtype.F32, Shape: []int{2, 3}, Data: dtype.Bytes(x)})
	if err != nil {
		fmt.Println(err)
		return
	}
	a, err := npy.ReadFile(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(a.Type, a.Shape, dtype.Slice[float32](a.Data))
	// Output: float32 [2 3] [1 2 3 4 5 6]
}

// Errors name the offset of the fault and say whether the type is to blame.
func ExampleFormatError() {
	const dict = "{'descr': '|O', 'fortran_order': False, 'shape': (1,)}\n"
	_, err := npy.Read(bytes.NewReader([]byte("\x93NUMPY\x01\x00"+string(rune(len(dict)))+"\x00"+dict)), -1)
	fmt.Println(err)

	var fe *npy.FormatError
	fmt.Println(errors.As(err, &fe), errors.Is(err, npy.ErrUnsupported))
	// Output:
	// oneloop: npy: offset 20: descr "|O" holds Python objects: pickled objects are not loaded
	// true true
}

// Two outputs appear together, or neither does.
func ExamplePrepare() {
	dir, err := os.MkdirTemp("", "npy")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)

	save := func(outputs map[string]*npy.Array) error {
		var pending []*npy.Pending
		for name, a := range outputs {
			p, err := npy.Prepare(filepath.Join(dir, name), a)
			if err != nil {
				return err // the deferred Aborts remove what was prepared
			}
			defer p.Abort()
			pending = append(pending, p)
		}
		for _, p := range pending {
			if err := p.Commit(); err != nil {
				return err
			}
		}
		return nil
	}
	good := &npy.Array{Type: dtype.U8, Shape: []int{2}, Data: []byte{1, 2}}
	bad := &npy.Array{Type: dtype.U8, Shape: []int{2}, Data: []byte{1}}
	fmt.Println(save(map[string]*npy.Array{"x.npy": good, "y.npy": bad}))
	files, _ := os.ReadDir(dir)
	fmt.Println(len(files), "files")
	fmt.Println(save(map[string]*npy.Array{"x.npy": good, "y.npy": good}))
	files, _ = os.ReadDir(dir)
	fmt.Println(len(files), "files")
	// Output:
	// oneloop: npy: uint8 of shape [2] needs 2 bytes of data, not 1
	// 0 files
	// <nil>
	// 2 files
}

// Several arrays in one file, as NumPy's savez.
func ExampleOpenArchive() {
	dir, err := os.MkdirTemp("", "npy")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "model.npz")

	w := &npy.Array{Type: dtype.F32, Shape: []int{2, 2}, Data: dtype.Bytes([]float32{1, 2, 3, 4})}
	b := &npy.Array{Type: dtype.F32, Shape: []int{2}, Data: dtype.Bytes([]float32{5, 6})}
	if err := npy.WriteArchiveFile(path, npy.Member{Name: "w", Array: w}, npy.Member{Name: "b", Array: b}); err != nil {
		fmt.Println(err)
		return
	}
	z, err := npy.OpenArchive(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer z.Close()
	bias, err := z.Read("b")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(z.Names(), bias.Shape, dtype.Slice[float32](bias.Data))
	// Output: [w b] [2] [5 6]
}
