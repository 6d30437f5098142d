package ptxemu

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/bits"

	"github.com/oneloop/oneloop/expr/dtype"
)

func one(text, typ string, f func(a uint64) uint64) instruction {
	return instruction{text + "." + typ + " %d, %a", typ, same(typ, 1), func(x []uint64) uint64 { return f(x[0]) }}
}

func two(text, typ string, f func(a, b uint64) uint64) instruction {
	return instruction{text + "." + typ + " %d, %a, %b", typ, same(typ, 2), func(x []uint64) uint64 { return f(x[0], x[1]) }}
}

func three(text, typ string, f func(a, b, c uint64) uint64) instruction {
	return instruction{text + "." + typ + " %d, %a, %b, %c", typ, same(typ, 3), func(x []uint64) uint64 { return f(x[0], x[1], x[2]) }}
}

// product returns the high and the low half of a product of two integers.
func product(a, b uint64, typ string) (high, low uint64) {
	x, y := value(a, typ), value(b, typ)
	p := new(big.Int).Mul(x, y)
	low = wrap(p)
	return wrap(p.Rsh(p, uint(widthOf(typ)))), low
}

// value returns the integer that bits are.
func value(x uint64, typ string) *big.Int {
	if typ[0] == 's' {
		return big.NewInt(signed(x, typ))
	}
	return new(big.Int).SetUint64(x & maskOf(typ))
}

// wrap returns the low 64 bits of an integer.
func wrap(x *big.Int) uint64 {
	return new(big.Int).And(x, new(big.Int).SetUint64(math.MaxUint64)).Uint64()
}

func integers() (out []instruction) {
	for _, typ := range []string{"s16", "s32", "s64", "u16", "u32", "u64"} {
		less := func(a, b uint64) bool { return value(a, typ).Cmp(value(b, typ)) < 0 }
		out = append(out,
			two("add", typ, func(a, b uint64) uint64 { return a + b }),
			two("sub", typ, func(a, b uint64) uint64 { return a - b }),
			two("mul.lo", typ, func(a, b uint64) uint64 { return a * b }),
			two("mul.hi", typ, func(a, b uint64) uint64 { h, _ := product(a, b, typ); return h }),
			three("mad.lo", typ, func(a, b, c uint64) uint64 { return a*b + c }),
			three("mad.hi", typ, func(a, b, c uint64) uint64 { h, _ := product(a, b, typ); return h + c }),
			two("min", typ, func(a, b uint64) uint64 {
				if less(a, b) {
					return a
				}
				return b
			}),
			two("max", typ, func(a, b uint64) uint64 {
				if less(a, b) {
					return b
				}
				return a
			}),
			two("div", typ, func(a, b uint64) uint64 {
				if b == 0 {
					return math.MaxUint64
				}
				return wrap(new(big.Int).Quo(value(a, typ), value(b, typ)))
			}),
			two("rem", typ, func(a, b uint64) uint64 {
				if b == 0 {
					return a
				}
				return wrap(new(big.Int).Rem(value(a, typ), value(b, typ)))
			}),
			instruction{"shr." + typ + " %d, %a, %b", typ, []string{typ, "u32"}, func(x []uint64) uint64 {
				return wrap(new(big.Int).Rsh(value(x[0], typ), uint(x[1])))
			}})
		if typ[0] == 's' {
			out = append(out, one("abs", typ, func(a uint64) uint64 { return wrap(new(big.Int).Abs(value(a, typ))) }),
				one("neg", typ, func(a uint64) uint64 { return -a }))
		}
		if w := widthOf(typ); w < 64 {
			double := fmt.Sprintf("%c%d", typ[0], 2*w)
			out = append(out,
				instruction{"mul.wide." + typ + " %d, %a, %b", double, same(typ, 2), func(x []uint64) uint64 { _, l := product(x[0], x[1], typ); return l }},
				instruction{"mad.wide." + typ + " %d, %a, %b, %c", double, []string{typ, typ, double}, func(x []uint64) uint64 { _, l := product(x[0], x[1], typ); return l + x[2] }})
		}
	}
	return out
}

