package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/kernels"
	"darwarp/mutate/llm"
	"darwarp/store"
)

// llmFlags say which language models propose, and what they may cost.
type llmFlags struct {
	config  string
	models  []string
	url     string
	budget  string
	prompts string
	prices  string
	keyFile string
	replay  string
	jobs    int
	timeout time.Duration
}

// defaultCalls bound a run that names no budget; where all prices are known, defaultUSD does, too.
const (
	defaultCalls = 200
	defaultUSD   = 1
)

func (f *llmFlags) addTo(fs *pflag.FlagSet) {
	fs.StringVar(&f.config, "llm", "", "let language models propose, told little or much: "+strings.Join(llm.Configs(), ", "))
	fs.StringSliceVar(&f.models, "llm-model", nil, "models to ask, by the server's names; repeatable")
	f.serverTo(fs)
	fs.StringVar(&f.budget, "llm-budget", "", "what they may cost over all sessions, as in 5usd,200calls,2Mtokens (default 200calls, and 1usd where prices are known)")
	fs.StringVar(&f.prompts, "llm-prompts", "", "a folder with prompts in place of the shipped ones")
	fs.StringVar(&f.prices, "llm-prices", "", "a price table beside the shipped one, TOML")
	fs.IntVar(&f.jobs, "llm-jobs", 2, "questions in flight at once")
	fs.StringVar(&f.replay, "llm-replay", "", "take the replies from this run's file, and ask nobody")
}

// serverTo declares the flags that say whom to ask.
func (f *llmFlags) serverTo(fs *pflag.FlagSet) {
	fs.StringVar(&f.url, "llm-url", "", "base URL of a server with OpenAI's chat protocol (default: $OPENAI_BASE_URL, or OpenAI's)")
	fs.StringVar(&f.keyFile, "llm-key-file", "", "a file with the key alone (default: $DARWARP_LLM_KEY, or $OPENAI_API_KEY for OpenAI)")
	fs.DurationVar(&f.timeout, "llm-timeout", llm.DefaultTimeout, "of one request")
}

// check refuses what does not fit together, before anything is opened.
func (f *llmFlags) check(changed func(string) bool, resumes bool) error {
	if f.config == "" {
		for _, name := range []string{"llm-model", "llm-url", "llm-budget", "llm-prompts", "llm-prices", "llm-key-file", "llm-jobs", "llm-replay", "llm-timeout"} {
			if changed(name) && !resumes {
				return exit.Usagef("--%s goes with --llm %s", name, strings.Join(llm.Configs(), "|"))
			}
		}
		return nil
	}
	if _, err := llm.FindConfig(f.config); err != nil {
		return exit.Usagef("--llm %v", err)
	}
	if _, err := f.limits(); err != nil {
		return err
	}
	switch {
	case len(f.models) == 0 && f.replay == "" && !resumes:
		return exit.Usagef("--llm %s: name a model with --llm-model", f.config)
	case slices.ContainsFunc(f.models, func(m string) bool { return m == "" || len(m) > 200 || strings.ContainsAny(m, "\n\x1b") }):
		return exit.Usagef("--llm-model: expected the name of a model")
	case f.jobs < 1 || f.jobs > 64:
		return exit.Usagef("--llm-jobs %d: expected 1 to 64", f.jobs)
	case f.timeout < time.Second:
		return exit.Usagef("--llm-timeout %s: expected a second or more", f.timeout)
	case f.replay != "" && (f.url != "" || f.keyFile != ""):
		return exit.Usagef("--llm-replay asks nobody: leave out --llm-url and --llm-key-file")
	}
	return nil
}

func (f *llmFlags) limits() (llm.Limits, error) {
	if f.budget == "" {
		return llm.Limits{}, nil
	}
	l, err := llm.ParseLimits(f.budget)
	if err != nil {
		return l, exit.Usagef("--llm-budget %v", err)
	}
	return l, nil
}

// take completes the flags of a resumed run with what it was begun with.
func (f *llmFlags) take(m *store.LLM) {
	if m == nil {
		return
	}
	if f.config == "" {
		f.config = m.Config
	}
	if len(f.models) == 0 {
		f.models = m.Models
	}
	if f.url == "" && f.replay == "" {
		f.url = m.URL
	}
	if f.budget == "" {
		f.budget = m.Budget
	}
}

