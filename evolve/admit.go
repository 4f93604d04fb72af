package evolve

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"darwarp/kernels"
)

// Bounds of an event: more than a search has, and little enough that a screen is drawn in no time.
const (
	maxDoing    = 64
	maxFamilies = 1024
	maxOutcomes = 64
)

// ReadEvent reads a line that another process tells of a search. Whoever has the socket may tell anything; what comes
// through can be shown and computed with, as what a run holds.
func ReadEvent(line []byte) (e Event, err error) {
	if err = json.Unmarshal(line, &e); err == nil {
		err = e.Admit()
	}
	if err != nil {
		return Event{}, fmt.Errorf("an event of the search cannot be read: %w", err)
	}
	return e, nil
}

// Admit checks an event that comes from elsewhere as kernels.Candidate.Admit does: text that is only shown is cleaned,
// and what a reader takes for granted is there. The error begins with the key of what is wrong. A kind that is not
// known, of a later version, passes.
func (e *Event) Admit() error {
	e.Note = cleanNote(e.Note)
	e.Family = kernels.CleanLine(e.Family, kernels.MaxName)
	e.Standing = kernels.Standing(kernels.CleanLine(string(e.Standing), kernels.MaxName))
	return cmp.Or(e.complete(), under("kind", kernels.CheckLine(string(e.Kind), kernels.MaxName)),
		admitTimes("at, eta", e.At, e.ETA), kernels.AdmitCounts("seq, evals, in_flight", e.Seq, e.Evals, e.InFlight),
		kernels.AdmitFigures("score, best, reign, speedup", e.Score, e.Best, e.Reign, e.Speedup),
		kernels.AdmitFigures("rate", e.Rate), admitDoing(e.Doing), e.admitParts())
}

// cleanNote keeps the lines that a note may have.
func cleanNote(text string) string {
	lines := strings.Split(text[:min(len(text), kernels.MaxDetail)], "\n")
	for i, l := range lines {
		lines[i] = kernels.CleanLine(l, kernels.MaxDetail)
	}
	return strings.Join(lines, "\n")
}

// complete refuses an event without what its kind is about.
func (e *Event) complete() error {
	lacks, key := false, ""
	switch e.Kind {
	case KindStart:
		lacks, key = e.Start == nil, "start"
	case KindResult:
		lacks, key = e.Candidate == nil, "candidate"
	case KindDuel, KindPace:
		lacks, key = e.Duel == nil, "duel"
	case KindTrial:
		lacks, key = e.Trial == nil, "trial"
	case KindMachine:
		lacks, key = e.Machine == nil, "machine"
	case KindEnd, KindFinal:
		lacks, key = e.Summary == nil, "summary"
	case "":
		lacks, key = true, "kind"
	}
	if lacks {
		return fmt.Errorf("%s: expected one in an event of kind %q", key, e.Kind)
	}
	return nil
}

// admitParts admits what is there of an event's records.
func (e *Event) admitParts() error {
	return cmp.Or(admitPart("candidate", e.Candidate), admitPart("duel", e.Duel), admitPart("trial", e.Trial),
		admitPart("machine", e.Machine), admitPart("exchange", e.Exchange), admitPart("start", e.Start),
		admitPart("summary", e.Summary), admitPart("command", e.Command))
}

func admitPart[T any, P interface {
	*T
	Admit() error
}](key string, part P) error {
	if part == nil {
		return nil
	}
	return under(key, part.Admit())
}

func under(key string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", key, err)
}

func admitTimes(key string, all ...time.Duration) error {
	for _, d := range all {
		if err := kernels.AdmitCounts(key, int64(d)); err != nil {
			return err
		}
	}
	return nil
}

func admitDoing(all []Doing) error {
	if len(all) > maxDoing {
		return fmt.Errorf("doing: %d: expected at most %d", len(all), maxDoing)
	}
	for i := range all {
		d := &all[i]
		d.What, d.Step = kernels.CleanLine(d.What, kernels.MaxName), kernels.CleanLine(d.Step, kernels.MaxLine)
		for j, p := range d.Parts {
			d.Parts[j] = kernels.TrialPart(kernels.CleanLine(string(p), kernels.MaxName))
		}
		if len(d.Parts) > maxDoing {
			return fmt.Errorf("doing.parts: %d: expected at most %d", len(d.Parts), maxDoing)
		}
		if err := cmp.Or(admitTimes("doing.took", d.Took), kernels.AdmitFigures("doing.score", d.Score)); err != nil {
			return err
		}
	}
	return nil
}

// Admit checks what a search sets out with.
func (i *StartInfo) Admit() error {
	i.Strategy = kernels.CleanLine(i.Strategy, kernels.MaxName)
	if err := admitCounted("families", i.Families, maxFamilies); err != nil {
		return err
	}
	for name := range i.Families {
		if err := kernels.CheckLabel(name); err != nil && name != "" { // sources of their own have none
			return under("families", err)
		}
	}
	return cmp.Or(kernels.AdmitCounts("resumed", i.Resumed), i.Budget.admit(), under("device", i.Device.Admit()),
		kernels.AdmitWorkloads(i.Workloads))
}

func admitCounted[K comparable](key string, all map[K]int, most int) error {
	if len(all) > most {
		return fmt.Errorf("%s: %d: expected at most %d", key, len(all), most)
	}
	return kernels.AdmitCounts(key, slices.Collect(maps.Values(all))...)
}

func (b *Budget) admit() error {
	return cmp.Or(kernels.AdmitCounts("budget", b.Evals, b.Stall), admitTimes("budget.for", b.For))
}

// Admit checks what came of a search.
func (s *Summary) Admit() error {
	s.Reason = Reason(kernels.CleanLine(string(s.Reason), kernels.MaxName))
	s.Standing = kernels.Standing(kernels.CleanLine(string(s.Standing), kernels.MaxName))
	return cmp.Or(kernels.AdmitCounts("evals, distinct, skipped, lost, duels, restarts, left", s.Evals, s.Distinct,
		s.Skipped, s.Lost, s.Duels, s.Restarts, s.Left), admitCounted("outcomes", s.Outcomes, maxOutcomes),
		kernels.AdmitFigures("score, speedup, best, claims", s.Score, s.Speedup, s.Best, s.Claims),
		admitTimes("elapsed", s.Elapsed), under("variant", s.Variant.Admit()))
}

// Admit checks a command that was done.
func (c *Command) Admit() error {
	if !slices.Contains(Commands(), c.Do) {
		return errors.New("do: expected a command")
	}
	if len(c.Weights) > maxFamilies {
		return fmt.Errorf("weights: %d: expected at most %d", len(c.Weights), maxFamilies)
	}
	for name, w := range c.Weights {
		if err := kernels.CheckSize(name); err != nil {
			return under("weights", err)
		}
		if !(w > 0 && w <= math.MaxFloat32) {
			return fmt.Errorf("weights.%s: %g: expected a positive number", name, w)
		}
	}
	c.From = kernels.CleanLine(c.From, kernels.MaxName)
	return cmp.Or(kernels.AdmitCounts("evals", c.Evals), admitTimes("for", c.For),
		admitPart("variant", c.Variant))
}
