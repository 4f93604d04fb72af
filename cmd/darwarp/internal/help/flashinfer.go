package help

// flashinferPages are those of what is imported from FlashInfer-Bench.
var flashinferPages = map[string]Page{
	"import flashinfer": {
		Usage: "flashinfer DEFINITION.json",
		Short: "A problem folder from a definition of FlashInfer-Bench, or a line that says why not",
		Long: `flashinfer reads a definition of op_type gemm or rmsnorm. The folder is the built-in problem with the definition's
name, type, sizes and epsilon. A reference that says anything else is refused. --as flashinfer exports the winner.`,
		Example: `  darwarp import flashinfer gemm_n4096_k4096.json --workloads gemm_n4096_k4096.jsonl`,
	},
}
