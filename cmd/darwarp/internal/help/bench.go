package help

// benchPages are the pages of the commands under bench.
var benchPages = map[string]Page{
	"bench": {
		Usage: "bench",
		Short: "Record and convert spaces, score strategies on recordings, measure throughput, compare devices",
	},
	"bench agree": {
		Usage: "agree PROBLEM|DIR",
		Short: "Run sampled points on the GPU and on the cpu device, and compare their outputs",
		Long: `agree takes the default and random points of every family's space, runs each on the GPU and on the cpu
device, on the same secret inputs, and compares verdicts and outputs. Differences are given in units of what
the error model allows between one output and the truth. It fails when a verdict differs, or an output by
more than one unit. Nothing is timed.`,
		Example: `  darwarp bench agree gemm --samples 50
  darwarp bench agree ./mykernel --dtype bf16 --workload m=64,n=64,k=64`,
	},
	"bench record": {
		Usage: "record PROBLEM|DIR --out FILE",
		Short: "Evaluate a whole space, or a sample of it, into a recording",
		Long: "record evaluates every point of a space, or a random sample, and writes a recording that `search` and\n" +
			"`bench search` replay without a GPU. It may be interrupted: the same command continues where it stopped.",
		Example: "  darwarp bench record gemm --workload 2048 --points 3000 --out gemm.json.gz",
	},
	"bench fleet": {
		Usage: "fleet PROBLEM|RECORDING",
		Short: "How many verdicts a second a simulated fleet gives through NATS on this machine",
		Long: `fleet opens a search's side of a fleet and joins simulated workers to it, all in one process, over loopback with
TLS. Each worker answers from a recording, and takes as long as a device of the given rate. What is measured is the
queue between them, with the processor time of both sides on one machine. --search measures a search through the fleet,
and one that needs none, as well; with --churn further workers come and go, every other one cut off in its work.`,
		Example: "  darwarp bench fleet gemm --workers 64 --rate 50",
	},
	"bench kernelbench": {
		Usage: "kernelbench DIR",
		Short: "Import, search and measure many modules of PyTorch in a row, in files of KernelBench's format",
		Long: `kernelbench runs every file NAME.py of a folder: it is imported as by "import torch", searched, and its winner is
measured beside torch, eager and compiled, where the device has it. A line says what came of each module, and a table
ends the bench. Whatever a module does, the next one is run. Results are kept in the folder of -o: the same command goes
on where it was interrupted, and tries again what failed. docs/manual/import.md has more.`,
		Example: `  darwarp bench kernelbench level1 --for 2m -o level1-results
  darwarp bench kernelbench level1 --for 2m -o level1-results --gpus all --json`,
	},
	"bench search": {
		Usage: "search RECORDING...",
		Short: "Score the strategies on recordings: how near the optimum after 50, 100, 200, 400 evaluations",
		Long: `search runs every strategy with many seeds on recorded spaces: darwarp's own recordings, Kernel Tuner caches and
T4 results. A cell is optimum over best found: median, (lower quartile), share of searches that found the optimum.
The score goes to the point where random search is expected to be 95 % of the way from the median to the optimum,
by evaluations and by time: 0 is random search, 1 the optimum at once. Marks of other tuners stand beside, where
the space is one that they were run on.`,
		Example: "  darwarp bench search gemm.json.gz --seeds 50 --strategies evolve,random",
	},
	"bench convert": {
		Usage: "convert RECORDING|RUN -o FILE",
		Short: "Rewrite a recording, or what a run measured, for darwarp, Kernel Tuner or T4",
		Long: `convert reads darwarp's recordings, Kernel Tuner caches, T4 results and runs of darwarp (run.db), and writes any of
the first three. Failed configurations stay. Kernel Tuner and T4 have one time per configuration: --workload says which.`,
		Example: `  darwarp bench convert cache.json -o space.json.gz
  darwarp bench convert run.db --to kerneltuner --workload 2048 -o cache.json`,
	},
	"bench space": {
		Usage: "space RECORDING --constraints FILE[:NAME] | space T1FILE",
		Short: "Build the space that another tuner's restrictions allow, and compare it with a recording",
		Long: `space counts the configurations that restrictions allow: Python expressions as Kernel Tuner has them, in a JSON
list, or those of a T1 file. With a recording it also says how many of them were recorded; --list prints them as CSV.`,
		Example: `  darwarp bench space gemm.json.gz --constraints constraints.json:gemm_RTX3090
  darwarp bench space input.t1.json --list > space.csv`,
	},
	"bench throughput": {
		Usage: "throughput PROBLEM|DIR|RECORDING",
		Short: "Evaluations per second on random points, where the time goes, and which points are not right",
		Long: `throughput evaluates random points of all families in turn, none twice. Those that are neither right nor
duplicates are listed with the --gene flags that leave only that point: with them the same command tries
it again. --json lists all of them, with the gate's full messages.`,
		Example: "  darwarp bench throughput attention --workload 8x16x512x64 --points 2000",
	},
	"bench soak": {
		Usage: "soak PROBLEM|DIR",
		Short: "A long search with injected faults, to show that nothing is lost, grows or gets worse",
		Long: `soak searches like any search while it kills workers and plants faults in candidates: half of --faults
each. At the end it compares the events with the stored records, and the last quarter of the time with the
second: memory, open files, goroutines, processes, GPU memory, verdicts per second. Exit code 1 if any check
fails. Random points by default, so that the work is the same from beginning to end.`,
		Example: `  darwarp bench soak gemm --for 8h
  darwarp bench soak gemm --for 20m --faults 10 --workload 512`,
	},
	"bench aa": {
		Usage: "aa PROBLEM|DIR",
		Short: "Duel a kernel with itself: how often the rule promotes a kernel that is not faster",
		Long: `aa lets a random point of the space, which --gene restricts, challenge itself again and
again, by the rule that decides about champions. Exit code 1 if more than 1 % of the duels are won.`,
		Example: "  darwarp bench aa gemm --workload 512 --gene mma=mma_sync,wmma --duels 200",
	},
	"bench llm": {
		Usage: "llm PROBLEM|DIR|RECORDING",
		Short: "Searches with and without language models, and best of N, with equal evaluations",
		Long: `llm runs three kinds of searches with the same seeds and the same number of evaluations: without language models,
with them, and best of N, where models propose from the naive start and nothing is searched. It prints the champions'
speedups and whether the differences are more than chance: the Mann-Whitney U-test, two-sided. --llm-budget bounds
each search, and not all together. Nothing is stored.`,
		Example: "  darwarp bench llm softmax --llm full --llm-model gpt-4.1-mini --evals 200 --runs 5",
	},
}
