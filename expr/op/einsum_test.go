package op_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/internal/testlevel"
	"github.com/oneloop/oneloop/shape"
)

// drawn returns a tensor of small integers, whose sums of products are exact.
func drawn(r *rand.Rand, dims ...int) *engine.Tensor[float64] {
	x := engine.Zeros[float64](dims...)
	for i := range x.Data() {
		x.Data()[i] = float64(r.IntN(9) - 4)
	}
	return x
}

// einsumByLoops is the definition: a loop over all values of all letters.
func einsumByLoops(subscripts string, x ...*engine.Tensor[float64]) ([]float64, []int) {
	in, out, _ := strings.Cut(subscripts, "->")
	terms := strings.Split(in, ",")
	sizes := map[rune]int{}
	letters := []rune(out)
	for i, term := range terms {
		for k, l := range []rune(term) {
			if !slices.Contains(letters, l) {
				letters = append(letters, l)
			}
			sizes[l] = max(sizes[l], x[i].Shape()[k])
		}
	}
	var dims, all shape.Shape
	for i, l := range letters {
		if all = append(all, sizes[l]); i < len(out) {
			dims = append(dims, sizes[l])
		}
	}
	result := make([]float64, dims.Size())
	for at := range all.Indices() {
		p := 1.
		for i, term := range terms {
			var ix []int
			for k, l := range []rune(term) {
				ix = append(ix, min(at[slices.Index(letters, l)], x[i].Shape()[k]-1))
			}
			offset, _ := x[i].Shape().Offset(ix...)
			p *= x[i].Data()[offset]
		}
		offset, _ := dims.Offset(at[:len(out)]...)
		result[offset] += p
	}
	return result, dims
}

// TestEinsum compares subscripts with loops over all letters.
func TestEinsum(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	size := map[rune]int{'i': 3, 'j': 4, 'k': 5, 'l': 2, 'o': 1, 'z': 0}
	check := func(t *testing.T, subscripts, written string) {
		t.Helper()
		in, _, _ := strings.Cut(subscripts, "->")
		var x []*engine.Tensor[float64]
		var more []expr.Exp[float64]
		for i, term := range strings.Split(in, ",") {
			var dims []int
			for _, l := range term {
				dims = append(dims, size[l])
			}
			if x = append(x, drawn(r, dims...)); i > 0 {
				more = append(more, x[i])
			}
		}
		got, dims := eval(t, op.Einsum(written, expr.Exp[float64](x[0]), more...))
		want, shape := einsumByLoops(subscripts, x...)
		if !slices.Equal(dims, shape) || !slices.Equal(got, want) {
			t.Errorf("%s is %v of shape %v, want %v of shape %v", written, got, dims, want, shape)
		}
	}
	for _, s := range strings.Fields(`ij->ji ij->i ij->j ij-> ii->i ii-> iji->j iij->ji iii->i i-> ijk->kij
		i,i-> i,j->ij i,j->ji ij,j->i i,ij->j ij,jk->ik ij,jk->ki ij,kj->ik ji,jk->ik kij,kjl->kil ijk,jkl->il ijk,kji-> ij,ij->ij ij,ij->i ij,ij->
		ii,i->i ii,ij->j ij,kl->ik ijkl,lk->ij ij,k->kij ijl,lk->kij io,oj->ij iz,zj->ij zi,ij->zj ,i->i i,->i iij,jk->ik
		ij,jk,kl->il i,j,ij-> ij,kj,lj->ikl i,i,i-> i,i,i->i ii,ij,j->i ij,jk,kl,li-> ,i,,ij->j iz,zj,jk->ik io,oj,jk->ok kl,ij,jk->li ijk,il,jl,kl->`) {
		check(t, s, s)
	}
	for written, s := range map[string]string{
		" i j , j k ": "ij,jk->ik", "ba": "ba->ab", "ii": "ii->", "ij,ij": "ij,ij->",
		"...i,ij->...j": "kli,ij->klj", "i...->...i": "ikl->kli", "...ij,...jk": "lij,ljk->lik", "...": "ijk->ijk", "...i->i...": "jki->ijk",
	} {
		size['a'], size['b'] = 2, 3
		check(t, s, written)
	}
	for range 60 { // random subscripts
		letters := []rune("ijkl")
		term := func(n int) (s string) {
			for range n {
				s += string(letters[r.IntN(4)])
			}
			return s
		}
		in := term(r.IntN(4))
		for range 1 + r.IntN(3) {
			in += "," + term(r.IntN(4))
		}
		out := ""
		for _, l := range letters {
			if strings.ContainsRune(in, l) && r.IntN(2) == 0 {
				out += string(l)
			}
		}
		s := in + "->" + out
		check(t, s, s)
	}
}

// TestEinsumBroadcasts checks that axes of size 1 repeat.
func TestEinsumBroadcasts(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct {
		s    string
		a, b []int
	}{
		{"ij,jk->ik", []int{2, 1}, []int{3, 4}},
		{"ij,jk->ik", []int{2, 3}, []int{1, 4}},
		{"ijk,ikl->ijl", []int{1, 2, 3}, []int{4, 3, 2}},
		{"ij,ij->i", []int{1, 3}, []int{2, 1}},
	} {
		a, b := drawn(r, c.a...), drawn(r, c.b...)
		got, dims := eval(t, op.Einsum(c.s, expr.Exp[float64](a), expr.Exp[float64](b)))
		want, shape := einsumByLoops(c.s, a, b)
		if !slices.Equal(dims, shape) || !slices.Equal(got, want) {
			t.Errorf("%s of %v and %v is %v of shape %v, want %v of shape %v", c.s, c.a, c.b, got, dims, want, shape)
		}
	}
}

