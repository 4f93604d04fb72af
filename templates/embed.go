package templates

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"sort"
	"sync"
)

// families holds the built-in families, one folder per problem.
//
//go:embed all:attention
//go:embed all:attention_backward
//go:embed all:batched
//go:embed all:bias_gelu_residual
//go:embed all:cached
//go:embed all:decode
//go:embed all:decode_fp8
//go:embed all:decode_mla
//go:embed all:fourbit
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
var families embed.FS

// include holds the device include library, all that a candidate may include besides CUDA's own headers.
//
//go:embed all:include
var include embed.FS

// Include returns the device include library by the name a source includes it by: "darwarp/mma.cuh".
func Include() map[string][]byte {
	out := map[string][]byte{}
	err := fs.WalkDir(include, "include", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := include.ReadFile(p)
		out[p[len("include/"):]] = data
		return err
	})
	if err != nil { // the files are inside the binary
		panic(err)
	}
	return out
}

// IncludeHash names the state of the include library: it is part of every candidate's identity.
func IncludeHash() string { return includeHash() }

var includeHash = sync.OnceValue(func() string { return hashFiles(Include()) })

func hashFiles(files map[string][]byte) string {
	names := make([]string, 0, len(files))
	for n := range files {
		names = append(names, n)
	}
	sort.Strings(names)
	h := sha256.New()
	for _, n := range names {
		fmt.Fprintf(h, "%s %d\n", path.Clean(n), len(files[n]))
		h.Write(files[n])
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
