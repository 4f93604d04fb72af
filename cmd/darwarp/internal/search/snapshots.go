package search

import (
	"time"

	"darwarp/store"
)

// snapshotEvery is how much of a run a damaged file can cost.
const snapshotEvery = 10 * time.Minute

// keepSnapshots copies the run beside itself now and then until the function that it returns is called. Where all
// went well that removes the copy, for nobody will need it.
func keepSnapshots(run *store.Run, say func(string, ...any)) (end func(well bool)) {
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(snapshotEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
			case <-quit:
				return
			}
			if err := run.Snapshot(); err != nil { // the run itself is as it was
				say("the run could not be copied to a snapshot: %v", err)
			}
		}
	}()
	return func(well bool) {
		close(quit)
		<-done
		if !well {
			return
		}
		if err := run.DropSnapshot(); err != nil {
			say("the snapshot of the run could not be removed: %v", err)
		}
	}
}
