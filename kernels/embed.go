package kernels

import "embed"

// Problems holds the built-in problem folders: NAME/problem.toml and NAME/reference.cu.
//
//go:embed all:attention all:gemm
var Problems embed.FS
