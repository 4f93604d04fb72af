package runner

import (
	"testing"
	"time"
)

var (
	simBefore = simRules{sets: 3, pairs: 60, warmUps: 2}
	simAfter  = simRules{likely: true, keep: true, goOn: true, sets: 2, pairs: 20}
)

// TestFirstChampion: with the costs of a norm of 2.1 billion numbers on an H200, the best of the points to try first is
// champion after half of the time that it took without these rules, and each of them helps.
func TestFirstChampion(t *testing.T) {
	before := simBefore
	all := map[string]func(*simRules){
		"all": func(*simRules) {}, "none": func(r *simRules) { *r = before },
		"all but: likely first":   func(r *simRules) { r.likely = before.likely },
		"all but: alone":          func(r *simRules) { r.keep = before.keep },
		"all but: openings go on": func(r *simRules) { r.goOn = before.goOn },
		"all but: fewer sets":     func(r *simRules) { r.sets = before.sets },
		"all but: no warm-ups":    func(r *simRules) { r.warmUps = before.warmUps },
	}
	const seeds = 5
	mean := map[string]time.Duration{}
	for name, without := range all {
		rules := simAfter
		without(&rules)
		var first, busy time.Duration
		for seed := range uint64(seeds) {
			a, b, used := simReign(t, rules, seed+1, time.Minute)
			if a == 0 || b == 0 {
				t.Errorf("%s, seed %d: the naive start reigns after a minute", name, seed+1)
			}
			first, busy, mean[name] = first+a/seeds, busy+used/seeds, mean[name]+b/seeds
		}
		t.Logf("%-26s first champion %5.1f s, planted one %5.1f s, device %5.1f s", name, first.Seconds(),
			mean[name].Seconds(), busy.Seconds())
	}
	for name, took := range mean {
		if 2*mean["all"] > mean["none"] || name != "all" && took < mean["all"] {
			t.Errorf("%s: the planted point reigns after %v, %v with all rules", name, took, mean["all"])
		}
	}
}

// TestShortSearch: searches of that norm for 15 s end with the best of the points to try first, and none of them did.
func TestShortSearch(t *testing.T) {
	for _, tt := range []struct {
		name  string
		rules simRules
		reign bool
	}{{"with these rules", simAfter, true}, {"as they were", simBefore, false}} {
		for seed := range uint64(5) {
			first, best, _ := simReign(t, tt.rules, seed+1, 15*time.Second)
			t.Logf("%s, seed %d: first champion after %v, planted one after %v", tt.name, seed+1, first, best)
			if (best > 0) != tt.reign || (first > 0) != tt.reign {
				t.Errorf("%s, seed %d: reigns after %v", tt.name, seed+1, best)
			}
		}
	}
}
