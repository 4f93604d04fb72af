package tui

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestHostSampler reads made-up files: the share is that since the last sample.
func TestHostSampler(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	sample := hostSampler(dir)
	if _, err := sample(); err == nil {
		t.Error("no file, and no error")
	}
	write("meminfo", "MemTotal:       65536 kB\nMemFree: 1 kB\nMemAvailable:   16384 kB\n")
	for _, tt := range []struct {
		stat string
		want float64
	}{
		{"cpu  100 0 100 700 100 0 0 0 50 0\ncpu0 1 1\n", -1},
		{"cpu  150 10 120 710 110 5 5 0 80 0\n", 0.818}, // 90 of 110
		{"cpu  150 10 120 810 110 5 5 0 80 0\n", 0},
		{"cpu  150 10 120 810 110 5 5 0 80 0\n", -1}, // no time has passed
		{"cpu what\n", -1},
		{"", -1},
	} {
		write("stat", tt.stat)
		h, err := sample()
		if d := h.CPU - tt.want; err != nil || d < -0.001 || d > 0.001 || h.MemTotal != 64<<20 || h.MemUsed != 48<<20 ||
			h.Cores < 1 {
			t.Errorf("%q: %+v (%v), want %g", tt.stat, h, err, tt.want)
		}
	}
}

// TestHost: the machine pane tells of the host on every device while a search runs, and of nothing where it cannot.
func TestHost(t *testing.T) {
	for _, tt := range []struct {
		name string
		w, h int
		live bool
		err  error
		want bool
	}{
		{"live", 80, 24, true, nil, true},
		{"all panes", 200, 50, true, nil, true},
		{"small", 40, 12, true, nil, true},
		{"at rest", 80, 24, false, nil, false},
		{"no /proc", 80, 24, true, errors.New("no such file"), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := open(t, 30, tt.w, tt.h, tt.live)
			asked := 0
			d.m.opt.Host = func() (Host, error) {
				asked++
				return Host{CPU: 0.43, Cores: 16, MemUsed: 12 << 30, MemTotal: 64 << 30}, tt.err
			}
			for range 30 {
				d.now = d.now.Add(refresh)
				if cmd := d.m.machine.sample(d.now); cmd != nil {
					d.m.Update(cmd())
				}
			}
			d.press("6")
			d.sees("pace ")
			if tt.want {
				d.sees("host ", "43%", "16 cores", "12 GiB/64 GiB")
			} else {
				d.misses("host ")
			}
			if tt.live && (asked < 1 || asked > 3) || !tt.live && asked > 0 {
				t.Errorf("asked %d times in %s", asked, 30*refresh)
			}
			d.m.opt.Host = func() (Host, error) { return Host{CPU: -1, Cores: 1}, nil }
			d.now = d.now.Add(time.Minute)
			fits(t, d.m, tt.w, tt.h)
		})
	}
}
