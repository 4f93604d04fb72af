package eval

import (
	"context"
	"fmt"
	"os"
	"time"

	"darwarp/eval/internal/nvml"
	"darwarp/eval/internal/proc"
)

// Health is what NVML says of a GPU at one moment. Unknown figures are -1.
type Health struct {
	Temperature int     `json:"temperature"` // degrees Celsius
	Power       float64 `json:"power"`       // W
	Clock       int     `json:"clock"`       // SM MHz
	Used        int     `json:"used"`        // % of the last period that a kernel ran
	Reasons     string  `json:"reasons"`     // why the clock is not higher
}

// Watcher is the NVML helper: a process of its own, since NVML can hang with the driver.
type Watcher struct {
	worker *proc.Worker
	uuid   string
}

type watchRequest struct {
	Library string `json:"library"`
	UUID    string `json:"uuid"`
}

// healthDeadline is when an answer of NVML is no longer waited for.
const healthDeadline = 2 * time.Second

// Watch starts the helper for a GPU. Without NVML there is no watcher, and no harm.
func Watch(ctx context.Context, uuid string) (*Watcher, error) {
	where := Locate()
	if err := where.NVML.missing(); err != nil {
		return nil, err
	}
	w, err := proc.Start(ctx, proc.Spec{Args: []string{"worker", "nvml", where.NVML.Path, uuid}})
	if err != nil {
		return nil, err
	}
	return &Watcher{worker: w, uuid: uuid}, nil
}

// Health asks for the state now. After an error the watcher is dead and the run goes on unmonitored.
func (w *Watcher) Health(ctx context.Context) (Health, error) {
	var h Health
	err := w.worker.Call(ctx, watchRequest{}, &h, healthDeadline, nil)
	return h, err
}

// Close ends the helper.
func (w *Watcher) Close() error { return w.worker.Close() }

// watchMain is the helper process: arguments are the library's path and the GPU's UUID.
func watchMain(args []string) int {
	if len(args) != 2 {
		fmt.Fprintln(os.Stderr, "nvml worker: expected the library and the GPU")
		return proc.ExitInternal
	}
	var dev *nvml.Device
	return proc.Main(func(_ context.Context, f proc.Frame, c *proc.Conn) error {
		if dev == nil {
			lib, err := nvml.Open(args[0])
			if err != nil {
				return err
			}
			if dev, err = lib.ByUUID(args[1]); err != nil {
				return err
			}
		}
		s, err := dev.Sample()
		if err != nil {
			return err
		}
		return c.Reply(healthOf(s))
	})
}

func healthOf(s nvml.Sample) Health {
	return Health{Temperature: s.Temperature, Power: s.Power, Clock: s.SMClock, Used: s.Utilization, Reasons: s.Throttle.String()}
}
