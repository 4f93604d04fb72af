//go:build !nofleet

package remote

import (
	"context"
	"errors"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"

	"darwarp/cmd/darwarp/internal/session"
	"darwarp/evolve"
	"darwarp/kernels"
	"darwarp/store"
)

// search is a search with all that it does beside asking: it proposes, keeps its run in a file, and has duels.
func (s Simulation) search(ctx context.Context, on *session.Session, dir string) (int, error) {
	path := filepath.Join(dir, strconv.FormatInt(time.Now().UnixNano(), 36)+".db")
	run, err := store.Create(path, store.Meta{Version: session.Version(), Problem: on.Bundle.Problem.Name,
		Files: on.Bundle.Files, DType: on.DType, Workloads: on.Workloads, Device: on.Device()})
	if err != nil {
		return 0, err
	}
	search, err := evolve.New(evolve.Config{Bundle: on.Bundle, DType: on.DType, Workloads: on.Workloads,
		Spaces: on.Spaces, Seed: 1, GenesOnly: true}, on.Evaluator, run)
	if err != nil {
		return 0, errors.Join(err, run.Close())
	}
	unhook := context.AfterFunc(ctx, search.Abort)
	sum, err := search.Run(ctx, nil)
	if unhook(); err == nil && ctx.Err() == nil {
		err = errors.New("the recording has no more points: shorten --for")
	}
	return sum.Evals, errors.Join(err, run.Close())
}

// crowd is the devices of a simulated fleet without the fleet.
type crowd struct {
	evolve.Evaluator
	free  chan *device
	slots int
}

func newCrowd(of evolve.Evaluator, s *Simulation, spent *atomic.Int64) *crowd {
	c := &crowd{Evaluator: of, free: make(chan *device, s.Workers), slots: s.Workers * (slotsOfOne + 1)}
	for range s.Workers {
		c.free <- s.device(of, spent)
	}
	return c
}

func (c *crowd) Slots() int { return c.slots }

func (c *crowd) InOrder() bool { return false }

// Capabilities are few: time passes as it does.
func (c *crowd) Capabilities() kernels.Capabilities { return kernels.Capabilities{} }

func (c *crowd) Evaluate(ctx context.Context, j *kernels.Job) (kernels.Result, error) {
	select {
	case d := <-c.free:
		defer func() { c.free <- d }()
		return d.Evaluate(ctx, j)
	case <-ctx.Done():
		return kernels.Result{Outcome: kernels.Lost, Detail: "stopped"}, ctx.Err()
	}
}
