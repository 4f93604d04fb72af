package eval

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"darwarp/eval/internal/rig"
)

// otherGPUs are the other GPUs of a host, on their way.
type otherGPUs struct {
	cfg    Config
	ctx    context.Context // ends where the first cannot be opened
	gpus   []int           // beside the first
	others []*Pool
	errs   []error
	all    sync.WaitGroup
}

// openAll opens the first GPU that can be opened, and the others beside it.
func openAll(ctx context.Context, cfg Config, gpus []int) (pools []*Pool, err error) {
	for {
		cfg.GPU = gpus[0]
		gpus = gpus[1:]
		if pools, err = openWith(ctx, cfg, gpus); err == nil {
			return pools, nil
		}
		if len(gpus) == 0 || ctx.Err() != nil || errors.Is(err, ErrTooLarge) || errors.Is(err, ErrUnfit) {
			return nil, err
		}
		cfg.Say(fmt.Sprintf("GPU %d is left out: %v", cfg.GPU, err))
	}
}

// openWith opens a GPU, and beside it others, as soon as it has the cases that they share.
func openWith(ctx context.Context, cfg Config, gpus []int) ([]*Pool, error) {
	short, cancel := context.WithCancel(ctx)
	defer cancel()
	o := &otherGPUs{cfg: cfg, ctx: short, gpus: gpus, others: make([]*Pool, len(gpus)), errs: make([]error, len(gpus))}
	first, err := openAs(ctx, cfg, rig.Options{Several: true, Joinable: o.begin})
	if err != nil {
		cancel()
	}
	o.all.Wait()
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		if err = errors.Join(err, closeAll(o.others)); first != nil {
			err = errors.Join(err, first.Close())
		}
		return nil, err
	}
	for i, err := range o.errs {
		if err != nil {
			cfg.Say(fmt.Sprintf("GPU %d is left out: %v", gpus[i], err))
		}
	}
	return append([]*Pool{first}, slices.DeleteFunc(o.others, func(p *Pool) bool { return p == nil })...), nil
}

// begin opens the others.
func (o *otherGPUs) begin(first *rig.Rig) {
	for i, gpu := range o.gpus {
		o.all.Go(func() {
			its := o.cfg
			its.GPU, its.Progress = gpu, nil
			o.others[i], o.errs[i] = openAs(o.ctx, its, rig.Options{Several: true, Leader: first})
		})
	}
}

func closeAll(pools []*Pool) error {
	var errs []error
	for _, p := range pools {
		if p != nil {
			errs = append(errs, p.Close())
		}
	}
	return errors.Join(errs...)
}
