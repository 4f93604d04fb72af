package progress

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestLine(t *testing.T) {
	full := State{Elapsed: 125 * time.Second, Done: 1234, Failed: 45, InFlight: 8, Best: 186200, Speedup: 3.42,
		Left: 55 * time.Second, Rate: 9.87}
	draining := full
	draining.Draining = true
	dueling := full
	dueling.Doing = []string{"duel of ~4.00x c2 with c1 (gate) 3.0s"}
	for _, c := range []struct {
		name  string
		state State
		width int
		want  string
	}{
		{"full", full, 100, "2m05s  1,234 evals  best 3.42x 186.2 us  55s left  9.9/s  45 failed  8 in flight"},
		{"narrow drops the end", full, 52, "2m05s  1,234 evals  best 3.42x 186.2 us  55s left"},
		{"draining", draining, 100, "2m05s  1,234 evals  best 3.42x 186.2 us  finishing 8 in flight  9.9/s  45 failed"},
		{"start", State{InFlight: 2, Evals: 300}, 80, "0.0s  0/300 evals  0.0/s  0 failed  2 in flight"},
		{"several workloads", State{Elapsed: time.Second, Done: 4, Speedup: 1.5, Rate: 4}, 80,
			"1.0s  4 evals  best 1.50x  4.0/s  0 failed  0 in flight"},
		{"duel", dueling, 90, "2m05s  1,234 evals  best 3.42x 186.2 us  55s left  duel of ~4.00x c2 with c1 (gate) 3.0s"},
		{"a duel that does not fit", dueling, 75,
			"2m05s  1,234 evals  best 3.42x 186.2 us  55s left  9.9/s  45 failed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.state.Line(c.width); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
	for width := 20; width < 120; width++ {
		if n := utf8.RuneCountInString(full.Line(width)); n > width {
			t.Errorf("%d columns in a width of %d", n, width)
		}
	}
}

func TestPrinter(t *testing.T) {
	start := time.Unix(1000, 0)
	var log, tty strings.Builder
	for _, p := range []*Printer{{W: &log, Every: 10 * time.Second},
		{W: &tty, Terminal: func() bool { return true }, Width: func() int { return 40 }}} {
		for i := range 25 {
			p.Tick(State{Elapsed: time.Duration(i) * time.Second, Done: i, Rate: 1}, start.Add(time.Duration(i)*time.Second))
		}
		p.Message("new champion\n")
		p.Tick(State{}, start.Add(26*time.Second))
		p.Clear()
	}
	want := "10s  10 evals  1.0/s  0 failed  0 in flight\n20s  20 evals  1.0/s  0 failed  0 in flight\nnew champion\n"
	if log.String() != want {
		t.Errorf("log:\n%s\nwant:\n%s", log.String(), want)
	}
	if strings.Contains(log.String(), "\x1b") || strings.Contains(log.String(), "\r") {
		t.Error("a log has escape sequences")
	}
	if got := tty.String(); strings.Count(got, "\n") != 1 || !strings.HasSuffix(got, "\r\x1b[K") ||
		!strings.Contains(got, "\r\x1b[Knew champion\n\r") {
		t.Errorf("terminal: %q", got)
	}
}
