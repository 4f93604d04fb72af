package nvml

import (
	"fmt"
	"testing"

	"darwarp/eval/internal/dl"
)

func TestReasons(t *testing.T) {
	tests := []struct {
		r      Reasons
		text   string
		slowed bool
	}{
		{0, "none", false},
		{Idle, "idle", false},
		{AppClocks, "application clocks", false},
		{PowerCap, "power cap", true},
		{Idle | SWThermal | PowerBrake, "idle, software thermal, power brake", true},
		{HWSlowdown | HWThermal | SyncBoost | DisplaySettings,
			"hardware slowdown, sync boost, hardware thermal, display clocks", true},
		{1 << 20, "other", true},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			if tt.r.String() != tt.text || tt.r.Slowed() != tt.slowed {
				t.Errorf("%#x = %q, slowed %v", uint64(tt.r), tt.r, tt.r.Slowed())
			}
		})
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

// TestSample reads the real thing where there is one.
func TestSample(t *testing.T) {
	path, tried, err := dl.Find(dl.NVML)
	if err != nil {
		t.Skipf("no NVIDIA driver: looked in %q", tried)
	}
	l, err := Open(path)
	if err != nil {
		t.Skipf("NVML does not start on this machine: %v", err)
	}
	defer l.Close()
	if n, err := l.Count(); err != nil || n == 0 {
		t.Skipf("NVML sees %d GPUs: %v", n, err)
	}
	d, err := l.ByIndex(0)
	if err != nil {
		t.Fatal(err)
	}
	uuid, err := d.UUID()
	if err != nil {
		t.Fatal(err)
	}
	same, err := l.ByUUID(uuid)
	if err != nil || same.handle != d.handle {
		t.Errorf("ByUUID(%s) = %+v, %v", uuid, same, err)
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
	if v, err := l.DriverVersion(); err != nil || v == "" {
		t.Errorf("DriverVersion = %q, %v", v, err)
	}
}
