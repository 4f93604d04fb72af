package figures

import (
	"fmt"

	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

// DuelGain is how many times as fast a challenger is as the champion that it has fought, with a question mark where
// that could not be told from 1: "0.943x", "1.012x ?".
func DuelGain(d *kernels.Duel) string {
	text := report.Gain(1/d.Ratio, 0, 0)
	if d.Verdict != kernels.Faster && d.Verdict != kernels.Slower {
		text += " ?"
	}
	return text
}

// Duel tells in one line how a challenger compares with the champion that it has fought, and why where it did not win
// by its times: "slower than d4c57e11dc, ratio 1.0310 [1.0120, 1.0500]".
func Duel(d *kernels.Duel) string {
	than := map[kernels.Verdict]string{kernels.Same: "as", kernels.Ambiguous: "against"}[d.Verdict]
	if than == "" {
		than = "than"
	}
	text := fmt.Sprintf("%s %s %s", d.Verdict, than, d.Champion)
	if d.Lo > 0 { // else there were too few pairs to say anything
		text += fmt.Sprintf(", ratio %.4f", d.Ratio)
	}
	if d.Lo > 0 && d.Hi > d.Lo {
		text += fmt.Sprintf(" [%.4f, %.4f]", d.Lo, d.Hi)
	}
	if d.Detail != "" {
		text += ": " + d.Detail
	}
	return text
}
