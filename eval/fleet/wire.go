// Package fleet spreads a search over machines. The search embeds a NATS server with JetStream, and is an evaluator
// (Fleet) whose candidates wait in work-queue streams; workers dial out to it (Join), and answer with the evaluators of
// their own devices. Queues, leases and retries are JetStream's. What was in flight when the search ended is not kept:
// the run's file is the ledger, and asks for it again.
package fleet

import (
	"encoding/json"
	"time"

	"darwarp/kernels"
)

// Protocol is the version of what searches and workers tell each other.
const Protocol = 11

// anyQueue is the queue that all workers with devices of one kind take from, and toQueue a worker's own. They bear the
// name of their session: a worker that has not heard yet that the search was resumed must not take what it would not
// answer.
func anyQueue(session, kind string) string  { return "any-" + session + "-" + kind }
func toQueue(worker, session string) string { return "to-" + worker + "-" + session }

// What a worker can be asked to do.
const (
	doEvaluate = "evaluate"
	doDuel     = "duel"
	doTrial    = "trial"
	doControl  = "control"
	doPace     = "pace"
	doFinal    = "final"
	doTime     = "time"
	doFind     = "find"
	doBaseline = "baseline"
	doCompare  = "compare"
	doVersus   = "versus"
	doCompile  = "compile"
	doCode     = "code"
)

// request is what a worker is asked. Which fields count is up to Do.
type request struct {
	Session string              `json:"session"`
	Number  uint64              `json:"n"`
	Do      string              `json:"do"`
	Jobs    []*job              `json:"jobs,omitempty"` // of a duel the champion first
	Parts   []kernels.TrialPart `json:"parts,omitempty"`
	Name    string              `json:"name,omitempty"`  // of a baseline
	Cache   string              `json:"cache,omitempty"` // hot or cold
	Brief   bool                `json:"brief,omitempty"` // times of few samples do
	Weights []kernels.Workload  `json:"weights,omitempty"`
}

// answer is what a worker says. Error is our side's failure, and Lost that it may be asked for again.
type answer struct {
	Session string          `json:"session"`
	Number  uint64          `json:"n"`
	Worker  string          `json:"worker"`
	Ack     string          `json:"ack"`            // by which the search acknowledges the request
	Back    bool            `json:"back,omitempty"` // it has not begun, and leaves: another is to be asked
	Error   string          `json:"error,omitempty"`
	Lost    bool            `json:"lost,omitempty"`
	Result  *kernels.Result `json:"result,omitempty"`
	Duel    *kernels.Duel   `json:"duel,omitempty"`
	Trial   *kernels.Trial  `json:"trial,omitempty"`
	measured
	Code string `json:"code,omitempty"` // hash of machine code and launches

	Compiled json.RawMessage `json:"compiled,omitempty"` // a candidate, for the worker that judges it
	Noise    float64         `json:"noise,omitempty"`    // of the worker's device, as far as it is known
}

// measured is what times were asked for: those of a baseline, or of a candidate.
type measured struct {
	Times   *kernels.BaselineResult `json:"times,omitempty"`
	About   map[string]string       `json:"about,omitempty"`   // what a baseline does, by workload
	Missing map[string]string       `json:"missing,omitempty"` // why a baseline does not run
}

// hello is what a worker tells every helloEvery, from the moment that it is connected.
type hello struct {
	sender
	Session  string              `json:"session,omitempty"`  // that it works for
	Task     string              `json:"task,omitempty"`     // what is open is open for that
	Told     []uint64            `json:"told,omitempty"`     // requests of it that the worker has answered of late
	Leaving  bool                `json:"leaving,omitempty"`  // it takes nothing new
	Proof    *kernels.Provenance `json:"proof,omitempty"`    // nothing is open yet: null
	Compiles string              `json:"compiles,omitempty"` // the toolchain of a worker that has no device
	Slots    int                 `json:"slots,omitempty"`
	Times    bool                `json:"times,omitempty"` // it can time a kernel for comparison with other devices
	Machine  *kernels.Machine    `json:"machine,omitempty"`
	Busy     float64             `json:"busy,omitempty"`
	Workers  int                 `json:"workers,omitempty"` // device workers that it took
	Doing    map[string]int      `json:"doing,omitempty"`   // requests that it is at, by what is to be done
	choice
}

// sender is which worker it is, and of which darwarp.
type sender struct {
	Worker   string `json:"worker"`
	Instance string `json:"instance,omitempty"` // of the process that has this name
	Version  string `json:"version"`
	Protocol int    `json:"protocol"`
}

// choice is what a worker tells a server for several searches of them.
type choice struct {
	Works  string `json:"works,omitempty"`  // the search that it works for
	Cannot string `json:"cannot,omitempty"` // a search that it cannot work for
	Why    string `json:"why,omitempty"`
}

// welcome is what the search says to that.
type welcome struct {
	Refused string             `json:"refused,omitempty"` // why there is no place for the worker
	Session string             `json:"session"`
	Task    string             `json:"task"`           // the hash of what the search is about
	Arch    string             `json:"arch,omitempty"` // that is compiled for, once a device is there
	Kind    string             `json:"kind,omitempty"` // of the device, once the worker belongs to the fleet
	Ready   bool               `json:"ready,omitempty"`
	Aside   string             `json:"aside,omitempty"`  // why it is to take no candidates for a while
	Ratios  map[string]float64 `json:"ratios,omitempty"` // of times on the first worker to those on this one, by workload
	Drain   bool               `json:"drain,omitempty"`  // finish what there is, and leave
	Again   []uint64           `json:"again,omitempty"`  // of those answered, what the search has not heard
	Taken   bool               `json:"taken,omitempty"`  // another process has the worker's name
	Hub     bool               `json:"hub,omitempty"`    // this is a server for several searches
	Search  string             `json:"search,omitempty"` // to work for; empty: none, for now
}

// helloEvery is how often a worker tells that it is there, and silence after how long it is held to be gone. Tests
// shorten both.
var (
	helloEvery = 2 * time.Second
	silence    = 10 * time.Second
)

func encode(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil { // plain data: it marshals, but for NaN and infinity, which the caller has taken out
		panic(err)
	}
	return data
}
