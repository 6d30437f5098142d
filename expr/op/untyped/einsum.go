package untyped

import (
	"fmt"
	"slices"
	"strings"

	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/shape"
)

// This file has the sums of products: Einstein's notation and what it can say.
// They are transposes, products of matrices and sums, so their gradients are
// products too.

// A factor is an operand of a sum of products, with a label for each axis.
// Labels of letters are positive. Labels of an ellipsis are negative: -1 is the
// last of its axes.
type factor struct {
	*tree.Node
	labels []int
}

// einsum reads the subscripts from o.Text.
func einsum(o Options, x ...*tree.Node) *tree.Node {
	left, right, explicit := strings.Cut(strings.ReplaceAll(o.Text, " ", ""), "->")
	terms := strings.Split(left, ",")
	stopIf(len(terms) != len(x), wrong, "the subscripts %.100q are for %d operands, not %d", o.Text, len(terms), len(x))
	var factors []factor
	var dots int
	count := map[int]int{}
	for i, term := range terms {
		labels, ellipsis := subscripts(term, len(x[i].Shape()))
		factors, dots = append(factors, factor{x[i], labels}), max(dots, ellipsis)
		for _, l := range labels {
			count[l]++
		}
	}
	if !explicit {
		return sumOfProducts(factors, implicitOutput(count, dots))
	}
	letters, whole, _ := strings.Cut(right, "...")
	out, _ := subscripts(right, len(letters)+len(whole)+dots)
	for i, l := range out {
		stopIf(l > 0 && count[l] == 0, wrong, "the subscripts %.100q have no operand with %q", o.Text, rune(l))
		stopIf(slices.Contains(out[:i], l), wrong, "the result of the subscripts %.100q has %q twice", o.Text, rune(l))
	}
	stopIf(dots > 0 && !strings.Contains(right, "..."), wrong, "the result of the subscripts %.100q lacks the ellipsis", o.Text)
	return sumOfProducts(factors, out)
}

// wrong returns a node with an ErrValue. Compose adds the name.
func wrong(format string, args ...any) *tree.Node {
	return tree.Errorf(tree.ErrValue, "", format, args...)
}

// subscripts returns the labels of a term for an operand of a rank, and the
// number of axes of its ellipsis.
func subscripts(term string, rank int) (labels []int, ellipsis int) {
	before, after, dotted := strings.Cut(term, "...")
	letters := before + after
	for _, r := range letters {
		stopIf(!('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'), wrong, "%q is no subscript in %q", r, term)
	}
	ellipsis = rank - len(letters)
	stopIf(ellipsis < 0 || ellipsis > 0 && !dotted, wrong, "the subscripts %.100q do not fit an operand of rank %d", term, rank)
	label := func(r rune) int { return int(r) }
	return slices.Concat(lists.Map([]rune(before), label), fromEnd(ellipsis), lists.Map([]rune(after), label)), ellipsis
}

// implicitOutput returns the labels of a result that is not stated: the axes of
// the ellipsis, then the letters that occur once, in the order of the alphabet.
func implicitOutput(count map[int]int, dots int) (out []int) {
	out = fromEnd(dots)
	for l := 'A'; l <= 'z'; l++ {
		if count[int(l)] == 1 {
			out = append(out, int(l))
		}
	}
	return out
}

// fromEnd returns the last n axes, counted from the end: -n to -1.
func fromEnd(n int) []int { return lists.Map(lists.UpTo(n), func(i int) int { return i - n }) }

// labelled names the axes of a label in an error.
func labelled(l int) string {
	if l < 0 {
		return fmt.Sprintf("axis %d of the ellipsis", l)
	}
	return fmt.Sprintf("the subscript %q", rune(l))
}

