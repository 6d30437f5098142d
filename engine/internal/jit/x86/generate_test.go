package x86

import (
	"bytes"
	"flag"
	"fmt"
	"go/format"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/internal/lists"
)

var update = flag.Bool("update", false, "write generated files")

// TestGenerated fails when zinsns.go is stale.
func TestGenerated(t *testing.T) {
	text, err := os.ReadFile("insns.txt")
	if err != nil {
		t.Fatal(err)
	}
	want, err := generate(string(text))
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("zinsns.go", want, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if have, err := os.ReadFile("zinsns.go"); err != nil || !bytes.Equal(have, want) {
		t.Fatalf("zinsns.go is stale (%v): run go test -run Generated -update", err)
	}
}

// generate makes the Go tables of the rows of insns.txt.
func generate(text string) ([]byte, error) {
	var names []string
	rows := map[string][]string{}
	for n, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		if len(f) != 5 {
			return nil, fmt.Errorf("insns.txt:%d: %d columns", n+1, len(f))
		}
		row, err := formText(f)
		if err != nil {
			return nil, fmt.Errorf("insns.txt:%d: %w", n+1, err)
		}
		if rows[f[0]] == nil {
			names = append(names, f[0])
		}
		rows[f[0]] = append(rows[f[0]], row)
	}
	var b bytes.Buffer
	b.WriteString("// Code generated from insns.txt by go test -run Generated -update. DO NOT EDIT.\n\npackage x86\n\n")
	const row = 6 // constants of a line; those after the first line have the expressions of the first one
	b.WriteString("// The instructions.\nconst (\n")
	constants := append(lists.Map(names, strings.ToUpper), "numOps")
	for len(constants)%row != 0 {
		constants = append(constants, "_")
	}
	for i := 0; i < len(constants); i += row {
		b.WriteString(strings.Join(constants[i:i+row], ", "))
		if i == 0 {
			b.WriteString(" Op = 6*iota, 6*iota + 1, 6*iota + 2, 6*iota + 3, 6*iota + 4, 6*iota + 5")
		}
		b.WriteString("\n")
	}
	b.WriteString(")\n\n")
	b.WriteString("var opNames = [numOps]string{\n")
	for i, n := range names {
		if i > 0 && i%8 == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%q, ", n)
	}
	b.WriteString("\n}\n\n// firstForm has the first form of each instruction.\nvar firstForm = [numOps + 1]uint16{")
	at := 0
	for i, n := range names {
		if i%16 == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%d, ", at)
		at += len(rows[n])
	}
	fmt.Fprintf(&b, "%d,\n}\n\nvar forms = [...]form{\n", at)
	for _, n := range names {
		for _, r := range rows[n] {
			b.WriteString(r + "\n")
		}
	}
	b.WriteString("}\n")
	return format.Source(b.Bytes())
}

var patNames = map[string]string{
	"r": "patR", "v": "patV", "u": "patU", "4": "patIs4", "m": "patM", "M": "patMem", "s": "patVSIB",
	"k": "patK", "kv": "patKV", "ku": "patKU", "km": "patKM",
	"g": "patG", "gv": "patGV", "gu": "patGU", "gm": "patGM", "go": "patGO",
	"i": "patI", "i1": "patI1", "iz": "patIZ", "i8": "patI8", "c": "patCL", "l": "patRel",
}

var sizeNames = map[string]string{
	"": "sizeLen", "/2": "sizeHalf", "/4": "sizeQuarter", "/8": "sizeEighth", "x": "sizeX", "y": "sizeY",
	"1": "size1", "2": "size2", "4": "size4", "8": "size8",
}

