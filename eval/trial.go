package eval

import (
	"context"
	"errors"
	"fmt"
	"time"

	"darwarp/kernels"
)

// Trial holds a candidate against some of the doubts of kernels.WholeTrial, in the order in which they are named, and
// ends at the first that it does not stand. An error is ours, or the end of ctx: with a kernels.ErrLost it may be asked again.
func (p *Pool) Trial(ctx context.Context, job *kernels.Job, parts ...kernels.TrialPart) (kernels.Trial, error) {
	t := kernels.Trial{ID: job.ID, Proof: p.Provenance().Key()}
	for _, part := range parts {
		try := doubts[part]
		if try == nil {
			return t, fmt.Errorf("trial: unknown part %q", part)
		}
		start := time.Now()
		d, err := try(p, ctx, job)
		if ctx.Err() != nil {
			return t, ctx.Err()
		}
		if err != nil {
			return t, fmt.Errorf("trial of %s, %s: %w", job.ID.Short(), part, err)
		}
		d.Part, d.Seconds, d.Detail = part, time.Since(start).Seconds(), kernels.CleanDetail(d.Detail)
		t.At = time.Now().UTC()
		t.Enter(d)
		if d.Verdict == kernels.Failed {
			break
		}
	}
	return t, nil
}

// doubts are what is done for each part of a trial.
var doubts = map[kernels.TrialPart]func(p *Pool, ctx context.Context, job *kernels.Job) (kernels.Doubt, error){
	kernels.TrialEmulated:  (*Pool).doubtEmulated,
	kernels.TrialSanitized: (*Pool).doubtSanitized,
}

// passed, failed and impossible are verdicts with their detail.
func passed(format string, args ...any) kernels.Doubt {
	return kernels.Doubt{Verdict: kernels.Passed, Detail: fmt.Sprintf(format, args...)}
}

func failed(o kernels.Outcome, format string, args ...any) kernels.Doubt {
	return kernels.Doubt{Verdict: kernels.Failed, Outcome: o, Detail: fmt.Sprintf(format, args...)}
}

func impossible(format string, args ...any) kernels.Doubt {
	return kernels.Doubt{Verdict: kernels.Impossible, Detail: fmt.Sprintf(format, args...)}
}

// doubtSanitized runs compute-sanitizer's tools. Only a complete report says something: of one that is cut off nobody knows
// what it would have found, and it is no fault of the candidate's either.
func (p *Pool) doubtSanitized(ctx context.Context, job *kernels.Job) (kernels.Doubt, error) {
	found, why, err := p.Sanitize(ctx, job)
	switch {
	case errors.Is(err, errUnwatched):
		return impossible("%v", err), nil
	case err != nil:
		return kernels.Doubt{}, err
	case why != "":
		return impossible("%s", why), nil
	}
	return sanitizedDoubt(found), nil
}

func sanitizedDoubt(found []kernels.Sanitized) kernels.Doubt {
	text := kernels.SanitizedText(found)
	silent := false
	for _, s := range found {
		if s.Verdict == kernels.Dirty {
			return failed(sanitizedOutcome[s.Tool], "compute-sanitizer: %s", text)
		}
		silent = silent || s.Verdict != kernels.Clean
	}
	if silent {
		return impossible("compute-sanitizer: %s", text)
	}
	return passed("%s", text)
}

// sanitizedOutcome is what a candidate is in which a tool finds something: an access out of bounds would be a crash
// under another neighbour; what reads memory that nobody wrote, or races, gives one thing now and another then.
var sanitizedOutcome = map[string]kernels.Outcome{
	"memcheck": kernels.Crashed, "initcheck": kernels.Flaky, "racecheck": kernels.Flaky, "synccheck": kernels.Flaky,
}