// sumOfProducts returns the product of factors, summed over the labels that out
// lacks. It multiplies two factors at a time: the two whose product, summed over
// the labels that nothing else has, has the fewest elements. Among equals it takes
// the first factors.
func sumOfProducts(factors []factor, out []int) *tree.Node {
	sizes := map[int]int{}
	for i := range factors {
		f := &factors[i]
		f.diagonals()
		for k, l := range f.labels {
			d := f.Shape()[k]
			switch have, ok := sizes[l]; {
			case !ok || have == 1:
				sizes[l] = d
			case d != have && d != 1:
				return misshapen("%s has sizes %d and %d", labelled(l), have, d)
			}
		}
	}
	for i := range factors {
		factors[i].drop(func(axis, label int) bool { return factors[i].Shape()[axis] != sizes[label] }, false)
	}
	c := contraction{sizes: sizes, uses: map[int]int{}}
	for _, l := range out {
		c.uses[l]++
	}
	for _, f := range factors {
		c.count(f.labels, 1)
	}
	for i := range factors {
		f := &factors[i]
		f.drop(func(_, l int) bool { return c.uses[l] == 1 && !slices.Contains(out, l) }, true)
		c.add(*f)
	}
	for len(c.factors) > 2 {
		c.multiply()
	}
	if len(c.factors) == 1 {
		return c.factors[0].arranged(out)
	}
	return product2(c.factors[0], c.factors[1], out)
}

// A contraction has the factors that are left of a sum of products.
type contraction struct {
	factors  []factor
	sizes    map[int]int // of the axes, by label
	uses     map[int]int // by label: how many factors have it, and 1 if the result has it
	products [][]float64 // by two factors, the later one first: the elements of their product
}

// count adds n to the uses of labels.
func (c *contraction) count(labels []int, n int) {
	for _, l := range labels {
		c.uses[l] += n
	}
}

// add appends a factor whose labels are counted.
func (c *contraction) add(f factor) {
	row := make([]float64, len(c.factors))
	for i, g := range c.factors {
		row[i] = 1
		for _, l := range c.labels(g, f) {
			row[i] *= float64(c.sizes[l])
		}
	}
	c.factors, c.products = append(c.factors, f), append(c.products, row)
}

// multiply replaces the two factors whose product has the fewest elements by the
// product. The products of other factors keep their labels: a
// label of a replaced factor that one of them has is a label of the product.
func (c *contraction) multiply() {
	i, j := 0, 1
	for l, row := range c.products {
		for k, size := range row {
			if size < c.products[j][i] {
				i, j = k, l
			}
		}
	}
	a, b := c.factors[i], c.factors[j]
	labels := c.labels(a, b)
	p := sound(product2(a, b, labels))
	for _, k := range []int{j, i} {
		c.factors, c.products = slices.Delete(c.factors, k, k+1), slices.Delete(c.products, k, k+1)
		for l := k; l < len(c.products); l++ {
			c.products[l] = slices.Delete(c.products[l], k, k+1)
		}
	}
	c.count(a.labels, -1)
	c.count(b.labels, -1)
	c.count(labels, 1)
	c.add(factor{p, labels})
}

// labels returns the labels of the product of a and b, which the result or other
// factors have: those of both, then those of a, then those of b.
func (c *contraction) labels(a, b factor) (labels []int) {
	add := func(of, other factor, both bool) {
		for _, l := range of.labels {
			inOther := slices.Contains(other.labels, l)
			if inOther == both && (c.uses[l] > 2 || !inOther && c.uses[l] > 1) {
				labels = append(labels, l)
			}
		}
	}
	add(a, b, true)
	add(a, b, false)
	add(b, a, false)
	return labels
}

// diagonals replaces axes with equal labels by the diagonal.
func (f *factor) diagonals() {
	for j := 1; j < len(f.labels); j++ {
		l := f.labels[j]
		i := slices.Index(f.labels, l)
		if i == j {
			continue
		}
		if n, m := f.Shape()[i], f.Shape()[j]; n != m {
			panic(stop{misshapen("%s has sizes %d and %d in one operand", labelled(l), n, m)})
		}
		f.Node = sound(diagonal(Options{Axes: []int{i, j}}, f.Node))
		f.labels = slices.Delete(slices.Delete(f.labels, j, j+1), i, i+1)
		f.labels = append(f.labels, l)
		j = 0
	}
}

