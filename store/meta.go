package store

import (
	"cmp"
	"encoding/json"
	"fmt"
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
	Goal
	Strategy string       `json:"strategy"`
	Seed     uint64       `json:"seed"`
	Pins     kernels.Pins `json:"pins,omitempty"`
	Cache    string       `json:"cache"` // hot or cold: what times are
	Budget   Budget       `json:"budget"`
	LLM      *LLM         `json:"llm,omitempty"` // null: no language model is asked
	// Island is the kind of device of a run that a fleet's search has made beside its first one; empty: it is a first one
	Island string `json:"island,omitempty"`
}

// Goal is what a search is to find.
type Goal struct {
	Objective kernels.Objective `json:"objective,omitempty"`
	Portfolio int               `json:"portfolio,omitempty"` // kernels that the search is to end with
}

// Bounds of what a run carries.
const (
	maxFiles     = 1024
	maxFileBytes = 1 << 20 // as package templates has it
	maxModels    = 64
	maxLLM       = 2000    // bytes of an address, or of a model's name
	maxPrices    = 1 << 20 // bytes of a price table
	maxPortfolio = 1 << 16
)

// Admit checks what a run is about. The names in it are parts of paths, commands and sources, so a run that has others
// is not read; its version and strategy are only shown.
func (m *Meta) Admit() error {
	m.Version = kernels.CleanLine(m.Version, kernels.MaxLine)
	m.Strategy = kernels.CleanLine(m.Strategy, kernels.MaxName)
	m.Cache = kernels.CleanLine(m.Cache, kernels.MaxName)
	m.Island = kernels.CleanLine(m.Island, kernels.MaxName)
	switch {
	case !m.DType.Valid():
		return fmt.Errorf("dtype: unknown dtype %.40q", m.DType)
	case len(m.Files) > maxFiles:
		return fmt.Errorf("files: %d: expected at most %d", len(m.Files), maxFiles)
	case m.Portfolio < 0 || m.Portfolio > maxPortfolio:
		return fmt.Errorf("portfolio: %d: expected 0 to %d", m.Portfolio, maxPortfolio)
	case m.Budget.Evals < 0 || m.Budget.For < 0 || m.Budget.Stall < 0:
		return fmt.Errorf("budget: %+v: expected nothing negative", m.Budget)
	}
	for name, text := range m.Files {
		if err := kernels.CheckLabel(name); err != nil {
			return fmt.Errorf("files: %w", err)
		}
		if len(text) > maxFileBytes {
			return fmt.Errorf("files: %s: %d bytes: expected at most %d", name, len(text), maxFileBytes)
		}
	}
	return cmp.Or(within(kernels.CheckLabel(m.Problem), "problem"), kernels.AdmitWorkloads(m.Workloads),
		within(m.Device.Admit(), "device"), within(m.Objective.Check(m.Workloads), "objective"),
		within(m.Pins.Admit(), "pins"), within(m.LLM.admit(), "llm"))
}

// admit checks what a resumed run would ask: nothing of it is changed, for another name is another model.
func (l *LLM) admit() error {
	if l == nil {
		return nil
	}
	if len(l.Models) > maxModels || len(l.Prices) > maxPrices {
		return fmt.Errorf("%d models and %d bytes of prices: expected at most %d and %d", len(l.Models), len(l.Prices),
			maxModels, maxPrices)
	}
	for _, s := range append([]string{l.Config, l.URL, l.Budget}, l.Models...) {
		if err := kernels.CheckLine(s, maxLLM); err != nil {
			return err
		}
	}
	return nil
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
