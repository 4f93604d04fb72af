package figures

import (
	"bytes"
	"strings"
	"testing"

	"darwarp/kernels"
)

func on(gpu int, uuid string) kernels.Provenance {
	return kernels.Provenance{GPU: gpu, Device: kernels.Device{UUID: uuid}}
}

func TestGPUsText(t *testing.T) {
	for _, test := range []struct {
		all  []kernels.Provenance
		want string
	}{
		{nil, ""},
		{[]kernels.Provenance{on(0, "")}, ""},
		{[]kernels.Provenance{on(0, "a"), on(0, "a")}, ""}, // two sessions
		{[]kernels.Provenance{on(2, "b"), on(0, "a"), on(2, "b")}, "0, a; 2, b"},
	} {
		if got := GPUsText(test.all); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
	var b bytes.Buffer
	Provenance(&b, on(3, "GPU-x"))
	if !strings.Contains(b.String(), "3, GPU-x") {
		t.Errorf("the GPU is not named in\n%s", &b)
	}
}

func TestScaleText(t *testing.T) {
	times := []kernels.Timing{{Workload: "w"}, {Workload: "v", Scale: 0.98765}}
	if got := ScaleText(on(1, "b"), times); got != "times of GPU 1 by 0.9877 at v, to compare them with the first GPU's" {
		t.Error(got)
	}
	if got := ScaleText(on(0, "a"), times[:1]); got != "" {
		t.Error(got)
	}
}
