package net

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
)

// AddGradients adds the operators that compute the gradients of a blob of the net,
// whose elements they sum, with respect to other blobs. It returns the names of the
// gradients: "w_grad" for "w", or "w_grad_" if the net has a blob of that name. A blob that the loss does not depend on has
// none. The net is unchanged after an error: [expr.ErrUnsupported] if a blob is
// written again after an operator has used it, because its old value is lost.
func AddGradients(d *NetDef, loss string, wrt ...string) (map[string]string, error) {
	if _, err := build(nil, d); err != nil {
		return nil, err
	}
	b := &backward{d: d, needed: map[string]bool{}, parts: map[string][]string{}, uses: map[string]int{}, taken: map[string]bool{}}
	for _, o := range d.Op {
		for _, name := range slices.Concat(o.Input, o.Output, o.ControlInput, d.ExternalInput) {
			b.taken[name] = true
		}
	}
	for _, name := range wrt {
		b.needed[name] = true
	}
	if err := b.find(loss); err != nil {
		return nil, err
	}
	seed := b.part(loss)
	b.add(Op("ConstantFill", []string{loss}, []string{seed}, Arg("value", 1.)))
	for i := len(d.Op) - 1; i >= 0; i-- {
		if b.passes[i] {
			b.operator(d.Op[i])
		}
	}
	grads := map[string]string{}
	for _, name := range wrt {
		if len(b.parts[name]) > 0 {
			grads[name] = b.total(name)
		}
	}
	d.Op = append(d.Op, b.added...)
	return grads, nil
}

// A backward is the state of AddGradients.
type backward struct {
	d      *NetDef
	needed map[string]bool     // blobs that depend on a wanted blob
	passes []bool              // operators that pass a gradient on
	uses   map[string]int      // number of parts of the gradient of each blob
	parts  map[string][]string // those made so far
	added  []*OperatorDef
	taken  map[string]bool // names of blobs
}

// fresh returns name, with underlines behind it if the net has such a blob.
func (b *backward) fresh(name string) string {
	for b.taken[name] {
		name += "_"
	}
	b.taken[name] = true
	return name
}

// find finds the operators between the wanted blobs and the loss.
func (b *backward) find(loss string) error {
	ops := b.d.Op
	for _, o := range ops {
		if slices.ContainsFunc(o.Input, func(x string) bool { return b.needed[x] }) {
			for _, out := range o.Output {
				b.needed[out] = true
			}
		}
	}
	b.passes = make([]bool, len(ops))
	reaches := map[string]bool{loss: true}
	b.uses[loss] = 1
	for i := len(ops) - 1; i >= 0; i-- {
		o := ops[i]
		if !slices.ContainsFunc(o.Output, func(x string) bool { return reaches[x] }) || len(b.wrt(o)) == 0 {
			continue
		}
		b.passes[i] = true
		for _, x := range b.wrt(o) {
			reaches[o.Input[x]] = true
			b.uses[o.Input[x]]++
		}
	}
	for i, o := range ops {
		if !b.passes[i] {
			continue
		}
		if _, err := schemaOf(o.Type + "Gradient"); err != nil {
			return fmt.Errorf("operator %d: %w", i, err)
		}
		for j := i; j < len(ops); j++ {
			for _, name := range ops[j].Output {
				if slices.Contains(o.Input, name) || j > i && slices.Contains(o.Output, name) {
					return tree.NewError(tree.ErrUnsupported, "", "operator %d (%s) writes blob %q again, which the gradient of operator %d (%s) reads", j, ops[j].Type, name, i, o.Type)
				}
			}
		}
	}
	return nil
}

// wrt returns the numbers of the inputs that need gradients, each blob once.
func (b *backward) wrt(o *OperatorDef) (is []int) {
	for i, name := range o.Input {
		if b.needed[name] && !slices.Contains(o.Input[:i], name) {
			is = append(is, i)
		}
	}
	return is
}

// part returns a name for the next part of the gradient of a blob.
func (b *backward) part(name string) string {
	part := name + "_grad"
	if b.uses[name] > 1 {
		part += "_" + strconv.Itoa(len(b.parts[name]))
	}
	part = b.fresh(part)
	b.parts[name] = append(b.parts[name], part)
	return part
}

// total returns the name of the whole gradient of a blob. All parts are made.
func (b *backward) total(name string) string {
	if len(b.parts[name]) > 1 {
		whole := b.fresh(name + "_grad")
		b.add(Op("Sum", b.parts[name], []string{whole}))
		b.parts[name] = []string{whole}
	}
	return b.parts[name][0]
}

func (b *backward) add(o *OperatorDef) {
	o.IsGradientOp = new(true)
	b.added = append(b.added, o)
}

// operator adds the gradient operator of o.
func (b *backward) operator(o *OperatorDef) {
	inputs, of := slices.Clone(o.Input), []int{}
	for i, out := range o.Output {
		if len(b.parts[out]) > 0 {
			inputs, of = append(inputs, b.total(out)), append(of, i)
		}
	}
	if len(of) == 0 {
		return
	}
	wrt := b.wrt(o)
	outputs := lists.Map(wrt, func(i int) string { return b.part(o.Input[i]) })
	g := Op(o.Type+"Gradient", inputs, outputs, append(slices.Clone(o.Arg),
		Arg(argInputs, len(o.Input)), Arg(argWrt, wrt), Arg(argOf, of))...)
	g.DeviceOption, g.Engine = o.DeviceOption, o.Engine
	b.add(g)
}
