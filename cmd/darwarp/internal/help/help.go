// Package help holds what the help says about each command, as data.
package help

import "maps"

// Page is what the help says about a command. The usage line also tells how many arguments the command takes.
type Page struct{ Usage, Short, Long, Example string }

// Pages are all pages, by the command's path below darwarp.
var Pages = merged(flashinferPages, pages, benchPages)

func merged(all ...map[string]Page) map[string]Page {
	out := map[string]Page{}
	for _, m := range all {
		maps.Copy(out, m)
	}
	return out
}

// pages are those of the commands but bench. They stand in one place so that whoever changes
// one sees how the others put it.
var pages = map[string]Page{
	"list": {
		Usage: "list [PROBLEM|DIR]",
		Short: "Problems, families, genes, size of each space",
		Example: `  darwarp list
  darwarp list gemm --arch sm_90a`,
	},
	"top": {
		Usage: "top RUN",
		Short: "The best candidates of a run, or the outcomes of all",
		Example: `  darwarp top gemm.db -n 5
  darwarp top gemm.db --shapes -n 3
  darwarp top gemm.db --all`,
	},
	"show": {
		Usage: "show RUN [ID]",
		Short: "One candidate: genes, origin, resources, evidence, times, source",
		Long: `Wherever a candidate is named, ID is the first digits of its ID, or best: the champion, which is also meant
where no ID is given. lowest-score is the candidate with the lowest score of one timing, champion or not.`,
		Example: `  darwarp show gemm.db
  darwarp show gemm.db 3fa2 --source`,
	},
	"diff": {
		Usage:   "diff RUN ID ID",
		Short:   "What differs between two candidates: genes, figures, source",
		Example: "  darwarp diff gemm.db 3fa2 best",
	},
	"lineage": {
		Usage:   "lineage RUN [ID]",
		Short:   "The path to a candidate from the start: what each step changed and gained",
		Example: "  darwarp lineage gemm.db",
	},
	"report": {
		Usage: "report RUN... -o FILE.html",
		Short: "Runs as one HTML page: charts, tables, source, provenance; T4 results beside it",
		Long: `report writes one self-contained HTML file that loads nothing from the network, and beside it, as FILE.json,
the results in the T4 format of the auto-tuning community. T4 has one time per configuration: --workload says which.
Several runs are compared on one page, with a section each; their results are FILE-1.json, FILE-2.json ...`,
		Example: `  darwarp report gemm.db -o gemm.html
  darwarp report tuesday.db wednesday.db -o both.html`,
	},
	"export": {
		Usage: "export RUN [ID] -o DIR",
		Short: "Write a candidate to a self-contained folder, with a bench that proves it",
		Long: `export writes the kernel, its launches with every number known, and bench.cu, which needs only the
CUDA toolkit: it checks the kernel against the problem's reference and times it. --as adds further forms beside it.`,
		Example: `  darwarp export gemm.db -o fast-gemm
  darwarp export gemm.db -o fast-gemm --as header,torch
  darwarp export gemm.db --portfolio 2 -o fast-gemm`,
	},
	"exchanges": {
		Usage: "exchanges RUN [N]",
		Short: "The questions to language models and their replies",
		Example: `  darwarp exchanges gemm.db
  darwarp exchanges gemm.db 3`,
	},
	"search": {
		Usage: "search PROBLEM|DIR|RECORDING",
		Short: "Search for a fast kernel; the run is one file",
		Long: "search evolves a kernel for a built-in problem or a problem folder, on the GPUs; without one,\n" +
			"on the processor if there is a C++ compiler, at sizes that it can emulate. A recording (what\n" +
			"`darwarp bench record` writes) needs neither. Every candidate is checked before it is timed,\n" +
			"and stored in one file at once. Ctrl-C finishes what is in flight and saves; a second Ctrl-C ends at once.",
		Example: `  darwarp search gemm
  darwarp search gemm --for 8h --workload 4096 --workload m=128,n=8192,k=8192
  darwarp search ./mykernel --evals 2000 --gene stages=3,4 --store mine.db
  darwarp search --resume mine.db --for 1h
  darwarp search gemm --for 8h --detach
  darwarp search gemm --for 8h --fleet :4222
  darwarp search gemm --for 8h --fleet nats://cluster:4222 --fleet-creds me.creds`,
	},
	"watch": {
		Usage: "watch RUN",
		Short: "Follow a live run, or look through a finished one",
		Long: `watch opens the view of a run: live, or as it ended. Any number of views may look at one run, and
leaving one leaves the search running. Without a terminal, with --plain and with --json it prints lines.`,
		Example: `  darwarp watch night.db
  darwarp watch night.db --replay 30s
  ssh -t host darwarp watch night.db`,
	},
	"join": {
		Usage: "join URL",
		Short: "Work for a search on another machine, with this one's GPUs",
		Long: `join takes candidates from a search that was started with --fleet, which prints the URL and the token's
place. It opens what the search is about on this machine's devices, tests its gate, and works until the search ends.
It dials out: nothing has to reach this machine. Ctrl-C finishes what is in flight and leaves. With --compile-only it
needs NVRTC and no GPU, and compiles for those of the others.`,
		Example: `  darwarp join nats://host:4222/FINGERPRINT --token-file token
  darwarp join nats://host:4222/FINGERPRINT --token-file token --gpus 0,2
  darwarp join nats://cluster:4222/ID --creds worker.creds
  darwarp join nats://host:4222/FINGERPRINT --token-file token --compile-only`,
	},
	"fleet": {
		Usage: "fleet",
		Short: "The workers of a search with --fleet, or of several: who is there, and who is to leave",
	},
	"fleet serve": {
		Usage: "serve DIR",
		Short: "Keep workers for several searches, of several users",
		Long: `serve runs a server that searches and workers dial out to, and prints the lines for both. Every search has as many
workers as any other, or one less; a worker works for one search at a time. Where there are more searches than workers,
a search waits in line, says so, and gets its turn. Keys and tokens are in DIR. Ctrl-C ends it; searches and workers
wait for it to be started again.`,
		Example: `  darwarp fleet serve pool --listen :4222
  darwarp join nats://host:4222/FINGERPRINT --token-file pool/token
  darwarp search gemm --for 1h --fleet nats://host:4222/FINGERPRINT --fleet-token-file pool/searches`,
	},
	"fleet status": {
		Usage:   "status RUN",
		Short:   "Who works for a search, at what, and how much",
		Example: "  darwarp fleet status night.db",
	},
	"fleet drain": {
		Usage:   "drain RUN WORKER",
		Short:   "Have a worker finish what it does, and leave",
		Example: "  darwarp fleet drain night.db node7-4xk2qd",
	},
	"runs": {
		Usage: "runs",
		Short: "Running searches and recent ones",
	},
	"steer": {
		Usage: "steer RUN pause|resume|pin ID|unpin ID|kill ID|add|weigh NAME=WEIGHT...|inject FILE",
		Short: "Send a command to a running search",
		Long: `steer sends a command to a running search, and returns when it is carried out and stored.

  pause, resume          start nothing new; continue. Paused time does not count
  pin ID, unpin ID       keep a candidate among the parents, whatever its rank
  kill ID                stop breeding from a candidate and its descendants
  add                    to the budget: --evals, --for
  weigh NAME=WEIGHT...   give workloads other weights; all scores follow
  inject FILE            evaluate the genes in a TOML or JSON file: family = "...", [genes]`,
		Example: `  darwarp steer gemm.db add --for 2h
  darwarp steer gemm.db pin 3fa9c1
  darwarp steer gemm.db weigh 4096=3 decode=1`,
	},
	"stop": {
		Usage: "stop RUN",
		Short: "End a running search in order, and wait for it",
		Long: `stop ends a running search as the end of its budget would: what is in flight is finished and
stored, the winner is measured again. With --now it waits for nothing; the state is that of the
last verdict. A second stop ends the measurement too. The run can be resumed.`,
	},
	"verify": {
		Usage: "verify RUN [ID]",
		Short: "Gate and measure a candidate again, on this machine",
		Long: `verify compiles, checks and times a stored candidate again and prints old and new side by side. It
fails when the candidate is wrong now, or slower by more than both intervals and 2 %. With --races it is run on the
processor instead, access by access, and what it does wrong there is named with its line and threads. With --sanitize
compute-sanitizer watches it on the GPU. With --trial it goes through everything that a champion does, 10,000 judged
launches included, and the run keeps the result, which an export states. With --file nothing is run: every page, record
and index of the run's file is read and compared with the others.`,
		Example: `  darwarp verify gemm.db
  darwarp verify gemm.db 3fa2
  darwarp verify gemm.db 3fa2 --races
  darwarp verify gemm.db --trial
  darwarp verify gemm.db --file`,
	},
	"explain": {
		Usage: "explain RUN [ID]",
		Short: "What each choice of a candidate gains, shape by shape",
		Long: "explain takes the winner's genes back to its family's defaults, one at a time, all together, and in pairs\n" +
			"where the single gains do not explain the whole. Each variant duels with the winner at every shape.\n" +
			"The findings are stored in the run; `darwarp show` lists them. What is faster than the champion becomes a\n" +
			"candidate of the run and challenges it.",
		Example: `  darwarp explain gemm.db
  darwarp explain gemm.db 3fa2 --pairs 30 --json`,
	},
	"portfolio": {
		Usage: "portfolio RUN --k K",
		Short: "The best K kernels of a run with a dispatcher by shape, measured again",
		Long: `portfolio chooses the kernels of a run that are best together when each shape uses the fastest of them.
Likely kernels duel with the champion at every shape, and that decides the choice. The chosen ones then duel
with the best single kernel again: that is the gain that is printed and stored.`,
		Example: `  darwarp portfolio gemm.db --k 2
  darwarp export gemm.db --portfolio 2 -o fast-gemm`,
	},
	"new": {
		Usage: "new NAME",
		Short: "Write a problem folder to start from",
		Long: `new writes a folder with a small problem, every file explained. With --from it copies another problem with all
of its families under the new name: a built-in one, or a folder.`,
		Example: `  darwarp new mykernel
  darwarp new mygemm --from gemm`,
	},
	"check": {
		Usage: "check DIR",
		Short: "Check a problem folder: its mistakes, or the size of its spaces",
		Long: `check tells all mistakes of all files, each once, with file and line or key. It compiles the reference and one
point of each family with NVRTC, or with the C++ compiler of the cpu device; without either it says so. No GPU is needed.
The exit code is 2 if a search would not work.`,
	},
	"import": {
		Usage: "import",
		Short: "Make a problem folder of a module of PyTorch, or of a definition of FlashInfer-Bench",
	},
	"import torch": {
		Usage: "torch FILE",
		Short: "A problem folder from a module of PyTorch, or a line that says why not",
		Long: `torch reads a file with a torch.nn.Module and get_inputs(), which returns the arguments of forward, as KernelBench has
them. The file runs in the sandbox, in the python3 that has torch (DARWARP_PYTHON names another). Inputs, parameters and
buffers become tensors, the file's sizes dims. Before the folder is written, its reference kernel has given what the module
gives in fp64. Where no family takes the module, the folder has none: the module itself tells the truth of kernels that
you write. docs/manual/import.md says what is taken.`,
		Example: `  darwarp import torch model.py -o relu_norm
  darwarp import torch model.py -o small --class Block --dims batch_size=512,dim=1024 --eval`,
	},
	"gate": {
		Usage: "gate",
		Short: "Test the gate itself, with cheats and with unusual but honest kernels",
	},
	"gate test": {
		Usage: "test",
		Short: "Send the built-in cheats and honest kernels through the gate on this device",
	},
	"doctor": {
		Usage: "doctor",
		Short: "Check this machine: GPU, driver, compiler, disk",
	},
	"version": {
		Usage: "version",
		Short: "Tag, commit and date of this program",
	},
}
