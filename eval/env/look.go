package env

import (
	"context"
	"os"
	"strings"

	"darwarp/eval/internal/device"
	"darwarp/eval/internal/health"
	"darwarp/eval/internal/proc"
	"darwarp/eval/internal/runner"
)

// Look asks one GPU what it is, in a process of its own.
func Look(ctx context.Context, where Location, index int) (device.OpenReply, error) {
	return LookAs(ctx, runner.GPU, where, index)
}

// LookAs is Look by a worker in another role: in a sandbox, or a wider one.
func LookAs(ctx context.Context, r runner.Role, where Location, index int) (device.OpenReply, error) {
	none, err := proc.NewShared("darwarp-none", 0)
	if err != nil {
		return device.OpenReply{}, err
	}
	defer none.Close()
	var w *proc.Worker
	var reply device.OpenReply
	err = runner.Insist(ctx, func(error) {}, func() (err error) {
		w, reply, err = runner.Start(ctx, r, device.Open{Index: index, Driver: where.Driver.Path}, nil, none.File())
		return err
	})
	if err != nil {
		return reply, &Error{What: "a usable GPU", Why: err.Error(), Do: "Check nvidia-smi", cause: err}
	}
	reply.Device.Driver = DriverVersion()
	return reply, w.Close()
}

// DriverVersion is the NVIDIA kernel module's version, empty when it is not told.
func DriverVersion() string {
	b, err := os.ReadFile("/sys/module/nvidia/version")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// Watcher is the NVML helper: a process of its own, since NVML can hang with the driver.
type Watcher = health.Watcher

// Watch starts the helper for GPUs, named by their UUIDs. Without NVML there is no watcher, and no harm.
func Watch(ctx context.Context, uuids ...string) (*Watcher, error) {
	where := Locate()
	if err := where.NVML.Missing(); err != nil {
		return nil, err
	}
	return health.StartNVML(ctx, where.NVML.Path, uuids...)
}
