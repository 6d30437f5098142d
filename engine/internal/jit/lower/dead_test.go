package lower

import (
	"testing"

	"github.com/oneloop/oneloop/plan/ir"
)

// TestDead lowers a loop with results that nothing uses, of which some are wide.
func TestDead(t *testing.T) {
	k, err := ir.Parse(`kernel unused
axis i0
buf x u8 in 1
buf y u8 out 1
{
  %1 = const i64 3
  vec i0 {
    %0 = load u8 x[i0]
    %2 = cvt i64 %0
    %3 = mul i64 %2 %1
    %4 = add u8 %0 %0
    %5 = sub i64 %3 %1
    store u8 y[i0] %4
  }
}`)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Kernel(k)
	if err != nil {
		t.Fatal(err)
	}
	if ph := p.Phases[0]; len(ph.Top) != 3 || ph.LaneSize != 1 {
		t.Errorf("%d nodes, lanes of %d bytes; want the load, the sum and the store, in lanes of 1 byte", len(ph.Top), ph.LaneSize)
	}
}
