package rig

import (
	"context"
	"sync"
)

// Truths that only duels and trials need are made ahead, while nobody wants the GPU: when the first challenger comes,
// it and all candidates would wait for them. At 8192 x 8192 x 8192 they take an H200 4 s.
const (
	aheadWork  = 2e12 // operations of a case, for whose truth a candidate may have to wait
	aheadShare = 4    // of the GPU's memory, one part in so many
)

// errand is what a pool does beside.
type errand struct {
	cancel context.CancelFunc
	done   sync.WaitGroup
}

// end ends the errand, if there is one.
func (e *errand) end() {
	if e != nil {
		e.cancel()
		e.done.Wait()
	}
}

// makeTruthsAhead begins the errand, where a judge on the GPU has the truth.
func (p *Rig) makeTruthsAhead() {
	if p.Runner.Judge.GPU == nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	p.ahead = &errand{cancel: cancel}
	p.ahead.done.Go(func() {
		for _, i := range p.truthsAhead() {
			if !p.Runner.TruthAhead(ctx, i) {
				return
			}
		}
	})
}

// truthsAhead are the trial cases of scored sizes whose truth is made ahead, in the order in which a duel and a trial
// ask for it. None takes the place of another, and there remains room for what else is opened on the GPU.
func (p *Rig) truthsAhead() (list []int) {
	room := p.Runner.Judge.GPU.Setup.Budget
	for _, i := range p.Cases.Gated() {
		room -= p.Cases.List[i].TruthBytes()
	}
	room = min(room, p.Device.MemoryBytes/aheadShare)
	for _, of := range []map[string][]int{p.Cases.Banks, p.Cases.Trials} {
		for _, w := range p.Cfg.Workloads {
			for _, i := range of[w.Name] {
				c := &p.Cases.List[i]
				work, _, err := p.Cfg.Problem.Work(c.Dims, p.Cfg.DType)
				if n := c.TruthBytes(); c.Trial && err == nil && work <= aheadWork && n <= room {
					list, room = append(list, i), room-n
				}
			}
		}
	}
	return list
}
