package view

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

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
