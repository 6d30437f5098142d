package cuda

import (
	"context"
	"slices"
	"testing"

	"github.com/oneloop/oneloop/cudagen"
	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/driver"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

// testGrid checks that a kernel of rows has as many thread blocks as run at once, if it
// has that many rows, and that other kernels keep their grids.
func testGrid(t *testing.T, _ *standIn) {
	d := open(t)
	m, err := d.load("a kernel", uploadSource, []string{"carry"})
	check(t, err)
	atOnce := uint32(2048 / 256 * d.limit.SMs) // of the stand-in
	for _, c := range []struct {
		rows       bool
		grid, want uint32
	}{{true, 1 << 20, atOnce}, {true, 1, 1}, {false, 1 << 20, 1 << 20}} {
		x := cudagen.Launch{Grid: [3]uint32{c.grid, 1, 1}, Block: [3]uint32{256, 1, 1}, Rows: c.rows}
		check(t, d.do("a test", func() error { return d.fit(m.entries[0], &x) }))
		if x.Grid[0] != c.want {
			t.Errorf("rows %t, %d blocks: the grid has %d, want %d", c.rows, c.grid, x.Grid[0], c.want)
		}
	}
}

// testSharedMemory runs rows that need more shared memory than a kernel may have without
// being asked. The driver refuses the launch of a kernel that has not asked. The
// programs share a kernel, and the later one needs less.
func testSharedMemory(t *testing.T, _ *standIn) {
	d := open(t)
	softmax := func(x *engine.Tensor[float32], y *engine.Tensor[float32]) *engine.Program {
		p, err := engine.Compile(context.Background(), expr.Let(y, op.Softmax(x, 1)))
		check(t, err)
		return p
	}
	var programs []*engine.Program
	var results []*engine.Tensor[float32]
	for _, n := range []int{32000, 30000} {
		x, y := engine.Zeros[float32](3, n), engine.Zeros[float32](3, n)
		for i := range x.Data() {
			x.Data()[i] = float32(i*7919%1009) / 64
		}
		check(t, softmax(x, y).Run(ctx))
		there, err := x.To(d)
		check(t, err)
		out := zeros(t, d, 3, n)
		programs = append(programs, softmax(there, out))
		results = append(results, y, out)
	}
	for i, p := range programs {
		check(t, p.Run(ctx))
		got, err := results[2*i+1].To(nil)
		check(t, err)
		if !slices.Equal(got.Data(), results[2*i].Data()) {
			t.Errorf("program %d: other bits than on the CPU", i)
		}
	}
}

// testTiles adds more transposed operands than shared memory has tiles for.
func testTiles(t *testing.T, _ *standIn) {
	var results [][]float64
	for _, d := range []driver.Device{engine.CPU(), open(t)} {
		y := on(place{d}, engine.Zeros[float64](40, 48))
		var sum expr.Exp[float64] = y
		for k := range 30 {
			x := engine.Zeros[float64](48, 40)
			for i := range x.Data() {
				x.Data()[i] = float64(i*31%97 + k)
			}
			sum = op.Add(sum, op.Transpose(on(place{d}, x)))
		}
		check(t, y.Assign(sum))
		results = append(results, y.Values())
	}
	if !slices.Equal(results[0], results[1]) {
		t.Error("other bits than on the CPU")
	}
}