// advisor is a search's language models, with what is to be closed after them. It is nil without --llm.
type advisor struct {
	*llm.Advisor
	meta  *store.LLM
	close func()
}

// stored is what a run keeps of it.
func (a *advisor) stored() *store.LLM {
	if a == nil {
		return nil
	}
	return a.meta
}

// hire readies the language models. old is what a resumed run was begun with; before are its exchanges.
func (a *app) hire(f *llmFlags, s *session.Session, old *store.LLM, before []kernels.Exchange) (*advisor, error) {
	f.take(old)
	if f.config == "" {
		return nil, nil
	}
	config, err := llm.FindConfig(f.config)
	if err != nil {
		return nil, exit.Usagef("--llm %v", err)
	}
	prices, err := f.priceTable(old)
	if err != nil {
		return nil, err
	}
	chat, done, err := f.chat()
	if err != nil {
		return nil, err
	}
	prompts, err := llm.ReadPrompts(f.prompts, sampleBrief(s))
	if err != nil {
		done()
		return nil, exit.Usagef("--llm-prompts: %v", err)
	}
	limits, err := f.limits()
	if err == nil && f.budget == "" {
		limits = defaultLimits(f.models, prices)
	}
	var spent llm.Spending
	for i := range before {
		spent.Add(llm.SpentOn(&before[i]), 1)
	}
	var adv *llm.Advisor
	if err == nil {
		adv, err = llm.NewAdvisor(llm.Setup{Chat: chat, Config: config, Models: f.models, Prompts: prompts, Prices: prices,
			Account: llm.NewAccount(limits, spent), Jobs: f.jobs})
	}
	if err != nil {
		done()
		return nil, exit.Usagef("--llm: %v", err)
	}
	table, err := json.Marshal(prices)
	if err != nil { // numbers
		panic(err)
	}
	meta := &store.LLM{Config: f.config, URL: f.url, Models: f.models, Budget: limits.String(), Prices: table}
	a.Sayf("language models: %s, asked %s, up to %s", strings.Join(f.models, ", "), f.where(), limits)
	return &advisor{adv, meta, done}, nil
}

func (f *llmFlags) where() string {
	if f.replay != "" {
		return "of the run " + f.replay
	}
	return "at " + f.url
}

// chat is whom to ask: a server, or an earlier run.
func (f *llmFlags) chat() (llm.Chat, func(), error) {
	if f.replay != "" {
		r, err := recordedChat(f.replay)
		if err == nil && len(f.models) == 0 {
			f.models = r.Models()
		}
		return r, func() {}, err
	}
	if len(f.models) == 0 {
		return nil, nil, exit.Usagef("--llm %s: name a model with --llm-model", f.config)
	}
	f.url = llm.BaseURL(f.url, os.Getenv)
	e, err := f.endpoint()
	if err != nil {
		return nil, nil, err
	}
	return e, e.Close, nil
}

func (f *llmFlags) endpoint() (*llm.Endpoint, error) {
	key, err := llm.Key(f.keyFile, f.url, os.Getenv)
	if err != nil {
		return nil, exit.Usagef("%v", err)
	}
	e, err := llm.NewEndpoint(f.url, key, f.timeout)
	if err != nil {
		return nil, exit.Usagef("--llm-url %v", err)
	}
	return e, nil
}

func recordedChat(path string) (r *llm.Recorded, err error) {
	path = record.Locate(path)
	if err := record.CheckFile(path); err != nil {
		return nil, err
	}
	run, err := store.View(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, run.Close()) }()
	all, err := run.Exchanges()
	if err == nil && len(all) == 0 {
		err = exit.Usagef("--llm-replay %s: it has no exchange with a language model", path)
	}
	return llm.NewRecorded(all), err
}

