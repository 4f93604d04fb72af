package figures

import (
	"regexp"

	"darwarp/kernels"
)

// watched finds what the emulation calls a fault in the text of one: CASE: FILE:LINE: KIND: what happened.
var watched = regexp.MustCompile(`: (race|divergence|out_of_bounds|uninitialised|misaligned|deadlock|trap): `)

// Fault names what the cpu device saw a kernel do; empty where it saw nothing, or nothing that has a name.
func Fault(r kernels.Result) string {
	m := watched.FindStringSubmatch(r.Detail)
	if m == nil || r.Outcome != kernels.Crashed {
		return ""
	}
	return m[1]
}

// OutcomeText is an outcome with the name of the fault that it stands for.
func OutcomeText(r kernels.Result) string {
	if f := Fault(r); f != "" {
		return f + " (" + r.Outcome.String() + ")"
	}
	return r.Outcome.String()
}

// Explained reports whether watching every access could say why there is such a verdict: a kernel that is wrong, or not
// the same twice, may have a race or read what it never wrote.
func Explained(o kernels.Outcome) bool { return o == kernels.Wrong || o == kernels.Flaky }
