// Package picture converts between images and tensors, and reads and writes
// image files.
//
//	x, err := picture.ReadFile[float32]("in.png")
//	err = x.Assign(op.ScalarSub(1, x)) // the negative, alpha too
//	err = picture.WriteFile("out.png", x)
//
// A tensor of an image has the shape [height, width, channels]: one channel for
// gray images, else red, green, blue and alpha, which are not multiplied by
// alpha. Elements of type uint8 are 0 to 255, of type uint16 0 to 65535, and floats 0 to 1.
package picture

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	_ "image/gif" // ReadFile reads GIF
	"image/jpeg"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/internal/files"
	"github.com/oneloop/oneloop/engine/internal/hostmem"
	"github.com/oneloop/oneloop/engine/npy"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
)

// A Sample is an element type that pixels can have.
type Sample interface {
	uint8 | uint16 | float32 | float64
}

// Tensor returns the pixels of an image as a new tensor. Images of 16 bits lose
// the lower 8 as uint8, and nothing as uint16 or floats. An image that panics, such as
// one with too few bytes, is an error.
func Tensor[T Sample](m image.Image) (x *engine.Tensor[T], err error) {
	defer func() {
		if p := recover(); p != nil {
			x, err = nil, errorf(tree.ErrValue, "the image panicked: %v", p)
		}
	}()
	if v := reflect.ValueOf(m); m == nil || v.Kind() == reflect.Pointer && v.IsNil() {
		return nil, errorf(tree.ErrType, "the image is nil")
	}
	channels := 4
	switch m.ColorModel() {
	case color.GrayModel, color.Gray16Model:
		channels = 1
	}
	r := m.Bounds()
	if x, err = engine.New[T](r.Dy(), r.Dx(), channels); err != nil {
		return nil, err
	}
	data := x.Data()
	put := func(v ...uint16) {
		for i, c := range v {
			data[i] = sample[T](c)
		}
		data = data[len(v):]
	}
	for y := r.Min.Y; y < r.Max.Y; y++ {
		switch m := m.(type) {
		case *image.Gray:
			for _, v := range m.Pix[m.PixOffset(r.Min.X, y):][:r.Dx()] {
				put(wide(v))
			}
		case *image.Gray16:
			for x := r.Min.X; x < r.Max.X; x++ {
				put(m.Gray16At(x, y).Y)
			}
		case *image.NRGBA:
			for _, v := range m.Pix[m.PixOffset(r.Min.X, y):][:4*r.Dx()] {
				put(wide(v))
			}
		case *image.NRGBA64:
			for x := r.Min.X; x < r.Max.X; x++ {
				c := m.NRGBA64At(x, y)
				put(c.R, c.G, c.B, c.A)
			}
		default:
			for x := r.Min.X; x < r.Max.X; x++ {
				c := pixel(m, x, y)
				put([]uint16{c.R, c.G, c.B, c.A}[:channels]...)
			}
		}
	}
	return x, nil
}

// pixel returns a color that is not multiplied by its alpha.
func pixel(m image.Image, x, y int) color.NRGBA64 {
	if m, ok := m.(image.RGBA64Image); ok { // all images of the standard library; nothing is allocated
		if c := m.RGBA64At(x, y); c.A == 0xffff {
			return color.NRGBA64(c)
		}
	}
	return color.NRGBA64Model.Convert(m.At(x, y)).(color.NRGBA64)
}

func wide(v uint8) uint16 { return uint16(v) * 0x101 }

// sample returns 16 bits as an element.
func sample[T Sample](v uint16) T {
	switch dtype.Of[T]() {
	case dtype.U8:
		return T(v >> 8)
	case dtype.U16:
		return T(v)
	}
	return T(float64(v) / 0xffff)
}

// Image returns a picture of a tensor of shape [height, width] or [height, width,
// channels], with 1 channel (gray), 3 or 4. Elements of type uint8 give an image
// of 8 bits, and uint16 and floats one of 16 bits. Floats are brought into 0 to 1, and
// NaN is 0.
func Image[T Sample](x *engine.Tensor[T]) (image.Image, error) {
	if err := x.Err(); err != nil {
		return nil, err
	}
	s := x.Shape()
	channels := 1
	if len(s) == 3 {
		channels = s[2]
	}
	if len(s) < 2 || len(s) > 3 || channels != 1 && channels != 3 && channels != 4 {
		return nil, errorf(tree.ErrShape, "a tensor of shape %v is no image; images are [height, width, channels] with 1, 3 or 4 channels", s)
	}
	r := image.Rect(0, 0, s[1], s[0])
	data := x.Values()
	switch dtype.Of[T]() {
	case dtype.U8:
		return image8(r, channels, func(i int) uint8 { return uint8(data[i]) }), nil
	case dtype.U16:
		return image16(r, channels, func(i int) uint16 { return uint16(data[i]) }), nil
	}
	return image16(r, channels, func(i int) uint16 { return level(float64(data[i])) }), nil
}

// level returns a number of 0 to 1 as 16 bits, rounded to nearest.
func level(v float64) uint16 {
	if !(v > 0) {
		return 0
	}
	return uint16(min(v, 1)*0xffff + .5)
}

func image8(r image.Rectangle, channels int, at func(int) uint8) image.Image {
	if channels == 1 {
		m := image.NewGray(r)
		for i := range m.Pix {
			m.Pix[i] = at(i)
		}
		return m
	}
	m := image.NewNRGBA(r)
	for i := range r.Dx() * r.Dy() {
		m.Pix[4*i+3] = 0xff
		for k := range channels {
			m.Pix[4*i+k] = at(channels*i + k)
		}
	}
	return m
}

