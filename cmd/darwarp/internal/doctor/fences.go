package doctor

import (
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/cmd/darwarp/internal/secret"
	"darwarp/eval"
)

// fences says how workers are fenced in here.
func fences() []finding {
	return fencesOf(eval.SandboxLayers(), eval.SandboxMissing(), eval.SandboxList(), secret.Concealed())
}

// fencesOf says it as a whole, which is only well if no layer is missing, and layer by layer. have and missing name
// them.
func fencesOf(have, missing string, layers []eval.SandboxLayer, concealed bool) []finding {
	whole := finding{Name: "sandbox", OK: missing == "" && concealed,
		Detail: report.OrDash(have) + " (darwarp doctor --attack tries them)"}
	if missing != "" {
		whole.Detail = report.OrDash(have) + "; missing: " + missing
	}
	if !whole.OK {
		whole.Do = "Search only sources that you trust, or use a virtual machine; Linux 6.14 and later support all layers"
	}
	out := []finding{whole}
	for _, l := range layers {
		f := finding{Name: "sandbox: " + l.Name, OK: l.OK, Detail: l.What + ": stops " + l.Stops}
		if !l.OK {
			f.Detail, f.Do = "without "+l.What+": "+l.Lack, "It needs "+l.Needs
		} else if l.Open != "" {
			f.Detail += "; leaves open: " + l.Open
		}
		out = append(out, f)
	}
	hidden := finding{Name: "sandbox: supervisor", OK: concealed,
		Detail: "not dumpable: stops other processes from reading its memory, keys included"}
	if !hidden.OK {
		hidden.Detail, hidden.Do = "its memory can be read by this user's processes", "It needs prctl(PR_SET_DUMPABLE)"
	}
	return append(out, hidden)
}
