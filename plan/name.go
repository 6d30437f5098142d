package plan

import (
	"cmp"

	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/plan/fuse"
)

// longName is a length after which a kernel's name gets no further operator.
const longName = 24

// kernelName returns the name that profilers and listings show for a loop: the
// operators that compute, the last one first. A loop that only moves elements
// has the name of its last view, or "copy".
func kernelName(l *fuse.Loop) string {
	var view string
	name := make([]byte, 0, 2*longName)
	seen := make([]bool, l.Len)
	var visit func(v *fuse.Value)
	visit = func(v *fuse.Value) {
		if len(name) >= longName || v.Load != nil || seen[v.Number] {
			return
		}
		seen[v.Number] = true
		switch o := v.Node.Src.Op; {
		case o == nil || o.Class() == tree.Constant:
		case o.Class() == tree.View:
			view = cmp.Or(view, o.Name())
		default:
			name = append(append(name, o.Name()...), '_')
		}
		for _, a := range v.Operands {
			visit(a)
		}
	}
	for _, v := range l.Values {
		visit(v)
	}
	if len(name) == 0 {
		name = append(name, cmp.Or(view, "copy")+"_"...)
	}
	name = name[:len(name)-1]
	for i, c := range name { // users name operators as they like
		if (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			name[i] = '_'
		}
	}
	if len(name) == 0 || name[0] <= '9' {
		return "_" + string(name)
	}
	return string(name)
}

// Name returns the name that profilers and traces show for the stage: that of
// its kernel, of its Go function, "chain" or "matmul".
func (s *Stage) Name() string {
	switch {
	case s.Kernel != nil:
		return s.Kernel.Name
	case s.Kind == Call:
		return s.Node.Op.Name()
	case s.Kind == Chain:
		return "chain"
	}
	return "matmul"
}