// drop removes the axes that f selects: it sums over them, or they have size 1.
func (f *factor) drop(selects func(axis, label int) bool, sum bool) {
	var axes, labels []int
	for i, l := range f.labels {
		if selects(i, l) {
			axes = append(axes, i)
		} else {
			labels = append(labels, l)
		}
	}
	if sum && len(axes) > 0 {
		f.Node = Reduce("sum", f.Node, Options{Axes: axes, Keep: true})
	}
	f.Node, f.labels = sound(dropAxes(f.Node, axes)), labels
}

// arranged returns the factor with its axes in the order of groups of labels. A
// label that it lacks gives an axis of size 1.
func (f *factor) arranged(groups ...[]int) *tree.Node {
	order := slices.Concat(groups...)
	axes := lists.Map(order, func(l int) int { return slices.Index(f.labels, l) })
	if slices.Equal(axes, lists.UpTo(len(f.labels))) {
		return f.Node
	}
	return Transpose(f.Node, axes)
}

// sizes returns the extents of labels.
func (f *factor) sizes(labels []int) shape.Shape {
	return lists.Map(labels, func(l int) int { return f.Shape()[slices.Index(f.labels, l)] })
}

// product2 returns the product of two factors. Without a common label to sum over
// it is element-wise, and without labels of one factor only it is a sum of such
// products. All others are products of matrices.
func product2(a, b factor, out []int) *tree.Node {
	var batch, rows, columns []int
	for _, l := range out {
		switch inA, inB := slices.Contains(a.labels, l), slices.Contains(b.labels, l); {
		case inA && inB:
			batch = append(batch, l)
		case inA:
			rows = append(rows, l)
		default:
			columns = append(columns, l)
		}
	}
	inner := slices.DeleteFunc(slices.Clone(a.labels), func(l int) bool { return slices.Contains(out, l) })
	switch {
	case len(inner) == 0:
		return Call("mul", a.arranged(out), b.arranged(out))
	case len(rows) == 0 && len(columns) == 0:
		p := Call("mul", a.arranged(out, inner), b.arranged(out, inner))
		return Reduce("sum", p, Options{Axes: lists.UpTo(len(out) + len(inner))[len(out):]})
	case len(rows) > 0 && len(columns) > 0 && slices.Index(out, columns[0]) < slices.Index(out, rows[0]):
		return product2(b, a, out)
	}
	stack, m, n, k := a.sizes(batch), a.sizes(rows), b.sizes(columns), a.sizes(inner).Size()
	x := reshaped(a.arranged(batch, rows, inner), slices.Concat(stack, shape.Shape{m.Size(), k}))
	y := reshaped(b.arranged(batch, inner, columns), slices.Concat(stack, shape.Shape{k, n.Size()}))
	p := reshaped(MatMul(x, y), slices.Concat(stack, m, n))
	r := factor{sound(p), slices.Concat(batch, rows, columns)}
	return r.arranged(out)
}

func reshaped(a *tree.Node, to shape.Shape) *tree.Node {
	if a.Err() != nil || a.Shape().Equal(to) {
		return a
	}
	return Reshape(a, to)
}

