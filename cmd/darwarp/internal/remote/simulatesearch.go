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

// search is searches with all that they do beside asking: they propose, keep their run in a file, and have duels. When
// one has asked for all points of the recording, the next begins.
func (s Simulation) search(ctx context.Context, on *session.Session, dir string) (n int, err error) {
	for seed := uint64(1); ctx.Err() == nil && err == nil; seed++ {
		var evals int
		evals, err = s.searchOnce(ctx, on, dir, seed)
		n += evals
	}
	return n, err
}

func (s Simulation) searchOnce(ctx context.Context, on *session.Session, dir string, seed uint64) (int, error) {
	path := filepath.Join(dir, strconv.FormatInt(time.Now().UnixNano(), 36)+".db")
	run, err := store.Create(path, store.Meta{Version: session.Version(), Problem: on.Bundle.Problem.Name,
		Files: on.Bundle.Files, DType: on.DType, Workloads: on.Workloads, Device: on.Device()})
	if err != nil {
		return 0, err
	}
	search, err := evolve.New(evolve.Config{Bundle: on.Bundle, DType: on.DType, Workloads: on.Workloads,
		Spaces: on.Spaces, Seed: seed, GenesOnly: true}, on.Evaluator, run)
	if err != nil {
		return 0, errors.Join(err, run.Close())
	}
	unhook := context.AfterFunc(ctx, search.Abort)
	sum, err := search.Run(ctx, nil)
	unhook()
	return sum.Evals, errors.Join(err, run.Close())
}

// simulatedDevices is the devices of a simulated fleet without the fleet. Each gets what comes in its turn: all take as
// long.
type simulatedDevices struct {
	evolve.Evaluator
	devices []*device
	next    atomic.Int64
}

func newSimulatedDevices(of evolve.Evaluator, s *Simulation, spent *atomic.Int64) *simulatedDevices {
	c := &simulatedDevices{Evaluator: of}
	for range s.Workers {
		c.devices = append(c.devices, s.device(of, spent))
	}
	return c
}

func (c *simulatedDevices) Slots() int { return len(c.devices) * (slotsOfOne + 1) }

func (c *simulatedDevices) InOrder() bool { return false }

// Capabilities are few: time passes as it does.
func (c *simulatedDevices) Capabilities() kernels.Capabilities { return kernels.Capabilities{} }

func (c *simulatedDevices) Evaluate(ctx context.Context, j *kernels.Job) (kernels.Result, error) {
	return c.devices[int(c.next.Add(1))%len(c.devices)].Evaluate(ctx, j)
}
