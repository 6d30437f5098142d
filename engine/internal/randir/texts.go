package randir

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/oneloop/oneloop/expr/dtype"
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

// load makes a load from a new array of the right size.
func (g *generator) load(t dtype.Type) int {
	rank := g.r.IntN(4)
	var coords []string
	var shape []int
	bounds := g.r.IntN(3)
	fill := -1
	if bounds == 1 {
		for _, v := range g.values {
			if v.t == t {
				fill = v.id
			}
		}
		if fill < 0 {
			bounds = 0
		}
	}
	for range rank {
		var s string
		var lo, hi int
		index := -1
		for _, v := range g.values {
			if v.t == dtype.I64 {
				index = v.id
			}
		}
		switch {
		case bounds > 0 && index >= 0 && g.r.IntN(2) == 0:
			s, lo, hi = fmt.Sprintf("%%%d", index), 0, g.r.IntN(20)
			if g.r.IntN(2) == 0 {
				s += fmt.Sprintf("+%d", g.r.IntN(5)-2)
			}
		default:
			s, lo, hi = g.ix(g.r.IntN(4))
		}
		switch {
		case bounds == 0 && lo < 0:
			s, hi = fmt.Sprintf("%s+%d", s, -lo), hi-lo
		case bounds > 0:
			hi = max(0, min(hi, 60)-g.r.IntN(4))
			if g.r.IntN(3) == 0 {
				s = fmt.Sprintf("%s+%d", s, g.r.IntN(7)-3)
			}
		}
		coords = append(coords, s)
		shape = append(shape, hi+1)
	}
	size := 1
	for _, e := range shape {
		size *= e
	}
	if size > 200000 {
		coords, shape = nil, nil
	}
	b := g.newBuf(g.memory(t), "in", shape)
	id := g.def(t)
	suffix := ""
	switch bounds {
	case 1:
		suffix = fmt.Sprintf(" else %%%d", fill)
	case 2:
		suffix = " clamp"
	}
	g.line("%%%d = load %s b%d[%s]%s", id, t.Short(), b, strings.Join(coords, ", "), suffix)
	return id
}
