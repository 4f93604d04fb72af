package device

import (
	"slices"

	"darwarp/kernels"
)

// Disturb runs a candidate's calls again and again, each over refills of its own, and holds the outputs of each against
// those that were judged, or leaves them to the judge. With Bursts a second stream takes multiprocessors, bandwidth and
// L2 away meanwhile: what waits for too little, or for nothing, gives other bits then.
type Disturb struct {
	Cubin []byte         `json:"cubin"`
	Calls []kernels.Call `json:"calls"` // by case
	// Cases are in the order of running, MostDisturbed at most; one may occur several times.
	Cases []int `json:"cases"`
	// Expect is by case the hash of outputs that are right. Empty: they go to the slot, packed in the order of Cases.
	Expect []uint64 `json:"expect,omitempty"`
	Slot   int      `json:"slot"`
	Bursts bool     `json:"bursts,omitempty"`
	Seed   uint64   `json:"seed"` // of bursts
}

// Stays reports whether the k-th run may find in scratch what the run before has left there: where that was on other
// inputs and had as much scratch. It is what is likeliest to be taken for right.
func (d *Disturb) Stays(k int) bool {
	if k == 0 || d.Cases[k] == d.Cases[k-1] {
		return false
	}
	return slices.Equal(ScratchSizes(d.Calls[d.Cases[k]]), ScratchSizes(d.Calls[d.Cases[k-1]]))
}

// DisturbReply says what happened. A Fault ends it early.
type DisturbReply struct {
	Wrong  []int   `json:"wrong,omitempty"` // runs, as indices of Cases, whose outputs were not as expected
	Strays *Strays `json:"strays,omitempty"`
	Nanos  float64 `json:"ns"` // of all runs together
	Fault  *Fault  `json:"fault,omitempty"`
}

// MostDisturbed bounds the runs of one request: each has counters.
const MostDisturbed = 1024