func image16(r image.Rectangle, channels int, at func(int) uint16) image.Image {
	set := func(pix []byte, i int, v uint16) { pix[2*i], pix[2*i+1] = uint8(v>>8), uint8(v) }
	if channels == 1 {
		m := image.NewGray16(r)
		for i := range r.Dx() * r.Dy() {
			set(m.Pix, i, at(i))
		}
		return m
	}
	m := image.NewNRGBA64(r)
	for i := range r.Dx() * r.Dy() {
		set(m.Pix, 4*i+3, 0xffff)
		for k := range channels {
			set(m.Pix, 4*i+k, at(channels*i+k))
		}
	}
	return m
}

// MaxPixels bounds the images that Read and ReadFile decode. A small file can claim
// a picture that fills memory.
const MaxPixels = 1 << 28

// Read decodes a PNG, JPEG or GIF image, the first of several. The text of the format
// may be at most 1 GiB. The error is [expr.ErrValue] for data that are no such image.
func Read[T Sample](r io.Reader) (*engine.Tensor[T], error) {
	m, err := decode(r)
	if err != nil {
		return nil, err
	}
	return Tensor[T](m)
}

func decode(r io.Reader) (image.Image, error) {
	const most = 1 << 30
	if r == nil {
		return nil, errorf(tree.ErrType, "the reader is nil")
	}
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	if err != nil {
		return nil, fmt.Errorf("oneloop: picture: %w", err)
	}
	if len(data) > most {
		return nil, errorf(tree.ErrOutOfMemory, "the file is longer than %d bytes", most)
	}
	c, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, errorf(tree.ErrValue, "%s", err)
	}
	if c.Width <= 0 || c.Height <= 0 || c.Width > MaxPixels/c.Height {
		return nil, errorf(tree.ErrOutOfMemory, "an image of %d x %d pixels is empty or beyond %d pixels", c.Width, c.Height, MaxPixels)
	}
	if err := hostmem.Reserve(c.Width * c.Height * pixelSize(c.ColorModel)); err != nil {
		return nil, errorf(tree.ErrOutOfMemory, "an image of %d x %d pixels: %s", c.Width, c.Height, err)
	}
	m, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, errorf(tree.ErrValue, "%s", err)
	}
	return m, nil
}

// pixelSize returns the bytes that a decoder of the standard library takes for a pixel.
func pixelSize(m color.Model) int {
	switch m {
	case color.GrayModel:
		return 1
	case color.Gray16Model:
		return 2
	case color.RGBA64Model, color.NRGBA64Model:
		return 8
	}
	if _, ok := m.(color.Palette); ok {
		return 1
	}
	return 4
}

// ReadFile reads an image file as [Read] does.
func ReadFile[T Sample](path string) (*engine.Tensor[T], error) { return fromFile(path, Tensor[T]) }

// ReadArray reads an image file as [Read] does, with elements of the type that keeps
// its samples: uint16 for an image of 16 bits, else uint8.
func ReadArray(path string) (*engine.Array, error) {
	return fromFile(path, func(m image.Image) (*engine.Array, error) {
		switch m.ColorModel() {
		case color.Gray16Model, color.Alpha16Model, color.RGBA64Model, color.NRGBA64Model:
			return array[uint16](m)
		}
		return array[uint8](m)
	})
}

func array[T Sample](m image.Image) (*engine.Array, error) {
	x, err := Tensor[T](m)
	if err != nil {
		return nil, err
	}
	return x.Array(), nil
}

// fromFile returns what f makes of the image in a file. Errors name the file.
func fromFile[R any](path string, f func(image.Image) (*R, error)) (*R, error) {
	r, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("oneloop: picture: %w", err)
	}
	defer r.Close()
	m, err := decode(r)
	var x *R
	if err == nil {
		x, err = f(m)
	}
	if err != nil {
		return nil, &files.Error{Package: "picture", Path: path, Err: err}
	}
	return x, nil
}

// Encode writes a tensor as a PNG image, or as a JPEG image of quality 95, which
// has 8 bits and no alpha. The format is "png", "jpg" or "jpeg".
func Encode[T Sample](w io.Writer, format string, x *engine.Tensor[T]) error {
	m, err := Image(x)
	switch {
	case err != nil:
		return err
	case w == nil:
		return errorf(tree.ErrType, "the writer is nil")
	case m.Bounds().Empty():
		return errorf(tree.ErrShape, "a tensor of shape %v has no pixels", x.Shape())
	}
	switch strings.ToLower(format) {
	case "png":
		return png.Encode(w, m)
	case "jpg", "jpeg":
		if g, ok := m.(*image.Gray16); ok { // the encoder writes 8 bits, and colors for any other type
			m = image.NewGray(g.Rect)
			draw.Draw(m.(*image.Gray), g.Rect, g, image.Point{}, draw.Src)
		}
		return jpeg.Encode(w, m, &jpeg.Options{Quality: 95})
	}
	return errorf(tree.ErrUnsupported, "%s is no image format to write; there are png and jpg", format)
}

// WriteFile writes a tensor as [Encode] does, in the format of the extension. It
// creates or replaces the file as a whole: after a failure the path holds what it
// held before.
func WriteFile[T Sample](path string, x *engine.Tensor[T]) error {
	format := strings.TrimPrefix(filepath.Ext(path), ".")
	return npy.WriteFileWith(path, func(w io.Writer) error { return Encode(w, format, x) })
}

func errorf(kind error, format string, args ...any) error {
	return files.Errorf("picture", kind, format, args...)
}
