package view

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/figures"
	"darwarp/cmd/darwarp/internal/printable"
	"darwarp/cmd/darwarp/internal/progress"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/evolve"
	"darwarp/kernels"
	"darwarp/store"
)

// Lines prints a search's events as lines as they come.
type Lines struct {
	printer   *progress.Printer
	events    *json.Encoder // stdout with --json, else nil
	find      func(kernels.ID) (kernels.Candidate, error)
	only      string // the only workload, "" with several
	simulated bool
	state     progress.State
	champion  kernels.Candidate
	columns   func() int   // of the terminal now, 0: none
	heard     time.Time    // of the last event
	still     bool         // time does not count since then
	quiet     bool         // the view is open: nothing is printed
	here      bool         // Ctrl-C ends the search itself
	lost      evolve.Event // the last one that a line told of
	alike     int          // that were lost since for the same reason
}

// newLines prints to a console; find looks up candidates.
func newLines(c *console.Console, plain bool, find func(kernels.ID) (kernels.Candidate, error)) *Lines {
	return &Lines{find: find, printer: c.Printer(plain), columns: func() int { return console.Width(c.Err) }}
}

// LinesOf is the screen of a search of this process, with so many evaluations as its budget; 0: it has none of them.
func LinesOf(c *console.Console, s *session.Session, run *store.Run, evals int, plain, asJSON bool) *Lines {
	sc := newLines(c, plain, run.Get)
	sc.here = true
	sc.state = progress.State{Failed: progress.Failures(run.Counts()), Evals: evals, CPU: s.Device().Kind == "cpu"}
	if asJSON {
		sc.events = json.NewEncoder(c.JSON())
	}
	if len(s.Workloads) == 1 {
		sc.only = s.Workloads[0].Name
	}
	sc.simulated = s.Capabilities().Simulated
	return sc
}

// Follow shows events until there are no more. The error is that of writing to stdout.
func (s *Lines) Follow(events <-chan evolve.Event) (err error) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	defer s.printer.Clear()
	for {
		select {
		case e, more := <-events:
			if !more {
				s.tellAlike(s.state.Elapsed)
				return err
			}
			if s.events != nil && err == nil {
				err = s.events.Encode(e)
			}
			s.take(e)
		case now := <-tick.C:
			s.printer.Tick(s.at(now), now)
		}
	}
}

// at is the state a little after the last event.
func (s *Lines) at(now time.Time) progress.State {
	st := s.state
	if !s.simulated && !s.still && !s.heard.IsZero() {
		since := now.Sub(s.heard)
		st.Elapsed += since
		if st.Left > 0 {
			st.Left = max(time.Second, st.Left-since)
		}
	}
	return st
}

// take brings the state up to date and says what deserves a line of its own.
func (s *Lines) take(e evolve.Event) {
	s.heard, s.still = time.Now(), e.Still
	s.state.Elapsed, s.state.Done, s.state.InFlight, s.state.Rate, s.state.Left = e.At, e.Evals, e.InFlight, e.Rate, e.ETA
	s.state.Speedup, s.state.Estimate = e.Speedup, e.Estimate
	s.state.Doing = doing(e)
	switch e.Kind {
	case evolve.KindResult:
		if progress.IsFailure(e.Candidate.Result.Outcome) {
			s.state.Failed++
		}
	case evolve.KindChampion:
		s.sayChampion(e)
	case evolve.KindTrial:
		s.tried(e)
	case evolve.KindDuel:
		s.fought(e)
	case evolve.KindDrain:
		s.state.Draining = true
		s.say(e, "stopping: "+e.Note+s.hint(e))
	case evolve.KindPaused, evolve.KindResumed, evolve.KindSteer:
		s.say(e, e.Note)
	case evolve.KindAdvice:
		if e.Exchange == nil { // about the models, and not one of many questions
			s.say(e, e.Note)
		}
	case evolve.KindFamily:
		s.say(e, "new family "+e.Note)
	case evolve.KindRestart:
		s.say(e, "starting again: "+e.Note)
	case evolve.KindLost:
		s.lose(e)
	case evolve.KindNoise:
		s.say(e, "noise: "+e.Note)
	case evolve.KindOutage:
		s.say(e, "outage: "+e.Note)
	case evolve.KindSkip:
		if !e.ID.IsZero() { // else no verdict was wanted
			s.say(e, e.ID.Short()+" "+e.Note)
		}
	case evolve.KindDisk:
		s.say(e, "disk: "+e.Note)
	}
}

