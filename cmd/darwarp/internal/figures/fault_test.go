package figures

import (
	"testing"

	"darwarp/kernels"
)

func TestOutcomeText(t *testing.T) {
	for _, tt := range []struct {
		outcome      kernels.Outcome
		detail, want string
	}{
		{kernels.Crashed, "33 normal: candidate.cu:6: race: thread (3,0,0) reads s, which ...", "race (crash)"},
		{kernels.Crashed, "33 normal: divergence: thread ...", "divergence (crash)"},
		{kernels.Crashed, "33: CUDA_ERROR_ILLEGAL_ADDRESS (700)", "crash"},
		{kernels.Crashed, "killed the device process (race: x)", "crash"},
		{kernels.Wrong, "33: candidate.cu:6: race: so it says", "wrong"},
		{kernels.OK, "", "ok"},
	} {
		if got := OutcomeText(kernels.Result{Outcome: tt.outcome, Detail: tt.detail}); got != tt.want {
			t.Errorf("%v, %q: %q, want %q", tt.outcome, tt.detail, got, tt.want)
		}
	}
}
