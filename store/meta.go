package store

import (
	"encoding/json"
	"time"

	"darwarp/kernels"
)

// Meta is what a run is about. It is written at Create, and holds all that is needed to resume and to
// render the run without the folder that it was started from. Only Weigh and Grow change it.
type Meta struct {
	Version string    `json:"version"` // darwarp's own
	Created time.Time `json:"created"`
	Problem string    `json:"problem"`
	// The bundle's files by name, those of families that models wrote included
	Files     map[string][]byte  `json:"files,omitempty"`
	DType     kernels.DType      `json:"dtype"`
	Workloads []kernels.Workload `json:"workloads"`
	Device    kernels.Device     `json:"device"`
	Objective kernels.Objective  `json:"objective,omitempty"`
	Portfolio int                `json:"portfolio,omitempty"` // kernels that the search is to end with
	Strategy  string             `json:"strategy"`
	Seed      uint64             `json:"seed"`
	Pins      kernels.Pins       `json:"pins,omitempty"`
	Cache     string             `json:"cache"` // hot or cold: what times are
	Budget    Budget             `json:"budget"`
	LLM       *LLM               `json:"llm,omitempty"` // null: no language model is asked
}

// LLM is which language models a run asks. Keys are never part of it.
type LLM struct {
	Config string          `json:"config"` // how much they are told
	URL    string          `json:"url,omitempty"`
	Models []string        `json:"models"`
	Budget string          `json:"budget,omitempty"`
	Prices json.RawMessage `json:"prices,omitempty"` // the price table in force
}

// Budget is when a search ends; zero fields do not end it.
type Budget struct {
	Evals int           `json:"evals,omitempty"`
	For   time.Duration `json:"for,omitempty"`   // ns
	Stall int           `json:"stall,omitempty"` // evaluations without gain
}
