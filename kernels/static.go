package kernels

// Static gives the derived values of a point that are numbers and not constant: threads, bytes of
// shared memory, an estimate of registers, whatever its family works out before anything is compiled.
// They come in the order of declaration; one that has no value at p is 0. dst is appended to.
func (s *Space) Static(dst []float64, p Point) []float64 {
	if len(s.lets) == 0 {
		return dst
	}
	pad := s.scratchpad()
	for _, d := range s.lets {
		v, err := pad.value(d, p)
		if err != nil {
			v = 0
		}
		switch x := v.(type) {
		case int:
			dst = append(dst, float64(x))
		case float64:
			dst = append(dst, x)
		default:
			dst = append(dst, 0)
		}
	}
	return dst
}