// f32 and f64 make the bits of a result: every NaN is the canonical one.
func f32(x float32) uint64 {
	if x != x {
		return 0x7fffffff
	}
	return uint64(math.Float32bits(x))
}

func f64(x float64) uint64 {
	if x != x {
		return 0xfff8000000000000
	}
	return math.Float64bits(x)
}

func to32(x uint64) float32 { return math.Float32frombits(uint32(x)) }

// flush returns 0 for a subnormal number.
func flush(x float32) float32 {
	if math.Abs(float64(x)) < 0x1p-126 {
		return float32(math.Copysign(0, float64(x)))
	}
	return x
}

// fused returns a*b+c rounded once, to nearest, or to zero.
func fused(a, b, c float32, toZero bool) float32 {
	near := math.FMA(float64(a), float64(b), float64(c))
	if math.IsNaN(near) || math.IsInf(near, 0) || near == 0 {
		return float32(near)
	}
	exact := new(big.Float).SetPrec(2000).SetFloat64(float64(a) * float64(b)) // a product of 48 bits
	exact.Add(exact, big.NewFloat(float64(c)))
	x, _ := exact.Float32()
	if exact.Sign() == 0 {
		return float32(near)
	}
	if toZero && new(big.Float).Abs(new(big.Float).SetFloat64(math.Min(math.Abs(float64(x)), math.MaxFloat64))).Cmp(new(big.Float).Abs(exact)) > 0 {
		return math.Nextafter32(x, 0)
	}
	return x
}

// least and greatest are the minimum and maximum of IEEE 754-2019 for numbers; a
// NaN loses.
func least[T float32 | float64](a, b T) T {
	switch {
	case a != a:
		return b
	case b != b:
		return a
	}
	return min(a, b)
}

func greatest[T float32 | float64](a, b T) T {
	switch {
	case a != a:
		return b
	case b != b:
		return a
	}
	return max(a, b)
}

