package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/shape"
)

// A generator writes random blocks in the form of cases.txt: shapes, steps, offsets and orders
// of axes that nobody chose.
type generator struct{ *rand.Rand }

// randomBlocks returns n random blocks.
func randomBlocks(n int, seed uint64) string {
	g := generator{rand.New(rand.NewPCG(seed, 0))}
	kinds := []func() []string{g.views, g.views, g.reduction, g.reduction, g.scan, g.joined, g.taken, g.rows, g.stores, g.repeated}
	var b strings.Builder
	for range n {
		text := kinds[g.IntN(len(kinds))]()
		for i, key := range []string{"kind", "on", "arrays", "text", "c"} {
			fmt.Fprintf(&b, "%s: %s\n", key, text[i])
		}
		b.WriteString("for: R=1\n\n")
	}
	return b.String()
}

func pickOf[T any](g generator, of ...T) T { return of[g.IntN(len(of))] }

// shape returns random extents of an array of 4000 to 400000 elements: most axes are short.
func (g generator) shape(rank int) shape.Shape {
	size := 4000 * math.Pow(100, g.Float64())
	dims := make(shape.Shape, rank)
	for {
		all := 1
		for i := range dims {
			dims[i] = int(math.Pow(size, g.Float64()*1.4/float64(rank)) + 1)
			if g.IntN(3) == 0 {
				dims[i] = 2 + g.IntN(18)
			}
		}
		long := g.IntN(rank)
		dims[long] = 1
		for _, d := range dims {
			all *= d
		}
		if dims[long] = max(int(size)/all, 2); all <= int(size) {
			return dims
		}
	}
}

func list(dims []int) string {
	return strings.Trim(strings.Join(strings.Fields(fmt.Sprint(dims)), ","), "[]")
}

// at returns the C index of coordinates a, b, c ... with steps. A step of 0 leaves one out.
func at(offset int, steps []int) string {
	s := fmt.Sprint(offset)
	for i, k := range steps {
		if k != 0 {
			s += fmt.Sprintf("+(%d)*%c", k, 'a'+i)
		}
	}
	return s
}

// loops returns the heads of C loops over some axes.
func loops(dims []int, axes ...int) (s string) {
	for _, i := range axes {
		s += fmt.Sprintf("F(%c,%d) ", 'a'+i, dims[i])
	}
	return s
}

// view returns an operand of shape dims: the array, the formula of the view, and its C index.
func (g generator) view(name string, dims shape.Shape) (array, text, index string) {
	perm := lists.UpTo(len(dims))
	if g.IntN(3) == 0 {
		perm = g.Perm(len(dims))
	}
	own, cuts, step, from := make(shape.Shape, len(dims)), make([]string, len(dims)), make([]int, len(dims)), make([]int, len(dims))
	sliced := false
	for i, d := range dims {
		k, lo, hi := pickOf(g, 1, 1, 1, 1, 1, 2, 3, -1, 4, -2), g.IntN(3), g.IntN(3)
		if g.IntN(2) == 0 {
			k, lo, hi = 1, 0, 0
		}
		if g.IntN(6) == 0 {
			own[perm[i]], cuts[i] = 1, ":"
			continue
		}
		n := lo + (d-1)*max(k, -k) + 1
		own[perm[i]], step[i], from[i] = n+hi, k, lo
		switch sliced = sliced || n+hi != d || k < 0; {
		case k > 0:
			cuts[i] = fmt.Sprintf("%d:%d:%d", lo, n, k)
		case lo > 0:
			cuts[i], from[i] = fmt.Sprintf("%d:%d:%d", n-1, lo-1, k), n-1
		default:
			cuts[i], from[i] = fmt.Sprintf("%d::%d", n-1, k), n-1
		}
	}
	offset, s := 0, own.Strides()
	for i := range dims {
		offset += from[i] * s[perm[i]]
		step[i] *= s[perm[i]]
	}
	text = name
	if !slices.IsSorted(perm) {
		text = fmt.Sprintf("transpose(%s, (%s))", name, list(perm))
	}
	if sliced {
		text += "[" + strings.Join(cuts, ",") + "]"
	}
	return name + "=" + list(own), text, name + "[" + at(offset, step) + "]"
}

