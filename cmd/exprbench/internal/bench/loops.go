package bench

import "math"

type real interface{ float32 | float64 }

// loops are the hand-written forms of a workload: each makes, of the arrays, a
// function that computes the workload in one pass where that is possible.
type loops struct {
	f32 func(v vars[float32]) func()
	f64 func(v vars[float64]) func()
}

// vars are the arrays and scalars of a workload.
type vars[T real] struct {
	arrays  map[string][]T
	scalars map[string]float64
	dims    dims
}

func (v vars[T]) get(name string) []T { return v.arrays[name] }

func (v vars[T]) scalar(name string) T { return T(v.scalars[name]) }

func fn[T real](f func(float64) float64, x T) T { return T(f(float64(x))) }

func update[T real](v vars[T]) func() {
	w, g, eta, lam := v.get("w"), v.get("g"), v.scalar("eta"), v.scalar("lam")
	return func() {
		g := g[:len(w)]
		for i := range w {
			w[i] += -eta * (g[i] + lam*w[i])
		}
	}
}

func six[T real](v vars[T]) func() {
	y, b, c, d, e, f, g := v.get("y"), v.get("b"), v.get("c"), v.get("d"), v.get("e"), v.get("f"), v.get("g")
	return func() {
		b, c, d, e, f, g := b[:len(y)], c[:len(y)], d[:len(y)], e[:len(y)], f[:len(y)], g[:len(y)]
		for i := range y {
			y[i] = b[i]*c[i] + d[i]*e[i] - f[i]/g[i]
		}
	}
}

func add[T real](v vars[T]) func() {
	a, b, c := v.get("a"), v.get("b"), v.get("c")
	return func() {
		b, c := b[:len(a)], c[:len(a)]
		for i := range a {
			a[i] = b[i] + c[i]
		}
	}
}

func gelu[T real](v vars[T]) func() {
	y, x := v.get("y"), v.get("x")
	return func() {
		x := x[:len(y)]
		for i := range y {
			x := x[i]
			y[i] = .5 * x * (1 + fn(math.Tanh, .7978845608*(x+.044715*x*x*x)))
		}
	}
}

func sigmoid[T real](v vars[T]) func() {
	y, x := v.get("y"), v.get("x")
	return func() {
		x := x[:len(y)]
		for i := range y {
			y[i] = 1 / (1 + fn(math.Exp, -x[i]))
		}
	}
}

func hypot[T real](v vars[T]) func() {
	z, x, y := v.get("z"), v.get("x"), v.get("y")
	return func() {
		x, y := x[:len(z)], y[:len(z)]
		for i := range z {
			z[i] = fn(math.Sqrt, x[i]*x[i]+y[i]*y[i])
		}
	}
}

func blackScholes[T real](v vars[T]) func() {
	call, s, k, t, r, sigma := v.get("call"), v.get("S"), v.get("K"), v.get("T"), v.scalar("r"), v.scalar("sigma")
	return func() {
		s, k, t := s[:len(call)], k[:len(call)], t[:len(call)]
		for i := range call {
			vol := sigma * fn(math.Sqrt, t[i])
			d1 := (fn(math.Log, s[i]/k[i]) + (r+.5*sigma*sigma)*t[i]) / vol
			d2 := d1 - vol
			call[i] = .5*s[i]*(1+fn(math.Erf, d1/math.Sqrt2)) - .5*k[i]*fn(math.Exp, -r*t[i])*(1+fn(math.Erf, d2/math.Sqrt2))
		}
	}
}

func softmax[T real](v vars[T]) func() {
	y, x, c := v.get("y"), v.get("x"), v.dims['c']
	return func() {
		for at := 0; at < len(x); at += c {
			x, y := x[at:][:c], y[at:][:c]
			top := x[0]
			for _, e := range x {
				top = max(top, e)
			}
			var sum T
			for i, e := range x {
				y[i] = fn(math.Exp, e-top)
				sum += y[i]
			}
			for i := range y {
				y[i] /= sum
			}
		}
	}
}

func layerNorm[T real](v vars[T]) func() {
	y, x, gamma, beta, c := v.get("y"), v.get("x"), v.get("gamma"), v.get("beta"), v.dims['c']
	return func() {
		for at := 0; at < len(x); at += c {
			x, y, gamma, beta := x[at:][:c], y[at:][:c], gamma[:c], beta[:c]
			var sum, squares T
			for _, e := range x {
				sum += e
			}
			mean := sum / T(c)
			for _, e := range x {
				squares += (e - mean) * (e - mean)
			}
			sd := fn(math.Sqrt, squares/T(c)+1e-5)
			for i, e := range x {
				y[i] = (e-mean)/sd*gamma[i] + beta[i]
			}
		}
	}
}

// sumSqDiff adds in float64: in float32 the sum of a million terms in sequence
// has three digits.
func sumSqDiff[T real](v vars[T]) func() {
	s, a, b := v.get("s"), v.get("a"), v.get("b")
	return func() {
		b := b[:len(a)]
		sum := 0.
		for i := range a {
			d := float64(a[i] - b[i])
			sum += d * d
		}
		s[0] = T(sum)
	}
}

func adam[T real](v vars[T]) func() {
	w, m, vv, g := v.get("w"), v.get("m"), v.get("v"), v.get("g")
	b1, b2, lrt, eps := v.scalar("b1"), v.scalar("b2"), v.scalar("lrt"), v.scalar("eps")
	c1, c2 := T(1-v.scalars["b1"]), T(1-v.scalars["b2"])
	return func() {
		m, vv, g := m[:len(w)], vv[:len(w)], g[:len(w)]
		for i := range w {
			m[i] = b1*m[i] + c1*g[i]
			vv[i] = b2*vv[i] + c2*g[i]*g[i]
			w[i] -= lrt * m[i] / (fn(math.Sqrt, vv[i]) + eps)
		}
	}
}

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
