package evolve

import (
	"darwarp/kernels"
	"darwarp/store"
)

// keeper is the store as the search uses it.
type keeper interface {
	PutAll(all []*kernels.Candidate, checkpoint []byte) error
	PutCheckpoint(state []byte) error
	Checkpoint() ([]byte, error)
	Each(func(kernels.Candidate) error) error
	PutProvenance(p kernels.Provenance) (string, error)
	PutDuel(d kernels.Duel) error
	Duels() ([]kernels.Duel, error)
	Weigh(workloads []kernels.Workload, score func(*kernels.Candidate) float64, checkpoint []byte) error
	Grow(files map[string][]byte, checkpoint []byte) error
	PutExchange(e kernels.Exchange) error
	Exchanges() ([]kernels.Exchange, error)
	Insights() ([]kernels.Insight, error)
	SetChampion(id kernels.ID, why string) error
	Champion() (kernels.ID, bool)
	Champions() ([]store.Champion, error)
	PutTrial(t kernels.Trial) error
	Trials() ([]kernels.Trial, error)
	Fell(t kernels.Trial, successor kernels.ID, why string, checkpoint []byte) (kernels.Candidate, error)
}

// nowhere keeps nothing.
type nowhere struct{}

func (nowhere) PutAll([]*kernels.Candidate, []byte) error        { return nil }
func (nowhere) PutCheckpoint([]byte) error                       { return nil }
func (nowhere) Checkpoint() ([]byte, error)                      { return nil, nil }
func (nowhere) Each(func(kernels.Candidate) error) error         { return nil }
func (nowhere) PutProvenance(kernels.Provenance) (string, error) { return "", nil }
func (nowhere) Weigh([]kernels.Workload, func(*kernels.Candidate) float64, []byte) error {
	return nil
}
func (nowhere) Grow(map[string][]byte, []byte) error   { return nil }
func (nowhere) PutDuel(kernels.Duel) error             { return nil }
func (nowhere) Duels() ([]kernels.Duel, error)         { return nil, nil }
func (nowhere) SetChampion(kernels.ID, string) error   { return nil }
func (nowhere) PutExchange(kernels.Exchange) error     { return nil }
func (nowhere) Exchanges() ([]kernels.Exchange, error) { return nil, nil }
func (nowhere) Insights() ([]kernels.Insight, error)   { return nil, nil }
func (nowhere) Champion() (kernels.ID, bool)           { return kernels.ID{}, false }
func (nowhere) Champions() ([]store.Champion, error)   { return nil, nil }
func (nowhere) PutTrial(kernels.Trial) error           { return nil }
func (nowhere) Trials() ([]kernels.Trial, error)       { return nil, nil }
func (nowhere) Fell(kernels.Trial, kernels.ID, string, []byte) (kernels.Candidate, error) {
	return kernels.Candidate{}, nil
}
