package pb

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/expr"
)

type node struct {
	Name  string    `pb:"1,name"`
	Count *int32    `pb:"2,count"`
	On    bool      `pb:"3,on"`
	Xs    []float32 `pb:"4,xs"`
	Ns    []int64   `pb:"5,ns,packed"`
	Texts []string  `pb:"6,texts"`
	Sub   *node     `pb:"7,sub"`
	Subs  []*node   `pb:"8,subs"`
	X     *float64  `pb:"9,x"`
	U     *uint32   `pb:"10,u"`
}

func sample() *node {
	return &node{
		Name: "a\"b\\\x00\xff\n", Count: new(int32(-3)), On: true,
		Xs: []float32{.1, float32(math.Inf(-1)), 1e20}, Ns: []int64{-1, 300}, Texts: []string{"", "x"},
		Sub: &node{Count: new(int32(0))}, Subs: []*node{{}, {Name: "s"}}, X: new(2.5), U: new(uint32(1<<32 - 1)),
	}
}

const sampleText = `name: "a\"b\\\000\377\n"
count: -3
on: true
xs: 0.1
xs: -inf
xs: 1e+20
ns: -1
ns: 300
texts: ""
texts: "x"
sub {
  count: 0
}
subs {
}
subs {
  name: "s"
}
x: 2.5
u: 4294967295
`

func TestText(t *testing.T) {
	if got := written(t, MarshalText, sample()); got != sampleText {
		t.Errorf("got %s", got)
	}
	for _, text := range []string{
		sampleText,
		`# the same in another form
		texts: [ '', "x" ] name: 'a"b\\' "\0\xff" "\n"; count: -0x3, on: true xs: [.1f, -inf, 1e20] ns: -1 ns: 0454
		sub < count: 0 > subs: [{}, {name: "s"}] x: 2.5 u: 0xffffffff`,
	} {
		var got node
		if err := UnmarshalText([]byte(text), &got); err != nil || !reflect.DeepEqual(&got, sample()) {
			t.Errorf("%s\nread %+v, %v", text, got, err)
		}
	}
}

// written returns what a writer makes of x.
func written(t *testing.T, write func(x any) ([]byte, error), x any) string {
	t.Helper()
	text, err := write(x)
	if err != nil {
		t.Error(err)
	}
	return string(text)
}

// TestCycles writes messages that contain themselves, or are very many as a tree or as
// elements that are nil.
func TestCycles(t *testing.T) {
	cycle, tree := &node{}, &node{}
	cycle.Subs = []*node{cycle}
	for range 60 {
		tree = &node{Subs: []*node{tree, tree}}
	}
	for _, n := range []*node{cycle, {Sub: cycle}, tree, {Subs: make([]*node, maxMessages)}} {
		for _, write := range []func(x any) ([]byte, error){Marshal, MarshalText} {
			if text, err := write(n); !errors.Is(err, expr.ErrValue) {
				t.Errorf("%d bytes, %v", len(text), err)
			}
		}
	}
}

func TestWire(t *testing.T) {
	var got node
	if err := Unmarshal([]byte(written(t, Marshal, sample())), &got); err != nil || !reflect.DeepEqual(&got, sample()) {
		t.Errorf("read %+v, %v", got, err)
	}
}

func TestTextErrors(t *testing.T) {
	for text, want := range map[string]string{
		"name: 5":             `1:7: expected a string`,
		"\n  nome: \"x\"":     `2:3: there is no field "nome"`,
		"count: 4294967296":   `1:8: "4294967296" is not an integer of 32 bits`,
		"u: -1":               `1:4: "-1" is not a positive integer of 32 bits`,
		"on: 7":               `1:5: "7" is not true or false`,
		"x: y":                `1:4: "y" is not a number`,
		"name: \"x":           `1:7: a string has no end`,
		`name: "x\`:           `1:7: a string has no end`,
		`name: "\q"`:          `1:7: an escape of the string is not known`,
		"sub {":               `1:6: the text ends before "}"`,
		"sub 5":               `1:5: expected a brace`,
		"name \"x\"":          `1:6: expected a colon`,
		"count: [1, 2]":       `1:8: a list for a field that is not repeated`,
		"xs: [1":              `1:7: "" is not a number`,
		"}":                   `1:1: there is no field "}"`,
		"sub { subs { name }": `1:19: expected a colon`,
	} {
		var n node
		err := UnmarshalText([]byte(text), &n)
		if !errors.Is(err, expr.ErrValue) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// TestBombs reads inputs that would cost far more than their size.
func TestBombs(t *testing.T) {
	deep := []byte(written(t, Marshal, &node{}))
	for range 200 {
		deep = append([]byte{7<<3 | 2, byte(len(deep)), byte(len(deep) >> 7)}, deep...)
		if len(deep) > 127 {
			deep[1] |= 0x80
		} else {
			deep = append(deep[:2], deep[3:]...)
		}
	}
	many := []byte(strings.Repeat("\x42\x00", maxMessages+1))
	for name, raw := range map[string][]byte{"deep": deep, "many": many} {
		var n node
		if err := Unmarshal(raw, &n); !errors.Is(err, expr.ErrValue) {
			t.Errorf("%s: %v", name, err)
		}
	}
	var n node
	if err := UnmarshalText([]byte(strings.Repeat("sub {", 200)), &n); !errors.Is(err, expr.ErrValue) {
		t.Errorf("deep text: %v", err)
	}
}

func FuzzText(f *testing.F) {
	f.Add(sampleText)
	f.Add(`sub < xs: [1, 2] > texts: 'a' "b"`)
	f.Fuzz(func(t *testing.T, text string) {
		var n, again node
		if UnmarshalText([]byte(text), &n) != nil {
			return
		}
		out := written(t, MarshalText, &n)
		if err := UnmarshalText([]byte(out), &again); err != nil || written(t, MarshalText, &again) != out {
			t.Errorf("%q is written as %q, which reads as %+v, %v", text, out, again, err)
		}
	})
}
