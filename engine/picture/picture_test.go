package picture_test

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/color/palette"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/picture"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/op/untyped"
)

func Example() {
	m := image.NewGray(image.Rect(0, 0, 3, 1))
	copy(m.Pix, []uint8{0, 51, 255})
	x, err := picture.Tensor[float64](m)
	if err == nil {
		err = x.Assign(op.ScalarSub(1, x)) // the negative
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	negative, err := picture.Image(x)
	fmt.Println(x.Reshape(3), negative.At(1, 0), err)
	// Output: [1 0.8 0] {52428} <nil>
}

// kinds are images of all kinds with an offset, of which a part is used.
func kinds() map[string]image.Image {
	r := image.Rect(-2, 3, 6, 9)
	type drawable interface {
		image.Image
		Set(x, y int, c color.Color)
		SubImage(image.Rectangle) image.Image
	}
	out := map[string]image.Image{}
	for name, m := range map[string]drawable{
		"Gray": image.NewGray(r), "Gray16": image.NewGray16(r), "RGBA": image.NewRGBA(r), "RGBA64": image.NewRGBA64(r), "NRGBA": image.NewNRGBA(r),
		"NRGBA64": image.NewNRGBA64(r), "Alpha": image.NewAlpha(r), "Alpha16": image.NewAlpha16(r), "CMYK": image.NewCMYK(r), "Paletted": image.NewPaletted(r, palette.Plan9),
	} {
		for y := r.Min.Y; y < r.Max.Y; y++ {
			for x := r.Min.X; x < r.Max.X; x++ {
				m.Set(x, y, color.NRGBA64{uint16(x*9000 + 20000), uint16(y * 7000), uint16(x*y*1000 + 9999), uint16(65535 - 9000*((x+y+16)%4))})
			}
		}
		out[name] = m.SubImage(image.Rect(-1, 4, 5, 8))
	}
	ycc := image.NewYCbCr(r, image.YCbCrSubsampleRatio420)
	for i := range ycc.Y {
		ycc.Y[i] = uint8(i * 5)
	}
	for i := range ycc.Cb {
		ycc.Cb[i], ycc.Cr[i] = uint8(90+i), uint8(200-i)
	}
	out["YCbCr"] = ycc.SubImage(image.Rect(-1, 4, 5, 8))
	out["Uniform"] = struct{ image.Image }{out["NRGBA"]} // a type of the user
	return out
}

// TestTensor compares every pixel with what the image package says.
func TestTensor(t *testing.T) {
	for name, m := range kinds() {
		f, err := picture.Tensor[float64](m)
		b, err2 := picture.Tensor[uint8](m)
		w, err3 := picture.Tensor[uint16](m)
		if err != nil || err2 != nil || err3 != nil {
			t.Fatal(name, err, err2, err3)
		}
		r := m.Bounds()
		if s := f.Shape(); s[0] != r.Dy() || s[1] != r.Dx() || s[2] != 1 && s[2] != 4 {
			t.Fatal(name, s)
		}
		for y := range r.Dy() {
			for x := range r.Dx() {
				c := color.NRGBA64Model.Convert(m.At(r.Min.X+x, r.Min.Y+y)).(color.NRGBA64)
				want := []uint16{c.R, c.G, c.B, c.A}
				if n, ok := m.At(r.Min.X+x, r.Min.Y+y).(color.NRGBA); ok { // exact, not through alpha
					want = []uint16{uint16(n.R) * 257, uint16(n.G) * 257, uint16(n.B) * 257, uint16(n.A) * 257}
				}
				if n, ok := m.At(r.Min.X+x, r.Min.Y+y).(color.NRGBA64); ok {
					want = []uint16{n.R, n.G, n.B, n.A}
				}
				for k := range f.Shape()[2] {
					if got := f.At(y, x, k) * 0xffff; math.Abs(got-float64(want[k])) > 1e-6 && name != "Uniform" {
						t.Fatalf("%s at %d %d %d: %v, want %d", name, y, x, k, got, want[k])
					}
					if got := w.At(y, x, k); got != want[k] && name != "Uniform" {
						t.Fatalf("%s at %d %d %d: %d, want %d", name, y, x, k, got, want[k])
					}
					if got := b.At(y, x, k); got != uint8(want[k]>>8) && name != "Uniform" {
						t.Fatalf("%s at %d %d %d: %d, want %d", name, y, x, k, got, want[k]>>8)
					}
				}
			}
		}
	}
	if _, err := picture.Tensor[uint8](nil); err == nil {
		t.Error("nil is a picture")
	}
}

// TestFiles writes and reads exact formats.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.PNG")
	for _, channels := range []int{1, 4} {
		x, y, z := engine.Zeros[uint8](5, 3, channels), engine.Zeros[float64](5, 3, channels), engine.Zeros[uint16](5, 3, channels)
		for i := range x.Data() {
			x.Data()[i], y.Data()[i], z.Data()[i] = uint8(i*11), float64(i*1000)/0xffff, uint16(i*1000)
		}
		if err := picture.WriteFile(path, x); err != nil {
			t.Fatal(err)
		}
		if got, err := picture.ReadFile[uint8](path); err != nil || !got.Shape().Equal(x.Shape()) || !slices.Equal(got.Values(), x.Data()) {
			t.Errorf("%v %v, want %v", got, err, x)
		}
		if err := picture.WriteFile(path, y); err != nil {
			t.Fatal(err)
		}
		if got, err := picture.ReadFile[float64](path); err != nil || !slices.Equal(got.Values(), y.Data()) {
			t.Errorf("%v %v, want %v", got, err, y)
		}
		if got, err := picture.ReadFile[uint16](path); err != nil || !slices.Equal(got.Values(), z.Data()) {
			t.Errorf("%v %v, want %v", got, err, z)
		}
		if err := picture.WriteFile(path, z); err != nil {
			t.Fatal(err)
		}
		if got, err := picture.ReadFile[uint16](path); err != nil || !slices.Equal(got.Values(), z.Data()) {
			t.Errorf("%v %v, want %v", got, err, z)
		}
	}
	if err := picture.WriteFile(filepath.Join(dir, "x.jpg"), engine.Zeros[float32](4, 4)); err != nil {
		t.Error(err)
	}
	if m, err := picture.ReadFile[uint8](filepath.Join(dir, "x.jpg")); err != nil || m.Shape()[2] != 1 || m.At(0, 0, 0) != 0 {
		t.Errorf("%v %v", m, err)
	}
	m, err := picture.Image(engine.MustFromSlice([]float32{-1, 2, float32(math.NaN()), .5, 0, 1}, 1, 2, 3))
	if err != nil || m.At(0, 0) != (color.NRGBA64{0, 0xffff, 0, 0xffff}) || m.At(1, 0) != (color.NRGBA64{0x8000, 0, 0xffff, 0xffff}) {
		t.Errorf("%v %v", m, err)
	}
}

