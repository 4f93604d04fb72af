// Package listing writes what people ask of runs and problems: leaderboards, candidates, lineages, questions to
// language models, and what a search leaves.
package listing

import (
	"darwarp/cmd/darwarp/internal/cmdline"
	"darwarp/cmd/darwarp/internal/console"
	"darwarp/kernels"
)

// Lister writes to a console.
type Lister struct {
	*console.Console
	GoesOn func(run string) string // the command that goes on with a search; nil: on this machine alone
}

func (to Lister) goesOn(run string) string {
	if to.GoesOn != nil {
		return to.GoesOn(run)
	}
	return cmdline.Of("search", "--resume", run)
}

// SayWatch says how to find out why a verdict is wrong or flaky.
func (to Lister) SayWatch(path string, id kernels.ID) {
	to.Sayf("\n`%s` watches every access on the processor, and says which line is at fault where it is a race, a barrier "+
		"or an access.", cmdline.Of("verify", path, id.Short(), "--races"))
}
