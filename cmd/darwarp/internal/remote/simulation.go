package remote

import "time"

// Simulation says which fleet is simulated.
type Simulation struct {
	Problem string // whose shipped recording is replayed, or a recording's file
	Workers int
	Rate    float64 // verdicts a second that each would give alone
	Span    time.Duration
	Search  bool // measure a search, too: by itself and through the fleet
	Churn   int  // so many further workers come and go
}

// Simulated is what came of it.
type Simulated struct {
	Workers  int     `json:"workers"`
	Seconds  float64 `json:"seconds"`
	Verdicts int     `json:"verdicts"`
	Rate     float64 `json:"rate"`   // a second
	Busy     float64 `json:"busy"`   // share of the time that the devices were in use
	CPU      float64 `json:"cpu"`    // seconds of processor time a verdict: search, server and workers
	Memory   uint64  `json:"memory"` // bytes that the process holds: search, server and workers

	Came int `json:"came,omitempty"` // workers beside those that stay
	Cut  int `json:"cut,omitempty"`  // of them, without a word
	Lost int `json:"lost,omitempty"` // verdicts

	Alone   *Simulated `json:"search_alone,omitempty"` // a search whose verdicts need no fleet
	Through *Simulated `json:"search,omitempty"`       // a search through the fleet
}
