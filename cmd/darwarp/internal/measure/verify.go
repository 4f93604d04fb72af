package measure

import (
	"context"
	"fmt"
	"slices"

	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/figures"
	"darwarp/cmd/darwarp/internal/progress"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/kernels"
)

// VerifyOptions say what a candidate is held against besides the gate.
type VerifyOptions struct {
	Races    bool // what is looked for are faults, on a device whose times are not compared
	Sanitize bool // run it under each tool of compute-sanitizer
	Trial    bool // try it as a champion is, and store what came of it
}

// Compared is one workload then and now.
type Compared struct {
	Workload string         `json:"workload"`
	Old      kernels.Timing `json:"old"`
	New      kernels.Timing `json:"new"`
	Verdict  string         `json:"verdict"` // same, faster, slower; one sample, as recorded or not as recorded
}

// Verified is a candidate then and now.
type Verified struct {
	ID      kernels.ID          `json:"id"`
	Outcome kernels.Outcome     `json:"outcome"`
	Detail  string              `json:"detail,omitempty"`
	Fault   string              `json:"fault,omitempty"` // what watching every access found: race, divergence, ...
	Was     kernels.Outcome     `json:"was"`
	Times   []Compared          `json:"times,omitempty"`
	Proof   kernels.Provenance  `json:"provenance"`
	Watched []kernels.Sanitized `json:"sanitized,omitempty"`
	Trial   *kernels.Trial      `json:"trial,omitempty"`

	Then kernels.Candidate `json:"-"`
	Now  kernels.Result    `json:"-"`
}

// drift is how far a kernel's time moves between two sessions on one machine, beyond the intervals of
// either: clocks, temperature, where memory came to lie.
const drift = 0.02

// The verdicts where nothing can be compared: a single sample has no interval, and a recording that is read again says
// nothing of a machine.
const (
	oneSample     = "one sample"
	asRecorded    = "as recorded"
	notAsRecorded = "not as recorded"
)

// comparePairs puts the times of each workload side by side. Intervals that overlap, give or take the
// drift, are the same time.
func comparePairs(old, now []kernels.Timing, replayed bool) []Compared {
	var out []Compared
	for _, n := range now {
		for _, o := range old {
			if o.Workload != n.Workload || o.Cache != n.Cache {
				continue
			}
			out = append(out, Compared{n.Workload, o, n, verdictOn(o, n, replayed)})
		}
	}
	return out
}

func verdictOn(old, now kernels.Timing, replayed bool) string {
	switch {
	case replayed && now.Median == old.Median:
		return asRecorded
	case replayed:
		return notAsRecorded
	case !(old.Hi > old.Lo && now.Hi > now.Lo):
		return oneSample
	case now.Lo > old.Hi*(1+drift):
		return "slower"
	case now.Hi < old.Lo*(1-drift):
		return "faster"
	}
	return "same"
}

// tryCandidate holds a candidate against every doubt and stores what came of it.
func tryCandidate(
	ctx context.Context, s *session.Session, r *record.Record, job *kernels.Job, id kernels.ID, say func(string, ...any),
) (kernels.Trial, error) {
	try := s.Capabilities().Trial
	if try == nil {
		return kernels.Trial{}, exit.Usagef("--trial: %s cannot run a kernel: leave the flag out", s.Device().Label())
	}
	known := kernels.Trial{ID: id}
	for _, part := range kernels.WholeTrial {
		end := progress.Phase(say, fmt.Sprintf("on trial: %s", part))
		t, err := try(ctx, job, part)
		end()
		if err != nil {
			return known, err
		}
		known.Enter(t.Parts...)
		known.At, known.Provenance = t.At, t.Provenance
		if known.Fault() != nil {
			break
		}
	}
	return known, r.PutTrial(known)
}

// Verify gates and times a candidate again; an empty name is the champion.
func Verify(
	ctx context.Context, s *session.Session, r *record.Record, name string, o VerifyOptions, say func(string, ...any),
) (*Verified, error) {
	c, err := r.Pick(name)
	if err != nil {
		return nil, err
	}
	j, err := r.Bundle.VariantJob(c.Variant, s.Device(), s.DType)
	if err != nil {
		return nil, err
	}
	if j.ID != c.ID {
		say("note: candidate %s is %s here: the toolchain (then %s, now %s), the include library or the renderer has changed",
			c.ID.Short(), j.ID.Short(), r.Meta().Device.Toolchain, s.Device().Toolchain)
	}
	end := progress.Phase(say, fmt.Sprintf("gating and timing candidate %s again", c.ID.Short()))
	now, err := s.Evaluate(ctx, &j)
	end()
	if err != nil {
		return nil, err
	}
	v := &Verified{ID: c.ID, Outcome: now.Outcome, Detail: now.Detail, Fault: figures.Fault(now),
		Was: c.Result.Outcome, Proof: s.Provenance(),
		Then: c, Now: now}
	if !o.Races {
		v.Times = comparePairs(c.Result.Times, now.Times, s.Device().Kind == "replay")
	}
	if now.Outcome != kernels.OK {
		return v, nil
	}
	if o.Sanitize {
		if v.Watched, err = sanitize(ctx, s, &j, say); err != nil {
			return nil, err
		}
	}
	if o.Trial {
		t, err := tryCandidate(ctx, s, r, &j, c.ID, say)
		if err != nil {
			return nil, err
		}
		v.Trial = &t
	}
	return v, nil
}

// Holds reports whether the candidate is right, nowhere slower than it was, or as the recording has it, and has stood
// what the options ask for.
func (v *Verified) Holds(o VerifyOptions) bool {
	bad := func(c Compared) bool { return c.Verdict == "slower" || c.Verdict == notAsRecorded }
	switch {
	case v.Outcome != kernels.OK || slices.ContainsFunc(v.Times, bad):
		return false
	case o.Sanitize && !kernels.AllClean(v.Watched):
		return false
	}
	return v.Trial == nil || v.Trial.Standing() != kernels.Fell
}
