package main

import (
	"math"
	"strings"

	"github.com/spf13/cobra"
)

// page is what the help says about a command. The usage line also tells how many arguments the command takes.
type page struct{ usage, short, long, example string }

// command makes a command with its page of the help, by its path below darwarp. Its arguments are counted before run
// gets them.
func command(path string, run func(c *cobra.Command, args []string) error) *cobra.Command {
	p, ok := pages[path]
	if !ok {
		p = benchPages[path]
	}
	return &cobra.Command{Use: p.usage, Short: p.short, Long: p.long, Example: p.example,
		Args: counted(p.usage), RunE: run}
}

// showHelp is what a command does that only has subcommands.
func showHelp(c *cobra.Command, _ []string) error { return c.Help() }

// counted checks the number of arguments against a usage line, NAME REQUIRED [OPTIONAL] REPEATED... --FLAG VALUE. It
// replaces cobra's own checks, whose messages do not say what to type.
func counted(usage string) cobra.PositionalArgs {
	least, most := 0, 0
	for _, word := range strings.Fields(usage)[1:] {
		if strings.HasPrefix(word, "-") {
			break
		}
		most++
		if !strings.HasPrefix(word, "[") {
			least++
		}
		if strings.HasSuffix(word, "...") {
			most = math.MaxInt
		}
	}
	if most == 0 {
		return noArgs
	}
	return argsBetween(least, most)
}

