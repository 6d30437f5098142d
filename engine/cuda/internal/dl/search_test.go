package dl

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

// TestSitePackages puts a virtual environment on the PATH. The search must know
// its packages, and those of the installation that its Python is a link to.
func TestSitePackages(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege there")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	env, base := filepath.Join(dir, "env"), filepath.Join(dir, "base")
	for _, root := range []string{env, base} {
		if err := os.MkdirAll(filepath.Join(root, "bin"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	python := filepath.Join(base, "bin", "python3.12")
	if err := os.WriteFile(python, nil, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(python, filepath.Join(env, "bin", "python3")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Join(env, "bin"))
	got := sitePackages()
	for _, root := range []string{env, base} {
		if want := filepath.Join(root, "lib", "python3*", "site-packages"); !slices.Contains(got, want) {
			t.Errorf("%s is not searched: %v", want, got)
		}
	}
}
