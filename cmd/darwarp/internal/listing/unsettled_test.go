package listing

import (
	"strings"
	"testing"

	"darwarp/evolve"
	"darwarp/kernels"
)

// A search that was cut off says what is open and how it goes on; one that has settled everything says nothing.
func TestUnsettled(t *testing.T) {
	settled := evolve.Summary{Reason: evolve.ReasonTime, Winner: evolve.Winner{Champion: kernels.ID{1}, Score: 1},
		Standing: kernels.Stood}
	open := settled
	open.Contender, open.Claims, open.Left, open.Standing = kernels.ID{2}, 0.125, 9, kernels.OnTrial
	for _, tt := range []struct {
		sum  evolve.Summary
		want []string
	}{
		{settled, nil},
		{open, []string{"0200000000, measured at ~8.00x, may be better",
			"; 9 candidates that had been begun got no verdict",
			"trial is not finished. The champion is what is known to be best",
			"darwarp search --resume a.db` settles the rest"}},
	} {
		got := unsettled(Lister{}.goesOn("a.db"), tt.sum)
		if len(tt.want) == 0 && got != "" {
			t.Errorf("%q", got)
		}
		for _, w := range tt.want {
			if !strings.Contains(got, w) {
				t.Errorf("%q does not say %q", got, w)
			}
		}
	}
}

// TestGoesOn: what goes on with a search that had workers names them, in the text and in the list of commands.
func TestGoesOn(t *testing.T) {
	with := Lister{GoesOn: func(run string) string { return "darwarp search --resume " + run + " --fleet :4222" }}
	sum := evolve.Summary{Reason: evolve.ReasonTime, Winner: evolve.Winner{Champion: kernels.ID{1}, Score: 1}, Left: 1}
	if got := unsettled(with.goesOn("a.db"), sum); !strings.Contains(got, "`darwarp search --resume a.db --fleet :4222`") {
		t.Error(got)
	}
}
