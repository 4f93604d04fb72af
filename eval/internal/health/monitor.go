package health

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"darwarp/kernels"
)

// Monitor samples a GPU until it is closed. Its zero value samples nothing by itself.
type Monitor struct {
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

// Watch starts sampling. A helper that cannot be started leaves the GPU unmonitored; one that dies or hangs is
// replaced after a while.
func Watch(log *slog.Logger, start func(context.Context) (*Watcher, error)) *Monitor {
	h := &Monitor{log: log, gone: make(chan struct{})}
	ctx, stop := context.WithCancel(context.Background())
	h.stop = stop
	go func() {
		defer close(h.gone)
		h.watch(ctx, start)
	}()
	return h
}

// watch samples with one helper after the other, unless the very first cannot be started.
func (h *Monitor) watch(ctx context.Context, start func(context.Context) (*Watcher, error)) {
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

func (h *Monitor) see(sighted bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.blind = !sighted
}

func (h *Monitor) run(ctx context.Context, w *Watcher) error {
	tick := time.NewTicker(healthEvery)
	defer tick.Stop()
	for {
		gpus, err := w.Sample(ctx)
		if err != nil {
			return err
		}
		h.Note(time.Now(), gpus)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// Note enters a sample.
func (h *Monitor) Note(at time.Time, gpus []kernels.GPU) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.samples = append(h.samples, sample{at, gpus})
	if len(h.samples) > healthKept {
		h.samples = slices.Delete(h.samples, 0, 1)
	}
}

// Now is the latest sample, nil when there is no recent one.
func (h *Monitor) Now() []kernels.GPU {
	h.mu.Lock()
	defer h.mu.Unlock()
	if n := len(h.samples); n > 0 && time.Since(h.samples[n-1].at) < healthFresh {
		return h.samples[n-1].gpus
	}
	return nil
}

// Tags name what slowed the GPU since a moment, or shortly before it: power-cap, hardware-thermal, ...
func (h *Monitor) Tags(since time.Time) (tags []string) {
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

// Close ends the helper.
func (h *Monitor) Close() {
	if h.stop == nil {
		return
	}
	h.stop()
	<-h.gone
}
