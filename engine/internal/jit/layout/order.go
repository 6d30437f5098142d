package layout

import (
	"math"
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
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

// reorder changes the order of the digits of a map if another one is cheaper and no rows are laid. With few, it does so only if tiles of few lanes suit
// the map, and reports that.
func (l *layouter) reorder(few bool) (found bool) {
	ph := l.ph
	if l.bp.Laid > 0 || l.IR.InOrder || !ph.Alone() || few && !(l.Blends && l.onlyCopies()) {
		return false
	}
	var fewSites [8]int
	var fewForms [8]bound.Form
	sites, forms := fewSites[:0], fewForms[:0]
	gathers := false
	for i := range l.bp.Sites {
		switch s := &l.bp.Sites[i]; {
		case s.Kind == Unused:
		case s.Guard || s.Dyn != nil || s.Kind == Scratch || ph.Conflict(i) || s.Kind == Computed && ph.Sites[i].Store:
			return false
		case s.Kind == Computed: // as far in any order, but for long rows that share an offset
			gathers = true
		case s.Kind != Index:
			sites, forms = append(sites, i), append(forms, l.offsets[i])
		}
	}
	groups := l.Join(l.vec, forms)
	if k := len(groups); k < 2 || k > 8 || few && len(sites) < 2 {
		return false
	}
	o := orderer{layouter: l, groups: groups, sites: sites, few: few}
	best, second := len(groups)-1, len(groups)-2
	if gathers && !o.short(best, second) {
		return false
	}
	least := math.MaxInt
	if !few {
		least = o.given()
	}
	for in := range groups {
		for above := range groups {
			if in == above || o.short(in, above) {
				continue
			}
			if c := o.cost(in, above); c < least {
				best, second, least, found = in, above, c, true
			}
		}
	}
	if l.bp.FewLanes = few && found; !found {
		return false
	}
	digits := []int{}
	for g, group := range groups {
		if g != best && g != second {
			digits = append(digits, group...)
		}
	}
	l.vec = slices.Concat(digits, groups[second], groups[best])
	l.inside = l.vec
	return true
}

// An orderer compares orders of the joined digits of a map.
type orderer struct {
	*layouter
	groups [][]int
	sites  []int
	few    bool // only tiles of few lanes
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
	if o.few {
		return !o.tilesFew(in, above)
	}
	return (lanes < leastRow || lanes*rows < leastBlock) && !o.ownVectors(lanes, rows, func(i int) int { return o.step(i, in) })
}

// A tile of few lanes has at least fewLanes lanes and fewTile elements: a call takes as long as it takes to move so many one by one. It needs more
// elements where fewLanes does not divide its lanes, because its last block then moves lanes again. Half as many suffice if the given
// order reads more lines until it reads one again than the first-level cache holds.
const (
	fewLanes = 4
	fewTile  = 132
)

// tilesFew reports whether a copy moves tiles whose lanes are the row in, which is short, and whose rows are the positions of above. Rows that
// follow each other in the target are laid across vectors instead.
func (o *orderer) tilesFew(in, above int) bool {
	lanes, rows, size := o.extent(in), o.extent(above), o.bp.Sites[0].Size
	least, between := fewTile, 1
	for g := above + 1; g < len(o.groups); g++ {
		between *= o.extent(g)
	}
	if between*LineBytes > o.Machine.Caches.L1 {
		least /= 2
	}
	few := fewLanes <= lanes && lanes < max(leastRow, 16/size)
	vectors := (lanes + fewLanes - 1) &^ (fewLanes - 1) // of a row, in lanes
	if !few || rows < 16/size || lanes*rows*lanes/vectors < least || o.ph.Sites[0].Type == dtype.Bool {
		return false
	}
	return !slices.ContainsFunc(o.sites, func(i int) bool {
		along, up := o.step(i, in), o.step(i, above)
		if o.ph.Sites[i].Store {
			return along != 1 || up == lanes
		}
		return max(up, -up) != 1 || max(along, -along) <= mostStep
	})
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