// formText is the composite literal of the form in a row's columns.
func formText(f []string) (string, error) {
	b := &strings.Builder{}
	fmt.Fprintf(b, "{op: %s", strings.ToUpper(f[0]))
	var pats, sizes []string
	sized := false
	for _, o := range strings.Split(strings.Trim(f[1], "()"), ",") {
		if o == "" {
			continue
		}
		p, ok := patNames[o]
		size := ""
		for n := 1; !ok && n < len(o); n++ {
			if p, ok = patNames[o[:n]]; ok {
				if _, ok = sizeNames[o[n:]]; ok {
					size = o[n:]
				}
			}
		}
		if !ok {
			return "", fmt.Errorf("operand %q", o)
		}
		pats = append(pats, p)
		sizes = append(sizes, sizeNames[size])
		sized = sized || size != ""
	}
	if pats != nil {
		fmt.Fprintf(b, ", ops: [4]pat{%s}", strings.Join(pats, ", "))
	}
	if sized {
		fmt.Fprintf(b, ", size: [4]uint8{%s}", strings.Join(sizes, ", "))
	}

	e := strings.Split(f[2], ".")
	pp, okP := map[string]string{"np": "ppNP", "66": "pp66", "f3": "ppF3", "f2": "ppF2"}[e[0]]
	if len(e) < 3 || !okP {
		return "", fmt.Errorf("encoding %q", f[2])
	}
	m, okM := map[string]string{"op": "mapOp", "0f": "map0F", "38": "map0F38", "3a": "map0F3A"}[e[1]]
	if !okM {
		return "", fmt.Errorf("map %q", e[1])
	}
	code, ext, hasExt := strings.Cut(e[2], "/")
	flags := ""
	switch {
	case len(e) == 4:
		ext, flags = "0x"+e[3], "m"
	case !hasExt:
		ext = "noExt"
	}
	fmt.Fprintf(b, ", pp: %s, opmap: %s, opcode: 0x%s, ext: %s", pp, m, code, ext)

	if v, ok := strings.CutPrefix(f[3], "gp:"); ok {
		lens := 0
		for _, c := range v {
			lens |= int(c - '0')
		}
		fmt.Fprintf(b, ", gp: true, vex: %d", lens)
	} else if f[3] != "-" {
		w, l, _ := strings.Cut(f[3], ":")
		t, err := wLens(w, l)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(b, ", vexW: %s, vex: %s", t[0], t[1])
	}
	if f[4] != "-" {
		c := strings.Split(f[4], ":")
		if len(c) != 4 || len(c[2]) < 2 {
			return "", fmt.Errorf("EVEX form %q", f[4])
		}
		t, err := wLens(c[0], c[1])
		if err != nil {
			return "", err
		}
		tup := map[byte]string{'f': "tupFull", 'h': "tupHalf", 'm': "tupPart", 't': "tupFixed", 'd': "tupDup"}[c[2][0]]
		elem, err := strconv.Atoi(c[2][1:])
		if err != nil || tup == "" {
			return "", fmt.Errorf("memory %q", c[2])
		}
		fmt.Fprintf(b, ", evexW: %s, evex: %s, tup: %s, elem: %d", t[0], t[1], tup, elem)
		flags += c[3]
	}
	if flags != "" {
		fmt.Fprintf(b, ", flags: %s", union(flags, map[byte]string{
			'k': "flagMask", 'z': "flagZero", 'g': "flagVSIB", 'm': "flagModRM",
		}))
	}
	b.WriteString("},")
	return b.String(), nil
}

func wLens(w, l string) (t [2]string, err error) {
	t[0] = map[string]string{"w0": "w0", "w1": "w1", "wi": "wIgnored", "wl": "wByLen"}[w]
	t[1] = union(l, map[byte]string{
		'x': "len128", 'y': "len256", 'z': "len512", 's': "lenScalar", 'k': "lenK", 'K': "lenKPair", 'g': "lenGPR",
	})
	if t[0] == "" || t[1] == "" {
		return t, fmt.Errorf("W and lengths %q %q", w, l)
	}
	return t, nil
}

func union(letters string, names map[byte]string) string {
	var parts []string
	for i := range len(letters) {
		parts = append(parts, names[letters[i]])
	}
	return strings.Join(parts, " | ")
}
