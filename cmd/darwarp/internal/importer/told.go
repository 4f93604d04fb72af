package importer

import (
	"context"
	"maps"
	"math"
	"slices"

	"darwarp/eval/module"
	"darwarp/kernels"
	"darwarp/templates/graph"
)

// told makes a folder without families, whose truth the module tells itself.
func told(ctx context.Context, r *module.Reader, read *reading, req Request) (map[string][]byte, error) {
	g, err := graph.Parse(read.Graph)
	if err != nil {
		return nil, err
	}
	folder := &graph.Told{Module: []byte(req.Source), Shapes: []map[string]int{read.sizes()},
		Reference: kernels.Reference{Kind: kernels.ModuleReference, File: ModuleFile, Class: req.Class, Eval: req.Eval,
			Precision: req.Precision}}
	draft, err := folder.Folder(g)
	if err != nil {
		return nil, err
	}
	p, err := kernels.ParseProblem(problemFile, draft[problemFile])
	if err != nil {
		return nil, err
	}
	teller, err := module.TellerOf(p, r, read.Answer)
	if err != nil {
		return nil, err
	}
	s := &sizer{names: p.DimNames, numbers: numbersOf(p), fits: func(d kernels.Dims) (bool, error) {
		why, err := teller.Fits(ctx, d)
		return why == "", err
	}}
	own := p.Check.Shapes[0]
	small, err := s.small(own)
	if err != nil {
		return nil, err
	}
	shapes, err := s.around(small)
	if err != nil {
		return nil, err
	}
	folder.Shapes = nil
	for _, d := range shapes {
		folder.Shapes = append(folder.Shapes, read.named(p, d))
	}
	if !maps.Equal(small, own) {
		folder.Small = read.named(p, small)
	}
	return folder.Folder(g)
}

// named are sizes of a problem by the graph's names.
func (r *reading) named(p *kernels.Problem, d kernels.Dims) map[string]int {
	sizes := map[string]int{}
	for i, x := range r.Dims {
		sizes[x.Name] = d[p.DimNames[i]]
	}
	return sizes
}

// sizer looks for small sizes at which a module runs: which they are is not known from its graph.
type sizer struct {
	names   []string
	fits    func(kernels.Dims) (bool, error)
	numbers func(kernels.Dims) int // in all tensors
}

// Products of all dims: of the size that an emulator can do, and of check shapes around it, of which there are so many.
// Where lengths that are no dims make tensors longer, perPlace of their numbers count as much as one of a product.
const (
	smallSize  = 1 << 12
	aroundSize = 1 << 14
	mostShapes = 8
	perPlace   = 16
)

// numbersOf is how many numbers all tensors of a problem have.
func numbersOf(p *kernels.Problem) func(kernels.Dims) int {
	return func(d kernels.Dims) (n int) {
		buffers, err := p.Buffers(d, p.DTypes[0])
		if err != nil {
			return math.MaxInt
		}
		for _, b := range buffers {
			n += b.Elems()
		}
		return n
	}
}

// size is how large a module is at some sizes.
func (s *sizer) size(d kernels.Dims) int { return max(product(d), s.numbers(d)/perPlace) }

func product(d kernels.Dims) (n int) {
	n = 1
	for _, v := range d {
		if n *= v; n > 1<<40 {
			return n
		}
	}
	return n
}

// small halves the longest dims that can be halved until the whole is small.
func (s *sizer) small(own kernels.Dims) (kernels.Dims, error) {
	d, stuck := maps.Clone(own), map[string]bool{}
	for s.size(d) > smallSize {
		longest := ""
		for _, name := range s.names {
			if !stuck[name] && d[name] > 1 && (longest == "" || d[name] > d[longest]) {
				longest = name
			}
		}
		if longest == "" {
			break
		}
		half := maps.Clone(d)
		half[longest] /= 2
		ok, err := s.fits(half)
		if err != nil {
			return nil, err
		}
		if !ok {
			stuck[longest] = true
			continue
		}
		d = half
	}
	return d, nil
}

// around is some sizes and others beside them: with a dim that is one, odd, or longer.
func (s *sizer) around(small kernels.Dims) (list []kernels.Dims, err error) {
	wanted := []kernels.Dims{small}
	for _, change := range []func(int) int{
		func(n int) int { return n + 1 }, func(int) int { return 1 }, func(n int) int { return 3*n - 1 },
		func(n int) int { return 2 * n },
	} {
		for _, name := range s.names {
			d := maps.Clone(small)
			d[name] = change(d[name])
			wanted = append(wanted, d)
		}
	}
	for _, d := range wanted {
		known := slices.ContainsFunc(list, func(o kernels.Dims) bool { return maps.Equal(o, d) })
		if known || len(list) == mostShapes || s.size(d) > max(aroundSize, s.size(small)) {
			continue
		}
		ok, err := s.fits(d)
		if err != nil {
			return nil, err
		}
		if ok {
			list = append(list, d)
		}
	}
	return list, nil
}
