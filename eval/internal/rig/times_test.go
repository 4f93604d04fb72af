package rig

import (
	"testing"

	"darwarp/kernels"
)

// TestAlone: a call on its own has a launch to pay, and reads from memory what calls in a row find in L2.
func TestAlone(t *testing.T) {
	p := judgedRig(t)
	w := p.Cfg.Workloads[0]
	_, bytes, err := p.Cfg.Problem.Work(w.Dims, p.Cfg.DType)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name      string
		cache     string
		l2        int
		bandwidth float64
		want      float64
	}{
		{"in L2", "hot", int(bytes), 1e12, 4e3 + bytes/1e3},
		{"beyond L2", "hot", int(bytes) - 1, 1e12, 4e3},
		{"flushed", "cold", int(bytes), 1e12, 4e3},
		{"unknown memory", "hot", int(bytes), 0, 4e3},
	} {
		p.Device.L2Bytes, p.Proof.Ceilings = c.l2, &kernels.Ceilings{Launch: 4e3, Bandwidth: c.bandwidth}
		if got := p.Alone(w, c.cache); got != c.want {
			t.Errorf("%s: %g ns, expected %g", c.name, got, c.want)
		}
	}
}
