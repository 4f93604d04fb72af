// Command darwarp evolves CUDA kernels.
//
//	darwarp doctor                     what is here and what works
//	darwarp list [PROBLEM]             problems, families, genes, size of each space
//	darwarp search PROBLEM|DIR         evolve a kernel; the run is one file
//	darwarp watch RUN                  follow a live run, or see how a finished one ended
//	darwarp runs                       searches that run, and those that ran lately
//	darwarp steer RUN ...              pause, pin, add to the budget, ... while it runs
//	darwarp stop RUN                   end a running search gently
//	darwarp join URL --token-file T    work for a search on another machine
//	darwarp fleet status|drain RUN     who works for a search
//	darwarp top|show|diff|lineage RUN  read a run
//	darwarp report RUN -o FILE.html    the run as one HTML page, and T4 results beside it
//	darwarp verify RUN [ID]            gate and measure again, on this machine
//	darwarp export RUN [ID] -o DIR     the winner, with a harness that proves it
//	darwarp explain RUN [ID]           what each choice of a candidate buys, shape by shape
//	darwarp portfolio RUN --k K        the best K kernels with a dispatcher by shape
//	darwarp new NAME                   a problem folder to start from
//	darwarp check DIR                  what is wrong with a problem folder
//	darwarp import torch FILE -o DIR   a problem folder from a module of PyTorch
//	darwarp bench                      strategies and throughput
//
// Data goes to stdout, talk to stderr. Exit codes: 0 done, 1 failed, 2 usage or configuration,
// 3 baseline not beaten (only with --require), 4 environment, 130 interrupted with state saved.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/background"
	"darwarp/cmd/darwarp/internal/cmdline"
	"darwarp/cmd/darwarp/internal/completing"
	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/listing"
	"darwarp/cmd/darwarp/internal/secret"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/mutate/llm"
)

func main() { os.Exit(start(os.Args)) }

// start is the whole process.
func start(argv []string) int {
	cmdline.Called(argv)
	return run(context.Background(), argv[1:], os.Stdin, os.Stdout, os.Stderr)
}

// run is the whole program: the arguments without the program's name in, an exit code out.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	log.SetOutput(io.Discard) // nothing here logs, and what libraries do may quote what came from afar
	out, failed := console.Checked(stdout)
	a := newApp(console.New(stdin, out, stderr))
	a.args = args
	if !isWorker(args) { // those are given no keys, nor all of the limits, and may not look at their memory
		if err := checkLimits(); err != nil {
			return a.finish(err)
		}
		a.keys = secret.Take(llm.EnvKey, llm.EnvOpenAIKey)
		secret.Conceal()
		a.log = background.Inherited(stdin, a.keys)
	}
	root := a.rootCmd()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	err := root.ExecuteContext(ctx)
	if lost := failed(); lost != nil && (err == nil || errors.Is(err, lost)) {
		err = fmt.Errorf("the output cannot be written: %w", lost)
	}
	return a.finish(err)
}

// app is what every command shares.
type app struct {
	listing.Lister
	args []string   // the command line
	keys secret.Env // of language models' servers
	log  string     // of a search in the background
}

func newApp(c *console.Console) *app { return &app{Lister: listing.Lister{Console: c}} }

func (a *app) rootCmd() *cobra.Command {
	root := &cobra.Command{
		Use:   "darwarp",
		Short: "Evolve CUDA kernels: search, check and measure on your own GPU",
		Long: "darwarp evolves CUDA kernels. Name a problem, leave it running, and export a kernel that was\n" +
			"compiled, run, checked and measured on your GPU.",
		Example: "  darwarp doctor\n" +
			"  darwarp search gemm --for 10m\n" +
			"  darwarp top gemm-20261122-181500.db\n" +
			"  darwarp export gemm-20261122-181500.db -o fastgemm",
		Version:       session.Version(),
		Args:          noArgs,
		RunE:          showHelp,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetVersionTemplate("darwarp {{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(helpCmd(root))
	root.AddCommand(a.listCmd(), a.topCmd(), a.showCmd(), a.diffCmd(), a.lineageCmd(), a.reportCmd(), a.exportCmd(),
		a.exchangesCmd(),
		a.searchCmd(), a.watchCmd(), a.runsCmd(), a.steerCmd(), a.stopCmd(), a.joinCmd(), a.fleetCmd(),
		a.verifyCmd(), a.explainCmd(), a.portfolioCmd(),
		a.newCmd(), a.checkCmd(), a.importCmd(), a.benchCmd(), a.gateCmd(), a.doctorCmd(), a.versionCmd(), a.manCmd(),
		a.workerCmd())
	group(root)
	completing.Add(root)
	return root
}
