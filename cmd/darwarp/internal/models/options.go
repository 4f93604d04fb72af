// Package models opens the language models that propose candidates of a search, and counts what they came to.
package models

import (
	"slices"
	"strings"
	"time"

	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/files"
	"darwarp/mutate/llm"
	"darwarp/store"
)

// Options say which language models propose, and what they may cost.
type Options struct {
	Config  string
	Models  []string
	URL     string
	Budget  string
	Prompts string
	Prices  string
	KeyFile string
	Replay  string
	Jobs    int
	Timeout time.Duration
	Getenv  func(string) string // the environment, with the keys that were taken out of it
}

// defaultCalls bound a run that names no budget; where all prices are known, defaultUSD does, too.
const (
	defaultCalls = 200
	defaultUSD   = 1
)

// Check refuses what does not fit together, before anything is opened.
func (f *Options) Check(changed func(string) bool, resumes bool) error {
	if f.Config == "" {
		for _, name := range []string{"llm-model", "llm-url", "llm-budget", "llm-prompts", "llm-prices", "llm-key-file",
			"llm-jobs", "llm-replay", "llm-timeout"} {
			if changed(name) && !resumes {
				return exit.Usagef("--%s goes with --llm %s", name, strings.Join(llm.Configs(), "|"))
			}
		}
		return nil
	}
	if _, err := llm.FindConfig(f.Config); err != nil {
		return exit.Usagef("--llm %v", err)
	}
	if _, err := f.limits(); err != nil {
		return err
	}
	switch {
	case len(f.Models) == 0 && f.Replay == "" && !resumes:
		return exit.Usagef("--llm %s: name a model with --llm-model", f.Config)
	case slices.ContainsFunc(f.Models, func(m string) bool {
		return m == "" || len(m) > 200 || strings.ContainsAny(m,
			"\n\x1b")
	}):
		return exit.Usagef("--llm-model: expected the name of a model")
	case f.Jobs < 1 || f.Jobs > 64:
		return exit.Usagef("--llm-jobs %d: expected 1 to 64", f.Jobs)
	case f.Timeout < time.Second:
		return exit.Usagef("--llm-timeout %s: expected a second or more", f.Timeout)
	case f.Replay != "" && (f.URL != "" || f.KeyFile != ""):
		return exit.Usagef("--llm-replay needs no server: leave out --llm-url and --llm-key-file")
	}
	return f.checkFiles(resumes)
}

// checkFiles reads what the flags name, and what a key and a server's address are taken from. Of a run that goes on it
// is not known yet who is asked.
func (f *Options) checkFiles(resumes bool) error {
	if _, err := f.priceTable(nil); err != nil {
		return err
	}
	if f.Prompts != "" {
		folder, err := files.OpenFolder(f.Prompts)
		if err != nil {
			return exit.Usagef("--llm-prompts: %v", err)
		}
		folder.Close()
	}
	if resumes {
		return nil
	}
	asked := *f // what is filled in here is filled in again
	_, done, err := asked.chat()
	if err == nil {
		done()
	}
	return err
}

func (f *Options) limits() (llm.Limits, error) {
	if f.Budget == "" {
		return llm.Limits{}, nil
	}
	l, err := llm.ParseLimits(f.Budget)
	if err != nil {
		return l, exit.Usagef("--llm-budget %v", err)
	}
	return l, nil
}

// complete fills in the flags of a resumed run with what it was begun with.
func (f *Options) complete(m *store.LLM) {
	if m == nil {
		return
	}
	if f.Config == "" {
		f.Config = m.Config
	}
	if len(f.Models) == 0 {
		f.Models = m.Models
	}
	if f.URL == "" && f.Replay == "" {
		f.URL = m.URL
	}
	if f.Budget == "" {
		f.Budget = m.Budget
	}
}
