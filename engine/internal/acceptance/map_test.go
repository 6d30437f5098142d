package acceptance

import (
	"math"
	"testing"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/op/untyped"
)

// A mapCase is an element-wise case: its outputs at one point are known.
type mapCase[T expr.Float] struct {
	name string
	at   []float64
	f    func(x []E[T]) []E[T]
	want []float64
	cut  bool   // may be too large for one loop
	no16 string // why float16 cannot hold the case
}

func mapCases[T expr.Float]() []mapCase[T] {
	const gas = 8.31446261815324 // J/(mol K): the Boltzmann times the Avogadro constant, both exact
	return []mapCase[T]{
		{
			name: "01 Black-Scholes", at: []float64{100, 100, 1, .05, .2},
			f:    func(x []E[T]) []E[T] { return blackScholes(x[0], x[1], x[2], x[3], x[4]) },
			want: []float64{10.450583572185565, 5.573526022256971, .6368306511756191, 37.52403469169379},
		},
		{
			name: "02 Black-Scholes, Hull's", at: []float64{42, 40, .5, .1, .2},
			f:    func(x []E[T]) []E[T] { return blackScholes(x[0], x[1], x[2], x[3], x[4])[:1] },
			want: []float64{4.759422392871535},
		},
		{
			name: "04 mortgage", at: []float64{.05 / 12, 360, 200000},
			f: func(x []E[T]) []E[T] {
				growth := op.Pow(op.AddScalar(x[0], 1), op.Neg(x[1]))
				return []E[T]{op.Div(op.Mul(x[2], x[0]), op.Sub(num[T](1), growth))}
			},
			want: []float64{1073.6432460242797},
			no16: "the principal is above 65504",
		},
		{
			name: "05 Planck radiance", at: []float64{500e-9, 5778},
			f: func(x []E[T]) []E[T] {
				const h, c, k = 6.62607015e-34, 299792458, 1.380649e-23
				l2 := op.Square(x[0])
				l5 := op.Mul(op.Square(l2), x[0])
				e := op.Expm1(op.Div(num[T](h*c/k), op.Mul(x[0], x[1])))
				return []E[T]{op.Div(num[T](2*h*c*c), op.Mul(l5, e))}
			},
			want: []float64{26375669866614.81},
			no16: "metres and the constants are below its least number",
		},
		{
			name: "06 haversine", at: []float64{36.12, -86.67, 33.94, -118.40},
			f: func(x []E[T]) []E[T] {
				rad := func(a E[T]) E[T] { return op.Scale(math.Pi/180, a) }
				hav := func(a, b E[T]) E[T] { return op.Square(op.Sin(op.Scale(.5, rad(op.Sub(a, b))))) }
				a := op.Add(hav(x[2], x[0]), op.Mul(op.Mul(op.Cos(rad(x[0])), op.Cos(rad(x[2]))), hav(x[3], x[1])))
				return []E[T]{op.Scale(2*6372.8, arcsine(op.Sqrt(a)))}
			},
			want: []float64{2887.259950607111},
			cut:  true,
		},
		{
			name: "07 Lennard-Jones", at: []float64{1.5},
			f:    func(x []E[T]) []E[T] { return []E[T]{lennardJones(op.Square(x[0]))} },
			want: []float64{-.32033659427857464},
		},
		{
			name: "08 Lorenz", at: []float64{1, 1, 1},
			f:    func(x []E[T]) []E[T] { return lorenzStep(x, .01) },
			want: []float64{1.0125671910736112, 1.2599177989452743, .9848909717916053},
		},
		{
			name: "11 Maxwell-Boltzmann", at: []float64{300, 500},
			f: func(x []E[T]) []E[T] {
				a := op.Div(num[T](28.0134e-3/gas), x[0])
				v2 := op.Square(x[1])
				norm := op.Mul(op.Scale(math.Sqrt(2/math.Pi), a), op.Sqrt(a))
				return []E[T]{op.Mul(op.Mul(norm, v2), op.Exp(op.Scale(-.5, op.Mul(a, v2))))}
			},
			want: []float64{.0018442159419083946},
		},
		{
			name: "11 Magnus", at: []float64{20},
			f: func(x []E[T]) []E[T] {
				return []E[T]{op.Scale(6.1094, op.Exp(op.Div(op.Scale(17.625, x[0]), op.AddScalar(x[0], 243.04))))}
			},
			want: []float64{23.334406230993576},
		},
		{
			name: "13 sigmoid", at: []float64{1000, -1000},
			f: func(x []E[T]) []E[T] {
				return []E[T]{op.Sigmoid(x[0]), op.Sigmoid(x[1]), op.Reciprocal(op.AddScalar(op.Exp(op.Neg(x[0])), 1)), op.Reciprocal(op.AddScalar(op.Exp(op.Neg(x[1])), 1))}
			},
			want: []float64{1, 0, 1, 0},
		},
		{
			name: "14 GELU", at: []float64{1},
			f: func(x []E[T]) []E[T] {
				inner := op.Add(x[0], op.Mul(op.Scale(.044715, x[0]), op.Square(x[0])))
				spelt := op.Mul(op.Scale(.5, x[0]), op.AddScalar(op.Tanh(op.Scale(math.Sqrt(2/math.Pi), inner)), 1))
				return []E[T]{op.Gelu(x[0]), op.Mul(x[0], cdf(x[0])), op.GeluTanh(x[0]), spelt}
			},
			want: []float64{.8413447460685429, .8413447460685429, .8411919906082768, .8411919906082768},
		},
		{
			name: "16 Rosenbrock", at: []float64{-1.2, 1},
			f: func(x []E[T]) []E[T] {
				a, b := op.Sub(num[T](1), x[0]), op.Sub(x[1], op.Square(x[0]))
				return []E[T]{
					op.Add(op.Square(a), op.Scale(100, op.Square(b))),
					op.Sub(op.Scale(-2, a), op.Scale(400, op.Mul(x[0], b))),
					op.Scale(200, b),
				}
			},
			want: []float64{24.2, -215.6, -88},
		},
		{
			name: "18 luma", at: []float64{200, 100, 50},
			f:    func(x []E[T]) []E[T] { return []E[T]{luma(x[0], x[1], x[2])} },
			want: []float64{117.65},
		},
		{
			name: "18 sRGB", at: []float64{.5},
			f: func(x []E[T]) []E[T] {
				curve := op.Pow(op.Scale(1/1.055, op.AddScalar(x[0], .055)), num[T](2.4))
				return []E[T]{op.Where(op.LessEqual(x[0], num[T](.04045)), op.Scale(1/12.92, x[0]), curve)}
			},
			want: []float64{.21404114048223255},
		},
		{
			name: "19 normal cdf", at: []float64{1.96},
			f:    func(x []E[T]) []E[T] { return []E[T]{cdf(x[0])} },
			want: []float64{.9750021048517795},
		},
	}
}

