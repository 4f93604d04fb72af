package view

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/printable"
	"darwarp/evolve"
	"darwarp/kernels"
)

// TestHostileEvents: whatever a search or one that says it is one tells, its lines can be shown, and none passes for
// another.
func TestHostileEvents(t *testing.T) {
	const evil = "x\x1b]0;owned\a\n   1.0s  champion \u202e\xff"
	var id kernels.ID
	id[0] = 1
	c := kernels.Candidate{ID: id}
	c.Variant.Family, c.Variant.Genes = evil, kernels.Genome{evil: kernels.String(evil)}
	c.Origin.Note, c.Origin.Operator, c.Result.Detail = evil, evil, evil
	c.Result.Times = []kernels.Timing{{Workload: evil, Median: 5}}
	events := []evolve.Event{{Kind: evolve.KindChampion, ID: id, Score: 0.5, Note: evil}}
	for _, k := range []evolve.Kind{evolve.KindDrain, evolve.KindPaused, evolve.KindResumed, evolve.KindSteer,
		evolve.KindAdvice, evolve.KindFamily, evolve.KindRestart, evolve.KindLost, evolve.KindNoise, evolve.KindOutage,
		evolve.KindSkip, evolve.KindDisk, evolve.KindTrial} {
		events = append(events, evolve.Event{Kind: k, ID: id, Note: evil, Candidate: &c, Family: evil})
	}
	var out, talk bytes.Buffer
	con := console.New(nil, &out, &talk)
	s := newLines(con, true, func(kernels.ID) (kernels.Candidate, error) { return c, nil })
	s.events, s.only = json.NewEncoder(con.JSON()), evil
	feed := make(chan evolve.Event, len(events)+1)
	for _, e := range events {
		feed <- e
	}
	second := events[0] // against the champion before
	feed <- second
	close(feed)
	if err := s.Follow(feed); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"lines": talk.String(), "JSON": out.String()} {
		if printable.Text(text) != text {
			t.Errorf("%s: %q", name, text)
		}
	}
	lines := strings.Split(strings.TrimRight(talk.String(), "\n"), "\n")
	if len(lines) < len(events) {
		t.Errorf("%d lines of %d events", len(lines), len(events))
	}
	for _, l := range lines {
		if strings.HasPrefix(l, "   1.0s") {
			t.Errorf("a line of its own: %q", l)
		}
	}
}

