package shape

// Broadcast returns the shape to which all the given shapes broadcast by
// NumPy's rules, and rank 0 if there are none. The result is checked, because
// it can have too many elements even if the given shapes do not.
func Broadcast(shapes ...Shape) (Shape, error) {
	rank := 0
	for _, s := range shapes {
		rank = max(rank, len(s))
	}
	out := make(Shape, rank)
	for i := range out {
		out[i] = 1
		first := 0 // number of the shape that out[i] comes from
		for j, s := range shapes {
			k := i - (rank - len(s))
			if k < 0 || s[k] == 1 || s[k] == out[i] {
				continue
			}
			if out[i] != 1 {
				return nil, errorf("shapes %v and %v do not broadcast", shapes[first], s)
			}
			out[i], first = s[k], j
		}
	}
	if err := out.Check(); err != nil {
		return nil, err
	}
	return out, nil
}

// BroadcastTo returns the strides that read an array of shape from and strides
// st as one of shape to: 0 along the dimensions that are new or stretched.
func (st Strides) BroadcastTo(from, to Shape) (Strides, error) {
	lead := len(to) - len(from)
	if lead < 0 {
		return nil, errorf("shape %v does not broadcast to %v", from, to)
	}
	if len(st) < len(from) {
		return nil, errorf("shape %v has %d strides", from, len(st))
	}
	out := make(Strides, len(to))
	for i, d := range from {
		switch to[lead+i] {
		case d:
			out[lead+i] = st[i]
		default:
			if d != 1 {
				return nil, errorf("shape %v does not broadcast to %v", from, to)
			}
		}
	}
	return out, nil
}
