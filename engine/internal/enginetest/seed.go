package enginetest

import (
	"flag"
	"os"
	"runtime/debug"
	"testing"

	"github.com/oneloop/oneloop/internal/testlevel"
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
	if os.Getenv("GOGC") == "" && !testlevel.Deep() {
		debug.SetGCPercent(400) // collections took a seventh of the time: thousands of programs are compiled, few are kept
	}
	os.Exit(m.Run())
}
