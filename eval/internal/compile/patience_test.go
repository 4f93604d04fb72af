package compile

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestPatience(t *testing.T) {
	tests := []struct {
		name    string
		cap     time.Duration
		seconds []float64 // repeated to make 100 compiles
		want    time.Duration
	}{
		{"nothing known", time.Minute, nil, time.Minute},
		{"fast", time.Minute, []float64{0.05}, 10 * time.Second},
		{"fast but for one in a hundred", time.Minute, append(make([]float64, 99), 50), 10 * time.Second},
		{"slow", time.Minute, []float64{5}, 15 * time.Second},
		{"very slow", time.Minute, []float64{40}, time.Minute},
		{"short of patience", 2 * time.Second, []float64{5}, 2 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := patience{cap: tt.cap}
			for i := range 100 {
				if len(tt.seconds) > 0 {
					p.learn(tt.seconds[i%len(tt.seconds)])
				}
			}
			if got := p.limit(); got != tt.want {
				t.Errorf("limit %v, want %v", got, tt.want)
			}
		})
	}
}

func TestPatienceForgets(t *testing.T) {
	p := patience{cap: time.Minute}
	for range remembered {
		p.learn(40)
	}
	for range remembered {
		p.learn(0.1)
	}
	if got := p.limit(); got != shortestTimeout || len(p.last) != remembered {
		t.Errorf("limit %v from %d compiles, want %v", got, len(p.last), shortestTimeout)
	}
}

func TestHomeSweeps(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	old := time.Now().Add(-time.Hour)
	made := func(name string) string {
		path := filepath.Join(os.TempDir(), name)
		if err := os.MkdirAll(filepath.Join(path, "0", "pch"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
		return path
	}
	orphan, foreign := made("darwarp-compile-orphan"), made("other")
	living, err := newHome()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(living.path, old, old); err != nil {
		t.Fatal(err)
	}
	h, err := newHome()
	if err != nil {
		t.Fatal(err)
	}
	for path, stays := range map[string]bool{orphan: false, foreign: true, living.path: true, h.path: true} {
		if _, err := os.Stat(path); (err == nil) != stays {
			t.Errorf("%s: %v, stays should be %v", path, err, stays)
		}
	}
	for _, h := range []*home{living, h} {
		if err := h.close(); err != nil {
			t.Error(err)
		}
	}
}
