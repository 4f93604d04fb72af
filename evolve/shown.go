package evolve

import (
	"fmt"
	"strings"

	"darwarp/kernels"
)

// maxShown bounds the source of a candidate in what watchers are told, in bytes. Up to 256 events wait for a watcher
// that lags behind, and nobody reads more of a source on a screen; the run holds the whole of it.
const maxShown = 64 << 10

// Shown is the event for those who watch: sources are cut, at the end of a line where there is one.
func (e Event) Shown() Event {
	if e.Candidate != nil && len(e.Candidate.Variant.Source) > maxShown {
		c := *e.Candidate
		c.Variant = shown(c.Variant)
		e.Candidate = &c
	}
	if e.Summary != nil && len(e.Summary.Variant.Source) > maxShown {
		s := *e.Summary
		s.Variant = shown(s.Variant)
		e.Summary = &s
	}
	return e
}

func shown(v kernels.Variant) kernels.Variant {
	head := strings.ToValidUTF8(v.Source[:maxShown], "")
	if end := strings.LastIndexByte(head, '\n'); end >= 0 {
		head = head[:end+1]
	}
	v.Source = head + fmt.Sprintf("// cut here: %s in all, which the run holds\n", kernels.Quantity(len(v.Source), "byte"))
	return v
}
