package bench

import "math"

func addTransposed[T real](v vars[T]) func() {
	a, b, c, n := v.get("A"), v.get("B"), v.get("C"), v.dims['c']
	return func() {
		for i := range n {
			a, b := a[i*n:][:n], b[i*n:][:n]
			for j := range a {
				a[j] = b[j] + c[j*n+i]
			}
		}
	}
}

func broadcast[T real](v vars[T]) func() {
	y, x, row, col, n := v.get("Y"), v.get("X"), v.get("row"), v.get("col"), v.dims['c']
	return func() {
		for i, k := range col {
			y, x, row := y[i*n:][:n], x[i*n:][:n], row[:n]
			for j := range y {
				y[j] = x[j]*row[j] + k
			}
		}
	}
}

func stencil[T real](v vars[T]) func() {
	out, u, k, n := v.get("v"), v.get("u"), v.scalar("k"), v.dims['c']
	return func() {
		for i := 1; i < n-1; i++ {
			up, at, down, out := u[(i-1)*n:][:n], u[i*n:][:n], u[(i+1)*n:][:n], out[i*n:][:n]
			for j := 1; j < n-1; j++ {
				out[j] = at[j] + k*(up[j]+down[j]+at[j-1]+at[j+1]-4*at[j])
			}
		}
	}
}

func dense[T real](v vars[T]) func() {
	c, a, b, bias, n := v.get("C"), v.get("A"), v.get("B"), v.get("bias"), v.dims['c']
	return func() {
		for i := range n {
			out := c[i*n:][:n]
			clear(out)
			for k := range n {
				x, b := a[i*n+k], b[k*n:][:n]
				for j := range out {
					out[j] += x * b[j]
				}
			}
			for j := range out {
				out[j] = max(out[j]+bias[j], 0)
			}
		}
	}
}

func attention[T real](v vars[T]) func() {
	y, q, keys, values, n, width := v.get("y"), v.get("q"), v.get("k"), v.get("v"), v.dims['c'], v.dims['d']
	s := make([]T, n)
	return func() {
		for at := 0; at < len(q); at += width {
			q, y := q[at:][:width], y[at:][:width]
			top := T(math.Inf(-1))
			for j := range s {
				k := keys[j*width:][:width]
				var sum T
				for i, x := range q {
					sum += x * k[i]
				}
				s[j] = sum * .125
				top = max(top, s[j])
			}
			var sum T
			for j, x := range s {
				s[j] = fn(math.Exp, x-top)
				sum += s[j]
			}
			clear(y)
			for j, x := range s {
				x /= sum
				for i, e := range values[j*width:][:width] {
					y[i] += x * e
				}
			}
		}
	}
}

func conv[T real](v vars[T]) func() {
	y, x, w := v.get("y"), v.get("x"), v.get("w")
	rows, cols, channels := v.dims['r'], v.dims['c'], v.dims['i']
	return func() {
		clear(y)
		for at := range len(w) / 9 {
			out, in := y[at/channels*rows*cols:][:rows*cols], x[at%channels*rows*cols:][:rows*cols]
			for e, weight := range w[at*9:][:9] {
				di, dj := e/3-1, e%3-1
				for i := max(0, -di); i < min(rows, rows-di); i++ {
					from, to := in[(i+di)*cols:][:cols], out[i*cols:][:cols]
					for j := max(0, -dj); j < min(cols, cols-dj); j++ {
						to[j] += weight * from[j+dj]
					}
				}
			}
		}
		for i := range y {
			y[i] = max(y[i], 0)
		}
	}
}
