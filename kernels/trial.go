package kernels

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// TrialPart names one way in which a would-be champion is doubted, beyond what the gate asks of every
// candidate.
type TrialPart string

// The parts. The first three take the device for moments and come before a candidate becomes champion; the next two run
// beside the search; the last is for a candidate that is exported.
const (
	TrialClasses   TrialPart = "classes"   // every input class at every workload, and the whole bank of inputs
	TrialFresh     TrialPart = "fresh"     // calls that never see an input twice in a row, all outputs compared
	TrialDisturbed TrialPart = "disturbed" // runs bit for bit while another stream takes the device away in bursts
	TrialEmulated  TrialPart = "emulated"  // the cpu device, every access watched, under several orders of the threads
	TrialSanitized TrialPart = "sanitized" // the tools of compute-sanitizer
	TrialLaunches  TrialPart = "launches"  // thousands of judged launches: a die that rarely shows the wrong side
	TrialDuel      TrialPart = "duel"      // never asked for: where a side of a duel is found out, that is how it fell
)

// The groups in which parts are asked for.
var (
	QuickTrial = []TrialPart{TrialClasses, TrialFresh, TrialDisturbed}
	SlowTrial  = []TrialPart{TrialEmulated, TrialSanitized}
	LongTrial  = []TrialPart{TrialLaunches}
	// WholeTrial is everything, the quickest first.
	WholeTrial = slices.Concat(QuickTrial, SlowTrial, LongTrial)
)

// Doubted is what a part of a trial has shown.
type Doubted string

// The verdicts of a part.
const (
	Pending    Doubted = "pending"      // not tried yet
	Passed     Doubted = "passed"       //
	Failed     Doubted = "failed"       // and so the candidate falls
	Impossible Doubted = "not possible" // here; the detail says why
)

// Doubt is one part of a trial with what came of it.
type Doubt struct {
	Part    TrialPart `json:"part"`
	Verdict Doubted   `json:"verdict"`
	Outcome Outcome   `json:"outcome,omitzero"` // of a part that failed: what the candidate is
	Detail  string    `json:"detail,omitempty"` // what was tried, what was found, or why it is not possible
	Seconds float64   `json:"s,omitempty"`
}

// Standing is where a would-be champion stands.
type Standing string

// The standings.
const (
	OnTrial Standing = "on trial" // something of what is asked of a champion is pending
	Stood   Standing = "stood"    // all that is possible here was tried, and nothing was found
	Fell    Standing = "fell"     // a part has failed
)

// Trial is the doubts that a candidate was held against. Its zero value has stood none.
type Trial struct {
	ID         ID        `json:"id"`
	Parts      []Doubt   `json:"parts,omitempty"` // in the order of WholeTrial; those that are missing are pending
	Provenance string    `json:"proof,omitempty"` // key of the Provenance of the session that tried last
	At         time.Time `json:"at,omitzero"`     // when
}

// Part is what came of one part, Pending where nothing did.
func (t Trial) Part(p TrialPart) Doubt {
	if i := slices.IndexFunc(t.Parts, func(d Doubt) bool { return d.Part == p }); i >= 0 {
		return t.Parts[i]
	}
	return Doubt{Part: p, Verdict: Pending}
}

// Enter adds what came of parts in place of what was known of them.
func (t *Trial) Enter(found ...Doubt) {
	var all []Doubt
	for _, p := range slices.Concat([]TrialPart{TrialDuel}, WholeTrial) {
		d := t.Part(p)
		if i := slices.IndexFunc(found, func(d Doubt) bool { return d.Part == p }); i >= 0 {
			d = found[i]
		}
		if d.Verdict != Pending {
			all = append(all, d)
		}
	}
	t.Parts = all
}

// Missing lists those of the parts that are pending.
func (t Trial) Missing(parts []TrialPart) (missing []TrialPart) {
	for _, p := range parts {
		if t.Part(p).Verdict == Pending {
			missing = append(missing, p)
		}
	}
	return missing
}

// Standing says whether a champion is believed. The many launches are asked of a candidate that is exported, and not of
// every champion on its way; where they were tried, they count like the rest.
func (t Trial) Standing() Standing {
	if t.Fault() != nil {
		return Fell
	}
	if len(t.Missing(QuickTrial))+len(t.Missing(SlowTrial)) > 0 {
		return OnTrial
	}
	return Stood
}

// Exported is the standing of whoever is exported: the many launches are asked for as well.
func (t Trial) Exported() Standing {
	if s := t.Standing(); s == Fell || len(t.Missing(WholeTrial)) == 0 {
		return s
	}
	return OnTrial
}

// Fault is the first part that failed, nil where none did.
func (t Trial) Fault() *Doubt {
	if i := slices.IndexFunc(t.Parts, func(d Doubt) bool { return d.Verdict == Failed }); i >= 0 {
		return &t.Parts[i]
	}
	return nil
}

// Degrade makes a candidate that fell what it was found out to be, as if it had never worked.
func (t Trial) Degrade(c *Candidate) {
	f := t.Fault()
	c.Result.Outcome, c.Result.Detail = f.Outcome, CleanDetail(fmt.Sprintf("fell on trial (%s): %s", f.Part, f.Detail))
	c.Result.Times, c.Score = nil, 0
}

// Text is the trial in one line: where the candidate stands, then each part.
func (t Trial) Text() string {
	parts := WholeTrial
	if t.Part(TrialDuel).Verdict != Pending {
		parts = slices.Concat(parts, []TrialPart{TrialDuel})
	}
	return fmt.Sprintf("%s: %s", t.Standing(), t.Of(parts))
}

// Of lists what came of parts, as "classes passed, sanitized not possible (not found)".
func (t Trial) Of(parts []TrialPart) string {
	var all []string
	for _, p := range parts {
		d := t.Part(p)
		s := fmt.Sprintf("%s %s", p, d.Verdict)
		if d.Verdict == Failed || d.Verdict == Impossible {
			s += fmt.Sprintf(" (%s)", d.Detail)
		}
		all = append(all, s)
	}
	return strings.Join(all, ", ")
}