// TestReadArray keeps all bits of files of all depths that PNG has.
func TestReadArray(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.png")
	for name, m := range kinds() {
		var b bytes.Buffer
		if err := png.Encode(&b, m); err != nil {
			t.Fatal(name, err)
		}
		if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		a, err := picture.ReadArray(path)
		if err != nil {
			t.Fatal(name, err)
		}
		m, err := png.Decode(&b)
		if err != nil {
			t.Fatal(name, err)
		}
		want, err := picture.Tensor[uint16](m)
		if err != nil {
			t.Fatal(name, err)
		}
		var wide *engine.Tensor[uint16]
		switch a.DType() {
		case dtype.U8:
			wide, err = engine.Eval(op.MulScalar(expr.Of[uint16](untyped.Cast(a.Node(), dtype.U16)), 257))
		default:
			wide, err = engine.TensorOf[uint16](a)
		}
		if err != nil || !slices.Equal(wide.Values(), want.Values()) {
			t.Errorf("%s is read as %v of %v %v: %v, not %v", name, a.DType(), a.Shape(), err, wide, want)
		}
	}
	if _, err := picture.ReadArray(path + "x"); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// TestHostile reads what is no image, and what claims too much.
func TestHostile(t *testing.T) {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 2, 2))); err != nil {
		t.Fatal(err)
	}
	good := b.Bytes()
	for name, data := range map[string][]byte{
		"nothing": nil, "text": []byte("hello"), "cut": good[:40],
		"a GIF that claims 65535 x 65535 pixels": []byte("GIF89a\xff\xff\xff\xff\x80\x00\x00\x00\x00\x00\xff\xff\xff,"),
	} {
		if _, err := picture.Read[uint8](bytes.NewReader(data)); err == nil || !strings.HasPrefix(err.Error(), "oneloop: picture: ") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
	path := filepath.Join(t.TempDir(), "x.png")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"two channels": picture.WriteFile(path, engine.Zeros[uint8](2, 2, 2)),
		"a vector":     picture.WriteFile(path, engine.Zeros[uint8](2)),
	} {
		if !errors.Is(err, expr.ErrShape) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := picture.WriteFile(filepath.Join(filepath.Dir(path), "x.bmp"), engine.Zeros[uint8](2, 2)); !errors.Is(err, expr.ErrUnsupported) || strings.Count(err.Error(), "oneloop") != 1 {
		t.Errorf("another format: %v", err)
	}
	if err := picture.WriteFile(path, engine.Zeros[uint8](0, 2)); err == nil {
		t.Error("an empty image is written")
	}
	if err := picture.WriteFile[uint8](path, nil); err == nil {
		t.Error("nil is written")
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "old" {
		t.Errorf("%q %v", got, err)
	}
}

func FuzzRead(f *testing.F) {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewNRGBA(image.Rect(0, 0, 2, 2))); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, b []byte) {
		if c, _, err := image.DecodeConfig(bytes.NewReader(b)); err == nil && c.Width*c.Height > 1<<20 {
			return
		}
		if _, err := picture.Read[uint8](bytes.NewReader(b)); err != nil && strings.ContainsAny(err.Error(), "\n\r") {
			t.Fatalf("the error is %q", err)
		}
	})
}

// TestNoPicture has nothing to write, or no writer.
func TestNoPicture(t *testing.T) {
	if _, err := picture.Tensor[uint8](&image.Gray{Rect: image.Rect(0, 0, 4, 4), Stride: 4}); !errors.Is(err, expr.ErrValue) {
		t.Errorf("no bytes: %v", err)
	}
	for _, text := range []string{"", "none", "\x89PNG\r\n\x1a\n", "GIF89a\x01\x00\x01\x00\x00\x00\x00"} { // the last is cut after its size
		if _, err := picture.Read[uint8](strings.NewReader(text)); !errors.Is(err, expr.ErrValue) {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, format := range []string{"png", "jpg"} {
		var b bytes.Buffer
		if err := picture.Encode(&b, format, engine.Zeros[uint8](0, 2)); !errors.Is(err, expr.ErrShape) || b.Len() > 0 {
			t.Errorf("%s: %v, %d bytes", format, err, b.Len())
		}
		if err := picture.Encode(nil, format, engine.Zeros[uint8](1, 2)); !errors.Is(err, expr.ErrType) {
			t.Errorf("%s, no writer: %v", format, err)
		}
	}
}
