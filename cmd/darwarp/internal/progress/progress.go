// Package progress shows a running search: one line that is redrawn on a terminal, or a line now and
// then in a log.
package progress

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"darwarp/cmd/darwarp/internal/printable"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

// State is a search at one moment.
type State struct {
	Elapsed  time.Duration
	Left     time.Duration // until the budget is spent, 0: unknown
	Done     int           // evaluations with a verdict
	Evals    int           // budget of them, 0: none
	Failed   int           // of them, not usable
	InFlight int           // evaluations under way
	Rate     float64       // evaluations a second
	Best     float64       // ns, time of the champion on the only workload; 0: none yet, or several workloads
	CPU      bool          // Best is a CPU time
	Speedup  float64       // of the champion over the naive start; 0: none yet
	Estimate bool          // Speedup is not of a final measurement
	Draining bool          // finishing what is in flight
	Doing    []string      // duels and trials under way
}

// Line writes the state in at most width columns; what matters least is left out first.
func (s State) Line(width int) string {
	evals := report.Count(s.Done)
	if s.Evals > 0 {
		evals += "/" + report.Count(s.Evals)
	}
	parts := []string{report.Duration(s.Elapsed), evals + " evals", s.bestText()}
	if s.Draining {
		parts = append(parts, fmt.Sprintf("finishing %d in flight", s.InFlight))
	} else if s.Left > 0 {
		parts = append(parts, report.Duration(s.Left)+" left")
	}
	parts = append(append(parts, s.Doing...), fmt.Sprintf("%.1f/s", s.Rate), fmt.Sprintf("%d failed", s.Failed))
	if !s.Draining {
		parts = append(parts, fmt.Sprintf("%d in flight", s.InFlight))
	}
	line := parts[0]
	for _, p := range parts[1:] {
		if p == "" {
			continue
		}
		if utf8.RuneCountInString(line)+2+len(p) > width {
			continue
		}
		line += "  " + p
	}
	return line
}

func (s State) bestText() string {
	if s.Speedup == 0 {
		return ""
	}
	text := "best " + report.Headline(s.Speedup, s.Estimate)
	if s.Best > 0 {
		text += " " + report.Time(s.Best)
		if s.CPU {
			text += " CPU time"
		}
	}
	return text
}

// Printer shows states and messages. It is not for concurrent use.
type Printer struct {
	W        io.Writer
	Terminal func() bool   // whether the line is redrawn in place, now: a terminal may be closed; nil: it is not
	Width    func() int    // columns of the terminal now; nil or 0: 160
	Every    time.Duration // least time between lines in a log

	drawn bool      // the line is on the screen
	last  time.Time // of the last line
}

// LogEvery is the usual least time between progress lines in a log.
const LogEvery = 10 * time.Second

// Tick shows the state at the time now. In a log it is written only when Every has passed.
func (p *Printer) Tick(s State, now time.Time) {
	if p.Terminal != nil && p.Terminal() {
		fmt.Fprint(p.W, "\r", s.Line(p.width()-1), "\x1b[K")
		p.drawn = true
		return
	}
	p.drawn = false
	if p.last.IsZero() {
		p.last = now // the first line comes when there is something to tell
	}
	if now.Sub(p.last) >= p.Every {
		fmt.Fprintln(p.W, s.Line(p.width()))
		p.last = now
	}
}

// Message writes lines of its own, above the progress line.
func (p *Printer) Message(text string) {
	p.Clear()
	fmt.Fprintln(p.W, printable.Text(strings.TrimRight(text, "\n")))
}

// Clear removes the progress line.
func (p *Printer) Clear() {
	if p.drawn && p.Terminal() {
		fmt.Fprint(p.W, "\r\x1b[K")
		p.drawn = false
	}
}

func (p *Printer) width() int {
	if p.Width == nil || p.Width() == 0 { // a log, which has room for a duel and a trial
		return 160
	}
	return max(20, p.Width())
}

// Failures counts the candidates that failed.
func Failures(counts map[kernels.Outcome]int) int {
	n := 0
	for o, k := range counts {
		if IsFailure(o) {
			n += k
		}
	}
	return n
}

// IsFailure reports whether an outcome counts as failed on the screen: a duplicate is no fault.
func IsFailure(o kernels.Outcome) bool { return o.Failed() && o != kernels.Duplicate }
