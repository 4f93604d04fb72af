package kernels

import (
	"encoding/json"
	"testing"
)

func TestSteadyRounds(t *testing.T) {
	round := func(caches ...string) (out []DuelRound) {
		for _, c := range caches {
			out = append(out, DuelRound{Cache: c})
		}
		return out
	}
	for _, c := range []struct {
		rounds []DuelRound
		want   int
	}{
		{nil, 0},
		{round("hot", "hot"), 2},
		{round("cold", "cold", FreshRound, FreshRound), 2},
		{round(FreshRound), 0},
	} {
		d := Duel{Rounds: c.rounds}
		if got := d.Steady(); len(got) != c.want {
			t.Errorf("%+v: %d steady rounds, expected %d", c.rounds, len(got), c.want)
		}
	}
}

// A duel in which nobody was found out is stored without a word of it, and one in which somebody was is read back.
func TestDuelJSON(t *testing.T) {
	plain, err := json.Marshal(Duel{Champion: "a", Verdict: Same, Rounds: []DuelRound{{Cache: "hot"}}})
	const want = `{"champion":"a","challenger":"","rounds":[{"workload":"","cache":"hot","pairs":0,"champion":0,` +
		`"challenger":0,"ratio":0,"lo":0,"hi":0}],` +
		`"ratio":0,"lo":0,"hi":0,"verdict":"same"}`
	if err != nil || string(plain) != want {
		t.Errorf("%s, %v: expected %s", plain, err, want)
	}
	found := Duel{Outcome: Suspect, Culprit: TheChallenger, Detail: "keeps answers",
		Rounds: []DuelRound{{Cache: FreshRound, Repeat: [2]float64{1, 0.5}}}}
	text, err1 := json.Marshal(found)
	var back Duel
	err2 := json.Unmarshal(text, &back)
	if err1 != nil || err2 != nil || back.Outcome != Suspect || back.Culprit != TheChallenger ||
		back.Rounds[0].Repeat[1] != 0.5 {
		t.Errorf("%+v, %v, %v", back, err1, err2)
	}
}
