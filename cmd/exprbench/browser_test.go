package main

import (
	"image/png"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// browse PAGE PICTURE shows a page in Chromium without a window. Standard output is the page once its
// scripts have run. "go test -artifacts" keeps the pictures.
func browse(t *testing.T) func(ts *testscript.TestScript, neg bool, args []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if neg || len(args) != 2 {
			ts.Fatalf("usage: browse page picture")
		}
		flags := []string{"--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=" + ts.MkAbs("profile"), "--window-size=1600,1400", "--virtual-time-budget=2000", "--dump-dom"}
		picture, page := ts.MkAbs(args[1]), "file://"+ts.MkAbs(args[0])
		ts.Check(ts.Exec("chromium", append(flags, "--screenshot="+picture, page)...))
		b, err := os.ReadFile(picture)
		ts.Check(err)
		ts.Check(os.WriteFile(filepath.Join(t.ArtifactDir(), args[1]), b, 0o666))
	}
}

// painted PICTURE COLOUR=N... checks that a picture has at least N pixels of each colour, or none if N is 0.
func painted(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: painted picture colour=pixels...")
	}
	f, err := os.Open(ts.MkAbs(args[0]))
	ts.Check(err)
	defer f.Close()
	m, err := png.Decode(f)
	ts.Check(err)
	count := map[uint32]int{}
	for y := m.Bounds().Min.Y; y < m.Bounds().Max.Y; y++ {
		for x := m.Bounds().Min.X; x < m.Bounds().Max.X; x++ {
			r, g, b, _ := m.At(x, y).RGBA()
			count[r>>8<<16|g>>8<<8|b>>8]++
		}
	}
	for _, arg := range args[1:] {
		name, least, _ := strings.Cut(arg, "=")
		colour, err := strconv.ParseUint(name, 16, 32)
		ts.Check(err)
		n, err := strconv.Atoi(least)
		ts.Check(err)
		if got := count[uint32(colour)]; got < n || n == 0 && got > 0 {
			ts.Fatalf("%s has %d pixels of the colour %s, want %s", args[0], got, name, least)
		}
	}
}
