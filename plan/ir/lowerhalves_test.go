package ir

import (
	"slices"
	"strings"
	"testing"
)

// TestLowerHalves tests which integers of 64 bits of a loop have 32 afterwards.
func TestLowerHalves(t *testing.T) {
	const head = "kernel k\naxis i0 i1\nbuf b0 i32 in 2\nbuf b1 i32 out 2\nbuf b2 i64 out 2\nscalar s0 i64\nscalar s1 u64\n{\n%0 = scalar i64 s0\n%1 = scalar u64 s1\nvec i0 {\nseq i1 {\n"
	for _, c := range []struct{ body, want string }{
		// A sum, of which only the lower half is stored. What comes before the loop is converted there.
		{
			"%2 = carry i64 %0; %3 = load i32 b0[i1, i0]; %4 = cvt i64 %3; %5 = add i64 %2 %4; %6 = cvt i32 %5; store i32 b1[i1, i0] %6; %7 = next i64 %2 %5",
			"carry i32; load i32 b0[i1, i0]; add i32; store i32 b1[i1, i0]; next i32",
		},
		// Numbers without sign, a constant with more bits, and a conversion to fewer bits than 32.
		{
			"%2 = carry u64 %1; %3 = load i32 b0[i1, i0]; %4 = cvt u64 %3; %5 = const u64 0x500000003; %6 = mul u64 %2 %5; %7 = sub u64 %6 %4; %8 = cvt i8 %7; %9 = cvt i32 %8; store i32 b1[i1, i0] %9; %10 = next u64 %2 %7",
			"carry u32; load i32 b0[i1, i0]; cvt u32; const u32 0x00000003; mul u32; sub u32; cvt i8; cvt i32; store i32 b1[i1, i0]; next u32",
		},
		// One carry of two: the other one decides a selection.
		{
			"%2 = carry i64 %0; %3 = carry i64 %0; %4 = load i32 b0[i1, i0]; %5 = cvt i64 %4; %6 = lt bool %3 %5; %7 = select i64 %6 %2 %3; %8 = cvt i32 %7; store i32 b1[i1, i0] %8; %9 = next i64 %2 %7; %10 = next i64 %3 %5",
			"carry i64; carry i64; load i32 b0[i1, i0]; cvt i64; lt bool; select i64; cvt i32; store i32 b1[i1, i0]; next i64; next i64",
		},
		// The whole sum is stored too, shifted, compared, an index, or a number.
		{"%2 = carry i64 %0; %3 = load i32 b0[i1, i0]; %4 = cvt i64 %3; %5 = add i64 %2 %4; %6 = cvt i32 %5; store i32 b1[i1, i0] %6; store i64 b2[i1, i0] %5; %7 = next i64 %2 %5", ""},
		{"%2 = carry i64 %0; %3 = load i32 b0[i1, i0]; %4 = cvt i64 %3; %5 = add i64 %2 %4; %6 = shr i64 %5 %4; %7 = cvt i32 %6; store i32 b1[i1, i0] %7; %8 = next i64 %2 %5", ""},
		{"%2 = carry i64 %0; %3 = load i32 b0[i1, i0]; %4 = cvt i64 %3; %5 = add i64 %2 %4; %6 = ne bool %5 %4; %7 = cvt i32 %6; store i32 b1[i1, i0] %7; %8 = next i64 %2 %5", ""},
		{"%2 = carry i64 %0; %3 = load i32 b0[i1, %2]; %4 = cvt i64 %3; %5 = add i64 %2 %4; %6 = cvt i32 %5; store i32 b1[i1, i0] %6; %7 = next i64 %2 %5", ""},
		{"%2 = carry i64 %0; %3 = load i32 b0[i1, i0]; %4 = cvt i64 %3; %5 = add i64 %2 %4; %6 = cvt f32 %5; %7 = bitcast i32 %6; store i32 b1[i1, i0] %7; %8 = next i64 %2 %5", ""},
		// A loop that carries nothing: a sum of two that are stored, and one sum of whole values, which would be converted.
		{
			"%2 = load i32 b0[i1, i0]; %3 = cvt i64 %2; %4 = add i64 %0 %3; %5 = cvt i32 %4; %6 = add i64 %4 %3; %7 = cvt i32 %6; store i32 b1[i1, i0] %5; store i32 b1[i0, i1] %7",
			"load i32 b0[i1, i0]; add i32; add i32; store i32 b1[i1, i0]; store i32 b1[i0, i1]",
		},
		{"%2 = add i64 %0 %0; %3 = cvt i32 %2; store i32 b1[i1, i0] %3", ""},
		// The same sums beside a carry whose whole values are stored.
		{"%2 = carry i64 %0; %3 = load i32 b0[i1, i0]; %4 = cvt i64 %3; %5 = add i64 %0 %4; %6 = cvt i32 %5; %7 = add i64 %5 %4; %8 = cvt i32 %7; store i32 b1[i1, i0] %6; store i32 b1[i0, i1] %8; %9 = add i64 %2 %2; store i64 b2[i1, i0] %9; %10 = next i64 %2 %9", ""},
		// The last sum is stored as a whole.
		{"%2 = carry i64 %0; %3 = load i32 b0[i1, i0]; %4 = cvt i64 %3; %5 = add i64 %2 %4; %6 = cvt i32 %5; store i32 b1[i1, i0] %6; %7 = next i64 %2 %5; }; store i64 b2[i0, i0] %7", ""},
	} {
		text := strings.ReplaceAll(c.body, "; ", "\n")
		if !strings.Contains(text, "}") {
			text += "\n}"
		}
		k, err := Parse(head + text + "\n}\n}\n")
		if err != nil {
			t.Fatalf("%s: %v", c.body, err)
		}
		before := k.String()
		LowerHalves(k)
		if err := Check(k); err != nil {
			t.Errorf("%s: %v", c.body, err)
		}
		if c.want == "" {
			if got := k.String(); got != before {
				t.Errorf("%s: changed to\n%s", c.body, got)
			}
			continue
		}
		body := k.Loops[slices.IndexFunc(k.Loops, func(l Loop) bool { return l.Kind == Seq })].Body
		var got []string
		for i := range k.Regions[body].Code {
			got = append(got, withoutValues(k.InsText(&k.Regions[body].Code[i])))
		}
		if s := strings.Join(got, "; "); s != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.body, s, c.want)
		}
	}
}

// withoutValues returns the text of an instruction without the numbers of values.
func withoutValues(s string) string {
	s, _, _ = strings.Cut(s, " ;")
	words := slices.DeleteFunc(strings.Fields(s), func(w string) bool { return strings.HasPrefix(w, "%") || w == "=" })
	return strings.Join(words, " ")
}
