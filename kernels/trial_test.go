package kernels

import (
	"cmp"
	"slices"
	"testing"
)

func TestTrialStanding(t *testing.T) {
	doubts := func(v Doubted, parts ...TrialPart) (all []Doubt) {
		for _, p := range parts {
			all = append(all, Doubt{Part: p, Verdict: v, Outcome: map[Doubted]Outcome{Failed: Wrong}[v]})
		}
		return all
	}
	champion := slices.Concat(QuickTrial, SlowTrial)
	for _, c := range []struct {
		name     string
		found    []Doubt
		want     Standing
		exported Standing // empty: the same
	}{
		{"untried", nil, OnTrial, ""},
		{"quick parts", doubts(Passed, QuickTrial...), OnTrial, ""},
		{"all that is asked of a champion", doubts(Passed, champion...), Stood, OnTrial},
		{"what is not possible is not asked", append(doubts(Passed, QuickTrial...), doubts(Impossible, SlowTrial...)...),
			Stood, OnTrial},
		{"the whole trial", doubts(Passed, WholeTrial...), Stood, ""},
		{"one part failed", append(doubts(Passed, QuickTrial...), doubts(Failed, TrialEmulated)...), Fell, ""},
		{"the many launches count", append(doubts(Passed, champion...), doubts(Failed, TrialLaunches)...), Fell, ""},
		{"a part may be tried again", append(doubts(Failed, TrialFresh), doubts(Passed, champion...)...), Stood, OnTrial},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got Trial
			for _, d := range c.found {
				got.Enter(d)
			}
			if got.Standing() != c.want {
				t.Errorf("%s, expected %s", got.Text(), c.want)
			}
			if want := c.exported; got.Exported() != cmp.Or(want, c.want) {
				t.Errorf("exported it is %s, expected %s", got.Exported(), cmp.Or(want, c.want))
			}
		})
	}
}

func TestTrialText(t *testing.T) {
	var got Trial
	got.Enter(Doubt{Part: TrialSanitized, Verdict: Impossible, Detail: "not found"},
		Doubt{Part: TrialClasses, Verdict: Passed, Detail: "12 cases"})
	const want = "on trial: classes passed, fresh pending, disturbed pending, emulated pending, sanitized not possible " +
		"(not found), launches pending"
	if got.Text() != want {
		t.Errorf("%s\n%s", got.Text(), want)
	}
	if got.Parts[0].Part != TrialClasses {
		t.Error("parts are out of order")
	}
}