func cdf[T expr.Float](x E[T]) E[T] {
	return op.Scale(.5, op.AddScalar(op.Erf(op.Scale(1/math.Sqrt2, x)), 1))
}

// blackScholes is the call, the put, the call's delta and the vega.
func blackScholes[T expr.Float](s, k, t, r, sigma E[T]) []E[T] {
	root := op.Mul(sigma, op.Sqrt(t))
	drift := op.Mul(op.Add(r, op.Scale(.5, op.Square(sigma))), t)
	d1 := op.Div(op.Add(op.Log(op.Div(s, k)), drift), root)
	d2 := op.Sub(d1, root)
	discounted := op.Mul(k, op.Exp(op.Neg(op.Mul(r, t))))
	density := op.Scale(1/math.Sqrt(2*math.Pi), op.Exp(op.Scale(-.5, op.Square(d1))))
	return []E[T]{
		op.Sub(op.Mul(s, cdf(d1)), op.Mul(discounted, cdf(d2))),
		op.Sub(op.Mul(discounted, cdf(op.Neg(d2))), op.Mul(s, cdf(op.Neg(d1)))),
		cdf(d1),
		op.Mul(op.Mul(s, density), op.Sqrt(t)),
	}
}

// arcsine is that of the table, or Newton's method on the sine where the table
// has none.
func arcsine[T expr.Float](x E[T]) E[T] {
	if row, ok := untyped.Lookup("asin"); ok {
		return expr.Of[T](untyped.Apply(row, x.Node()))
	}
	y := x
	for range 3 {
		y = op.Add(y, op.Div(op.Sub(x, op.Sin(y)), op.Cos(y)))
	}
	return y
}

