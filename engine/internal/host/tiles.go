package host

import (
	"context"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/engine/internal/gemm"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/plan"
	"github.com/oneloop/oneloop/plan/ir"
)

// A tilesStep runs a product, and loops on the parts of its result that are complete. It is
// the [backend.Instance] of its loop. Its units are the units of the product.
type tilesStep struct {
	loopStep
	product *gemm.Product
	tiles   *plan.Tiles
	blocks  int                   // of columns, without a last one that is narrower
	loops   [2][]*loopStep        // for these blocks and for the last one, by part; nil if there is none
	all     []*loopStep           // of both
	workers [2][][]backend.Worker // of each of them, by worker
}

func (p *Program) newTiles(s *plan.Stage) (step, error) {
	problem, err := problemOf(s.Parts[0])
	if err != nil {
		return nil, err
	}
	d := &tilesStep{loopStep: newProductLoop(s.Parts[0], &problem, p.place), tiles: s.Tiles}
	d.blocks = problem.N / s.Tiles.Columns
	for i, part := range s.Parts[1:] {
		var code backend.Code
		for k, x := range [2]*plan.Stage{part, s.LastBlock(i + 1)} {
			if x == nil {
				continue
			}
			l, err := p.boundLoop(x, code, p.place)
			if err != nil {
				return nil, err
			}
			code = l.code
			d.loops[k], d.all = append(d.loops[k], l), append(d.all, l)
		}
	}
	problem.After = &gemm.After{Columns: s.Tiles.Columns, NewWorker: d.newUser}
	d.product = gemm.New(p.Backend.Name(), problem, &d.binding, p.Threads)
	if d.inst = d; p.Profile {
		d.profile()
	}
	d.loop.Plan(p.job, d, 0)
	return d, nil
}

// newUser returns what a worker of the product calls with complete parts of the result.
func (d *tilesStep) newUser() func(row, rows, block, blocks int) {
	var workers [2][]backend.Worker
	for k, list := range d.loops {
		for _, l := range list {
			workers[k] = append(workers[k], l.inst.NewWorker())
		}
		d.workers[k] = append(d.workers[k], workers[k])
	}
	var units [2][]int // of a row of a block
	for k, list := range d.loops {
		for _, l := range list {
			n, _, _ := l.inst.Units()
			units[k] = append(units[k], n/(d.tiles.Rows*max(1, d.blocks*(1-k))))
		}
	}
	return func(row, rows, block, blocks int) {
		for b := block; b < block+blocks; b++ {
			k, at := 0, b*d.tiles.Rows+row
			if b >= d.blocks {
				k, at = 1, row
			}
			for i, w := range workers[k] {
				u := units[k][i]
				w.Run(at*u, (at+rows)*u)
			}
		}
	}
}

// Units returns the units of the product, with the time of the loops.
func (d *tilesStep) Units() (n, grain int, cost float64) {
	n, grain, cost = d.product.Units()
	for _, l := range d.all {
		m, _, c := l.inst.Units()
		cost += c * float64(m) / float64(max(n, 1))
	}
	return n, grain, cost
}

// NewWorker returns the worker of the product, but not as a [backend.Whole], which would begin and finish the product without the loops.
func (d *tilesStep) NewWorker() backend.Worker {
	return struct{ backend.Worker }{d.product.NewWorker()}
}

// Watch lets the runs that follow end early when ctx is done.
func (d *tilesStep) Watch(ctx context.Context) {
	d.product.Watch(ctx)
	for _, l := range d.all {
		l.inst.Watch(ctx)
	}
}

// Begin begins a run.
func (d *tilesStep) Begin() {
	for _, l := range d.all {
		l.load()
		l.inst.Begin()
	}
	d.product.Begin()
}

// Finish returns no fault: the loops raise none.
func (d *tilesStep) Finish(w backend.Worker) ir.FaultKind {
	for k, list := range d.loops {
		for i, l := range list {
			if len(d.workers[k]) > 0 {
				l.inst.Finish(d.workers[k][0][i])
			}
		}
	}
	return d.product.Finish(w)
}

func (d *tilesStep) bind(p *Program) {
	d.loopStep.bind(p)
	for _, l := range d.all {
		l.bind(p)
	}
}

func (d *tilesStep) forget() {
	d.loopStep.forget()
	for _, l := range d.all {
		l.forget()
	}
}

// memory returns the number of bytes of the row buffers of all workers.
func (d *tilesStep) memory() (n int) {
	for k, list := range d.loops {
		n += len(d.workers[k]) * lists.Sum(list, func(l *loopStep) int { return rowBytes(l.s) })
	}
	return n
}
