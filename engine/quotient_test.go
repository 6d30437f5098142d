package engine_test

import (
	"context"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
)

// TestUniformQuotients divides by a scalar: numbers at both ends, beside powers of two, and beside multiples.
func TestUniformQuotients(t *testing.T) {
	t.Run("int8", testUniformQuotients[int8])
	t.Run("uint8", testUniformQuotients[uint8])
	t.Run("int16", testUniformQuotients[int16])
	t.Run("uint16", testUniformQuotients[uint16])
	t.Run("int32", testUniformQuotients[int32])
	t.Run("uint32", testUniformQuotients[uint32])
	t.Run("int64", testUniformQuotients[int64])
	t.Run("uint64", testUniformQuotients[uint64])
}

// floorDivide returns Python's x // y and x % y, and the remainder with the sign of x.
func floorDivide[T int8 | uint8 | int16 | uint16 | int32 | uint32 | int64 | uint64](x, y T) (q, mod, fmod T) {
	q, fmod = x/y, x%y
	if mod = fmod; mod != 0 && (mod < 0) != (y < 0) {
		q, mod = q-1, mod+y
	}
	return q, mod, fmod
}

func testUniformQuotients[T int8 | uint8 | int16 | uint16 | int32 | uint32 | int64 | uint64](t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	width := 8 * dtype.Of[T]().Size()
	near := func() T { return T(1)<<r.IntN(width) + T(r.IntN(3)) - 1 }
	random := func() T { return T(r.Uint64()) >> r.IntN(width) }
	divisors := []T{1, 2, 3, ^T(0), ^T(0) - 1}
	for range 300 {
		if d := []T{near(), random()}[r.IntN(2)]; d != 0 {
			divisors = append(divisors, d, -d)
		}
	}
	divisors = append(divisors, 1<<(width-1)) // has the sign bit alone
	const n = 203
	x, d := engine.Zeros[T](n), engine.Zeros[T]()
	q, mod, fmod := engine.Zeros[T](n), engine.Zeros[T](n), engine.Zeros[T](n)
	for _, name := range engine.Backends() {
		var programs []*engine.Program
		for _, s := range []expr.Statement{expr.Let(q, op.FloorDiv(x, d)), expr.Let(mod, op.Mod(x, d)), expr.Let(fmod, op.Fmod(x, d))} {
			p, err := engine.CompileWith(context.Background(), engine.Options{Backend: name}, s)
			if err != nil {
				t.Fatal(err)
			}
			programs = append(programs, p)
		}
		for _, v := range divisors {
			d.Data()[0] = v
			small := r.IntN(2) == 0 // so that whole vectors are small
			for i := range x.Data() {
				a := []T{near(), random(), random()/v*v + T(r.IntN(3)) - 1, -near()}[r.IntN(4)]
				if small && bits.Len64(uint64(a)) > 51 {
					a >>= width / 4
				}
				x.Data()[i] = a
			}
			for _, p := range programs {
				if err := p.Run(context.Background()); err != nil {
					t.Fatal(err)
				}
			}
			for i, a := range x.Data() {
				wantQ, wantMod, wantFmod := floorDivide(a, v)
				if q.Data()[i] != wantQ || mod.Data()[i] != wantMod || fmod.Data()[i] != wantFmod {
					t.Fatalf("%s: %d by %d is %d, %d, %d, not %d, %d, %d", name, a, v, q.Data()[i], mod.Data()[i], fmod.Data()[i], wantQ, wantMod, wantFmod)
				}
			}
		}
	}
}
