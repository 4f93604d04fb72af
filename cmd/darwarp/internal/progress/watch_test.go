package progress

import (
	"maps"
	"testing"
	"testing/synctest"
	"time"
)

// TestWatch: phases add up to all of the time from the first one's begin, and what lies outside counts nowhere.
func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w Watch
		time.Sleep(time.Hour)
		for _, p := range []struct {
			phase string
			lasts time.Duration
		}{{"import", 2 * time.Second}, {"opening", 0}, {"searching", 1234567 * time.Microsecond}, {"import", time.Second}} {
			w.Begin(p.phase)
			time.Sleep(p.lasts)
		}
		want := map[string]float64{"import": 3, "opening": 0, "searching": 1.235}
		for range 2 { // what follows the end counts nowhere
			if got := w.End(); !maps.Equal(got, want) {
				t.Errorf("%v, want %v", got, want)
			}
			time.Sleep(time.Hour)
		}
	})
}

func TestNoWatch(t *testing.T) {
	var w *Watch
	w.Begin("import")
	if got := w.End(); len(got) != 0 {
		t.Errorf("nobody watches, and it took %v", got)
	}
}
