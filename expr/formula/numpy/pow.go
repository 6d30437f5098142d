package numpy

import (
	"math"
	"math/big"
	"sync"
)

// powBits is the precision of intermediate results. No power of two float64 lies
// closer than about 2^-120 to a number of 54 bits, unless it equals that number.
const powBits = 192

// pow returns x ** y rounded correctly. Special values are those of C's pow.
func pow(x, y float64) float64 {
	rough := math.Pow(x, y)
	if x == 1 || y == 0 || rough != rough || x-x != 0 || y-y != 0 || x == 0 {
		return rough
	}
	odd := math.Mod(y, 2) != 0
	l := logarithm(math.Abs(x))
	l.Mul(l, precise(y))
	if e, _ := l.Float64(); math.Abs(e) > 800 { // 2^±1154 and beyond
		rough = 0
		if e > 0 {
			rough = math.Inf(1)
		}
	} else {
		rough, _ = nearExact(exponential(l)).Float64()
	}
	if x < 0 && odd {
		rough = -rough
	}
	return rough
}

func precise(x float64) *big.Float { return new(big.Float).SetPrec(powBits).SetFloat64(x) }

// ln2 returns the natural logarithm of 2, as 2 atanh(1/3). Callers do not change
// it.
var ln2 = sync.OnceValue(func() *big.Float { return atanhTwice(new(big.Float).Quo(precise(1), precise(3))) })

// atanhTwice returns 2 atanh(z), which is the logarithm of (1+z)/(1-z), by its
// series. |z| must be at most 1/3.
func atanhTwice(z *big.Float) *big.Float {
	sum, power := precise(0).Copy(z), precise(0).Copy(z)
	square := precise(0).Mul(z, z)
	for k := 3.; power.Sign() != 0 && power.MantExp(nil) > sum.MantExp(nil)-powBits; k += 2 {
		power.Mul(power, square)
		sum.Add(sum, precise(0).Quo(power, precise(k)))
	}
	return sum.Mul(sum, precise(2))
}

// logarithm returns the natural logarithm of a finite x > 0.
func logarithm(x float64) *big.Float {
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, e = 2*m, e-1
	}
	z := precise(m)
	z.Quo(precise(0).Sub(z, precise(1)), precise(0).Add(z, precise(1)))
	scale := precise(float64(e))
	return scale.Add(scale.Mul(scale, ln2()), atanhTwice(z))
}

// exponential returns e^x for |x| up to 800.
func exponential(x *big.Float) *big.Float {
	const halvings = 12
	n, _ := x.Float64()
	n = math.RoundToEven(n / math.Ln2)
	r := precise(n)
	r.Sub(x, r.Mul(r, ln2()))
	r.SetMantExp(r, -halvings)
	sum, term := precise(1), precise(1)
	for k := 1.; term.Sign() != 0 && term.MantExp(nil) > -powBits; k++ {
		term.Quo(term.Mul(term, r), precise(k))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum.SetMantExp(sum, int(n))
}

// nearExact returns the number of 54 bits that v equals but for the error of its
// computation, or v where there is none. So exact results and those half way
// between two float64 round as they must.
func nearExact(v *big.Float) *big.Float {
	c := new(big.Float).SetPrec(54).Set(v)
	if d := precise(0).Sub(v, c); d.Sign() == 0 || d.MantExp(nil) < v.MantExp(nil)-150 {
		return c
	}
	return v
}