// fought tells of a challenger that did not win, and why.
func (s *Lines) fought(e evolve.Event) {
	switch {
	case e.Duel == nil:
	case strings.HasPrefix(e.Note, evolve.SetAside):
		s.say(e, fmt.Sprintf("duel of %s with %s %s", e.ID.Short(), e.Duel.Champion, e.Note))
	case e.Duel.Verdict != kernels.Faster:
		s.say(e, fmt.Sprintf("challenger %s: %s", e.ID.Short(), report.FirstLine(figures.Duel(e.Duel))))
	}
}

// hint says how to wait no longer.
func (s *Lines) hint(e evolve.Event) string {
	waits := e.InFlight > 0 && !strings.Contains(e.Note, "in flight are left")
	if s.here && waits && strings.HasPrefix(e.Note, string(evolve.ReasonInterrupted)) {
		return "; Ctrl-C again ends at once"
	}
	return ""
}

// doing says what goes on beside the candidates, and since when.
func doing(e evolve.Event) (all []string) {
	for _, d := range e.Doing {
		all = append(all, fmt.Sprintf("%s %s", d, report.Duration(d.Took)))
	}
	return all
}

// tried tells of a candidate that fell, and of a champion that has stood all that is asked of it.
func (s *Lines) tried(e evolve.Event) {
	switch {
	case e.Candidate != nil:
		s.state.Failed++
		s.say(e, e.ID.Short()+" "+report.FirstLine(e.Note))
	case e.ID != e.Champion || e.Standing != kernels.Stood:
	case e.Trial.Part(kernels.TrialLaunches).Verdict == kernels.Pending:
		s.say(e, "champion "+e.ID.Short()+" has passed its trial")
	default:
		d := e.Trial.Part(kernels.TrialLaunches)
		s.say(e, fmt.Sprintf("champion %s: %s: %s", e.ID.Short(), d.Detail, d.Verdict))
	}
}

// sayChampion tells of a new champion with its time and what it changed.
func (s *Lines) sayChampion(e evolve.Event) {
	c, err := s.find(e.ID)
	if err != nil {
		s.say(e, "champion "+e.ID.Short())
		return
	}
	text := fmt.Sprintf("champion %s  %6s", c.ID.Short(), report.Headline(e.Speedup, e.Estimate))
	if t := report.Find(c.Result.Times, s.only); t != nil {
		text += "  " + report.Time(t.Median)
		if s.state.CPU {
			text += " CPU time"
		}
		s.state.Best = t.Median
	}
	switch {
	case s.champion.ID.IsZero():
		text += "  " + e.Note
	case c.Variant.Family == "": // it has no genes to compare
		text += "  " + report.Summary(c.Origin.Note)
	default:
		text += "  " + report.Step(s.champion.Variant, c.Variant)
	}
	s.champion = c
	s.say(e, text)
}

// lose tells of a lost verdict. Where a machine of many goes a hundred are lost at once for one reason: that is a line,
// and another with their number.
func (s *Lines) lose(e evolve.Event) {
	if e.Note == s.lost.Note && e.At-s.lost.At < 10*time.Second {
		s.alike++
		return
	}
	s.say(e, "lost: "+e.Note)
	s.lost = e
}

// tellAlike says how many more were lost.
func (s *Lines) tellAlike(at time.Duration) {
	if n := s.alike; n > 0 {
		s.alike, s.lost = 0, evolve.Event{}
		s.say(evolve.Event{Stamp: evolve.Stamp{At: at}}, fmt.Sprintf("lost: %d more for the same reason", n))
	}
}

func (s *Lines) say(e evolve.Event, text string) {
	s.tellAlike(e.At)
	if s.quiet {
		return
	}
	lines := strings.Split(printable.Block(text, "         "), "\n")
	for i, l := range lines {
		if i == 0 {
			l = fmt.Sprintf("%7s  %s", report.Duration(e.At), l)
		}
		s.printer.Message(report.Clip(l, s.columns()))
	}
}

// EventQueue is how far the screen may be behind before the search waits for it.
const EventQueue = 4096
