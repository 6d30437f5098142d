package grad_test

import (
	"flag"
	"os"
	"testing"
)

// TestMain gives random trees a fixed seed, so that a run of the tests can be
// repeated. Long runs choose others: -rapid.seed=N -rapid.checks=N.
func TestMain(m *testing.M) {
	flag.Parse()
	if f := flag.Lookup("rapid.seed"); f.Value.String() == f.DefValue {
		if err := f.Value.Set("20261121"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}
