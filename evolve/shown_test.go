package evolve

import (
	"encoding/json"
	"strings"
	"testing"

	"darwarp/kernels"
)

// TestShown: however long the source of a candidate, what watchers are told of it is short, and the rest is as it was.
func TestShown(t *testing.T) {
	for _, tt := range []struct{ name, source, want string }{
		{"short", "int x;\n", "int x;\n"},
		{"as long as may be", strings.Repeat("x", maxShown), strings.Repeat("x", maxShown)},
		{"lines", strings.Repeat("<<<<<<<\n", 1<<17), strings.Repeat("<<<<<<<\n", maxShown/8) +
			"// cut here: 1,048,576 bytes in all, which the run holds\n"},
		{"one line", strings.Repeat("ü", 1<<19), strings.Repeat("ü", maxShown/2) +
			"// cut here: 1,048,576 bytes in all, which the run holds\n"},
		{"within a letter", "x" + strings.Repeat("ü", maxShown), "x" + strings.Repeat("ü", maxShown/2-1) +
			"// cut here: 131,073 bytes in all, which the run holds\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := kernels.Variant{Source: tt.source}
			e := Event{Kind: KindTrial, Candidate: &kernels.Candidate{Variant: v},
				Summary: &Summary{Winner: Winner{Variant: v}, Evals: 7}}
			shown := e.Shown()
			if shown.Candidate.Variant.Source != tt.want || shown.Summary.Variant.Source != tt.want {
				t.Errorf("%d bytes, want %d", len(shown.Candidate.Variant.Source), len(tt.want))
			}
			if shown.Summary.Evals != 7 || e.Candidate.Variant.Source != tt.source || e.Summary.Variant.Source != tt.source {
				t.Error("more than the source was cut, or the search's own")
			}
			if data, err := json.Marshal(shown); err != nil || len(data) > 1<<20 {
				t.Errorf("%d bytes, %v", len(data), err)
			}
		})
	}
	if e := (Event{Kind: KindDisk}); e.Shown().Kind != KindDisk {
		t.Error("an event without sources is another")
	}
}