// pages are the pages of the help, by the command's path below darwarp. They stand in one place so that whoever changes
// one sees how the others put it.
var pages = map[string]page{
	"list": {
		usage: "list [PROBLEM|DIR]",
		short: "Problems, families, genes, size of each space",
		example: `  darwarp list
  darwarp list gemm --arch sm_90a`,
	},
	"top": {
		usage: "top RUN",
		short: "The best candidates of a run, or the outcomes of all",
		example: `  darwarp top gemm.db -n 5
  darwarp top gemm.db --shapes -n 3
  darwarp top gemm.db --all`,
	},
	"show": {
		usage: "show RUN [ID]",
		short: "One candidate: genes, origin, resources, evidence, times, source",
		example: `  darwarp show gemm.db
  darwarp show gemm.db 3fa2 --source`,
	},
	"diff": {
		usage:   "diff RUN ID ID",
		short:   "What differs between two candidates: genes, figures, source",
		example: "  darwarp diff gemm.db 3fa2 best",
	},
	"lineage": {
		usage:   "lineage RUN [ID]",
		short:   "The path to a candidate from the start: what each step changed and gained",
		example: "  darwarp lineage gemm.db",
	},
	"report": {
		usage: "report RUN -o FILE.html",
		short: "A run as one HTML page: charts, tables, provenance; T4 results beside it",
		long: `report writes one self-contained HTML file that loads nothing from the network, and beside it, as FILE.json,
the results in the T4 format of the auto-tuning community. T4 has one time per configuration: --workload says which.`,
		example: "  darwarp report gemm.db -o gemm.html",
	},
	"export": {
		usage: "export RUN [ID] -o DIR",
		short: "Write a candidate to a self-contained folder, with a bench that proves it",
		long: `export writes the kernel, its launches with every number known, and bench.cu, which needs only the
CUDA toolkit: it checks the kernel against the problem's reference and times it. --as adds further forms beside it.`,
		example: `  darwarp export gemm.db -o fast-gemm
  darwarp export gemm.db -o fast-gemm --as header,torch
  darwarp export gemm.db --portfolio 2 -o fast-gemm`,
	},
	"exchanges": {
		usage: "exchanges RUN [N]",
		short: "The questions to language models and their replies",
		example: `  darwarp exchanges gemm.db
  darwarp exchanges gemm.db 3`,
	},
	"search": {
		usage: "search PROBLEM|DIR|RECORDING",
		short: "Search for a fast kernel; the run is one file",
		long: "search evolves a kernel for a built-in problem or a problem folder, on the GPU; without one,\n" +
			"on the processor if there is a C++ compiler, at sizes that it can emulate. A recording (what\n" +
			"`darwarp bench record` writes) needs neither. Every candidate is checked before it is timed,\n" +
			"and stored in one file at once. Ctrl-C finishes what is in flight and saves; a second Ctrl-C ends at once.",
		example: `  darwarp search gemm
  darwarp search gemm --for 8h --workload 4096 --workload m=128,n=8192,k=8192
  darwarp search ./mykernel --evals 2000 --gene stages=3,4 --store mine.db
  darwarp search --resume mine.db --for 1h
  darwarp search gemm --for 8h --detach`,
	},
	"watch": {
		usage: "watch RUN",
		short: "Follow a live run, or look through a finished one",
		long: `watch opens the view of a run: live, or as it ended. Any number of views may look at one run, and
leaving one leaves the search running. Without a terminal, with --plain and with --json it prints lines.`,
		example: `  darwarp watch night.db
  darwarp watch night.db --replay 30s
  ssh -t host darwarp watch night.db`,
	},
	"runs": {
		usage: "runs",
		short: "Running searches and recent ones",
	},
	"steer": {
		usage: "steer RUN pause|resume|pin ID|unpin ID|kill ID|add|weigh NAME=WEIGHT...|inject FILE",
		short: "Send a command to a running search",
		long: `steer sends a command to a running search, and returns when it is carried out and stored.

  pause, resume          start nothing new; continue. Paused time does not count
  pin ID, unpin ID       keep a candidate among the parents, whatever its rank
  kill ID                stop breeding from a candidate and its descendants
  add                    to the budget: --evals, --for
  weigh NAME=WEIGHT...   give workloads other weights; all scores follow
  inject FILE            evaluate the genes in a TOML or JSON file: family = "...", [genes]`,
		example: `  darwarp steer gemm.db add --for 2h
  darwarp steer gemm.db pin 3fa9c1
  darwarp steer gemm.db weigh 4096=3 decode=1`,
	},
	"stop": {
		usage: "stop RUN",
		short: "End a running search in order, and wait for it",
		long: `stop ends a running search as the end of its budget would: what is in flight is finished and
stored, the winner is measured again. With --now it waits for nothing; the state is that of the
last verdict. A second stop ends the measurement too. The run can be resumed.`,
	},
	"verify": {
		usage: "verify RUN [ID]",
		short: "Gate and measure a candidate again, on this machine",
		long: `verify compiles, checks and times a stored candidate again and prints old and new side by side. It
fails when the candidate is wrong now, or slower by more than both intervals and 2 %. With --races it is run on the
processor instead, access by access, and what it does wrong there is named with its line and threads. With --sanitize
compute-sanitizer watches it on the GPU. With --trial it goes through everything that a champion does, 10,000 judged
launches included, and the run keeps the result, which an export states. With --file nothing is run: every page, record
and index of the run's file is read and compared with the others.`,
		example: `  darwarp verify gemm.db
  darwarp verify gemm.db 3fa2
  darwarp verify gemm.db 3fa2 --races
  darwarp verify gemm.db --trial
  darwarp verify gemm.db --file`,
	},
	"explain": {
		usage: "explain RUN [ID]",
		short: "What each choice of a candidate gains, shape by shape",
		long: "explain takes the winner's genes back to its family's defaults, one at a time, all together, and in pairs\n" +
			"where the single gains do not explain the whole. Each variant duels with the winner at every shape.\n" +
			"The findings are stored in the run; `darwarp show` lists them.",
		example: `  darwarp explain gemm.db
  darwarp explain gemm.db 3fa2 --pairs 30 --json`,
	},
	"portfolio": {
		usage: "portfolio RUN --k K",
		short: "The best K kernels of a run with a dispatcher by shape, measured again",
		long: `portfolio chooses the kernels of a run that are best together when each shape uses the fastest of them.
Likely kernels duel with the champion at every shape, and that decides the choice. The chosen ones then duel
with the best single kernel again: that is the gain that is printed and stored.`,
		example: `  darwarp portfolio gemm.db --k 2
  darwarp export gemm.db --portfolio 2 -o fast-gemm`,
	},
	"new": {
		usage: "new NAME",
		short: "Write a problem folder to start from",
	},
	"check": {
		usage: "check DIR",
		short: "Check a problem folder: its mistakes, or the size of its spaces",
	},
	"gate": {
		usage: "gate",
		short: "Test the gate itself, with cheats and with unusual but honest kernels",
	},
	"gate test": {
		usage: "test",
		short: "Send the built-in cheats and honest kernels through the gate on this device",
	},
	"doctor": {
		usage: "doctor",
		short: "Check this machine: GPU, driver, compiler, disk",
	},
}