func (g generator) views() []string {
	dims := g.shape(1 + g.IntN(5))
	x, xt, xc := g.view("x", dims)
	z, zt, zc := g.view("z", dims)
	y := "y=" + list(dims)
	to := "y[" + at(0, dims.Strides()) + "]"
	head := loops(dims, lists.UpTo(len(dims))...)
	if g.IntN(3) == 0 {
		return []string{"views", pickOf(g, "f32", "f64", "u8", "i32"), y + " " + x, fmt.Sprintf("y[...] = %s", xt), fmt.Sprintf("%s%s = %s;", head, to, xc)}
	}
	op := pickOf(g, "+", "*")
	return []string{"views", pickOf(g, "f32", "f64"), y + " " + x + " " + z, fmt.Sprintf("y[...] = %s %s %s", xt, op, zt), fmt.Sprintf("%s%s = %s %s %s;", head, to, xc, op, zc)}
}

func (g generator) reduction() []string {
	dims := g.shape(2 + g.IntN(3))
	rank := len(dims)
	var over, kept []int
	var left shape.Shape
	for len(over) == 0 || len(kept) == 0 {
		over, kept, left = nil, nil, nil
		for i, d := range dims {
			if g.IntN(2) == 0 {
				over = append(over, i)
			} else {
				kept, left = append(kept, i), append(left, d)
			}
		}
	}
	step, s := make([]int, rank), left.Strides()
	for k, i := range kept {
		step[i] = s[k]
	}
	first := rank // the last axes of over that are innermost
	for first > 0 && slices.Contains(over, first-1) {
		first--
	}
	to := "y[" + at(0, step) + "]"
	clear := fmt.Sprintf("F(a,%d) y[a] = 0; ", left.Size())
	add := func(s, x string) string { return s + " += " + x }
	name := "sum"
	if g.IntN(4) == 0 {
		name, clear = "max", strings.Replace(clear, "= 0", "= -2", 1)
		add = func(s, x string) string { return fmt.Sprintf("{ T v = %s; %s = v > %s ? v : %s; }", x, s, s, s) }
	}
	x := "x[" + at(0, dims.Strides()) + "]"
	c := clear + loops(dims, lists.UpTo(rank)...) + add(to, x) + ";"
	if first < rank { // a sum in a register
		c = fmt.Sprintf("%s%s{ T s = %s; %s%s; %s = s; }", clear, loops(dims, lists.UpTo(first)...), to, loops(dims, lists.UpTo(rank)[first:]...), add("s", x), to)
	}
	return []string{"reductions", pickOf(g, "f32", "f64"), "y=" + list(left) + " x=" + list(dims), fmt.Sprintf("y = %s(x, axis=(%s,))", name, list(over)), c}
}

func (g generator) scan() []string {
	dims := g.shape(1 + g.IntN(3))
	i, s := g.IntN(len(dims)), dims.Strides()
	all := lists.UpTo(len(dims))
	p := "[" + at(0, s) + "]"
	c := fmt.Sprintf("%sif (%c == 0) y%s = x%s; else y%s = y%s + x%s;", loops(dims, all...), 'a'+i, p, p, p, "["+at(-s[i], s)+"]", p)
	if i == len(dims)-1 {
		c = fmt.Sprintf("%s{ T s = 0; F(%c,%d) y%s = s += x%s; }", loops(dims, all[:i]...), 'a'+i, dims[i], p, p)
	}
	return []string{"scans", pickOf(g, "f32", "f64", "i32"), "y=" + list(dims) + " x=" + list(dims), fmt.Sprintf("y = cumsum(x, axis=%d)", i), c}
}

func (g generator) joined() []string {
	dims := g.shape(1 + g.IntN(3))
	i := g.IntN(len(dims))
	parts, total := make([]int, 2+g.IntN(2)), slices.Clone(dims)
	total[i] = 0
	arrays, names, c := "", []string{}, ""
	for k := range parts {
		own := slices.Clone(dims)
		own[i] = max(1, dims[i]*(1+g.IntN(4))/4)
		parts[k] = own[i]
		total[i] += own[i]
		arrays += fmt.Sprintf(" %c=%s", 'p'+k, list(own))
		names = append(names, fmt.Sprintf("%c", 'p'+k))
	}
	from, s := 0, total.Strides()
	for k, n := range parts {
		own := slices.Clone(dims)
		own[i] = n
		c += fmt.Sprintf("%sy[%s] = %c[%s]; ", loops(own, lists.UpTo(len(dims))...), at(from*s[i], s), 'p'+k, at(0, own.Strides()))
		from += n
	}
	return []string{"joined", pickOf(g, "f32", "f64", "u8"), "y=" + list(total) + arrays, fmt.Sprintf("y = concatenate((%s), axis=%d)", strings.Join(names, ","), i), c}
}

func (g generator) taken() []string {
	dims := g.shape(2)
	k, m := pickOf(g, dims[1], 1+g.IntN(20)), 100+g.IntN(5000)
	n := max(dims.Size()/max(k, 1)/4, 10)
	return []string{
		"taken", pickOf(g, "f32", "f64"), fmt.Sprintf("y=%d,%d x=%d,%d i=%d:i64:0..%d", n, k, m, k, n, m-1), "y = take(x, i, axis=0)",
		fmt.Sprintf("F(n,%d) F(k,%d) y[n*%d+k] = x[i[n]*%d+k];", n, k, k, k),
	}
}

