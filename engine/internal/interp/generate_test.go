package interp

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"github.com/oneloop/oneloop/engine/internal/interp/internal/kernelgen"
)

var update = flag.Bool("update", false, "rewrite generated files")

// TestGenerated checks that zkernels.go is up to date.
func TestGenerated(t *testing.T) {
	want, err := kernelgen.Source()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("zkernels.go", want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile("zkernels.go")
	if err != nil || !bytes.Equal(got, want) {
		t.Fatalf("zkernels.go is stale (%v): run go test -run Generated -update", err)
	}
}