// priceTable is the shipped one, that of the resumed run, and the user's, each over the one before.
func (f *llmFlags) priceTable(old *store.LLM) (llm.Prices, error) {
	prices := llm.ShippedPrices()
	if old != nil && len(old.Prices) > 0 {
		if err := json.Unmarshal(old.Prices, &prices); err != nil {
			return nil, fmt.Errorf("the run's price table: %w", err)
		}
	}
	if f.prices == "" {
		return prices, nil
	}
	data, err := os.ReadFile(f.prices)
	if err != nil {
		return nil, exit.Usagef("--llm-prices: %v", err)
	}
	own, err := llm.ParsePrices(f.prices, data)
	if err != nil {
		return nil, exit.Usagef("--llm-prices: %v", err)
	}
	for model, p := range own {
		prices[model] = p
	}
	return prices, nil
}

func defaultLimits(models []string, prices llm.Prices) llm.Limits {
	l := llm.Limits{Calls: defaultCalls}
	known := func(m string) bool { _, ok := prices[m]; return ok }
	if !slices.ContainsFunc(models, func(m string) bool { return !known(m) }) {
		l.USD = defaultUSD
	}
	return l
}

// sampleBrief is what own prompts are tried on.
func sampleBrief(s *session.Session) llm.Brief {
	b := llm.Brief{
		Problem: s.Bundle.Problem, Reference: s.Bundle.Reference, DType: s.DType, Device: s.Device(), Workloads: s.Workloads,
		Base: llm.Solution{Label: "sample", Source: "// sample\n", Speedup: 1}, Insights: []string{"sample"}, Findings: []string{"sample"}, Explained: "sample", Counters: []string{"sample"}, Why: "sample", Figures: true, Templates: true,
	}
	b.Others = []llm.Solution{b.Base}
	for _, x := range s.Spaces {
		b.Families = append(b.Families, x.Family)
	}
	return b
}

// tryLLM asks a server the least that there is, and says what it supports.
func tryLLM(ctx context.Context, f *llmFlags) (out []finding) {
	f.url = llm.BaseURL(f.url, os.Getenv)
	server := finding{Name: "LLM server", Do: "Name a server with --llm-url and its key in $" + llm.EnvKey + " or --llm-key-file"}
	e, err := f.endpoint()
	if err != nil {
		server.Detail = err.Error()
		return append(out, server)
	}
	defer e.Close()
	models, err := e.Models(ctx)
	if err != nil {
		server.Detail = f.url + " does not list its models: " + err.Error()
	} else {
		server.OK, server.Detail = true, fmt.Sprintf("%s has %s: %s", f.url, report.Quantity(len(models), "model"), llm.Line(strings.Join(models, ", "), 200))
	}
	out = append(out, server)
	if len(f.models) == 0 && len(models) == 1 {
		f.models = models
	}
	for _, m := range f.models {
		out = append(out, tryModel(ctx, e, m))
	}
	return out
}

// tryModel has a model send genes in the form that a search asks for.
func tryModel(ctx context.Context, e *llm.Endpoint, model string) finding {
	f := finding{Name: "LLM " + llm.Line(model, 60), Do: "Choose a model that the server has and that keeps to a format"}
	begun := time.Now()
	a, err := e.Chat(ctx, model, []kernels.Message{{Role: "system", Text: "You reply exactly as you are told."},
		{Role: "user", Text: "Reply with these four lines and nothing else:\n## genes\n```json\n{\"family\": \"test\", \"genes\": {\"block\": 64}}\n```"}}, 4096)
	if err != nil {
		f.Detail = err.Error()
		return f
	}
	took := time.Since(begun).Round(10 * time.Millisecond)
	counted := "it counts tokens"
	if a.Tokens.Estimated {
		counted = "it does not count tokens, so that they are estimated"
	}
	if _, err := llm.Parse(a.Text); err != nil {
		f.Detail = fmt.Sprintf("answers in %s, but does not keep to the format: %v", took, err)
		return f
	}
	price := "no price is known"
	if usd, ok := llm.ShippedPrices().Of(model, a.Tokens); ok {
		price = fmt.Sprintf("this cost %.5f USD", usd)
	}
	f.OK, f.Do = true, ""
	f.Detail = fmt.Sprintf("answers in %s and keeps to the format; %s (%d in, %d out); %s", took, counted, a.Tokens.In, a.Tokens.Out, price)
	return f
}