func (g generator) rows() []string {
	dims := g.shape(2)
	dims[1] = min(dims[1], 2000)
	k, head := dims[1], loops(dims, 0)
	t, arrays := pickOf(g, "f32", "f64"), fmt.Sprintf("y=%s x=%s", list(dims), list(dims))
	mean := fmt.Sprintf("T m = 0, v = 0; F(j,%[1]d) m += x[a*%[1]d+j]; m /= %[1]d; F(j,%[1]d) v += (x[a*%[1]d+j]-m)*(x[a*%[1]d+j]-m);", k)
	switch g.IntN(3) {
	case 0:
		return []string{"rows", t, arrays, "y = layernorm(x)", fmt.Sprintf("%s{ %s v = SQRT(v/%d + (T)1e-5); F(j,%d) y[a*%d+j] = (x[a*%d+j]-m)/v; }", head, mean, k, k, k, k)}
	case 1:
		return []string{"rows", t, fmt.Sprintf("y=%d x=%s", dims[0], list(dims)), "y = var(x, axis=1)", fmt.Sprintf("%s{ %s y[a] = v/%d; }", head, mean, k)}
	}
	return []string{
		"rows", t, arrays, "y = softmax(x)",
		fmt.Sprintf("%s{ T m = x[a*%[2]d], s = 0; F(j,%[2]d) m = x[a*%[2]d+j] > m ? x[a*%[2]d+j] : m; F(j,%[2]d) s += y[a*%[2]d+j] = EXP(x[a*%[2]d+j]-m); F(j,%[2]d) y[a*%[2]d+j] /= s; }", head, k),
	}
}

// stores returns a store to every k-th element, or to one field of records after the other.
func (g generator) stores() []string {
	k, n := 2+g.IntN(4), g.shape(1)[0]
	t := pickOf(g, "f32", "f64")
	if g.IntN(2) == 0 {
		o := g.IntN(k)
		return []string{"stores", t, fmt.Sprintf("y=%d x=%d z=%d", n*k, n, n), fmt.Sprintf("y[%d::%d] = x - z", o, k), fmt.Sprintf("F(i,%d) y[i*%d+%d] = x[i] - z[i];", n, k, o)}
	}
	var names []string
	arrays, c := fmt.Sprintf("y=%d,%d", n, k), fmt.Sprintf("F(i,%d) { ", n)
	for j := range k {
		names = append(names, fmt.Sprintf("%c*2", 'p'+j))
		arrays += fmt.Sprintf(" %c=%d", 'p'+j, n)
		c += fmt.Sprintf("y[i*%d+%d] = %c[i]*2; ", k, j, 'p'+j)
	}
	return []string{"stores", t, arrays, fmt.Sprintf("y = stack((%s), axis=-1)", strings.Join(names, ",")), c + "}"}
}

// repeated returns a roll or a pad.
func (g generator) repeated() []string {
	dims := g.shape(1 + g.IntN(2))
	i, s, t := g.IntN(len(dims)), dims.Strides(), pickOf(g, "f32", "f64")
	all := lists.UpTo(len(dims))
	if g.IntN(2) == 0 {
		by := 1 + g.IntN(dims[i])
		if by == dims[i] {
			by = 1
		}
		parts := [2][]int{slices.Clone(dims), slices.Clone(dims)}
		parts[0][i], parts[1][i] = dims[i]-by, by
		return []string{
			"repeated", t, "y=" + list(dims) + " x=" + list(dims), fmt.Sprintf("y = roll(x, %d, axis=%d)", by, i),
			fmt.Sprintf("%sy[%s] = x[%s]; %sy[%s] = x[%s];", loops(parts[0], all...), at(by*s[i], s), at(0, s), loops(parts[1], all...), at(0, s), at((dims[i]-by)*s[i], s)),
		}
	}
	by := 1 + g.IntN(3)
	to, offset := slices.Clone(dims), 0
	for k := range to {
		to[k] += 2 * by
	}
	for _, k := range to.Strides() {
		offset += by * k
	}
	return []string{
		"repeated", t, "y=" + list(to) + " x=" + list(dims), fmt.Sprintf("y = pad(x, %d)", by),
		fmt.Sprintf("F(a,%d) y[a] = 0; %sy[%s] = x[%s];", to.Size(), loops(dims, all...), at(offset, to.Strides()), at(0, s)),
	}
}