func lennardJones[T expr.Float](r2 E[T]) E[T] {
	s3 := op.Reciprocal(op.Mul(op.Square(r2), r2))
	return op.Scale(4, op.Sub(op.Square(s3), s3))
}

// lorenzStep is a step of the classical Runge-Kutta method for the Lorenz
// system with sigma 10, rho 28, beta 8/3.
func lorenzStep[T expr.Float](x []E[T], h float64) []E[T] {
	slope := func(x []E[T]) []E[T] {
		return []E[T]{
			op.Scale(10, op.Sub(x[1], x[0])),
			op.Sub(op.Mul(x[0], op.Sub(num[T](28), x[2])), x[1]),
			op.Sub(op.Mul(x[0], x[1]), op.Scale(8./3, x[2])),
		}
	}
	move := func(k []E[T], h float64) []E[T] {
		out := make([]E[T], 3)
		for i := range out {
			out[i] = op.Add(x[i], op.Scale(h, k[i]))
		}
		return out
	}
	k1 := slope(x)
	k2 := slope(move(k1, h/2))
	k3 := slope(move(k2, h/2))
	k4 := slope(move(k3, h))
	sum := make([]E[T], 3)
	for i := range sum {
		sum[i] = op.Add(op.Add(k1[i], k4[i]), op.Scale(2, op.Add(k2[i], k3[i])))
	}
	return move(sum, h/6)
}

func luma[T expr.Float](r, g, b E[T]) E[T] {
	return op.Add(op.Add(op.Scale(.2126, r), op.Scale(.7152, g)), op.Scale(.0722, b))
}

// known reports whether position i of n holds the point with known results; the
// others are near it, so that neighbours differ.
func known(i, n int) bool { return i%5 == 0 || i == n-1 }

func (c mapCase[T]) build(w *world[T]) program {
	var x, y []E[T]
	for k, v := range c.at {
		vals := make([]float64, w.n)
		for i := range vals {
			if vals[i] = v; !known(i, w.n) {
				vals[i] = v * (1 + float64((i*(k+3))%17)/64)
			}
		}
		x = append(x, w.in(vals, w.dims()...))
	}
	p := program{loop: !c.cut}
	for _, e := range c.f(x) {
		o := w.out(w.dims()...)
		y = append(y, o)
		p.stmts = append(p.stmts, expr.Let[T](o, e))
	}
	p.check = func(t *testing.T) {
		for k := range y {
			for i, v := range values(y[k].(interface{ Values() []T })) {
				if known(i, w.n) {
					near(t, c.name, v, c.want[k], tolerance[T]())
				}
			}
		}
	}
	return p
}

func TestMaps(t *testing.T) {
	testMaps[float64](t)
	testMaps[float32](t)
	testMaps[expr.Float16](t)
}

func testMaps[T expr.Float](t *testing.T) {
	typ := dtype.Of[T]()
	for i, c := range mapCases[T]() {
		t.Run(c.name+" "+typ.String(), func(t *testing.T) {
			if c.no16 != "" && typ == dtype.F16 {
				t.Skip("float16:", c.no16)
			}
			run(t, c.build, lengths...)
			if typ == dtype.F32 || i == 0 && typ == dtype.F64 {
				million(t, c.build)
			}
		})
	}
}
