package compile

import (
	"regexp"
	"strings"
)

// stubs stand in place of CUDA's headers that the include library includes for the few sources that use them. For each
// source NVRTC takes time for every entity of a header, also of those that it has parsed before.
var stubs = map[string][]byte{
	"mma.h":      nil,
	"cuda_fp8.h": []byte("struct __nv_fp8_e4m3;\nstruct __nv_fp8_e5m2;\n"),
}

// leanOptions leave out textures, surfaces and the CUDA runtime as well.
var leanOptions = []string{"--minimal"}

// leftOut finds names that begin or continue like those in the headers behind the stubs and in what --minimal leaves
// out. A name that is put together, or broken at the end of a line, would not be seen: it finds the means for that.
var leftOut = regexp.MustCompile(`(?i)nvcuda|fp8|e[458]m[0-3]|` +
	`__(?:nv_(?:cvt|e\d|no|sat|sil)|internal|cuda|def|undef)|` +
	`\bcuda[a-z]|tex(?:\dd|cube|ture|ref)|_i?tex|surf|##|%:|\?\?|\\\s*\n`)

// lean reports whether a source is compiled with the stubs. Its machine code is the same without them, for it names
// nothing of what is left out; where it needs some of it nevertheless, it does not compile, and is compiled again.
func lean(source string) bool { return !leftOut.MatchString(source) }

// missed reports whether the front end refused a program, perhaps for what was left out.
func missed(log string) bool { return strings.Contains(log, "): error:") }
