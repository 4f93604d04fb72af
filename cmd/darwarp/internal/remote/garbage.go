//go:build !nofleet

package remote

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// A search whose verdicts come by the thousand makes a hundred times as much garbage as it keeps, and to look for it
// again and again takes a fifth of its processor time. So there may be some hundred megabytes of it.
const (
	mostGarbage = 512 << 20 // bytes, or as much as is kept where that is more
	mostPercent = 400
)

// tolerateGarbage has garbage looked for less often until ctx ends, unless the environment says how often.
func tolerateGarbage(ctx context.Context) {
	if os.Getenv("GOGC") != "" {
		return
	}
	was := debug.SetGCPercent(mostPercent)
	go func() {
		defer debug.SetGCPercent(was)
		tick := time.NewTicker(2 * time.Second)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				debug.SetGCPercent(garbagePercent(liveBytes()))
			}
		}
	}()
}

// garbagePercent is how much garbage there may be, in hundredths of what is kept.
func garbagePercent(live uint64) int {
	return int(min(mostPercent, max(100, mostGarbage*100/max(1, live))))
}

func liveBytes() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
