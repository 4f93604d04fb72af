package device

import (
	"time"

	"darwarp/kernels"
)

// Contender is what is timed: a candidate's module, or a library's algorithm.
type Contender struct {
	Cubin   []byte         `json:"cubin,omitempty"`
	Calls   []kernels.Call `json:"calls,omitempty"`   // by run, for a candidate
	Expect  [][]uint64     `json:"expect,omitempty"`  // by run and set: hash of right outputs; empty: unknown
	Library bool           `json:"library,omitempty"` // the best algorithm that Library found
}

// Run is one workload to be timed on sets of its inputs.
type Run struct {
	Workload string  `json:"workload"`
	Cases    []int   `json:"cases"`         // the sets, in the order of Expect
	Estimate float64 `json:"estimate"`      // ns a call, from the gate
	Bar      float64 `json:"bar,omitempty"` // ns a call to beat
	Cache    string  `json:"cache"`         // hot or cold
	// Fresh is for how many of the sets each sample has a call, in an order of its own, after outputs, scratch and
	// the memory on the multiprocessors were refilled, and then once more without. 0: calls in a row, on the first
	// sets.
	Fresh int `json:"fresh,omitempty"`
	// Unseen has the time of a fresh sample be that of calls before it: on the same inputs, and for the second side of a
	// duel on inputs that come this once. Devices that emulate take no notice.
	Unseen bool `json:"unseen,omitempty"`
	// Preparing is how many ns the launches with `prepare` before a call take, by the gate. Only deadlines heed it.
	Preparing float64 `json:"preparing,omitempty"`
}

// Record asks for outputs of timed launches that no hash can be expected of: those of every sample go to a slot,
// packed in the order in which they were taken, as many as each sample's share of the slot holds.
type Record struct {
	Slots [2]int `json:"slots"` // one for each side of a duel; a single contender has the first
}

// Time measures a contender: screen, and if it is not hopeless, fitness.
type Time struct {
	Contender
	Runs   []Run   `json:"runs"`
	Final  bool    `json:"final,omitempty"`  // more samples
	Each   bool    `json:"each,omitempty"`   // a run far behind its bar does not end the others
	Count  int     `json:"count,omitempty"`  // exactly so many samples of each run: a turn in a duel with another process
	Alone  bool    `json:"alone,omitempty"`  // with Count: single calls as well
	Record *Record `json:"record,omitempty"` // with Count
}

// TimeReply has one entry per run that was begun.
type TimeReply struct {
	Runs   []RunReply `json:"runs"`
	Strays *Strays    `json:"strays,omitempty"`
	Fault  *Fault     `json:"fault,omitempty"`
	Began  time.Time  `json:"-"` // when the caller got the device; the caller notes it
}

// RunReply is the samples of one run.
type RunReply struct {
	Samples  []float64 `json:"samples"`            // ns a call
	Calls    int       `json:"calls"`              // per sample
	Screened bool      `json:"screened,omitempty"` // stopped early: far slower than the bar
	Clock    float64   `json:"clock,omitempty"`    // SM MHz
	Checked  int       `json:"checked"`            // outputs of timed launches compared
	Wrong    int       `json:"wrong,omitempty"`    // of them, not as expected
	// Single is the time of one call on refilled outputs in ns, the least of a few: it must agree with the graph's.
	Single   float64 `json:"single,omitempty"`
	Rejected int     `json:"rejected,omitempty"` // sample blocks thrown away for their clock
	Recorded []int   `json:"recorded,omitempty"` // the cases whose outputs lie in the slot
}

// Duel measures two contenders in turn, A B B A.
type Duel struct {
	A, B   Contender
	Run    Run     `json:"run"` // the contenders' only one
	Pairs  int     `json:"pairs"`
	Record *Record `json:"record,omitempty"`
	// Estimates are those of the sides where one is slow and many times slower than the other: each has as many calls a
	// sample as its own asks for. Zeros: the run's is that of both.
	Estimates [2]float64 `json:"estimates"`
	// Long are the sides whose calls are so long that the first one takes no longer than others: they have no warm-up.
	Long [2]bool `json:"long"`
}

// DoesLess reports whether a call in a row, of row ns, is so much faster than one on its own, which has extra ns more
// to pay, that it cannot do the same. An unknown single call says nothing.
func DoesLess(row, single, extra float64) bool { return single > 0 && row < (single-extra)/2 }

// SlowCall is how many ns a call takes that is as slow as any other when it is the first: it needs no warm-up.
const SlowCall = 10e6

// Packings is how often a sample packs weights for its calls: once for each arena that these go through.
func (r *Run) Packings(c *Case, l2 int) int {
	switch {
	case r.Fresh > 0 && r.Unseen:
		return 2 * r.Fresh
	case r.Fresh > 0:
		return r.Fresh
	}
	return c.Rotation(r.Cache, len(r.Cases), l2)
}

// RunOf is the run of a side.
func (d *Duel) RunOf(side int) Run {
	run := d.Run
	if e := d.Estimates[side]; e > 0 {
		run.Estimate = e
	}
	return run
}

// DuelReply is the paired samples. It ends early with the first sample whose outputs are wrong or whose launches
// strayed.
type DuelReply struct {
	A, B    Side
	Fault   *Fault `json:"fault,omitempty"`
	Faulted int    `json:"faulted,omitempty"` // whose fault it is: 1 A's, 2 B's, 0 unknown
}

// Side is one contender's samples in a duel.
type Side struct {
	Samples []float64 `json:"samples"`         // ns a call
	Clock   []float64 `json:"clock,omitempty"` // SM MHz, by sample
	// Repeat is, of fresh samples, the time of the same calls once more over that of the fresh ones.
	Repeat  []float64 `json:"repeat,omitempty"`
	Checked int       `json:"checked,omitempty"`
	Wrong   int       `json:"wrong,omitempty"` // outputs that were not as expected
	Strays  *Strays   `json:"strays,omitempty"`
	// Recorded are the cases whose outputs lie in the side's slot.
	Recorded []int `json:"recorded,omitempty"`
}

// Side is that of the champion, 0, or the challenger.
func (r *DuelReply) Side(i int) *Side {
	if i == 0 {
		return &r.A
	}
	return &r.B
}
