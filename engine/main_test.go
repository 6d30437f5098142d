package engine_test

import (
	"flag"
	"os"
	"testing"
)

// TestMain sets a fixed seed for random trees, so that all runs of the tests have
// the same result. Long runs choose another: -rapid.seed=N -rapid.checks=N.
func TestMain(m *testing.M) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.seed" })
	if f := flag.Lookup("rapid.seed"); f != nil && !given {
		if err := f.Value.Set("20261121"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}
