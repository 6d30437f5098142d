package enginetest

import (
	"flag"
	"os"
	"testing"
)

// Main runs the tests of a package with a fixed seed for random trees, so that all
// runs have the same result. Long runs choose another: -rapid.seed=N
// -rapid.checks=N.
func Main(m *testing.M) {
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