// TestDuelsAndTheEnd: who challenges is on the line of progress, who lost is told with the reason, and who presses
// Ctrl-C reads what is waited for and how to wait no longer.
func TestDuelsAndTheEnd(t *testing.T) {
	one, two := kernels.ID{1}, kernels.ID{2}
	duel := func(v kernels.Verdict, detail string) *kernels.Duel {
		return &kernels.Duel{Champion: one.Short(), Challenger: two.Short(), Verdict: v, Ratio: 1.25, Lo: 1.2, Hi: 1.3,
			Detail: detail}
	}
	for _, tt := range []struct {
		name string
		e    evolve.Event
		here bool
		want string // empty: nothing is said
	}{
		{"won", evolve.Event{Kind: evolve.KindDuel, ID: two, Duel: duel(kernels.Faster, "")}, true, ""},
		{"lost", evolve.Event{Kind: evolve.KindDuel, ID: two, Duel: duel(kernels.Slower, "")}, true,
			"challenger 0200000000: slower than 0100000000, ratio 1.2500 [1.2000, 1.3000]"},
		{"same", evolve.Event{Kind: evolve.KindDuel, ID: two, Duel: duel(kernels.Same, "")}, true,
			"challenger 0200000000: same as 0100000000, ratio 1.2500 [1.2000, 1.3000]"},
		{"faulted", evolve.Event{Kind: evolve.KindDuel, ID: two, Duel: &kernels.Duel{Champion: one.Short(),
			Verdict: kernels.Ambiguous, Detail: "keeps answers\nat 64x257"}}, true,
			"challenger 0200000000: ambiguous against 0100000000: keeps answers"},
		{"given up", evolve.Event{Kind: evolve.KindDuel, ID: two, Duel: &kernels.Duel{Champion: one.Short(),
			Verdict: kernels.Ambiguous, Ratio: 1, Hi: math.MaxFloat64, Detail: "the machine stayed too noisy to tell"}}, true,
			"challenger 0200000000: ambiguous against 0100000000: the machine stayed too noisy to tell"},
		{"set aside", evolve.Event{Kind: evolve.KindDuel, ID: two, Duel: duel(kernels.Faster, ""),
			Note: evolve.SetAside + "the weights were changed meanwhile"}, true,
			"duel of 0200000000 with 0100000000 set aside: the weights were changed meanwhile"},
		{"interrupted", evolve.Event{Kind: evolve.KindDrain, Note: "interrupted: 2 in flight",
			Figures: evolve.Figures{InFlight: 2}}, true,
			"stopping: interrupted: 2 in flight; Ctrl-C again ends at once"},
		{"interrupted elsewhere", evolve.Event{Kind: evolve.KindDrain, Note: "interrupted: 2 in flight",
			Figures: evolve.Figures{InFlight: 2}},
			false, "stopping: interrupted: 2 in flight"},
		{"cut off", evolve.Event{Kind: evolve.KindDrain, Note: "interrupted: 1 in flight are left for the next session",
			Figures: evolve.Figures{InFlight: 1}}, true, "stopping: interrupted: 1 in flight are left for the next session"},
		{"nothing in flight", evolve.Event{Kind: evolve.KindDrain, Note: "interrupted: 0 in flight"}, true,
			"stopping: interrupted: 0 in flight"},
		{"time", evolve.Event{Kind: evolve.KindDrain, Note: "time: 2 in flight", Figures: evolve.Figures{InFlight: 2}}, true,
			"stopping: time: 2 in flight"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var talk bytes.Buffer
			s := newLines(console.New(nil, &bytes.Buffer{}, &talk), true, nil)
			s.here = tt.here
			tt.e.Doing = []evolve.Doing{{What: "duel", ID: two, Against: one, Score: 0.25, Step: "fresh, 3 pairs", Took: 3e9}}
			s.take(tt.e)
			if got := strings.TrimSpace(strings.TrimPrefix(talk.String(), "   0.0s")); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
			const under = "duel of ~4.00x 0200000000 with 0100000000 (fresh, 3 pairs) 3.0s"
			if line := s.at(s.heard).Line(200); !strings.Contains(line, under) {
				t.Errorf("%q does not say %q", line, under)
			}
		})
	}
}

// TestLostAlike: what is lost at once for one reason is a line and a number; for another, or later, it is a line again.
func TestLostAlike(t *testing.T) {
	var talk bytes.Buffer
	s := newLines(console.New(nil, &bytes.Buffer{}, &talk), true, nil)
	events := make(chan evolve.Event, 20)
	for i, note := range []string{"gone", "gone", "gone", "hung", "gone", "gone", "", "gone", "hung", "hung"} {
		e := evolve.Event{Kind: evolve.KindLost, Note: note, Stamp: evolve.Stamp{At: time.Duration(i) * time.Second}}
		if note == "" {
			e = evolve.Event{Kind: evolve.KindOutage, Note: "nobody", Stamp: evolve.Stamp{At: 6 * time.Second}}
		}
		events <- e
	}
	events <- evolve.Event{Kind: evolve.KindLost, Note: "hung", Stamp: evolve.Stamp{At: time.Minute}}
	close(events)
	if err := s.Follow(events); err != nil {
		t.Fatal(err)
	}
	const want = `   0.0s  lost: gone
   3.0s  lost: 2 more for the same reason
   3.0s  lost: hung
   4.0s  lost: gone
   6.0s  lost: 1 more for the same reason
   6.0s  outage: nobody
   7.0s  lost: gone
   8.0s  lost: hung
  1m00s  lost: 1 more for the same reason
  1m00s  lost: hung
`
	if talk.String() != want {
		t.Errorf("got\n%s\nwant\n%s", talk.String(), want)
	}
}

// TestStill: the line of progress counts on between events, but not where the search's time does not count.
func TestStill(t *testing.T) {
	for still, want := range map[bool]time.Duration{false: 13 * time.Second, true: 10 * time.Second} {
		s := newLines(console.New(nil, &bytes.Buffer{}, &bytes.Buffer{}), true, nil)
		s.take(evolve.Event{Kind: evolve.KindDrain, Stamp: evolve.Stamp{At: 10 * time.Second},
			Figures: evolve.Figures{Still: still}})
		if got := s.at(s.heard.Add(3 * time.Second)).Elapsed; got != want {
			t.Errorf("still %v: %v, want %v", still, got, want)
		}
	}
}