func floats() []instruction {
	single := func(text string, f func(a, b float32) float32) instruction {
		return two(text, "f32", func(a, b uint64) uint64 { return f32(f(to32(a), to32(b))) })
	}
	double := func(text string, f func(a, b float64) float64) instruction {
		return two(text, "f64", func(a, b uint64) uint64 { return f64(f(math.Float64frombits(a), math.Float64frombits(b))) })
	}
	unary32 := func(text string, f func(a float32) float32) instruction {
		return one(text, "f32", func(a uint64) uint64 { return f32(f(to32(a))) })
	}
	unary64 := func(text string, f func(a float64) float64) instruction {
		return one(text, "f64", func(a uint64) uint64 { return f64(f(math.Float64frombits(a))) })
	}
	return []instruction{
		single("add.rn", func(a, b float32) float32 { return a + b }),
		single("sub.rn", func(a, b float32) float32 { return a - b }),
		single("mul.rn", func(a, b float32) float32 { return a * b }),
		single("div.rn", func(a, b float32) float32 { return a / b }),
		single("add.rn.ftz", func(a, b float32) float32 { return flush(flush(a) + flush(b)) }),
		single("mul.rn.ftz", func(a, b float32) float32 { return flush(flush(a) * flush(b)) }),
		single("div.approx", func(a, b float32) float32 {
			if y := math.Abs(float64(b)); y > 0x1p126 && !math.IsInf(y, 0) {
				if a != a || math.IsInf(float64(a), 0) {
					return float32(math.NaN())
				}
				return float32(math.Copysign(0, float64(a/b)))
			}
			return a / b
		}),
		single("min", least[float32]), single("max", greatest[float32]), single("min.NaN", func(a, b float32) float32 { return min(a, b) }), single("max.NaN", func(a, b float32) float32 { return max(a, b) }),
		double("add.rn", func(a, b float64) float64 { return a + b }),
		double("sub.rn", func(a, b float64) float64 { return a - b }),
		double("mul.rn", func(a, b float64) float64 { return a * b }),
		double("div.rn", func(a, b float64) float64 { return a / b }),
		double("min", least[float64]), double("max", greatest[float64]),
		unary32("sqrt.rn", func(a float32) float32 { return float32(math.Sqrt(float64(a))) }),
		unary32("rcp.rn", func(a float32) float32 { return 1 / a }),
		unary32("rcp.approx.ftz", func(a float32) float32 { return flush(1 / flush(a)) }),
		unary64("sqrt.rn", math.Sqrt),
		unary64("rcp.rn", func(a float64) float64 { return 1 / a }),
		three("fma.rn", "f32", func(a, b, c uint64) uint64 { return f32(fused(to32(a), to32(b), to32(c), false)) }),
		three("fma.rz", "f32", func(a, b, c uint64) uint64 { return f32(fused(to32(a), to32(b), to32(c), true)) }),
		three("fma.rn", "f64", func(a, b, c uint64) uint64 {
			return f64(math.FMA(math.Float64frombits(a), math.Float64frombits(b), math.Float64frombits(c)))
		}),
		one("abs", "f32", func(a uint64) uint64 { return a &^ (1 << 31) }),
		one("neg", "f32", func(a uint64) uint64 { return a ^ 1<<31 }),
		one("abs", "f64", func(a uint64) uint64 { return a &^ (1 << 63) }),
		one("neg", "f64", func(a uint64) uint64 { return a ^ 1<<63 }),
		two("copysign", "f32", func(a, b uint64) uint64 { return a&(1<<31) | b&^(1<<31) }),
		two("copysign", "f64", func(a, b uint64) uint64 { return a&(1<<63) | b&^(1<<63) }),
	}
}

func truth(x bool) uint64 {
	if x {
		return 1
	}
	return 0
}

func comparisons() (out []instruction) {
	// Bit 0 of holds is less, bit 1 equal, bit 2 greater, bit 3 not ordered.
	for _, c := range []struct {
		name  string
		holds uint
	}{{"eq", 2}, {"ne", 5}, {"lt", 1}, {"le", 3}, {"gt", 4}, {"ge", 6}, {"equ", 10}, {"neu", 13}, {"ltu", 9}, {"leu", 11}, {"gtu", 12}, {"geu", 14}, {"num", 7}, {"nan", 8}} {
		for _, typ := range []string{"s16", "u16", "b16", "s32", "u32", "b32", "s64", "u64", "b64", "f32", "f64"} {
			if (c.holds&8 != 0 || c.name == "num") && typ[0] != 'f' || typ[0] == 'b' && c.name != "eq" && c.name != "ne" {
				continue
			}
			out = append(out, instruction{fmt.Sprintf("setp.%s.%s %%d, %%a, %%b", c.name, typ), "pred", same(typ, 2), func(x []uint64) uint64 {
				order := 0
				switch typ {
				case "f32", "f64":
					a, b := math.Float64frombits(x[0]), math.Float64frombits(x[1])
					if typ == "f32" {
						a, b = float64(to32(x[0])), float64(to32(x[1]))
					}
					if a != a || b != b {
						return truth(c.holds&8 != 0)
					}
					order = int(truth(a > b)) - int(truth(a < b))
				default:
					order = value(x[0], typ).Cmp(value(x[1], typ))
				}
				return truth(c.holds>>(order+1)&1 != 0)
			}})
		}
	}
	out = append(out, instruction{"setp.lt.s32 %d2|%d, %a, %b", "pred", same("s32", 2), func(x []uint64) uint64 { return truth(int32(x[0]) >= int32(x[1])) }})
	for _, typ := range []string{"b16", "u16", "b32", "u32", "b64", "u64", "f32", "f64"} {
		out = append(out, instruction{"selp." + typ + " %d, %a, %b, %c", typ, []string{typ, typ, "pred"}, func(x []uint64) uint64 {
			if x[2] != 0 {
				return x[0]
			}
			return x[1]
		}})
	}
	return out
}

