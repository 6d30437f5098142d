package nn

import (
	"slices"
	"strconv"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/internal/files"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/zero"
)

// Save writes a checkpoint as a safetensors file: parameters and buffers as
// "model.NAME", the tensors of the optimiser as "optimizer.NAME", and as texts the
// place in the training. The old file stays whole until the new one is complete.
func (t *Trainer[T]) Save(path string) error {
	t = zero.IfNil(t)
	if err := t.usable(); err != nil {
		return err
	}
	if t.optimizer.err != nil {
		return t.optimizer.err
	}
	arrays := map[string]*engine.Array{}
	for name, p := range t.state() {
		if err := p.Value().Err(); err != nil {
			return &files.Error{Package: "nn", Path: name, Err: err}
		}
		arrays[name] = p.Value().Array()
	}
	return SaveTensors(path, arrays, t.meta())
}

// state returns all tensors of a checkpoint by name.
func (t *Trainer[T]) state() map[string]*Param[T] {
	all := map[string]*Param[T]{}
	for _, p := range t.params {
		all["model."+p.Name] = p
	}
	for i, p := range t.optimizer.slots { // another trainer may use the optimiser too
		if slices.ContainsFunc(t.params, func(own *Param[T]) bool { return own.Variable == t.optimizer.owner[i] }) {
			all["optimizer."+p.Name] = p
		}
	}
	return all
}

// meta returns the texts of a checkpoint.
func (t *Trainer[T]) meta() map[string]string {
	return map[string]string{
		"optimizer": t.optimizer.name,
		"rate":      strconv.FormatFloat(t.optimizer.rate, 'x', -1, 64),
		"step":      strconv.Itoa(t.optimizer.step),
		"epoch":     strconv.Itoa(t.epoch),
		"batch":     strconv.Itoa(t.batch),
		"seed":      strconv.FormatUint(uint64(t.seed.Value()), 10),
	}
}

// Load reads a checkpoint of a trainer with the same module and the same rule of
// the optimiser. Fit with the same data then goes on where the checkpoint was
// saved, and computes the same bits as without the interruption. The error is
// [expr.ErrValue] if the checkpoint is of another training or broken, and
// [expr.ErrShape] if a tensor has another shape. After an error nothing is changed.
func (t *Trainer[T]) Load(path string) error {
	t = zero.IfNil(t)
	if err := t.usable(); err != nil {
		return err
	}
	arrays, meta, err := LoadTensors(path)
	if err != nil {
		return err
	}
	if err := t.restore(arrays, meta); err != nil {
		return &files.Error{Package: "nn", Path: path, Err: err}
	}
	return nil
}

func (t *Trainer[T]) restore(arrays map[string]*engine.Array, meta map[string]string) error {
	if meta["optimizer"] != t.optimizer.name {
		return tree.NewError(tree.ErrValue, "", "the optimiser of the checkpoint is %q, not %q", meta["optimizer"], t.optimizer.name)
	}
	rate, err := strconv.ParseFloat(meta["rate"], 64)
	if err != nil {
		return tree.NewError(tree.ErrValue, "", "the learning rate %q is no number", meta["rate"])
	}
	numbers := map[string]uint64{}
	for _, name := range []string{"step", "epoch", "batch", "seed"} {
		if numbers[name], err = strconv.ParseUint(meta[name], 10, 32); err != nil || name != "seed" && numbers[name] > 1<<31-1 {
			return tree.NewError(tree.ErrValue, "", "the %s %q is no whole number, or too large", name, meta[name])
		}
	}
	state := t.state()
	from, to := [][]byte{}, [][]T{}
	for name, p := range state {
		a := arrays[name]
		if a == nil {
			return tree.NewError(tree.ErrValue, "", "the tensor %s is missing", name)
		}
		if s := p.Value().Shape(); a.DType() != dtype.Of[T]() || !a.Shape().Equal(s) {
			return tree.NewError(tree.ErrShape, "", "%s is %v%v, not %v%v", name, a.DType(), a.Shape(), dtype.Of[T](), s)
		}
		x, err := elements(p.Value())
		if err != nil {
			return err
		}
		b, err := a.Bytes()
		if err != nil {
			return err
		}
		from, to = append(from, b), append(to, x)
	}
	if len(arrays) != len(state) {
		return tree.NewError(tree.ErrValue, "", "the checkpoint has %d tensors, the training %d", len(arrays), len(state))
	}
	if err := t.optimizer.SetRate(rate); err != nil {
		return err
	}
	for i, b := range from {
		copy(dtype.Bytes(to[i]), b)
	}
	t.optimizer.step, t.epoch, t.batch = int(numbers["step"]), int(numbers["epoch"]), int(numbers["batch"])
	t.seed.Set(uint32(numbers["seed"]))
	return nil
}
