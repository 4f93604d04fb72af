package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"darwarp/cmd/darwarp/internal/models"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/mutate/llm"
)

// addJSON declares the flag of commands that also print JSON.
func addJSON(c *cobra.Command, on *bool) { c.Flags().BoolVar(on, "json", false, "print JSON") }

// addSeed declares the flag of commands that draw at random, and what the seed is of.
func addSeed(c *cobra.Command, seed *uint64, of string) {
	c.Flags().Uint64Var(seed, "seed", 1, "seed "+of)
}

// addModels declares the flags of language models.
func (a *app) addModels(fs *pflag.FlagSet, f *models.Options) {
	fs.StringVar(&f.Config, "llm", "", "let language models propose, with little or much information: "+
		strings.Join(llm.Configs(), ", "))
	fs.StringSliceVar(&f.Models, "llm-model", nil, "models to ask, by the server's names; repeatable")
	a.addServer(fs, f)
	fs.StringVar(&f.Budget, "llm-budget", "", "most that they may cost over all sessions, as in 5usd,200calls,2Mtokens "+
		"(default 200calls, and 1usd where prices are known)")
	fs.StringVar(&f.Prompts, "llm-prompts", "", "a folder with prompts that replace the built-in ones")
	fs.StringVar(&f.Prices, "llm-prices", "", "a price table that adds to the built-in one, TOML")
	fs.IntVar(&f.Jobs, "llm-jobs", 2, "questions in flight at once")
	fs.StringVar(&f.Replay, "llm-replay", "", "take the replies from this run's file instead of a server")
}

// addServer declares the flags that say whom to ask.
func (a *app) addServer(fs *pflag.FlagSet, f *models.Options) {
	f.Getenv = a.keys.Getenv
	fs.StringVar(&f.URL, "llm-url", "", "base URL of a server with OpenAI's chat protocol (default: $OPENAI_BASE_URL, "+
		"or OpenAI's)")
	fs.StringVar(&f.KeyFile, "llm-key-file", "",
		"a file that contains only the key (default: $DARWARP_LLM_KEY, or $OPENAI_API_KEY for OpenAI)")
	fs.DurationVar(&f.Timeout, "llm-timeout", llm.DefaultTimeout, "of one request")
}

// addTarget declares the flags that say where and what to evaluate.
func addTarget(c *cobra.Command, t *session.Target) {
	fs := c.Flags()
	fs.StringVar(&t.Device, "device", "auto", "auto, cuda, cpu or replay")
	fs.StringVar(&t.DType, "dtype", "", "element type (default: the problem's first)")
	fs.StringVar(&t.Cache, "cache", "", "what is timed: hot (inputs may be in L2, the default) or cold")
	fs.StringArrayVar(&t.Workloads, "workload", nil,
		"a size to score: a name, m=..,n=..,k=.., all, or default; repeatable")
	addPoints(fs, t)
	fs.BoolVar(&t.Races, "races", false, "on the cpu device: look for races, barriers that diverge and accesses out of "+
		"bounds")
}

// addPoints declares the flags that say which points are compiled, and how.
func addPoints(fs *pflag.FlagSet, t *session.Target) {
	fs.StringArrayVar(&t.Genes, "gene", nil, "restrict a gene: NAME=VALUE,VALUE; repeatable")
	fs.IntVar(&t.Jobs, "jobs", 0, "compiles at once (default: one per core)")
	addSandbox(fs, t)
}

func addSandbox(fs *pflag.FlagSet, t *session.Target) {
	fs.StringVar(&t.Sandbox, "sandbox", "best",
		"sandbox for compilers and candidates: best (what the kernel supports), strict (refuse if incomplete) or off")
}

// addGPUs declares the flag of commands that evaluate many candidates.
func addGPUs(c *cobra.Command, t *session.Target) {
	c.Flags().StringVar(&t.GPUs, "gpus", session.IdleGPUs,
		"GPUs of one model: idle (all that nobody else uses), all, or a list as in 0,2")
}

// addTrace declares the flag that has recorded where the time goes.
func addTrace(c *cobra.Command, t *session.Target) {
	c.Flags().StringVar(&t.TraceFile, "trace", "",
		"record what candidates and the device do when in this file, for ui.perfetto.dev")
}

// addDevice declares the flags of a command that measures a run's candidates again.
func addDevice(c *cobra.Command, t *session.Target) {
	c.Flags().StringVar(&t.Device, "device", "auto", "auto (the run's kind), cuda, cpu or replay")
	c.Flags().StringVar(&t.Problem, "recording", "", "the recording, for a run that was made on one")
	addSandbox(c.Flags(), t)
}

// arg is the i-th argument, or nothing.
func arg(args []string, i int) string {
	if i < len(args) {
		return args[i]
	}
	return ""
}
