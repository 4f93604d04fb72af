// Package emu holds the emulation side of the cpu device: headers with which a C++ compiler takes the very
// text that NVRTC takes, and the runtime that such a program is linked with.
//
// A program is made of three things: the prelude (Prefix), which may be precompiled; the source, after it;
// and the object of Runtime. Source names declared as extern __shared__ are bound by LinkOptions. What comes
// out is a shared object with dw_run and dw_abi (cxx/runtime/abi.h), which needs no other library than
// the compiler's own.
package emu

import (
	"embed"
	"io/fs"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

//go:embed all:cxx
var files embed.FS

// Prefix is what stands before every source. Include paths are the folder of Files first, then that of the
// device include library.
const Prefix = "#include <dw/prelude.h>\n"

// Runtime is the source, among Files, of the object that every program is linked with. It is the same for
// fast and checked programs, and must not be compiled with CheckedOptions.
const Runtime = "runtime.cpp"

// Files returns the headers and the runtime by the name that an include path gives them.
func Files() map[string][]byte {
	out := map[string][]byte{}
	err := fs.WalkDir(files, "cxx", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := files.ReadFile(path)
		out[strings.TrimPrefix(path, "cxx/")] = data
		return err
	})
	if err != nil { // the files are inside the binary
		panic(err)
	}
	return out
}

// Options are the compiler's for prelude, source and runtime alike; clang tells which compiler it is.
//
// Type punning is the custom in device code (-fno-strict-aliasing). A rounding that a source asks for is
// done, and no other (-ffp-contract=off). Shared memory is thread-local: the two -f and -m options on it
// make that cheap. Unique symbols would keep a program loaded for ever. Short loops are unrolled, as
// #pragma unroll asks, which g++ does not understand.
func Options(clang bool) []string {
	opts := []string{"-std=c++17", "-O2", "-fPIC", "-fvisibility=hidden", "-fno-strict-aliasing", "-ffp-contract=off"}
	switch runtime.GOARCH {
	case "amd64":
		opts = append(opts, "-march=native")
		if !clang {
			opts = append(opts, "-mtls-dialect=gnu2")
		}
	case "arm64":
		opts = append(opts, "-mcpu=native")
	}
	if !clang {
		opts = append(opts, "-fno-extern-tls-init", "-fno-gnu-unique", "-fpeel-loops", "-Wno-unknown-pragmas")
	}
	return opts
}

// CheckedOptions are added for prelude and source of a program whose every access is checked (dw_options'
// races and counters): the compiler calls the runtime's hooks, leaves a 16-byte access in one piece, and says what line
// an address is of. A recent
// compiler (g++ 12, clang 16) fills local variables with a pattern, as registers start with anything, and tells
// volatile accesses from others, without which races between blocks are not looked for.
func CheckedOptions(clang, recent bool) []string {
	opts := []string{"-g", "-fsanitize=thread"}
	if !clang {
		opts = append(opts, "-fno-tree-sra")
	}
	if !recent {
		return opts
	}
	opts = append(opts, "-ftrivial-auto-var-init=pattern", "-DDW_VOLATILE")
	if clang {
		return append(opts, "-mllvm", "-tsan-distinguish-volatile=1")
	}
	return append(opts, "--param", "tsan-distinguish-volatile=1")
}

// dynamicShared finds the names that a source declares as extern __shared__ arrays.
var dynamicShared = regexp.MustCompile(
	`\bextern\s+__shared__\s+[^;{}]*?\b(\w+)\s*\[\s*\]\s*(?:__align__\s*\(\s*\d+\s*\)\s*)?;`)

var comment = regexp.MustCompile(`//[^\n]*|/\*(?s:.*?)\*/`)

// DynamicShared lists the names that a source declares as extern __shared__ arrays, sorted.
func DynamicShared(source string) []string {
	var names []string
	for _, m := range dynamicShared.FindAllStringSubmatch(comment.ReplaceAllString(source, " "), -1) {
		names = append(names, m[1])
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// LinkOptions bind the dynamic shared memory of a source: all its names mean the one array of the runtime,
// as they mean one address on a GPU. Of the last options one makes __constant__ variables read-only, the other
// makes a name that nobody has an error of the link.
func LinkOptions(source string) []string {
	var opts []string
	for _, name := range DynamicShared(source) {
		opts = append(opts, "-Wl,--defsym="+name+"=dw_dynamic_shared")
	}
	return append(opts, "-Wl,-z,relro", "-Wl,-z,defs")
}