// tensorDot sums over the axes o.Axes of the first operand and o.Ints of the
// second. Without o.Axes, these are the last and the first o.Ints[0] axes, or 2.
func tensorDot(o Options, x ...*tree.Node) *tree.Node {
	a, b := x[0].Shape(), x[1].Shape()
	from, to := o.Axes, o.Ints
	if o.Axes == nil {
		n := o.int(0, 2)
		stopIf(n < 0 || n > len(a) || n > len(b), misshapen, "%d axes cannot be summed over for ranks %d and %d", n, len(a), len(b))
		from, to = lists.UpTo(len(a))[len(a)-n:], lists.UpTo(n)
	}
	from, err := shape.Order(from, len(a))
	to, err2 := shape.Order(to, len(b))
	stopIf(err != nil || err2 != nil || len(from) != len(to), misshapen, "axes %v and %v cannot be summed over for ranks %d and %d", o.Axes, o.Ints, len(a), len(b))
	f, g := factor{x[0], nil}, factor{x[1], nil}
	var out []int
	for i := range a {
		f.labels = append(f.labels, i+1)
		if !slices.Contains(from, i) {
			out = append(out, i+1)
		}
	}
	for i := range b {
		l := len(a) + 1 + i
		if k := slices.Index(to, i); k < 0 {
			out = append(out, l)
		} else if l = from[k] + 1; a[from[k]] != b[i] {
			return misshapen("axes of sizes %d and %d cannot be summed over together", a[from[k]], b[i])
		}
		g.labels = append(g.labels, l)
	}
	return sumOfProducts([]factor{f, g}, out)
}

// inner sums over the last axes. A scalar multiplies.
func inner(_ Options, x ...*tree.Node) *tree.Node {
	if len(x[0].Shape()) == 0 || len(x[1].Shape()) == 0 {
		return Call("mul", x[0], x[1])
	}
	return tensorDot(Options{Axes: []int{-1}, Ints: []int{-1}}, x...)
}

// vecDot sums the products of the conjugate of x[0] and x[1] along an axis, by default the last.
func vecDot(o Options, x ...*tree.Node) *tree.Node {
	o = o.orAxes(-1)
	stopIf(len(o.Axes) != 1, misshapen, "%d axes are given, not 1", len(o.Axes))
	axes := [2]int{} // from the last, because axes are broadcast from there
	for i, a := range x {
		axes[i] = valid(shape.Axis(o.Axes[0], len(a.Shape()))) - len(a.Shape())
	}
	a, b, axis := x[0], x[1], max(axes[0], axes[1])
	stopIf(a.Shape()[axes[0]+len(a.Shape())] != b.Shape()[axes[1]+len(b.Shape())], misshapen, "the vectors of shapes %v and %v differ", a.Shape(), b.Shape())
	a, b = moveAxis(Options{Axes: axes[:1], Ints: []int{axis}}, a), moveAxis(Options{Axes: axes[1:], Ints: []int{axis}}, b)
	return Reduce("sum", Call("mul", conjugate(a), b), Options{Axes: []int{axis}})
}

// vdot sums the products of all elements of the conjugate of x[0] and of x[1].
func vdot(o Options, x ...*tree.Node) *tree.Node {
	return tensorDot(Options{Ints: []int{1}}, conjugate(flatten(o, x[0])), flatten(o, x[1]))
}

// matVec multiplies matrices and vectors in the last axes.
func matVec(_ Options, x ...*tree.Node) *tree.Node {
	a, b := x[0].Shape(), x[1].Shape()
	stopIf(len(a) < 2 || len(b) < 1, misshapen, "operands of shapes %v and %v are no matrix and vector", a, b)
	stopIf(a[len(a)-1] != b[len(b)-1], misshapen, "inner dimensions of %v and %v differ", a, b)
	p := MatMul(x[0], withAxis(x[1], -1))
	return squeeze(Options{Axes: []int{-1}}, p)
}

// vecMat multiplies vectors and matrices in the last axes, and takes the vectors conjugate.
func vecMat(_ Options, x ...*tree.Node) *tree.Node {
	a, b := x[0].Shape(), x[1].Shape()
	stopIf(len(a) < 1 || len(b) < 2, misshapen, "operands of shapes %v and %v are no vector and matrix", a, b)
	stopIf(a[len(a)-1] != b[len(b)-2], misshapen, "inner dimensions of %v and %v differ", a, b)
	p := MatMul(withAxis(conjugate(x[0]), -2), x[1])
	return squeeze(Options{Axes: []int{-2}}, p)
}
