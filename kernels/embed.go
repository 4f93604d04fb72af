package kernels

import "embed"

// Problems holds the built-in problem folders: NAME/problem.toml and NAME/reference.cu.
//
//go:embed all:gemm all:layernorm all:rmsnorm all:softmax
var Problems embed.FS
