package device

import "darwarp/kernels"

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
	// Limit is the ns of a call beyond which the candidate has lost when it is run on the first of Sets, which are the
	// last of the cases with a call: then that one is run once, and the others are not. 0: there is none. Where both of
	// its runs took more than Twice, the others are not run either. The cpu device takes no notice.
	Limit float64 `json:"limit,omitempty"`
	Twice float64 `json:"twice,omitempty"`
	Sets  []int   `json:"sets,omitempty"`
}

// GateReply says what happened, case by case. A Fault ends it early.
type GateReply struct {
	Cases     []CaseReply         `json:"cases"`
	Resources []kernels.Resources `json:"resources,omitempty"`
	Sites     []kernels.Site      `json:"sites,omitempty"` // of the checked program, at its largest case
	Strays    *Strays             `json:"strays,omitempty"`
	Fault     *Fault              `json:"fault,omitempty"`
	Lost      bool                `json:"lost,omitempty"` // beyond the limit, or twice beyond the other
}

// Slow reports whether a call of ns is beyond what ends a gate: the limit, or what both runs may be beyond.
func (g *Gate) Slow(ns float64) bool {
	return g.Limit > 0 && (ns > g.Limit || g.Twice > 0 && ns > g.Twice)
}

// CaseReply is one case of a gate run.
type CaseReply struct {
	Ran   bool    `json:"ran"`
	Hash  uint64  `json:"hash"` // of all outputs that go to the slot
	Same  bool    `json:"same"` // both runs gave the same bits
	Nanos float64 `json:"ns"`   // last run, one call, with launch overhead; a GPU tells that of scored sizes alone
	// Of the launches with `prepare` before it, which are no part of it
	Prepared float64 `json:"prepared_ns,omitempty"`
}

// Fault is a device or launch error while a candidate ran.
type Fault struct {
	Case   string `json:"case"`
	Code   int    `json:"code"`
	Text   string `json:"text"`
	Sticky bool   `json:"sticky"` // the process is lost
	Launch bool   `json:"launch"` // refused before it ran: over a limit, missing entry
}
