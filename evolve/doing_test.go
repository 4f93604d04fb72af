package evolve

import (
	"math"
	"strings"
	"testing"
	"time"

	"darwarp/kernels"
)

// One line names the champion and what goes on beside the candidates: both figures are of the same pace.
func TestDoingAtTheChampionsPace(t *testing.T) {
	ev := &drifting{fake: newFake(2, false)}
	s := mustSearch(t, toyConfig(t, "hills"), ev, &memory{})
	if _, err := s.Run(t.Context(), func(Event) {}); err != nil {
		t.Fatal(err)
	}
	m := s.championship.champion()
	s.championship.remember(kernels.Duel{Champion: kernels.NaiveStart, ChampionKind: kernels.StartName,
		Challenger: m.id.Short(), Ratio: 0.5, Rounds: []kernels.DuelRound{
			{Workload: "small", Cache: "hot", Pairs: 10, Ratio: 0.5}, {Workload: "large", Cache: "hot", Pairs: 10, Ratio: 0.5}}})
	if math.Abs(1/m.score-2) < 0.1 {
		t.Fatalf("its first time says %gx as well", 1/m.score)
	}
	s.queue.add(&task{purpose: forTrial, doubts: m, flight: flight{asked: time.Now(), watch: &kernels.Watch{}}})
	all := s.doing()
	if len(all) != 1 || math.Abs(all[0].Score-0.5) > 1e-9 || !strings.HasPrefix(all[0].String(), "trial of ~2.00x ") {
		t.Errorf("%v: the champion is told at 2.00x", all)
	}
}
