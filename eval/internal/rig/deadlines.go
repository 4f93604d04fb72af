package rig

import (
	"time"

	"darwarp/eval/internal/device"
)

// A candidate gets slack times the time of the one to beat for each of its calls, and never less
// than floor; without one to beat, patience. On a GPU the gate takes some tens of milliseconds, and an endless loop
// holds the device for two floors. Emulated, the check shapes take most of the time, a second on a machine with nothing
// else to do: there the floor is emulatedFloors times as high.
var (
	Slack    = 20.0
	Floor    = 2 * time.Second
	Patience = 120 * time.Second
)

const EmulatedFloors = 15

// Timing ends by rules of its own within some seconds, of which samples of slow calls are the longest: a kernel that
// never ends, now and then, must not hold the device for minutes.
const (
	timingFloors  = 10
	timingCalls   = 30 // that a run of slow calls takes at most
	timingSamples = 24 // that a run takes at most of which each lasts long
)

// OwnFloor is the floor on this device.
func (p *Rig) OwnFloor() time.Duration {
	if p.Device.Kind == "cpu" {
		return EmulatedFloors * Floor
	}
	return Floor
}

// TimeDeadline is that of timing runs of a candidate, by what its calls took at the gate.
func (p *Rig) TimeDeadline(runs []device.Run) time.Duration {
	d := time.Duration(0)
	for _, r := range runs {
		if !(r.Estimate > 0) {
			return Patience
		}
		d += timingFloors*p.OwnFloor() + time.Duration(Slack*timingCalls*r.Estimate+pairsSlack*timingSamples*p.packing(&r))
	}
	return min(d, Patience)
}

// PairsDeadline is that of a request of pairs, by what a call of the slower side takes, in ns.
func (p *Rig) PairsDeadline(req *device.Duel, slower float64) time.Duration {
	if !(slower > 0) {
		return Patience
	}
	c := &p.Cases.List[req.Run.Cases[0]]
	calls := max(1+c.Region(p.Device.L2Bytes)/max(req.Run.Estimate, 1), 3*float64(req.Run.Fresh))
	pairs := 2 * (slower*min(calls, device.MaxCalls) + p.packing(&req.Run)) * float64(req.Pairs)
	return min(timingFloors*p.OwnFloor()+time.Duration(pairsSlack*pairs), Patience)
}

// packing is how many ns the launches with `prepare` of a sample take.
func (p *Rig) packing(r *device.Run) float64 {
	if r.Preparing == 0 {
		return 0
	}
	return r.Preparing * float64(r.Packings(&p.Cases.List[r.Cases[0]], p.Device.L2Bytes))
}

// pairsSlack is how many times as long as expected pairs may take, beyond some floors.
const pairsSlack = 4
