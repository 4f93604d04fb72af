package view

import (
	"context"
	"testing"
	"time"

	"darwarp/evolve"
	"darwarp/kernels"
)

// TestAwaitFinal: a view that is still open when the champion was measured again tells what came of it, and waits for
// nothing that will not come.
func TestAwaitFinal(t *testing.T) {
	end := evolve.Event{Kind: evolve.KindEnd, Figures: evolve.Figures{Reign: .25, Speedup: 25.98, Estimate: true},
		Note:    "time",
		Summary: &evolve.Summary{Winner: evolve.Winner{Champion: kernels.ID{1}, Score: .25, Speedup: 25.98, Estimate: true}}}
	told, none := end, *end.Summary
	told.Summary = &evolve.Summary{Winner: evolve.Winner{Champion: kernels.ID{1}, Score: .25, Speedup: 4}}
	none.Champion = kernels.ID{}
	estimate, final := kernels.Pace{Factor: 6, Estimate: true}, kernels.Pace{Factor: 1.74}
	type look struct {
		pace kernels.Pace
		over bool
	}
	for _, tt := range []struct {
		name  string
		last  evolve.Event
		looks []look
		want  float64 // 0: none
	}{
		{"at once", end, []look{{final, true}}, 6.96},
		{"after a while", end, []look{{}, {estimate, false}, {estimate, false}, {final, false}}, 6.96},
		{"never", end, []look{{estimate, false}, {estimate, true}}, 0},
		{"told already", told, nil, 0},
		{"no champion", evolve.Event{Kind: evolve.KindEnd, Summary: &none}, nil, 0},
		{"cut off", evolve.Event{Kind: evolve.KindResult}, nil, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			every := make(chan time.Time, len(tt.looks))
			for range tt.looks {
				every <- time.Time{}
			}
			n := 0
			e, ok := awaitFinal(t.Context(), tt.last, every, func() (kernels.Pace, bool) {
				n++
				return tt.looks[n-1].pace, tt.looks[n-1].over
			})
			if ok != (tt.want > 0) || n != len(tt.looks) {
				t.Fatalf("%t after %d looks, want %g after %d", ok, n, tt.want, len(tt.looks))
			}
			if ok && (e.Kind != evolve.KindFinal || e.Estimate || e.Speedup != tt.want || e.Summary.Speedup != tt.want ||
				e.Summary.Estimate || !tt.last.Summary.Estimate) {
				t.Errorf("%+v, %+v", e, e.Summary)
			}
		})
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, ok := awaitFinal(gone, end, nil, nil); ok {
		t.Error("nobody looks any more, and something is told")
	}
}
