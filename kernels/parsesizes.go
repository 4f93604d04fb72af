package kernels

import "fmt"

// checkSizes evaluates every expression at every size that the file names: one that is zero,
// overflows or cannot be launched there is found now and not in the middle of a search.
func (p *Problem) checkSizes(n *notes) {
	for i, w := range p.Workloads {
		p.checkSize(n, fmt.Sprintf("workload[%d] (%s)", i, w.Name), w.Dims)
	}
	for i, d := range p.Check.Shapes {
		p.checkSize(n, fmt.Sprintf("check.shapes[%d]", i), d)
	}
}

func (p *Problem) checkSize(n *notes, key string, dims Dims) {
	t := p.DTypes[0]
	_, _, err := p.Work(dims, t)
	n.add(key, err)
	_, err = p.Reduction(dims, t)
	n.add(key, err)
	_, err = p.Buffers(dims, t)
	n.add(key, err)
	_, err = p.ReferenceLaunch(dims, t)
	n.add(key, err)
	_, err = p.MakerLaunch(dims, t)
	n.add(key, err)
}
