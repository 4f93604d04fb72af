package figures

import (
	"testing"

	"darwarp/kernels"
)

// TestTexts: a figure that is not known is left out, and one that is far beyond its limit is still read.
func TestTexts(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{CeilingsText(kernels.Ceilings{Matrix: 5e14, Bandwidth: 4e12, L2: 8e12}),
			"500.0 TFLOP/s matrix, 4.000 TB/s memory, 8.000 TB/s L2"},
		{CeilingsText(kernels.Ceilings{Bandwidth: 4e12}), "4.000 TB/s memory"},
		{CeilingsText(kernels.Ceilings{}), ""},
		{GateText(&kernels.GateReport{Checks: 1, Elements: 3, Worst: 1e30}),
			"1 check, 3 outputs; worst error over 1000 times its tolerance"},
		{GainText(kernels.Gain{Ratio: 2.494, Lo: 2.494, Hi: 2.494}), "2.494x"},
		{BaselineText(kernels.NaiveStart), "naive start"},
		{BaselineText("cublaslt"), "cublaslt"},
	} {
		if tt.got != tt.want {
			t.Errorf("%q, want %q", tt.got, tt.want)
		}
	}
}
