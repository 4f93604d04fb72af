package listing

import (
	"fmt"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/cmd/darwarp/internal/report"
)

// ShowIslands lists the champions by device, where a fleet has searched on several kinds.
func (to Lister) ShowIslands(r *record.Record) error {
	all, err := r.Islands()
	if err != nil { // this run is as good without them
		to.Sayf("warning: the champions on other devices are not shown: %v", err)
	}
	if len(all) == 0 {
		return nil
	}
	fmt.Fprintln(to.Out, "\nchampions by device (speedups over the naive start on that device)")
	t := report.NewTable("llrrl", "device", "champion", "speedup", "verdicts", "run")
	t.Indent = "  "
	for _, i := range all {
		champion, speedup := "-", "-"
		if !i.Champion.IsZero() {
			champion, speedup = i.Champion.Short(), report.Headline(i.Speedup, i.Estimate)
		}
		t.Row(i.Device, champion, speedup, report.Count(i.Evals), i.Run)
	}
	t.Width = console.Width(to.Out)
	t.Write(to.Out)
	return nil
}
