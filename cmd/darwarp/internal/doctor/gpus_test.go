package doctor

import (
	"errors"
	"strings"
	"testing"

	"darwarp/eval/env"
	"darwarp/kernels"
)

func TestDescribeGPUs(t *testing.T) {
	h200 := kernels.Device{Name: "NVIDIA H200", Arch: "sm_90a", MemoryBytes: 139 << 30,
		Software: kernels.Software{Driver: "580"}, UUID: "GPU-a"}
	other := h200
	other.UUID = "GPU-b"
	idle, full := &kernels.GPU{MemUsed: 1}, &kernels.GPU{MemUsed: 64 << 30, Util: 0.5}
	gpu, each := describeGPUs([]env.SeenGPU{{Device: h200, Use: idle}})
	if !gpu.OK || !gpu.Needed || gpu.Detail != "NVIDIA H200, sm_90a, 139 GiB, driver 580" || each != nil {
		t.Errorf("one: %+v %+v", gpu, each)
	}
	gpu, each = describeGPUs([]env.SeenGPU{{Device: h200, Use: full}, {Index: 1, Device: other, Use: idle},
		{Index: 2, Err: errors.New("it fell off the bus\nlong ago")}, {Index: 3, Device: h200}})
	if !gpu.OK || gpu.Detail != "4 GPUs; a search takes 1, unless --gpus says otherwise" || len(each) != 4 {
		t.Errorf("four: %+v %+v", gpu, each)
	}
	for i, want := range []string{"GPU-a, in use: 64.0 GiB", "GPU-b, idle", "it fell off the bus", "NVML does not say"} {
		if !strings.Contains(each[i].Detail, want) || each[i].OK != (i != 2) || each[i].Needed {
			t.Errorf("GPU %d: %+v, want %q", i, each[i], want)
		}
	}
}
