package plan

// Flops returns the number of floating-point operations of a stage. Kernels
// count as package ir counts them. A matrix product counts two for each
// multiplication and addition, and one for each bias. The operations of a Go
// function are unknown and count as none.
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

// Footprint returns the number of bytes of the distinct elements that the
// stages access, temporaries included.
func (p *Plan) Footprint() int {
	var all []*Array
	for _, s := range p.Stages {
		all = append(append(all, s.Reads...), s.Writes...)
	}
	return moved(all)
}