// toInteger is what a conversion to an integer gives: clamped, and a NaN is 0, or
// the top bit where one of the types has 64 bits.
func toInteger(x float64, from, to string) uint64 {
	if x != x {
		if from == "f64" || widthOf(to) == 64 {
			return 1 << (widthOf(to) - 1)
		}
		return 0
	}
	low, high := new(big.Int), new(big.Int).SetUint64(maskOf(to))
	if to[0] == 's' {
		low.SetInt64(signed(1<<(widthOf(to)-1), to))
		high.Rsh(high, 1)
	}
	if math.IsInf(x, 1) {
		return wrap(high)
	}
	if math.IsInf(x, -1) {
		return wrap(low)
	}
	n, _ := big.NewFloat(x).Int(nil)
	if n.Cmp(high) > 0 {
		n = high
	}
	if n.Cmp(low) < 0 {
		n = low
	}
	return wrap(n)
}

// extended returns what a register of 16 or more bits holds for an integer.
func extended(x uint64, typ string) uint64 {
	if typ[0] == 's' {
		return uint64(signed(x, typ))
	}
	return x & maskOf(typ)
}

var roundings = map[string]func(float64) float64{"rni": math.RoundToEven, "rzi": math.Trunc, "rmi": math.Floor, "rpi": math.Ceil}

func conversions() (out []instruction) {
	floating := func(bits uint64, typ string) float64 {
		if typ == "f32" {
			return float64(to32(bits))
		}
		return math.Float64frombits(bits)
	}
	integer := []string{"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"}
	for _, from := range integer {
		for _, to := range integer {
			out = append(out, instruction{fmt.Sprintf("cvt.%s.%s %%d, %%a", to, from), to, []string{from}, func(x []uint64) uint64 { return extended(extended(x[0], from), to) }})
		}
		for _, f := range []string{"f32", "f64"} {
			out = append(out, instruction{fmt.Sprintf("cvt.rn.%s.%s %%d, %%a", f, from), f, []string{from}, func(x []uint64) uint64 {
				n := new(big.Float).SetInt(value(x[0], from))
				if f == "f32" {
					y, _ := n.Float32()
					return f32(y)
				}
				y, _ := n.Float64()
				return f64(y)
			}})
			for mode, round := range roundings {
				out = append(out, instruction{fmt.Sprintf("cvt.%s.%s.%s %%d, %%a", mode, from, f), from, []string{f}, func(x []uint64) uint64 {
					return extended(toInteger(round(floating(x[0], f)), f, from), from)
				}})
			}
		}
	}
	for mode, round := range roundings {
		out = append(out, one("cvt."+mode+".f32", "f32", func(a uint64) uint64 { return f32(float32(round(float64(to32(a))))) }),
			one("cvt."+mode+".f64", "f64", func(a uint64) uint64 { return f64(round(math.Float64frombits(a))) }))
	}
	half := func(f func(float32) uint16) func(x []uint64) uint64 {
		return func(x []uint64) uint64 {
			if y := to32(x[0]); y == y {
				return uint64(f(y))
			}
			return 0x7fff
		}
	}
	return append(out,
		instruction{"cvt.f64.f32 %d, %a", "f64", []string{"f32"}, func(x []uint64) uint64 { return f64(float64(to32(x[0]))) }},
		instruction{"cvt.rn.f32.f64 %d, %a", "f32", []string{"f64"}, func(x []uint64) uint64 { return f32(float32(math.Float64frombits(x[0]))) }},
		instruction{"cvt.rn.f16.f32 %d, %a", "b16", []string{"f32"}, half(dtype.F16Bits)},
		instruction{"cvt.rn.bf16.f32 %d, %a", "b16", []string{"f32"}, half(dtype.BF16Bits)},
		instruction{"cvt.rn.f16x2.f32 %d, %a, %b", "b32", same("f32", 2), func(x []uint64) uint64 { return half(dtype.F16Bits)(x)<<16 | half(dtype.F16Bits)(x[1:]) }},
		instruction{"cvt.f32.f16 %d, %a", "f32", []string{"b16"}, func(x []uint64) uint64 { return f32(dtype.F16Value(uint16(x[0]))) }},
		instruction{"cvt.f32.bf16 %d, %a", "f32", []string{"b16"}, func(x []uint64) uint64 { return f32(dtype.BF16Value(uint16(x[0]))) }},
		instruction{"cvt.sat.u16.s32 %d, %a", "u16", []string{"s32"}, func(x []uint64) uint64 { return uint64(min(max(int32(x[0]), 0), 65535)) }},
		instruction{"cvt.sat.s32.u32 %d, %a", "s32", []string{"u32"}, func(x []uint64) uint64 { return min(x[0], math.MaxInt32) }},
		instruction{"cvt.sat.f32.f32 %d, %a", "f32", []string{"f32"}, func(x []uint64) uint64 {
			if y := to32(x[0]); y > 0 {
				return f32(min(y, 1))
			}
			return 0
		}},
	)
}

