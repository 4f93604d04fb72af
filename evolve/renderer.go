package evolve

import (
	"darwarp/kernels"
	"darwarp/mutate/llm"
	"darwarp/templates"
)

// renderer makes jobs: of points, and of sources of their own.
type renderer struct {
	bundle *templates.Bundle // replaced when a family is added, never changed
	dtype  kernels.DType
	device kernels.Device
	given  func(space, index int) (kernels.Job, error) // Config.Job
}

// point is the job of a point of a space, or of its family's default for -1.
func (r *renderer) point(number int, space *kernels.Space, index int) (*kernels.Job, error) {
	if r.given != nil {
		job, err := r.given(number, index)
		return &job, err
	}
	if index >= 0 {
		return r.genome(space, space.Genome(space.At(index)))
	}
	return r.genome(space, space.Family.Defaults())
}

func (r *renderer) genome(space *kernels.Space, g kernels.Genome) (*kernels.Job, error) {
	job, err := r.bundle.Job(space.Family, g, space.Device, r.dtype)
	if err != nil {
		return nil, err
	}
	return &job, nil
}

// source is the job of a source of its own.
func (r *renderer) source(v kernels.Variant) (*kernels.Job, error) {
	job, err := r.bundle.VariantJob(v, r.device, r.dtype)
	if err != nil {
		return nil, err
	}
	return &job, nil
}

// use replaces the bundle.
func (r *renderer) use(b *templates.Bundle) { r.bundle = b }

// problem is what every prompt says of the problem.
func (r *renderer) problem() llm.Brief {
	return llm.Brief{Task: llm.Task{
		Problem: r.bundle.Problem, Reference: llm.StripComments(r.bundle.Reference), DType: r.dtype}}
}
