package ir

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// texts returns the texts of the files testdata/ir/*.ir.
func texts(t testing.TB) map[string]string {
	t.Helper()
	files, err := filepath.Glob("../../testdata/ir/*.ir")
	if err != nil || len(files) == 0 {
		t.Fatal("no texts", err)
	}
	m := map[string]string{}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		m[strings.TrimSuffix(filepath.Base(f), ".ir")] = string(b)
	}
	return m
}

func mustParse(t testing.TB, text string) *Kernel {
	t.Helper()
	k, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// TestTexts parses the texts. They are in canonical form below their comment,
// so String must return them unchanged.
func TestTexts(t *testing.T) {
	for name, text := range texts(t) {
		t.Run(name, func(t *testing.T) {
			if !strings.HasPrefix(text, "# ") {
				t.Error("no comment on top")
			}
			_, body, _ := strings.Cut(text, "\nkernel ")
			k := mustParse(t, text)
			if err := Check(k); err != nil {
				t.Error(err)
			}
			if k.Name != name {
				t.Errorf("the kernel in %s.ir is called %s", name, k.Name)
			}
			if got, want := k.String(), "kernel "+body; got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			if got := mustParse(t, k.String()).String(); got != k.String() {
				t.Errorf("second time\n%s\nfirst time\n%s", got, k)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range texts(f) {
		f.Add(text)
	}
	for _, c := range rejected {
		f.Add(c.kernel())
	}
	f.Fuzz(func(t *testing.T, text string) {
		k, err := Parse(text)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("error of several lines: %q", err)
			}
			return
		}
		if err := Check(k); err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("error of several lines: %q", err)
		}
		s := k.String()
		again, err := Parse(s)
		if err != nil {
			t.Fatalf("%v\n%s", err, s)
		}
		if got := again.String(); got != s {
			t.Errorf("first\n%s\nthen\n%s", s, got)
		}
		if (Check(k) == nil) != (Check(again) == nil) {
			t.Errorf("Check differs: %v, %v\n%s", Check(k), Check(again), s)
		}
	})
}