// TestWrongSubscripts checks that texts without a meaning are errors that name the
// operator.
func TestWrongSubscripts(t *testing.T) {
	m := expr.Exp[float64](iota[float64](2, 3))
	for s, kind := range map[string]error{
		"": expr.ErrValue, "i": expr.ErrValue, "ijk": expr.ErrValue, "i1": expr.ErrValue, "ij,jk": expr.ErrValue, "ij->k": expr.ErrValue,
		"ij->ii": expr.ErrValue, "i...j...": expr.ErrValue, "ij->i->j": expr.ErrValue, "..ij": expr.ErrValue, "...ij->i.": expr.ErrValue,
		"...->": expr.ErrValue, "i...->i": expr.ErrValue, "ii": expr.ErrShape, "ié": expr.ErrValue, "\x00\xff": expr.ErrValue, "->": expr.ErrValue,
	} {
		n := op.Einsum(s, m).Node()
		fails(t, fmt.Sprintf("einsum %q", s), n, kind)
		if !strings.Contains(fmt.Sprint(n.Err()), "op.Einsum") {
			t.Errorf("the error of %q does not name the operator: %v", s, n.Err())
		}
	}
	fails(t, "sizes", op.Einsum("ij,ij->ij", m, expr.Exp[float64](iota[float64](2, 2))).Node(), expr.ErrShape)
	fails(t, "three matrices", op.Einsum("i,i,i", m, m, m).Node(), expr.ErrValue)
	fails(t, "two of three", op.Einsum("ij,ij", m, m, m).Node(), expr.ErrValue)
}

// TestEinsumOfMany multiplies many operands. The limit of processor time is hundreds of times
// what it takes; choosing the pairs anew after each product took a hundred seconds.
func TestEinsumOfMany(t *testing.T) {
	const n = 400
	v := expr.Exp[float64](iota[float64](3))
	more := slices.Repeat([]expr.Exp[float64]{v}, n-1)
	begin := testlevel.CPUTime()
	if e := op.Einsum("i"+strings.Repeat(",i", n-1)+"->", v, more...); e.Node().Err() != nil || len(e.Node().Shape()) != 0 {
		t.Errorf("%v of shape %v", e.Node().Err(), e.Node().Shape())
	}
	if d := testlevel.CPUTime() - begin; d > 30*time.Second {
		t.Errorf("%d operands take %v", n, d)
	}
}

// TestSumsOfProducts compares the other sums of products with einsum.
func TestSumsOfProducts(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	E := func(dims ...int) expr.Exp[float64] { return drawn(r, dims...) }
	a, b, v, w := E(2, 3, 4), E(4, 3, 5), E(4), E(4, 3)
	for name, c := range map[string][2]expr.Exp[float64]{
		"tensordot":          {op.TensorDot(a, b, []int{1, -1}, []int{1, 0}), op.Einsum("ijk,kjl->il", a, b)},
		"tensordot of none":  {op.TensorDot(v, v, nil, nil), op.Einsum("i,j->ij", v, v)},
		"tensordot, default": {expr.Of[float64](untyped.Compose("tensordot", untyped.Options{}, E(2, 3, 4).Node(), E(3, 4, 5).Node())), nil},
		"inner":              {op.Inner(a, E(4)), nil},
		"inner of matrices":  {op.Inner(a, a), op.Einsum("ijk,lmk->ijlm", a, a)},
		"vecdot":             {op.VecDot(a, a, 1), op.Einsum("ijk,ijk->ik", a, a)},
		"vdot":               {op.VDot(a, a), op.Einsum("ijk,ijk->", a, a)},
		"vecdot, broadcast":  {op.VecDot(a, v, -1), op.Einsum("ijk,k->ij", a, v)},
		"vecdot, own axes":   {op.VecDot(v, b, 0), op.Einsum("i,ijk->jk", v, b)},
		"vecdot, own axis 1": {op.VecDot(a, w, 1), op.Einsum("ijk,kj->ik", a, w)},
		"matvec":             {op.MatVec(a, v), op.Einsum("ijk,k->ij", a, v)},
		"vecmat":             {op.VecMat(E(3), a), nil},
	} {
		got, dims := eval(t, c[0])
		if c[1] == nil {
			continue
		}
		if want, shape := eval(t, c[1]); !slices.Equal(got, want) || !slices.Equal(dims, shape) {
			t.Errorf("%s is %v of shape %v, want %v of shape %v", name, got, dims, want, shape)
		}
	}
}

// TestEinsumSizes tests that an error of sizes names the subscript.
func TestEinsumSizes(t *testing.T) {
	a, b := iota[float64](2, 3), iota[float64](4, 5)
	for want, e := range map[string]expr.Exp[float64]{
		"the subscript 'j' has sizes 3 and 4":       op.Einsum[float64]("ij,jk->ik", a, b),
		"the subscript 'i' has sizes 2 and 3":       op.Einsum[float64]("ii", a),
		"axis -1 of the ellipsis has sizes 3 and 5": op.Einsum[float64]("i...,j...->...", a, b),
	} {
		if err := expr.NodeOf(e).Err(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
