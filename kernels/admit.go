package kernels

import (
	"cmp"
	"errors"
	"fmt"
)

// Admit is what a record goes through whenever it enters: from a run's file, a recording, a command. It cleans text
// that is only shown, in place, and gives an error where a reader takes something for granted that is not so. What
// names something else (a gene, a workload, an architecture) is refused and never changed, for it would name another
// thing then. Figures may be as wrong as they like, as long as they can be computed with. The error begins with the key
// of what is wrong.

// Bounds of a record: more than any search writes, and little enough that a reader is done in no time.
const (
	maxParents   = 64
	maxResources = 64
	maxSites     = 1 << 14
	maxTimes     = 4 * maxWorkloads
	maxTags      = 32
	maxOwnSource = 1 << 20 // bytes
	maxLaunches  = 64
	maxWorkloads = 256

	longest   = 1e18 // ns, thirty years
	mostWork  = 1e18 // of anything that is counted
	mostTimes = 1e15 // that one thing is faster than another
)

// number refuses a figure outside of a range, and NaN.
func number(key string, v, least, most float64) error {
	if v >= least && v <= most {
		return nil
	}
	switch {
	case v > most:
		return fmt.Errorf("%s: %g: expected at most %g", key, v, most)
	case least == 0:
		return fmt.Errorf("%s: %g: expected 0 or more", key, v)
	}
	return fmt.Errorf("%s: %g: expected a positive number", key, v)
}

// unless0 is number for what 0 says nothing of.
func unless0(key string, v, least, most float64) error {
	if v == 0 {
		return nil
	}
	return number(key, v, least, most)
}

// counts refuses negative counts; they come with their keys.
func counts[T int | int64](key string, all ...T) error {
	for _, n := range all {
		if n < 0 || float64(n) > mostWork {
			return fmt.Errorf("%s: %d: expected 0 or more", key, n)
		}
	}
	return nil
}

// under adds a key to an error.
func under(key string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", key, err)
}

// inside adds a key to an error that begins with one.
func inside(key string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s.%w", key, err)
}

// each admits the elements of a list that may have so many.
func each[T any](key string, all []T, most int, admit func(*T) error) error {
	if len(all) > most {
		return fmt.Errorf("%s: %d: expected at most %d", key, len(all), most)
	}
	for i := range all {
		if err := admit(&all[i]); err != nil {
			return fmt.Errorf("%s[%d].%w", key, i, err)
		}
	}
	return nil
}

// clean makes text that is only shown fit to be shown. It writes where there is something to change alone: the record
// may be in use.
func clean(most int, texts ...*string) {
	for _, s := range texts {
		if c := CleanLine(*s, most); c != *s {
			*s = c
		}
	}
}

// cleanDetail does so with text of several lines.
func cleanDetail(texts ...*string) {
	for _, s := range texts {
		if c := CleanDetail(*s); c != *s {
			*s = c
		}
	}
}

// Admit checks a candidate; see above.
func (c *Candidate) Admit() error {
	switch o := c.Result.Outcome; {
	case c.ID.IsZero():
		return errors.New("id: expected one that is not zero")
	case o == Unknown || int(o) >= len(outcomeNames):
		return fmt.Errorf("result.outcome: %s: expected a verdict", o)
	case len(c.Origin.Parents) > maxParents:
		return fmt.Errorf("origin.parents: %d: expected at most %d", len(c.Origin.Parents), maxParents)
	}
	if c.Result.Outcome == OK && c.Score == 0 {
		return errors.New("score: 0: expected a positive number")
	}
	clean(MaxLine, &c.Origin.Operator, &c.Origin.Note)
	return cmp.Or(unless0("score", c.Score, 1/mostTimes, mostTimes),
		counts("origin.generation", c.Origin.Generation),
		inside("variant", c.Variant.Admit()), inside("result", c.Result.Admit()))
}

