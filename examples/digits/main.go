// Command digits trains two networks on handwritten digits, one with two layers and
// one with convolutions, and tells how many digits that they have not seen they
// recognise. Every run prints the same numbers, on every machine.
package main

import (
	"bufio"
	"compress/gzip"
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/nn"
	"github.com/oneloop/oneloop/expr/op"
)

const (
	side    = 8  // of an image, in pixels
	classes = 10 // digits
	every   = 5  // every fifth image is not trained on
)

func main() {
	path := flag.String("data", "testdata/digits/digits.csv.gz", "images and digits")
	epochs := flag.Int("epochs", 30, "passes over the images that are trained on")
	page := flag.String("page", "", "file of a page with the course of the training and what is confused")
	flag.Parse()
	results, err := run(os.Stdout, *path, *epochs)
	if err != nil {
		log.Fatal(err)
	}
	if *page != "" {
		if err := os.WriteFile(*page, []byte(html(results)), 0o666); err != nil {
			log.Fatal(err)
		}
	}
}

// A result is what a network has learned.
type result struct {
	Name     string
	Epochs   []nn.Report
	Confused [classes][classes]int // how often each digit was taken for each
}

// Right returns how many digits are recognised, of how many.
func (r *result) Right() (right, all int) {
	for digit, row := range r.Confused {
		right += row[digit]
		for _, n := range row {
			all += n
		}
	}
	return right, all
}

// run trains both networks and writes what they recognise.
func run(w io.Writer, path string, epochs int) (results []*result, err error) {
	images, digits, err := read(path)
	if err != nil {
		return nil, err
	}
	for _, n := range []struct {
		name  string
		model nn.Module[float32]
	}{{"two layers", layers()}, {"convolutions", convolutions()}} {
		r, err := train(n.model, images, digits, epochs)
		if err != nil {
			return nil, err
		}
		r.Name = n.name
		right, all := r.Right()
		fmt.Fprintf(w, "%s: %.2f %% of %d digits are right\n", n.name, 100*float64(right)/float64(all), all)
		fmt.Fprint(w, table(r.Confused))
		results = append(results, r)
	}
	return results, nil
}

// layers returns a network of two layers.
func layers() nn.Module[float32] {
	r := rand.New(rand.NewPCG(1, 1))
	return nn.NewSequential[float32](
		nn.Flatten[float32]{},
		nn.NewLinear[float32](r, side*side, 256), nn.NewBatchNorm[float32](256), nn.Func[float32](op.ReLU[float32]),
		nn.Dropout[float32]{P: .3},
		nn.NewLinear[float32](r, 256, classes))
}

// convolutions returns a network with two convolutions.
func convolutions() nn.Module[float32] {
	r := rand.New(rand.NewPCG(1, 2))
	window := nn.Window2D{Size: 3, Padding: 1}
	return nn.NewSequential[float32](
		nn.NewConv2D[float32](r, 1, 16, window), nn.NewBatchNorm[float32](16), nn.Func[float32](op.ReLU[float32]),
		nn.NewConv2D[float32](r, 16, 32, window), nn.NewBatchNorm[float32](32), nn.Func[float32](op.ReLU[float32]),
		nn.MaxPool2D[float32](nn.Window2D{Size: 2, Stride: 2}),
		nn.Flatten[float32]{}, nn.Dropout[float32]{P: .3},
		nn.NewLinear[float32](r, 32*side*side/4, classes))
}

// A split is every fifth sample, or the others.
type split struct {
	nn.Dataset[float32]
	held bool
}

func (s split) Len() int {
	if s.held {
		return s.Dataset.Len() / every
	}
	return s.Dataset.Len() - s.Dataset.Len()/every
}

func (s split) Read(i int, x, y []float32) error {
	if s.held {
		return s.Dataset.Read(every*i+every-1, x, y)
	}
	return s.Dataset.Read(i+i/(every-1), x, y)
}

// train trains a network on four of five images. The others say what it has learned.
func train(model nn.Module[float32], images, digits *engine.Tensor[float32], epochs int) (*result, error) {
	ctx := context.Background()
	data, err := nn.FromTensors(images, digits)
	if err != nil {
		return nil, err
	}
	loader := &nn.Loader[float32]{Data: split{data, false}, Batch: 32, Shuffle: true, Seed: 1, DropLast: true}
	t := nn.NewTrainer(model, nn.CrossEntropy[float32](), nn.AdamW[float32](3e-3))
	t.Schedule = nn.Cosine(epochs*loader.Batches(), .01)
	t.Metrics = []nn.Metric[float32]{{Name: "accuracy", Of: nn.Accuracy[float32]}}
	held := &nn.Loader[float32]{Data: split{data, true}, Batch: 100}
	r := &result{}
	if r.Epochs, err = t.Fit(ctx, nn.Fit[float32]{Epochs: epochs, Data: loader, Validation: held}); err != nil {
		return nil, err
	}
	for b, err := range held.Epoch(ctx, 0, 0) {
		if err != nil {
			return nil, err
		}
		out, err := t.Predict(ctx, b.X)
		if err != nil {
			return nil, err
		}
		guess, err := engine.New[int64](out.Shape()[0])
		if err != nil {
			return nil, err
		}
		if err := guess.Assign(op.ArgMax(out, op.Axis(1))); err != nil {
			return nil, err
		}
		for i, g := range guess.Data() {
			r.Confused[int(b.Y.At(i))][g]++
		}
	}
	return r, nil
}

// table returns the confusion matrix as text: a row for each digit, a column for
// what it was taken for.
func table(confused [classes][classes]int) string {
	var b strings.Builder
	for digit, row := range confused {
		fmt.Fprintf(&b, "%3d:", digit)
		for _, n := range row {
			fmt.Fprintf(&b, "%4d", n)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// read returns images of shape [n 1 8 8] with values from 0 to 1, and their digits.
func read(path string) (images, digits *engine.Tensor[float32], err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, nil, err
	}
	var x, y []float32
	lines := bufio.NewScanner(z)
	for lines.Scan() {
		fields := strings.Split(lines.Text(), ",")
		if len(fields) != side*side+1 {
			return nil, nil, fmt.Errorf("%s: line %d has %d numbers", path, len(y)+1, len(fields))
		}
		for i, s := range fields {
			v, err := strconv.ParseFloat(s, 32)
			if err != nil {
				return nil, nil, fmt.Errorf("%s: line %d: %w", path, len(y)+1, err)
			}
			if i < side*side {
				x = append(x, float32(v)/16)
			} else {
				y = append(y, float32(v))
			}
		}
	}
	if err := lines.Err(); err != nil {
		return nil, nil, err
	}
	if images, err = engine.FromSlice(x, len(y), 1, side, side); err != nil {
		return nil, nil, err
	}
	digits, err = engine.FromSlice(y)
	return images, digits, err
}
