// Package health watches GPUs by NVML: how busy they are, and what slows them down.
package health

import (
	"context"
	"fmt"
	"os"
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

// Start starts the helper as specified.
func Start(ctx context.Context, spec proc.Spec) (*Watcher, error) {
	w, err := proc.Start(ctx, spec)
	if err != nil {
		return nil, err
	}
	return &Watcher{worker: w}, nil
}

// StartNVML starts the helper for GPUs, named by their UUIDs.
func StartNVML(ctx context.Context, library string, uuids ...string) (*Watcher, error) {
	return Start(ctx, proc.Spec{Args: append([]string{"worker", "nvml", library}, uuids...)})
}

// Sample asks how the GPUs are now. After an error the watcher is dead.
func (w *Watcher) Sample(ctx context.Context) (gpus []kernels.GPU, err error) {
	return gpus, w.worker.Call(ctx, watchRequest{}, &gpus, watchDeadline, nil)
}

// Close ends the helper.
func (w *Watcher) Close() error { return w.worker.Close() }

// Main is the helper process: arguments are the library's path and the GPUs' UUIDs.
func Main(args []string) int {
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
