// Package gpu is the device side of an evaluation: the worker process that alone talks to one GPU.
// It runs candidates between guard zones on inputs of its own making and hands their outputs out
// through shared memory; it never sees the truth and never gives a verdict.
package gpu

import (
	"time"

	"darwarp/kernels"
)

// Request asks a device worker for one thing. Exactly one field is set.
type Request struct {
	Open     *Open     `json:"open,omitempty"`
	Prepare  *Prepare  `json:"prepare,omitempty"`
	Truth    *Truth    `json:"truth,omitempty"`
	Power    *Power    `json:"power,omitempty"`
	Gate     *Gate     `json:"gate,omitempty"`
	Time     *Time     `json:"time,omitempty"`
	Duel     *Duel     `json:"duel,omitempty"`
	Disturb  *Disturb  `json:"disturb,omitempty"`
	Library  *Library  `json:"library,omitempty"`
	Ceilings *Ceilings `json:"ceilings,omitempty"`
	Inputs   *Inputs   `json:"inputs,omitempty"`
}

// Open takes a device. The reply is OpenReply.
type Open struct {
	Index   int    `json:"index"`
	Harness []byte `json:"harness,omitempty"` // cubin of harness.cu for this device; empty: only look
	Driver  string `json:"driver"`            // path of libcuda
	Library string `json:"library,omitempty"` // path of libcublasLt, empty: none
}

// OpenReply describes the device.
type OpenReply struct {
	Count    int            `json:"count"` // devices on this machine
	Device   kernels.Device `json:"device"`
	MaxClock float64        `json:"max_clock"` // SM MHz
	Free     int            `json:"free"`      // bytes of device memory
	Shares   bool           `json:"shares"`    // two processes may work on it and have memory in common
}

// Case is one set of inputs that candidates are run on. Workload is empty for check shapes.
type Case struct {
	Name     string           `json:"name"` // "257x255x129 normal"
	Workload string           `json:"workload,omitempty"`
	Dims     kernels.Dims     `json:"dims"`
	Class    string           `json:"class"`
	Hard     int              `json:"hard,omitempty"`  // the number of the input that a hard class is about
	Mix      [][]string       `json:"mix,omitempty"`   // of class Mixed: the classes of the lines, by input
	Terms    []Terms          `json:"terms,omitempty"` // where the terms of its sums lie
	Trial    bool             `json:"trial,omitempty"` // run only for a candidate that would reign
	Seed     uint64           `json:"seed"`
	Buffers  []kernels.Buffer `json:"buffers"`
	TruthAt  int              `json:"truth_at"` // where its truth starts in the truth memory
}

// OutBytes is the room its outputs take, each rounded up to 256 bytes.
func (c *Case) OutBytes() int {
	n := 0
	for _, b := range c.Buffers {
		if b.Out {
			n += align(b.Bytes())
		}
	}
	return n
}

// TruthBytes is the room its truth takes: a float64 value and a float32 scale per output element.
func (c *Case) TruthBytes() int {
	n := 0
	for _, b := range c.Buffers {
		if b.Out {
			n += align(8*b.Elems()) + align(4*b.Elems())
		}
	}
	return n
}

// TruthPlace is where the truth of one output lies, from the place where the case's begins.
type TruthPlace struct{ Value, Scale int }

// Truths places the truth of each output.
func (c *Case) Truths() []TruthPlace {
	var out []TruthPlace
	at := 0
	for _, b := range c.Outputs() {
		p := TruthPlace{at, at + align(8*b.Elems())}
		at = p.Scale + align(4*b.Elems())
		out = append(out, p)
	}
	return out
}

// Outputs lists its output buffers.
func (c *Case) Outputs() []kernels.Buffer {
	var out []kernels.Buffer
	for _, b := range c.Buffers {
		if b.Out {
			out = append(out, b)
		}
	}
	return out
}

func align(n int) int { return (n + 255) &^ 255 }

// Prepare allocates and fills the cases. Slots of SlotBytes follow each other in the output memory, which is the first
// inherited file: of the device where OnDevice says so, else of the machine.
type Prepare struct {
	Cases     []Case `json:"cases"`
	Slots     int    `json:"slots"`
	SlotBytes int    `json:"slot_bytes"`
	GuardKey  uint64 `json:"guard_key"`
	OnDevice  bool   `json:"on_device,omitempty"`
	// Palettes are values like those of a case's outputs, check.PaletteSize of each: outputs are refilled with
	// them. One stands for all cases of its size.
	Palettes map[int][]byte `json:"palettes,omitempty"`
	// Given takes the inputs of all cases from the input memory, in place of those that the seeds make. Only the cpu
	// device does.
	Given bool `json:"given,omitempty"`
}

// Truth runs the reference kernel on every prepared case and writes the truth memory. Only a
// process that never loads a candidate is asked for it. There is no reply.
type Truth struct {
	Cubin    []byte           `json:"cubin"`
	Launches []kernels.Launch `json:"launches"`         // by case
	Inputs   []int            `json:"inputs,omitempty"` // cases whose inputs go to the input memory, packed
}

