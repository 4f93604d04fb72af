package models

import (
	"encoding/json"
	"fmt"
	"strings"

	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/files"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/kernels"
	"darwarp/mutate/llm"
	"darwarp/store"
)

// Advisor is a search's language models, with what is to be closed after them. It is nil without --llm.
type Advisor struct {
	*llm.Advisor
	meta  *store.LLM
	Close func()
}

// Stored is what a run keeps of it.
func (a *Advisor) Stored() *store.LLM {
	if a == nil {
		return nil
	}
	return a.meta
}

// Open readies the language models; nil where none are asked for. old is what a resumed run was begun with; before are
// its exchanges, which count against the budget.
func Open(
	f *Options, s *session.Session, old *store.LLM, before []kernels.Exchange, say func(string, ...any),
) (*Advisor, error) {
	f.complete(old)
	if f.Config == "" {
		return nil, nil
	}
	prices, err := f.priceTable(old)
	if err != nil {
		return nil, err
	}
	chat, done, err := f.chat()
	if err != nil {
		return nil, err
	}
	limits, err := f.limits()
	if err == nil && f.Budget == "" {
		limits = defaultLimits(f.Models, prices)
	}
	var spent llm.Spending
	for i := range before {
		spent.Add(llm.SpentOn(&before[i]))
	}
	setup := llm.Setup{Chat: chat, Models: f.Models, Prices: prices, Account: llm.NewAccount(limits, spent), Jobs: f.Jobs}
	var adv *llm.Advisor
	if err == nil {
		adv, err = f.advisor(setup, s)
	}
	if err != nil {
		done()
		return nil, err
	}
	table, err := json.Marshal(prices)
	if err != nil { // numbers
		panic(err)
	}
	meta := &store.LLM{Config: f.Config, URL: f.URL, Models: f.Models, Budget: limits.String(), Prices: table}
	say("language models: %s, asked %s, up to %s", strings.Join(f.Models, ", "), f.where(), limits)
	return &Advisor{adv, meta, done}, nil
}

// advisor completes a setup with what the models are told.
func (f *Options) advisor(setup llm.Setup, s *session.Session) (*llm.Advisor, error) {
	var err error
	if setup.Config, err = llm.FindConfig(f.Config); err != nil {
		return nil, exit.Usagef("--llm %v", err)
	}
	if setup.Prompts, err = readPrompts(f.Prompts, sampleBrief(s)); err != nil {
		return nil, exit.Usagef("--llm-prompts: %v", err)
	}
	adv, err := llm.NewAdvisor(setup)
	if err != nil {
		return nil, exit.Usagef("--llm: %v", err)
	}
	return adv, nil
}

// readPrompts reads the prompts with those of a folder; an empty name is none.
func readPrompts(dir string, sample llm.Brief) (*llm.Prompts, error) {
	if dir == "" {
		return llm.ReadPrompts(nil, sample)
	}
	folder, err := files.OpenFolder(dir)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	p, err := llm.ReadPrompts(folder, sample)
	if err != nil {
		err = fmt.Errorf("%s: %w", dir, err)
	}
	return p, err
}

// sampleBrief is what own prompts are tried on.
func sampleBrief(s *session.Session) llm.Brief {
	b := llm.Brief{
		Task: llm.Task{Problem: s.Bundle.Problem, Reference: s.Bundle.Reference, DType: s.DType, Device: s.Device(),
			Workloads: s.Workloads, Templates: true},
		Base:     llm.Solution{Label: "sample", Source: "// sample\n", Speedup: 1},
		Insights: []string{"sample"}, Findings: []string{"sample"}, Explained: "sample", Counters: []string{"sample"},
		Why: "sample", Figures: true,
	}
	b.Others = []llm.Solution{b.Base}
	for _, x := range s.Spaces {
		b.Families = append(b.Families, x.Family)
	}
	return b
}
