package layout

import (
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/plan/bound"
)

// The order of the digits of a map is free: no value passes from lane to lane, and a
// map stores no element that it reads at another position. The innermost digit should
// be the one along which most arrays are contiguous, and long enough for vectors.

// Costs of an element by its access, roughly in units of a vector load.
const (
	stepCost = 2  // a small step
	tileCost = 4  // a tile that is transposed in registers
	farCost  = 8  // a lane by itself
	rowCost  = 12 // a row that is too short for a call: Go copies the elements
)

// reorder changes the order of the digits of a map if another one is cheaper.
func (l *layouter) reorder() {
	ph := l.ph
	if l.IR.InOrder || ph.Kind != lower.MapPhase || len(ph.Reds) > 0 || len(ph.Vec.Phases) > 1 || len(ph.Vec.Arrays) > 0 {
		return
	}
	var fewSites [8]int
	var fewForms [8]bound.Form
	sites, forms := fewSites[:0], fewForms[:0]
	gathers := false
	for i := range l.bp.Sites {
		switch s := &l.bp.Sites[i]; {
		case s.Kind == Unused:
		case s.Guard || s.Dyn != nil || s.Kind == Scratch || ph.Conflict(i) || s.Kind == Computed && ph.Sites[i].Store:
			return
		case s.Kind == Computed: // as far in any order, but for long rows that share an offset
			gathers = true
		case s.Kind != Index:
			sites, forms = append(sites, i), append(forms, l.offsets[i])
		}
	}
	groups := l.Join(l.vec, forms)
	if k := len(groups); k < 2 || k > 8 {
		return
	}
	o := orderer{layouter: l, groups: groups, sites: sites}
	best, second := len(groups)-1, len(groups)-2
	if gathers && !o.short(best, second) {
		return
	}
	least := o.given()
	for in := range groups {
		for above := range groups {
			if in == above || o.short(in, above) {
				continue
			}
			if c := o.cost(in, above); c < least {
				best, second, least = in, above, c
			}
		}
	}
	if best == len(groups)-1 && second == len(groups)-2 {
		return
	}
	digits := []int{}
	for g, group := range groups {
		if g != best && g != second {
			digits = append(digits, group...)
		}
	}
	l.vec = slices.Concat(digits, groups[second], groups[best])
	l.inside = l.vec
}

// An orderer compares orders of the joined digits of a map.
type orderer struct {
	*layouter
	groups [][]int
	sites  []int
}

// extent returns the extent of a group of digits.
func (o *orderer) extent(g int) int {
	n := 1
	for _, d := range o.groups[g] {
		n *= o.Digits[d].Extent
	}
	return n
}

// step returns the elements that a site goes on from one position of a group to the next.
func (o *orderer) step(site, g int) int {
	group := o.groups[g]
	return o.offsets[site].Coef[group[len(group)-1]]
}

// short reports whether rows of two groups are too short for calls.
func (o *orderer) short(in, above int) bool {
	lanes, rows := o.extent(in), o.extent(above)
	return (lanes < leastRow || lanes*rows < leastBlock) && !o.ownVectors(lanes, rows, func(i int) int { return o.step(i, in) })
}

// given returns the cost of an element in the given order. If rows are too short, Go
// copies the elements of the sites that split rows. A site whose elements repeat is
// copied once.
func (o *orderer) given() (cost int) {
	in, above := len(o.groups)-1, len(o.groups)-2
	if !o.short(in, above) {
		return o.cost(in, above)
	}
	for _, i := range o.sites {
		switch {
		case o.own(i) == 1 && o.step(i, in) == 1:
		case o.period(i) > 0:
			cost++
		default:
			cost += rowCost
		}
	}
	return cost
}

// cost returns the cost of an element if in is the innermost group, and above the next.
func (o *orderer) cost(in, above int) (cost int) {
	rows, lanes := o.extent(above), o.extent(in)
	tiled := !slices.ContainsFunc(o.sites, func(i int) bool { return o.ph.Sites[i].Store && o.step(i, in) != 1 })
	for _, i := range o.sites {
		size, step := o.bp.Sites[i].Size, o.step(i, in)
		small := o.small(size, step)
		switch {
		case step == 0 || step == 1:
		case o.ph.Sites[i].Store && small && size != 2:
			cost += 2 * stepCost
		case o.ph.Sites[i].Store && small:
			cost += farCost
		case o.ph.Sites[i].Store:
			cost += 2 * farCost
		case small && size != 2:
			cost += stepCost
		case tiled && o.step(i, above) == 1 && o.tiles(size, rows, lanes):
			cost += tileCost
		default:
			cost += farCost
		}
	}
	return cost
}
