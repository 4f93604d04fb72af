package doctor

import (
	"context"
	"fmt"
	"strings"
	"time"

	"darwarp/cmd/darwarp/internal/report"
	"darwarp/eval/env"
)

// lookAtGPUs says whether there is a GPU to search on, and what each is where there are several.
func lookAtGPUs(ctx context.Context, where env.Location) (gpu finding, each []finding) {
	gpu = finding{Name: "GPU", Needed: true, Do: "Install the NVIDIA driver, and give a container access to the GPU " +
		"(docker run --gpus all)"}
	if where.Driver.Path == "" {
		gpu.Detail = "no driver, so no GPU can be used"
		return gpu, nil
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	seen, err := env.LookAll(ctx, where)
	if err != nil {
		gpu.Detail = report.FirstLine(err.Error())
		return gpu, nil
	}
	return describeGPUs(seen)
}

// describeGPUs makes findings of GPUs, of which one can be used.
func describeGPUs(seen []env.SeenGPU) (gpu finding, each []finding) {
	gpu = finding{Name: "GPU", Needed: true, OK: true}
	if len(seen) == 1 {
		gpu.Detail = gpuDetail(&seen[0])
		return gpu, nil
	}
	var names []string
	for _, g := range env.Idle(seen).GPUs {
		names = append(names, fmt.Sprint(g.Index))
	}
	gpu.Detail = fmt.Sprintf("%d GPUs; a search takes %s, unless --gpus says otherwise", len(seen),
		strings.Join(names, ", "))
	for i := range seen {
		g := &seen[i]
		f := finding{Name: fmt.Sprintf("GPU %d", g.Index), OK: g.Err == nil}
		if f.OK {
			f.Detail = strings.Join(report.NonEmpty(gpuDetail(g), g.Device.UUID, state(g)), ", ")
		} else {
			f.Detail, f.Do = report.FirstLine(g.Err.Error()), "See nvidia-smi; searches go on without it"
		}
		each = append(each, f)
	}
	return gpu, each
}

func gpuDetail(g *env.SeenGPU) string {
	dev := g.Device
	return fmt.Sprintf("%s, %s, %s, driver %s", dev.Name, dev.Arch, report.Bytes(dev.MemoryBytes),
		report.OrDash(dev.Driver))
}

// state says whether others use a GPU.
func state(g *env.SeenGPU) string {
	if g.Use == nil {
		return "NVML does not say whether it is idle"
	}
	if busy := g.Busy(); busy != "" {
		return busy
	}
	return "idle"
}
