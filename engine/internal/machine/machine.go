// Package machine has the numbers of this machine by which the engine chooses between
// variants of a loop that give the same bits: the sizes of the caches, the width of
// vectors, copies of bytes, stores past the caches, gathers, the distance of prefetches, the work of a thread.
//
// They are the defaults below, or what the environment says, or what package probe
// measured once on this model of processor, from a file in the user's cache directory. A
// test neither measures nor reads that file, so that its outcome is the same for all users.
package machine

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/oneloop/oneloop/engine/internal/cpucache"
)

// A Model has the numbers. A zero cache size is unknown.
type Model struct {
	Caches      cpucache.Sizes // bytes of each level
	Narrow      bool           // vectors of 256 bits are faster than wider ones where loads bound a loop outside the first level
	Halves      bool           // the processor computes vectors of 512 bits in two halves, so vectors of 256 bits are as fast inside the first level
	Copies      bool           // one instruction copies rows of bytes faster than vectors outside the first level
	Stream      bool           // stores past the caches are faster for arrays larger than these
	Gathers     bool           // gathers of the processor are faster than a load for each lane
	Fetch       int            // bytes from a load to its prefetch, in the last level; 0 prefetches nothing
	MemFetch    int            // the same for arrays larger than the caches
	StreamFetch int            // the same in loops whose stores pass the caches
	Work        float64        // ns of work for each thread, at least
}

// Defaults are the numbers of a machine that was not measured. They are those of the
// machines of ADR 0008. Unknown caches get the sizes of a common desktop. The processor is asked once: in a virtual machine each
// question takes tens of microseconds.
var Defaults = sync.OnceValue(func() Model {
	halves := cpucache.Halves()
	m := Model{Caches: cpucache.Of(), Narrow: halves, Halves: halves, Copies: cpucache.Copies(), Stream: true, Fetch: 1024, MemFetch: 1024, StreamFetch: 2048, Work: 1000}
	if m.Caches.L1 == 0 {
		m.Caches = cpucache.Sizes{L1: 32 << 10, L2: 1 << 20, L3: 32 << 20}
	}
	return m
})

// shared is the most bytes of a last level that one program has for itself. A level of
// hundreds of megabytes belongs to many processors, and to other programs.
const shared = 128 << 20

// Beyond returns the bytes from which arrays do not stay in the caches from one loop to the
// next. The last level drops lines before it is full, as it also has what other loops and
// the processor itself load.
func (m Model) Beyond() int { return max(m.Caches.L2, min(m.Caches.L3/8*5, shared)) }

// Variable is the environment variable that overrides the model.
const Variable = "ONELOOP_MACHINE"

// state is the model in use.
var state struct {
	once   sync.Once
	model  atomic.Pointer[Model]
	source atomic.Pointer[string]
	probe  bool  // the environment does not forbid probes
	err    error // of the environment
}

// Current returns the model in use.
func Current() Model {
	load()
	return *state.model.Load()
}

// Source tells where the model in use is from: "defaults", "measured", or the
// environment variable. A variable that cannot be read is the error, and has no effect.
func Source() (string, error) {
	load()
	return *state.source.Load(), state.err
}

// Probing reports whether the machine may be probed in the background: the model is
// none of the environment or of an earlier probe, and this is no test.
func Probing() bool {
	load()
	return state.probe
}

func load() {
	state.once.Do(func() {
		m, set, err := Parse(os.Getenv(Variable))
		state.err = err
		if set {
			use(m, Variable)
			return
		}
		file := ""
		if !inTest() || os.Getenv(Variable) == "probe" {
			file = path()
		}
		if stored, ok := read(file); ok {
			use(stored, "measured")
			return
		}
		use(m, "defaults")
		state.probe = file != ""
	})
}

// inTest reports whether this process is a test. A library in a program in another language
// may have no arguments.
func inTest() bool {
	return len(os.Args) > 0 && strings.HasSuffix(strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe"), ".test")
}

func use(m Model, source string) {
	state.model.Store(&m)
	state.source.Store(&source)
}

// Adopt makes a measured model the one in use, unless the environment gives one, and
// stores it for other processes. It tells why it could not store it.
func Adopt(m Model) error {
	load()
	if *state.source.Load() != Variable {
		use(m, "measured")
	}
	return write(path(), m)
}

// Parse returns the model that the environment variable gives: the defaults, with some
// numbers replaced, as in "stream=off,fetch=512,l2=1M". set is false if it names none:
// if it is empty or "probe". "defaults" names the defaults. An error names the wrong
// part, and the defaults are returned.
func Parse(text string) (m Model, set bool, err error) {
	m = Defaults()
	if text == "" || text == "probe" {
		return m, false, nil
	}
	if text == "defaults" {
		return m, true, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(part, "=")
		if err := m.set(name, value); err != nil {
			return Defaults(), false, fmt.Errorf("oneloop: %s: %q: %w", Variable, part, err)
		}
	}
	return m, true, nil
}

func (m *Model) set(name, value string) error {
	for _, f := range m.fields() {
		if f.name != name {
			continue
		}
		switch at := f.at.(type) {
		case *bool:
			if value != "on" && value != "off" {
				return fmt.Errorf("want on or off")
			}
			*at = value == "on"
		case *int:
			n, err := size(value)
			if err != nil || n < f.least || n > f.most {
				return fmt.Errorf("want a number from %d to %d", f.least, f.most)
			}
			*at = n
		case *float64:
			v, err := strconv.ParseFloat(value, 64)
			if err != nil || !(v >= float64(f.least) && v <= float64(f.most)) {
				return fmt.Errorf("want a number from %d to %d", f.least, f.most)
			}
			*at = v
		}
		return nil
	}
	return fmt.Errorf("no number has this name")
}

// size reads bytes with the units K and M.
func size(text string) (int, error) {
	unit := 1
	for suffix, u := range map[string]int{"K": 1 << 10, "M": 1 << 20} {
		if s, ok := strings.CutSuffix(text, suffix); ok {
			text, unit = s, u
		}
	}
	n, err := strconv.Atoi(text)
	if err != nil || n > math.MaxInt32/unit {
		return 0, fmt.Errorf("no size")
	}
	return n * unit, nil
}

// A field is a number of a model by name, with its limits.
type field struct {
	name        string
	at          any
	least, most int
}

func (m *Model) fields() []field {
	return []field{
		{"l1", &m.Caches.L1, 64, math.MaxInt32},
		{"l2", &m.Caches.L2, 0, math.MaxInt32},
		{"l3", &m.Caches.L3, 0, math.MaxInt32},
		{"narrow", &m.Narrow, 0, 0},
		{"halves", &m.Halves, 0, 0},
		{"copies", &m.Copies, 0, 0},
		{"stream", &m.Stream, 0, 0},
		{"gathers", &m.Gathers, 0, 0},
		{"fetch", &m.Fetch, 0, 1 << 16},
		{"memfetch", &m.MemFetch, 0, 1 << 16},
		{"streamfetch", &m.StreamFetch, 0, 1 << 16},
		{"work", &m.Work, 100, 1e9},
	}
}

// String returns the model as the environment variable gives it.
func (m Model) String() string {
	var parts []string
	for _, f := range m.fields() {
		switch at := f.at.(type) {
		case *bool:
			parts = append(parts, f.name+"="+map[bool]string{true: "on", false: "off"}[*at])
		case *int:
			parts = append(parts, f.name+"="+strconv.Itoa(*at))
		case *float64:
			parts = append(parts, f.name+"="+strconv.FormatFloat(*at, 'g', -1, 64))
		}
	}
	return strings.Join(parts, ",")
}
