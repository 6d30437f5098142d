package ir

import "testing"

func TestFlops(t *testing.T) {
	k, err := Parse(`kernel k
axis i0 i1
buf x f32 in 2
buf y f32 out 2
{
  par i0 {
    vec i1 {
      %0 = load f32 x[i0, i1]
      %1 = mul f32 %0 %0
      %2 = reduce sum f32 %1
    }
    %3 = sqrt f32 %2
    vec i1 {
      %4 = load f32 x[i0, i1]
      %5 = fma f32 %4 %3 %3
      %6 = lt f32 %4 %3
      %7 = select f32 %6 %4 %5
      store f32 y[i0, i1] %7
    }
  }
}
`)
	if err != nil {
		t.Fatal(err)
	}
	// Each of 10 rows: 7 products, 7 additions, a root, 7 multiply-adds.
	if got, want := k.Flops([]int{10, 7}), 10*(7+7+1+14); got != want {
		t.Errorf("%d flops, want %d", got, want)
	}
}