// Admit checks a variant, also one that a command brings.
func (v *Variant) Admit() error {
	if v.Family != "" {
		if err := CheckLabel(v.Family); err != nil {
			return under("family", err)
		}
	}
	if v.Acc != "" && !v.Acc.Sums() {
		return fmt.Errorf("acc: unknown dtype %s", quoted(string(v.Acc)))
	}
	if len(v.Source) > maxOwnSource {
		return fmt.Errorf("source: %d bytes: expected at most %d", len(v.Source), maxOwnSource)
	}
	if p := v.Plan; p != nil && len(p.Launches)+len(p.Scratch) > maxLaunches {
		return fmt.Errorf("plan: %d launches: expected at most %d", len(p.Launches)+len(p.Scratch), maxLaunches)
	}
	return under("genes", v.Genes.Admit())
}

// Admit checks names and values.
func (g Genome) Admit() error {
	if len(g) > maxGenes {
		return fmt.Errorf("%d: expected at most %d", len(g), maxGenes)
	}
	for name, v := range g {
		if err := cmp.Or(CheckIdentifier(name), v.Admit()); err != nil {
			return err
		}
	}
	return nil
}

// Admit refuses a string that no gene can have.
func (v Value) Admit() error {
	if s, ok := v.v.(string); ok && (len(s) > MaxName || !wordRE.MatchString(s)) {
		return fmt.Errorf("value %s: expected a word", quoted(s))
	}
	if v.v == nil {
		return errors.New("no value: expected an integer, a word or a boolean")
	}
	return nil
}

// Admit checks a verdict. Whether it is one the caller knows.
func (r *Result) Admit() error {
	cleanDetail(&r.Detail)
	if err := cmp.Or(CheckLine(r.Code, MaxName), CheckLine(r.Provenance, MaxName)); err != nil {
		return under("code or proof", err)
	}
	if g := r.Gate; g != nil {
		clean(MaxLine, &g.Where)
		if err := counts("gate.checks or gate.elements", g.Checks, g.Elements); err != nil {
			return err
		}
	}
	c := r.Cost
	return cmp.Or(number("cost.compile", c.Compile, 0, longest), number("cost.gate", c.Gate, 0, longest),
		number("cost.time", c.Time, 0, longest), number("cost.wait", c.Wait, 0, longest),
		each("times", r.Times, maxTimes, (*Timing).admit),
		each("prepared", r.Prepared, maxTimes, (*Prepared).admit),
		each("resources", r.Resources, maxResources, (*Resources).admit),
		each("sites", r.Sites, maxSites, (*Site).admit))
}

func (t *Timing) admit() error {
	clean(MaxName, &t.Cache, &t.Tier)
	if len(t.Tags) > maxTags {
		return fmt.Errorf("tags: %d: expected at most %d", len(t.Tags), maxTags)
	}
	for i := range t.Tags {
		clean(MaxName, &t.Tags[i])
	}
	return cmp.Or(under("workload", CheckSize(t.Workload)), number("median", t.Median, 1e-6, longest),
		number("lo", t.Lo, 0, longest), number("hi", t.Hi, 0, longest), number("clock", t.Clock, 0, mostWork),
		counts("samples", t.Samples))
}

func (p *Prepared) admit() error {
	return cmp.Or(under("workload", CheckSize(p.Workload)), number("ns", p.Nanos, 0, longest), counts("bytes", p.Bytes))
}

func (r *Resources) admit() error {
	clean(maxShown, &r.Entry)
	return cmp.Or(counts("registers", r.Registers), counts("spills", r.SpillStores, r.SpillLoads),
		counts("stack", r.Stack), counts("smem", r.StaticSmem, r.DynamicSmem), counts("blocks_per_sm", r.BlocksPerSM),
		number("occupancy", r.Occupancy, 0, mostWork))
}

func (s *Site) admit() error {
	clean(MaxLine, &s.File, &s.Space)
	return cmp.Or(counts("line", s.Line), counts("accesses", s.Accesses), counts("conflicts", s.Conflicts),
		number("sectors_per_request", s.Sectors, 0, mostWork))
}
