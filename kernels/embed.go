package kernels

import "embed"

// Problems holds the built-in problem folders: NAME/problem.toml and NAME/reference.cu.
//
//go:embed all:attention all:bias_gelu_residual all:gemm all:layernorm all:reduction all:rmsnorm all:softmax all:transpose
var Problems embed.FS
