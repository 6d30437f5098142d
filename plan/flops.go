package plan

// Flops is the number of floating-point operations of a stage, as package ir
// counts them; of a matrix product, two for each element that is multiplied and
// added, and one for a bias. Those of Go functions are not known, and count as none.
func (s *Stage) Flops() int {
	switch s.Kind {
	case Loop:
		return s.Kernel.Flops(s.Extents)
	case Product:
		each := 2 * s.A.Shape[len(s.A.Shape)-1]
		if s.Bias != nil {
			each++
		}
		return each * s.Out.Shape.Size()
	}
	return 0
}

// Footprint is the number of bytes of the distinct elements that the stages
// touch, those of temporaries too.
func (p *Plan) Footprint() int {
	var all []*Array
	for _, s := range p.Stages {
		all = append(append(all, s.Reads...), s.Writes...)
	}
	return moved(all)
}