// Inputs asks for a case's inputs, for something that runs elsewhere. The reply is InputsReply.
type Inputs struct {
	Case int `json:"case"`
}

// InputsReply is the inputs of a case one after the other.
type InputsReply struct {
	Bytes []byte `json:"-"`
}

// Blob is where the bytes go.
func (r *InputsReply) Blob() *[]byte { return &r.Bytes }

// Gate runs a candidate on cases. Each case is run twice, over two different refills of outputs and scratch, in
// either order; the outputs of the run over wild ones go to the slot, packed in the order of the cases that are
// run.
type Gate struct {
	Cubin []byte         `json:"cubin"`
	Calls []kernels.Call `json:"calls"` // by case; no launches: the case is left out
	Slot  int            `json:"slot"`
	// Careful waits for each case, so that a fault is told with the case that brought it.
	Careful bool `json:"careful,omitempty"`
	// Checked is the same program with every access to memory reported to the cpu device, which then
	// looks for races and the like on the check shapes. Empty: it does not.
	Checked []byte `json:"checked,omitempty"`
}

// GateReply says what happened, case by case. A Fault ends it early.
type GateReply struct {
	Cases     []CaseReply         `json:"cases"`
	Resources []kernels.Resources `json:"resources,omitempty"`
	Sites     []kernels.Site      `json:"sites,omitempty"` // of the checked program, at its largest case
	Strays    *Strays             `json:"strays,omitempty"`
	Fault     *Fault              `json:"fault,omitempty"`
}

// CaseReply is one case of a gate run.
type CaseReply struct {
	Ran   bool    `json:"ran"`
	Hash  uint64  `json:"hash"` // of all outputs that go to the slot
	Same  bool    `json:"same"` // both runs gave the same bits
	Nanos float64 `json:"ns"`   // second run, one call, with launch overhead
}

// Fault is a device or launch error while a candidate ran.
type Fault struct {
	Case   string `json:"case"`
	Code   int    `json:"code"`
	Text   string `json:"text"`
	Sticky bool   `json:"sticky"` // the process is lost
	Launch bool   `json:"launch"` // refused before it ran: over a limit, missing entry
}

// Contender is what is timed: a candidate's module, or a library's algorithm.
type Contender struct {
	Cubin   []byte         `json:"cubin,omitempty"`
	Calls   []kernels.Call `json:"calls,omitempty"`   // by run, for a candidate
	Expect  [][]uint64     `json:"expect,omitempty"`  // by run and set: hash of right outputs; empty: nobody knows it
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
	// Unseen has the time of a fresh sample be that of calls before it: on the same inputs, and for the second side of a duel
	// on inputs that come this once.
	Unseen bool `json:"unseen,omitempty"`
}

// Record asks for outputs of timed launches that no hash can be expected of: those of every sample go to a slot,
// packed in the order in which they were taken, as many as each sample's share of the slot holds.
type Record struct {
	Slots [2]int `json:"slots"` // one for each side of a duel; who is timed alone has the first
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
	Single   float64   `json:"single,omitempty"`   // ns of one call on refilled outputs, the least of a few: must agree with the graph
	Rejected int       `json:"rejected,omitempty"` // sample blocks thrown away for their clock
	Recorded []int     `json:"recorded,omitempty"` // the cases whose outputs lie in the slot
}

// Duel measures two contenders in turn, A B B A.
type Duel struct {
	A, B   Contender
	Run    Run     `json:"run"` // the contenders' only one
	Pairs  int     `json:"pairs"`
	Record *Record `json:"record,omitempty"`
}

// DuelReply is the paired samples. It ends early with the first sample whose outputs are wrong or whose launches
// strayed.
type DuelReply struct {
	A, B    Side
	Fault   *Fault `json:"fault,omitempty"`
	Faulted int    `json:"faulted,omitempty"` // whose fault it is: 1 A's, 2 B's, 0 nobody knows
}

// Side is one contender's samples in a duel.
type Side struct {
	Samples []float64 `json:"samples"`          // ns a call
	Clock   []float64 `json:"clock,omitempty"`  // SM MHz, by sample
	Repeat  []float64 `json:"repeat,omitempty"` // of fresh samples: the time of the same calls once more, over that of the fresh ones
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

// Library looks for the library's best algorithm for a run. The reply is LibraryReply.
type Library struct {
	Run   Run           `json:"run"`
	DType kernels.DType `json:"dtype"`
	Dims  kernels.Dims  `json:"dims"` // m, n, k
}

// LibraryReply names what was found.
type LibraryReply struct {
	About string   `json:"about"`
	Tried int      `json:"tried"`
	Best  float64  `json:"best"` // ns a call
	Hash  []uint64 `json:"hash"` // of its outputs, by seed
	Slot  bool     `json:"slot"` // its outputs are in slot 0, for the checker
	Fault *Fault   `json:"fault,omitempty"`
}

// Ceilings measures the device's limits. The reply is kernels.Ceilings.
type Ceilings struct {
	DType kernels.DType `json:"dtype"`
}
