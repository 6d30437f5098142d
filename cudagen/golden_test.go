package cudagen_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/cudagen"
	"github.com/oneloop/oneloop/plan/ir"
)

var update = flag.Bool("update", false, "rewrite the files of testdata")

// bindings has a binding for each text: extents, parameters, and the shapes of the
// arrays. The arrays are contiguous.
var bindings = map[string]struct {
	extents, params []int
	shapes          [][]int
}{
	"adam":           {[]int{1000}, nil, [][]int{{1000}, {1000}, {1000}, {1000}}},
	"fullsum":        {[]int{300, 400}, nil, [][]int{{300, 400}, {300, 400}, {}}},
	"colsum":         {[]int{300, 400}, nil, [][]int{{300, 400}, {400}}},
	"recurrence":     {[]int{300, 400}, nil, [][]int{{300, 400}, {400}, {300, 400}, {400}, {400}, {400}}},
	"transposed_add": {[]int{300, 400}, nil, [][]int{{300, 400}, {400, 300}, {300, 400}}},
	"softmax":        {[]int{50, 700}, nil, [][]int{{50, 700}, {50, 700}, {}}},
	"layernorm":      {[]int{50, 9000}, []int{9000}, [][]int{{50, 9000}, {9000}, {9000}, {50, 9000}}},
	"im2col":         {[]int{27, 128}, []int{3, 9, 8, 64, 1, 1}, [][]int{{2, 3, 8, 8}, {27, 128}}},
}

func contiguous(shapes [][]int) (out []ir.BufBind) {
	for _, shape := range shapes {
		b := ir.BufBind{Extents: shape, Strides: make([]int, len(shape))}
		n := 1
		for d := len(shape) - 1; d >= 0; d-- {
			b.Strides[d] = n
			n *= shape[d]
		}
		out = append(out, b)
	}
	return out
}

func parse(t *testing.T, name string) *ir.Kernel {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../testdata/ir", name+".ir"))
	if err != nil {
		t.Fatal(err)
	}
	k, err := ir.Parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// TestGolden compares the code for the texts of package ir with the goldens.
func TestGolden(t *testing.T) {
	for name, c := range bindings {
		t.Run(name, func(t *testing.T) {
			k := parse(t, name)
			b := &ir.Binding{Extents: c.extents, Params: c.params, Scalars: make([]uint64, len(k.Scalars)), Bufs: contiguous(c.shapes)}
			addresses := make([]uint64, len(k.Bufs))
			for i := range addresses {
				addresses[i] = uint64(i+1) << 30
			}
			l, err := cudagen.LayoutOf(k, b, addresses, cudagen.Device{SMs: 132, Shared: 227 << 10})
			if err != nil {
				t.Fatal(err)
			}
			got := strings.TrimPrefix(cudagen.Generate(k, l).Code, cudagen.Prelude)
			file := filepath.Join("../testdata/cuda", name+".cu")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("%s differs (go test -run Golden -update rewrites it):\n%s", file, got)
			}
		})
	}
}
