package eval

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"darwarp/eval/internal/nvml"
	"darwarp/eval/internal/proc"
	"darwarp/kernels"
)

// Watcher is the NVML helper: a process of its own, since NVML can hang with the driver.
type Watcher struct {
	worker *proc.Worker
}

type watchRequest struct{}

// watchDeadline is when an answer of NVML is no longer waited for.
const watchDeadline = 2 * time.Second

// Watch starts the helper for GPUs, named by their UUIDs. Without NVML there is no watcher, and no harm.
func Watch(ctx context.Context, uuids ...string) (*Watcher, error) {
	where := Locate()
	if err := where.NVML.missing(); err != nil {
		return nil, err
	}
	w, err := proc.Start(ctx, proc.Spec{Args: append([]string{"worker", "nvml", where.NVML.Path}, uuids...)})
	if err != nil {
		return nil, err
	}
	return &Watcher{worker: w}, nil
}

// Sample asks how the GPUs are now. After an error the watcher is dead.
func (w *Watcher) Sample(ctx context.Context) (gpus []kernels.GPU, err error) {
	return gpus, w.worker.Call(ctx, watchRequest{}, &gpus, watchDeadline, nil)
}

// Close ends the helper.
func (w *Watcher) Close() error { return w.worker.Close() }

// watchMain is the helper process: arguments are the library's path and the GPUs' UUIDs.
func watchMain(args []string) int {
	if len(args) < 2 {
		fmt.Fprintln(os.Stderr, "nvml worker: expected the library and GPUs")
		return proc.ExitInternal
	}
	var devices []*nvml.Device
	return proc.Main(func(_ context.Context, f proc.Frame, c *proc.Conn) (err error) {
		if devices == nil {
			if devices, err = openNVML(args[0], args[1:]); err != nil {
				return err
			}
		}
		var gpus []kernels.GPU
		for i, d := range devices {
			g, err := gpuOf(i, d)
			if err != nil {
				return err
			}
			gpus = append(gpus, g)
		}
		return c.Reply(gpus)
	})
}

func openNVML(library string, uuids []string) (devices []*nvml.Device, err error) {
	lib, err := nvml.Open(library)
	if err != nil {
		return nil, err
	}
	for _, uuid := range uuids {
		d, err := lib.ByUUID(uuid)
		if err != nil {
			return nil, err
		}
		devices = append(devices, d)
	}
	return devices, nil
}

func gpuOf(index int, d *nvml.Device) (kernels.GPU, error) {
	s, err := d.Sample()
	if err != nil {
		return kernels.GPU{}, err
	}
	name, err := d.Name()
	g := kernels.GPU{
		Index: index, Name: name, Util: nvml.Unknown, SMClock: s.SMClock, MemClock: s.MemClock, Temp: s.Temperature,
		Power: s.Power, PowerLimit: s.PowerLimit, MemUsed: s.MemUsed, MemTotal: s.MemTotal, Throttle: s.Throttle.Slowing(),
	}
	if s.Utilization != nvml.Unknown {
		g.Util = float64(s.Utilization) / 100
	}
	return g, err
}

// health samples a GPU as long as a pool lives.
type health struct {
	log  *slog.Logger
	stop context.CancelFunc
	gone chan struct{} // closed when the helper has ended

	mu      sync.Mutex
	samples []sample // the latest, oldest first
	blind   bool     // nobody samples
}

type sample struct {
	at   time.Time
	gpus []kernels.GPU
}

const (
	healthEvery = 500 * time.Millisecond // a timing takes some tenths of a second
	healthKept  = 16
	healthFresh = 5 * time.Second // an older sample says nothing of now
)

// reviveAfter is how long a helper that was lost stays away. NVML that hangs would hang again.
var reviveAfter = 5 * time.Second

// watchHealth starts sampling. A helper that cannot be started leaves the pool unmonitored; one that dies or hangs is
// replaced after a while.
func watchHealth(log *slog.Logger, start func(context.Context) (*Watcher, error)) *health {
	h := &health{log: log, gone: make(chan struct{})}
	ctx, stop := context.WithCancel(context.Background())
	h.stop = stop
	go func() {
		defer close(h.gone)
		h.watch(ctx, start)
	}()
	return h
}

// watch samples with one helper after the other, unless the very first cannot be started.
func (h *health) watch(ctx context.Context, start func(context.Context) (*Watcher, error)) {
	for started := false; ; {
		w, err := start(ctx)
		if err == nil {
			started = true
			h.see(true)
			err = h.run(ctx, w)
			w.Close() // a helper that cannot be killed is left behind, as it would be after this
		}
		h.see(false)
		if ctx.Err() != nil {
			return
		}
		h.log.Warn("the GPU is not monitored", "error", err)
		if !started {
			return
		}
		select {
		case <-time.After(reviveAfter):
		case <-ctx.Done():
			return
		}
	}
}

func (h *health) see(sighted bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.blind = !sighted
}

func (h *health) run(ctx context.Context, w *Watcher) error {
	tick := time.NewTicker(healthEvery)
	defer tick.Stop()
	for {
		gpus, err := w.Sample(ctx)
		if err != nil {
			return err
		}
		h.note(sample{time.Now(), gpus})
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

func (h *health) note(s sample) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.samples = append(h.samples, s)
	if len(h.samples) > healthKept {
		h.samples = slices.Delete(h.samples, 0, 1)
	}
}

// now is the latest sample, nil when there is no recent one.
func (h *health) now() []kernels.GPU {
	h.mu.Lock()
	defer h.mu.Unlock()
	if n := len(h.samples); n > 0 && time.Since(h.samples[n-1].at) < healthFresh {
		return h.samples[n-1].gpus
	}
	return nil
}

// tags name what slowed the GPU since a moment, or shortly before it: power-cap, hardware-thermal, ...
func (h *health) tags(since time.Time) (tags []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.blind {
		return []string{"unmonitored"}
	}
	for _, s := range h.samples {
		if s.at.Before(since.Add(-healthEvery)) {
			continue
		}
		for _, g := range s.gpus {
			for _, why := range g.Throttle {
				tags = append(tags, strings.ReplaceAll(why, " ", "-"))
			}
		}
	}
	slices.Sort(tags)
	return slices.Compact(tags)
}

func (h *health) close() {
	h.stop()
	<-h.gone
}

// Machine is how busy the pool and its GPU are. It does not wait for NVML.
func (p *Pool) Machine(context.Context) kernels.Machine {
	m := kernels.Machine{Compile: kernels.Slots{Busy: p.compiler.Busy(), Total: p.compiler.Slots()},
		Device: kernels.Slots{Total: 1}}
	if p.runner.using.Load() > 0 {
		m.Device.Busy = 1
	}
	m.Queue = max(0, int(p.flying.Load())-m.Compile.Busy-m.Device.Busy)
	if p.health != nil {
		m.GPUs = p.health.now()
	}
	return m
}
