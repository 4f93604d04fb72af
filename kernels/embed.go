package kernels

import "embed"

// Problems holds the built-in problem folders: NAME/problem.toml and NAME/reference.cu.
//
//go:embed all:attention
//go:embed all:attention_backward
//go:embed all:bias_gelu_residual
//go:embed all:decode
//go:embed all:decode_fp8
//go:embed all:decode_mla
//go:embed all:gemm
//go:embed all:gemm_accumulate
//go:embed all:gemm_batched
//go:embed all:gemm_fp8
//go:embed all:gemm_grouped
//go:embed all:gemm_grouped_fp8
//go:embed all:gemm_mxfp4
//go:embed all:gemm_nn
//go:embed all:gemm_quantised
//go:embed all:gemm_tn
//go:embed all:gemm_tt
//go:embed all:gemm_w4a16
//go:embed all:layernorm
//go:embed all:linear_gelu
//go:embed all:prefill
//go:embed all:reduction
//go:embed all:rmsnorm
//go:embed all:softmax
//go:embed all:swiglu
//go:embed all:transpose
var Problems embed.FS
