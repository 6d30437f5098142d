package randir

import (
	"math/rand/v2"

	"github.com/oneloop/oneloop/internal/lists"
)

// A Binding makes the numbers of a kernel: extents of its axes, parameters, and
// extents of its arrays.
type Binding func(r *rand.Rand) (extents, params []int, shapes [][]int)

// Size is a length around those at which loops change.
func Size(r *rand.Rand) int {
	sizes := []int{0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 64, 65, 130, 511, 512, 513, 700, 1500, 4095, 4096, 4097, 5000, 9000}
	return sizes[r.IntN(len(sizes))]
}

func square(bufs int) Binding {
	return func(r *rand.Rand) ([]int, []int, [][]int) {
		n, m := 1+r.IntN(20), Size(r)
		switch r.IntN(4) {
		case 0:
			n, m = m, n
		case 1:
			n, m = 60+r.IntN(80), 1+r.IntN(60)
		}
		shapes := lists.Make(bufs, func(int) []int { return []int{n, m} })
		return []int{n, m}, nil, shapes
	}
}

func flat(bufs int) Binding {
	return func(r *rand.Rand) ([]int, []int, [][]int) {
		n := Size(r) * (1 + r.IntN(9))
		shapes := lists.Make(bufs, func(int) []int { return []int{n} })
		return []int{n}, []int{n}, shapes
	}
}

// Texts binds the texts of package ir, by name.
var Texts = map[string]Binding{
	"adam":    flat(4),
	"cold":    flat(2),
	"lookup":  flat(2),
	"philox":  flat(1),
	"softmax": square(3),
	"transposed_add": func(r *rand.Rand) ([]int, []int, [][]int) {
		e, _, s := square(3)(r)
		s[1] = []int{e[1], e[0]}
		return e, nil, s
	},
	"masks": func(r *rand.Rand) ([]int, []int, [][]int) {
		e, p, s := flat(3)(r)
		return e, p, append(s, nil, nil)
	},
	"argmax": func(r *rand.Rand) ([]int, []int, [][]int) {
		e, _, s := square(1)(r)
		e[1] = max(e[1], 1)
		s[0] = e
		return e, nil, append(s, []int{e[0]}, []int{e[0]})
	},
	"recurrence": func(r *rand.Rand) ([]int, []int, [][]int) {
		e, _, s := square(1)(r)
		lanes := []int{e[1]}
		return e, nil, [][]int{s[0], lanes, s[0], lanes, lanes, lanes}
	},
	"colsum": func(r *rand.Rand) ([]int, []int, [][]int) {
		e, _, s := square(1)(r)
		return e, nil, append(s, []int{e[1]})
	},
	"fullsum": func(r *rand.Rand) ([]int, []int, [][]int) {
		e, _, s := square(2)(r)
		return e, nil, append(s, nil)
	},
	"layernorm": func(r *rand.Rand) ([]int, []int, [][]int) {
		e, _, _ := square(0)(r)
		return e, []int{e[1]}, [][]int{e, {e[1]}, {e[1]}, e}
	},
	"take": func(r *rand.Rand) ([]int, []int, [][]int) {
		n, m, rows := 1+r.IntN(40), Size(r), 1+r.IntN(300)
		return []int{n, m}, []int{rows}, [][]int{{n}, {rows, m}, {n, m}}
	},
	"im2col": func(r *rand.Rand) ([]int, []int, [][]int) {
		e, p, s := im2col(r)
		return []int{s[1][0], s[1][1]}, []int{e[2], e[1] * e[2], e[5], e[4] * e[5], p[4], p[5]}, s
	},
	"im2col_axes": im2col,
}

func im2col(r *rand.Rand) ([]int, []int, [][]int) {
	n, c, h, w, kx, ky, stride, pad := 1+r.IntN(3), 1+r.IntN(3), 3+r.IntN(12), 3+r.IntN(20), 1+r.IntN(3), 1+r.IntN(3), 1+r.IntN(2), r.IntN(3)
	if r.IntN(3) == 0 {
		w += 60
	}
	oh, ow := (h+2*pad-ky)/stride+1, (w+2*pad-kx)/stride+1
	return []int{c, ky, kx, n, oh, ow}, []int{kx, ky, ow, oh, stride, pad}, [][]int{{n, c, h, w}, {c * ky * kx, n * oh * ow}}
}