// low returns the low n bits of x.
func low(x uint64, n int) uint64 { return x & (1<<n - 1) }

func bitwise() (out []instruction) {
	for _, typ := range []string{"b16", "b32", "b64"} {
		w := widthOf(typ)
		out = append(out,
			two("and", typ, func(a, b uint64) uint64 { return a & b }),
			two("or", typ, func(a, b uint64) uint64 { return a | b }),
			two("xor", typ, func(a, b uint64) uint64 { return a ^ b }),
			one("not", typ, func(a uint64) uint64 { return ^a }),
			one("cnot", typ, func(a uint64) uint64 { return truth(a == 0) }),
			one("mov", typ, func(a uint64) uint64 { return a }),
			instruction{"shl." + typ + " %d, %a, %b", typ, []string{typ, "u32"}, func(x []uint64) uint64 { return x[0] << x[1] }})
		if w == 16 {
			continue
		}
		out = append(out,
			instruction{"clz." + typ + " %d, %a", "u32", []string{typ}, func(x []uint64) uint64 { return uint64(bits.LeadingZeros64(x[0]) - 64 + w) }},
			instruction{"popc." + typ + " %d, %a", "u32", []string{typ}, func(x []uint64) uint64 { return uint64(bits.OnesCount64(x[0])) }},
			one("brev", typ, func(a uint64) uint64 { return bits.Reverse64(a) >> (64 - w) }),
			instruction{"bfi." + typ + " %d, %a, %b, %c, %e", typ, []string{typ, typ, "u32", "u32"}, func(x []uint64) uint64 {
				at, n := int(x[2]&0xff), min(int(x[3]&0xff), 64)
				if at >= w {
					return x[1]
				}
				field := (uint64(1)<<n - 1) << at
				return x[1]&^field | x[0]<<at&field
			}})
		for _, sign := range []string{"u", "s"} {
			typ := fmt.Sprintf("%s%d", sign, w)
			out = append(out, instruction{"bfe." + typ + " %d, %a, %b, %c", typ, []string{typ, "u32", "u32"}, func(x []uint64) uint64 {
				at, n := int(x[1]&0xff), int(x[2]&0xff)
				if n == 0 {
					return 0
				}
				a := value(x[0], typ) // beyond the top, a signed number has its sign and others 0
				a.Rsh(a, uint(at))
				field := wrap(a)
				if at+n >= w {
					return field
				}
				if field = low(field, n); sign == "s" && field>>(n-1) != 0 {
					field |= ^uint64(0) << n
				}
				return field
			}})
		}
	}
	for _, op := range []struct {
		name string
		f    func(a, b uint64) uint64
	}{{"and", func(a, b uint64) uint64 { return a & b }}, {"or", func(a, b uint64) uint64 { return a | b }}, {"xor", func(a, b uint64) uint64 { return a ^ b }}} {
		out = append(out, two(op.name, "pred", op.f))
	}
	funnel := func(left, clamp bool) func(x []uint64) uint64 {
		return func(x []uint64) uint64 {
			n := x[2] & 31
			if clamp {
				n = min(x[2], 32)
			}
			both := x[1]<<32 | x[0]
			if left {
				return bits.RotateLeft64(both, int(n))>>32&(math.MaxUint32<<n) | both<<n>>32
			}
			return both >> n
		}
	}
	for _, a := range []string{"u32", "s32"} {
		out = append(out, dots(a, "u32")...)
		out = append(out, dots(a, "s32")...)
	}
	return append(out,
		one("not", "pred", func(a uint64) uint64 { return 1 - a }),
		one("mov", "pred", func(a uint64) uint64 { return a }),
		one("mov", "f32", func(a uint64) uint64 { return a }),
		one("mov", "f64", func(a uint64) uint64 { return a }),
		three("shf.l.wrap", "b32", func(a, b, c uint64) uint64 { return funnel(true, false)([]uint64{a, b, c}) }),
		three("shf.l.clamp", "b32", func(a, b, c uint64) uint64 { return funnel(true, true)([]uint64{a, b, c}) }),
		three("shf.r.wrap", "b32", func(a, b, c uint64) uint64 { return funnel(false, false)([]uint64{a, b, c}) }),
		three("shf.r.clamp", "b32", func(a, b, c uint64) uint64 { return funnel(false, true)([]uint64{a, b, c}) }),
		three("prmt", "b32", func(a, b, c uint64) uint64 {
			var all [8]byte
			binary.LittleEndian.PutUint32(all[:], uint32(a))
			binary.LittleEndian.PutUint32(all[4:], uint32(b))
			var x uint64
			for i := range 4 {
				choice := c >> (4 * i) & 15
				byte := uint64(all[choice&7])
				if choice >= 8 {
					byte = uint64(uint8(int8(byte) >> 7))
				}
				x |= byte << (8 * i)
			}
			return x
		}),
		instruction{"lop3.b32 %d, %a, %b, %c, 0xe8", "b32", same("b32", 3), func(x []uint64) uint64 { return x[0]&x[1] | x[0]&x[2] | x[1]&x[2] }},
		instruction{"lop3.b32 %d, %a, %b, %c, 0x1e", "b32", same("b32", 3), func(x []uint64) uint64 { return x[0] ^ (x[1] | x[2]) }},
	)
}

// dots returns the sums of products of the numbers of a register, whose signs the type a has, with bytes of another one.
func dots(a, b string) (out []instruction) {
	d := "s32"
	if a == "u32" && b == "u32" {
		d = "u32"
	}
	number := func(x uint64, typ string, width, k int) uint64 {
		unused := 64 - width
		x = x >> (width * k) << unused
		if typ == "s32" {
			return uint64(int64(x) >> unused)
		}
		return x >> unused
	}
	for _, form := range []struct {
		name         string
		width, first int
	}{{"dp4a", 8, 0}, {"dp2a.lo", 16, 0}, {"dp2a.hi", 16, 2}} {
		out = append(out, instruction{form.name + "." + a + "." + b + " %d, %a, %b, %c", d, []string{a, b, d}, func(x []uint64) uint64 {
			sum := x[2]
			for k := range 32 / form.width {
				sum += number(x[0], a, form.width, k) * number(x[1], b, 8, form.first+k)
			}
			return sum
		}})
	}
	return out
}
