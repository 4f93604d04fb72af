package env

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"darwarp/kernels"
)

// SeenGPU is one of this machine's GPUs, as CUDA numbers those that it shows.
type SeenGPU struct {
	Index  int
	Device kernels.Device
	Err    error        // it cannot be used; the device is not known then
	Use    *kernels.GPU // by whom it is used says NVML; nil: it does not
}

// VisibleGPUs is how many GPUs there may be, as far as that is known without CUDA. It is 1 where nobody tells.
func VisibleGPUs() int {
	if list, ok := os.LookupEnv("CUDA_VISIBLE_DEVICES"); ok {
		return max(1, len(strings.Split(list, ",")))
	}
	nodes, _ := filepath.Glob("/dev/nvidia[0-9]*")
	return max(1, len(nodes))
}

// LookAll asks all GPUs what they are and how busy, each in a process of its own.
func LookAll(ctx context.Context, where Location) ([]SeenGPU, error) {
	if err := where.Driver.Missing(); err != nil {
		return nil, err
	}
	seen := make([]SeenGPU, VisibleGPUs())
	counts := make([]int, len(seen))
	var all sync.WaitGroup
	for i := range seen {
		all.Go(func() {
			look, err := Look(ctx, where, i)
			seen[i] = SeenGPU{Index: i, Device: look.Device, Err: err, Use: use(ctx, where, look.Device.UUID)}
			counts[i] = look.Count
		})
	}
	all.Wait()
	if !slices.ContainsFunc(seen, func(g SeenGPU) bool { return g.Err == nil }) {
		return nil, seen[0].Err
	}
	seen = seen[:min(len(seen), slices.Max(counts))] // there are nodes of devices that CUDA does not show
	return seen, ctx.Err()
}

// use asks NVML how busy a GPU is; nil: it does not say.
func use(ctx context.Context, where Location, uuid string) *kernels.GPU {
	if uuid == "" || where.NVML.Path == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	w, err := Watch(ctx, uuid)
	if err != nil {
		return nil
	}
	defer w.Close()
	gpus, err := w.Sample(ctx)
	if err != nil || len(gpus) != 1 {
		return nil
	}
	return &gpus[0]
}

// A GPU is idle while nobody computes and no more memory is used than drivers and screens take.
const (
	idleMemory = 2 << 30 // bytes
	idleUtil   = 0.1
)

// Busy says how a GPU is used by others; empty: it is idle, or nobody knows.
func (g *SeenGPU) Busy() string {
	if u := g.Use; u != nil && (u.MemUsed > idleMemory || u.Util > idleUtil) {
		return fmt.Sprintf("in use: %.1f GiB of its memory, %.0f%% of the time", float64(u.MemUsed)/(1<<30),
			100*max(0, u.Util))
	}
	return ""
}

// Alike reports whether candidates and times of one GPU say something of the other: they are of one model, with one
// driver. Memory may differ by what the firmware keeps.
func (g *SeenGPU) Alike(o *SeenGPU) bool {
	a, b := g.Device, o.Device
	near := math.Abs(float64(a.MemoryBytes-b.MemoryBytes)) <= 0.02*float64(a.MemoryBytes)
	a.UUID, b.UUID, a.MemoryBytes, b.MemoryBytes = "", "", 0, 0
	return near && a == b
}

// Models groups the GPUs that can be used by model.
func Models(seen []SeenGPU) (groups [][]SeenGPU) {
	for _, g := range seen {
		if g.Err != nil {
			continue
		}
		at := slices.IndexFunc(groups, func(of []SeenGPU) bool { return of[0].Alike(&g) })
		if at < 0 {
			at, groups = len(groups), append(groups, nil)
		}
		groups[at] = append(groups[at], g)
	}
	return groups
}

// Chosen are GPUs for a search.
type Chosen struct {
	GPUs []SeenGPU
	Left []string // a line for each of the others, with why
}

// Idle chooses the GPUs that are idle and like the first that is. Where nobody says which are idle, or none is, it is
// the first that can be used.
func Idle(seen []SeenGPU) (c Chosen) {
	free := slices.IndexFunc(seen, func(g SeenGPU) bool { return g.Err == nil && g.Use != nil && g.Busy() == "" })
	first := free
	if first < 0 {
		first = slices.IndexFunc(seen, func(g SeenGPU) bool { return g.Err == nil })
	}
	for i := range seen {
		g := &seen[i]
		why := g.Busy()
		switch {
		case g.Err != nil:
			why = g.Err.Error()
		case i == first:
			why = ""
		case !g.Alike(&seen[first]):
			why = fmt.Sprintf("%s, unlike GPU %d", g.Device.Name, first)
		case g.Use == nil:
			why = "NVML does not say whether it is idle"
		}
		if why == "" {
			c.GPUs = append(c.GPUs, *g)
			continue
		}
		c.Left = append(c.Left, fmt.Sprintf("GPU %d is left out: %s", i, why))
	}
	return c
}
