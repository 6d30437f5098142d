package formula

import "testing"

// TestScalarFold checks arithmetic on literals against Python's results.
func TestScalarFold(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"7 // -2", "-4"},
		{"-7 // 2", "-4"},
		{"-7 % 3", "2"},
		{"7 % -3", "-2"},
		{"6 % -3", "0"},
		{"-7.5 // 2", "-4.0"},
		{"-7.5 % 2", "0.5"},
		{"7.5 % -2", "-0.5"},
		{"-0.0 % 2", "0.0"},
		{"1 // 0.1", "9.0"},
		{"1e300 // 1e-300", "1e999"},
		{"2 ** 100", "1267650600228229401496703205376"},
		{"2 ** -1", "0.5"},
		{"(-8) ** 3", "-512"},
		{"0 ** 0", "1"},
		{"2 ** 0.5", "1.4142135623730951"},
		{"1 / 3", "0.3333333333333333"},
		{"4 / 2", "2.0"},
		{"True + True", "2"},
		{"True & False", "False"},
		{"True & 3", "1"},
		{"6 ^ 3", "5"},
		{"~5", "-6"},
		{"~True", "-2"},
		{"-True", "-1"},
		{"+False", "0"},
		{"1 << 70 >> 69", "2"},
		{"-5 >> 1", "-3"},
		{"-5 >> 10**9", "-1"},
		{"2**70 < inf", "True"},
		{"2**53 + 1 == 2.0**53", "False"},
		{"10**400 > 1e308", "True"},
		{"nan == nan", "False"},
		{"nan != 1", "True"},
		{"-10**400 < -inf", "False"},
		{"1 == True", "True"},
		{"int(-2.7)", "-2"},
		{"float(3)", "3.0"},
		{"bool(0.5)", "True"},
		{"0x1F | 0b100000", "63"},
		{"1 @ 2", "error"},
		{"1 / 0", "error"},
		{"1 % 0.0", "error"},
		{"0.0 ** -1", "error"},
		{"(-1) ** 0.5", "error"},
		{"1.5 & 1", "error"},
		{"~1.5", "error"},
		{"1 << -1", "error"},
		{"1 << 10**9", "error"},
		{"10 ** 10**9", "error"},
		{"10**400 * 1.0", "error"},
		{"1e200 ** 2", "error"},
		{"int(nan)", "error"},
		{"1 ** 10**30", "1"},
	} {
		s, err := Parse("x = " + c.in)
		if err != nil {
			t.Fatal(c.in, err)
		}
		b := &builder{src: s}
		got := "error"
		if v, err := b.eval(s.statements[0].value); err == nil && v.kind == vScalar {
			got = formatNumber(v.s)
		}
		if got != c.want {
			t.Errorf("%s is %s, want %s", c.in, got, c.want)
		}
	}
}
