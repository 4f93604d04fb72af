package llm

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"sync"

	"darwarp/kernels"
)

// Recorded answers as a model did in a run before, without a network: the same question gets the same
// reply; a question that was not asked then gets the model's next unused reply, for on a device whose
// times differ no two prompts are alike.
type Recorded struct {
	mu   sync.Mutex
	all  []kernels.Exchange
	used []bool
	by   map[[32]byte][]int
}

// NewRecorded makes a chat of what was exchanged.
func NewRecorded(all []kernels.Exchange) *Recorded {
	r := &Recorded{all: all, used: make([]bool, len(all)), by: map[[32]byte][]int{}}
	for i, e := range all {
		model, _, _ := kernels.SplitArm(e.Arm)
		k := question(model, e.Asked)
		r.by[k] = append(r.by[k], i)
	}
	return r
}

// Models lists the models that were asked.
func (r *Recorded) Models() (names []string) {
	seen := map[string]bool{}
	for _, e := range r.all {
		if m, _, ok := kernels.SplitArm(e.Arm); ok && !seen[m] {
			seen[m] = true
			names = append(names, m)
		}
	}
	return names
}

func question(model string, asked []kernels.Message) [32]byte {
	b, err := json.Marshal(struct {
		Model string
		Asked []kernels.Message
	}{model, asked})
	if err != nil { // strings
		panic(err)
	}
	return sha256.Sum256(b)
}

// Chat gives the recorded reply.
func (r *Recorded) Chat(_ context.Context, model string, asked []kernels.Message, _ int) (Answer, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, i := range r.by[question(model, asked)] {
		if !r.used[i] {
			return r.use(i)
		}
	}
	for i, e := range r.all {
		m, _, _ := kernels.SplitArm(e.Arm)
		if !r.used[i] && m == model && len(e.Asked) == len(asked) && e.Failed == "" {
			return r.use(i)
		}
	}
	return Answer{}, &Failure{Status: 404, Err: errors.New("the recorded run has no more replies")}
}

func (r *Recorded) use(i int) (Answer, error) {
	r.used[i] = true
	e := r.all[i]
	s := SpentOn(&e)
	a := Answer{Text: e.Reply, Attempts: e.Attempts, Tokens: kernels.Tokens{In: min(s.In, maxClaim),
		Cached: min(s.Cached, s.In, maxClaim), Out: min(s.Out, maxClaim), Estimated: e.Tokens.Estimated}}
	if e.Failed != "" {
		return a, &Failure{Err: errors.New(e.Failed)}
	}
	return a, nil
}
