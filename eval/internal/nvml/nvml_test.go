package nvml

import (
	"fmt"
	"strings"
	"testing"

	"darwarp/eval/internal/cuda/cudatest"
	"darwarp/eval/internal/dl"
	"darwarp/eval/internal/dl/dltest"
)

func TestReasons(t *testing.T) {
	for r, want := range map[Reasons]string{
		0:                             "",
		Idle:                          "",
		AppClocks:                     "",
		PowerCap:                      "power cap",
		Idle | SWThermal | PowerBrake: "software thermal, power brake",
		HWSlowdown | HWThermal | SyncBoost | DisplaySettings: "hardware slowdown, sync boost, hardware thermal, " +
			"display clocks",
		1 << 20: "other",
	} {
		if got := strings.Join(r.Slowing(), ", "); got != want {
			t.Errorf("%#x slows by %q, want %q", uint64(r), got, want)
		}
	}
}

func TestNotSupported(t *testing.T) {
	for code, want := range map[int]bool{NotSupported: true, NoPermission: true, GPUIsLost: false,
		DriverNotLoaded: false} {
		if got := notSupported(fmt.Errorf("wrapped: %w", &Error{Code: code})); got != want {
			t.Errorf("notSupported(%d) = %v", code, got)
		}
	}
	if watts(Unknown) != Unknown || watts(350500) != 350.5 {
		t.Error("watts are wrong")
	}
}

// TestSample reads a real GPU if there is one.
func TestSample(t *testing.T) {
	l, err := Open(dltest.Find(t, dl.NVML))
	if err != nil {
		t.Skipf("NVML does not start on this machine: %v", err)
	}
	d, err := l.ByUUID(uuid(t))
	if err != nil {
		t.Fatal(err)
	}
	s, err := d.Sample()
	if err != nil {
		t.Fatal(err)
	}
	if s.MemTotal == 0 || s.MemUsed > s.MemTotal || s.Temperature > 150 || s.SMClock > s.MaxSMClock &&
		s.MaxSMClock != Unknown {
		t.Errorf("implausible sample %+v", s)
	}
	if name, err := d.Name(); err != nil || name == "" {
		t.Errorf("Name = %q, %v", name, err)
	}
}

// uuid is the first GPU's, from CUDA.
func uuid(t *testing.T) string {
	t.Helper()
	d, _, dev := cudatest.GPU(t)
	id, err := d.DeviceUUID(dev)
	if err != nil {
		t.Fatal(err)
	}
	return id.String()
}
