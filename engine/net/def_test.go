package net_test

import (
	"encoding/hex"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine/net"
	"github.com/oneloop/oneloop/expr"
)

// golden is the net in testdata/net.txt and testdata/net.hex, which protobuf's
// library for Python wrote with the fields of Caffe2's schema.
func golden() *net.NetDef {
	return &net.NetDef{
		Name: "mlp", Type: "dag", NumWorkers: new(int32(4)), ExternalInput: []string{"x"}, ExternalOutput: []string{"y"},
		Op: []*net.OperatorDef{{
			Input: []string{"x", "w", "b"}, Output: []string{"y"}, Name: "fc 1", Type: "FC", Engine: "BLAS",
			ControlInput: []string{"x"}, IsGradientOp: new(false), DebugInfo: new("line 3"),
			Arg: []*net.Argument{
				net.Arg("axis", -1), net.Arg("f", .1), net.Arg("s", "\x00\xff\""), net.Arg("fs", []float64{1, 2.5, 1e-8}),
				{Name: "is", Ints: []int64{1, -2, 1 << 40}},
				net.Arg("ss", []string{"", "a"}),
				{Name: "n", N: &net.NetDef{Name: "inner"}, Nets: []*net.NetDef{{Name: "one"}, {}}},
			},
			DeviceOption: &net.DeviceOption{
				DeviceType: new(int32(1)), DeviceID: new(int32(0)), RandomSeed: new(uint32(1<<32 - 1)), NodeName: new("host"),
				NumaNodeID: new(int32(1)), ExtraInfo: []string{"e"},
			},
		}},
		Arg: []*net.Argument{net.Arg("k", 1)},
	}
}

func TestNetDef(t *testing.T) {
	want := golden()
	text, err := os.ReadFile("testdata/net.txt")
	if err != nil {
		t.Fatal(err)
	}
	digits, err := os.ReadFile("testdata/net.hex")
	if err != nil {
		t.Fatal(err)
	}
	raw, err := hex.DecodeString(strings.TrimSpace(string(digits)))
	if err != nil {
		t.Fatal(err)
	}
	var a, b, c net.NetDef
	if err := errors.Join(a.UnmarshalText(text), b.UnmarshalBinary(raw), c.UnmarshalText([]byte(want.String()))); err != nil {
		t.Fatal(err)
	}
	for i, got := range []*net.NetDef{&a, &b, &c} {
		if !reflect.DeepEqual(got, want) {
			t.Errorf("reading %d gives %v", i, got)
		}
	}
	if got, err := want.MarshalBinary(); err != nil || !reflect.DeepEqual(got, raw) {
		t.Errorf("wrote %x, %v, want %x", got, err, raw)
	}
	for n := range raw { // a net that is cut off is an error or another net
		var d net.NetDef
		if d.UnmarshalBinary(raw[:n]) == nil && reflect.DeepEqual(&d, want) {
			t.Errorf("%d of %d bytes read as the whole net", n, len(raw))
		}
	}
	if err := a.UnmarshalText([]byte("op { typ: \"FC\" }")); !errors.Is(err, expr.ErrValue) || !strings.Contains(err.Error(), "1:6") {
		t.Errorf("an unknown field: %v", err)
	}
}

func FuzzNetDef(f *testing.F) {
	raw, _ := golden().MarshalBinary()
	f.Add(raw)
	f.Fuzz(func(t *testing.T, raw []byte) {
		var d, again net.NetDef
		if d.UnmarshalBinary(raw) != nil {
			return
		}
		if err := again.UnmarshalText([]byte(d.String())); err != nil {
			t.Fatalf("%q: %v", d.String(), err)
		}
		_, _ = net.NewWorkspace().CreateNet(&d) // must not panic
	})
}
