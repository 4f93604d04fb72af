// Package checking has a compiler try the sources of a problem folder, and says where in the folder it found mistakes.
package checking

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"darwarp/kernels"
	"darwarp/templates"
)

// Compiler compiles a source, as eval.Compilers does.
type Compiler interface {
	// Name is empty where there is no compiler.
	Name() string
	Compile(ctx context.Context, arch, source string) (failure string, unsupported bool, err error)
}

// anyArch is for which a source is compiled that is for none: the least that families have.
const anyArch = "sm_80"

// Result is what compilers said of a folder.
type Result struct {
	Mistakes kernels.Mistakes // each once
	Compiled int              // units without a mistake
	Notes    []string         // what was not compiled, and why; a line each
}

// Compile compiles each unit, one after the other.
func Compile(ctx context.Context, c Compiler, units []templates.Unit) (r Result) {
	if len(units) == 0 {
		return r
	}
	if c.Name() == "" {
		r.Notes = []string{"nothing was compiled: there is no NVRTC and no C++ compiler here (darwarp doctor says more)"}
		return r
	}
	for _, u := range units {
		arch := u.Arch
		if arch == "" {
			arch = anyArch
		}
		failure, unsupported, err := c.Compile(ctx, arch, u.Source)
		switch {
		case err != nil:
			r.Notes = append(r.Notes, "not compiled: "+oneLine(err.Error()))
			return r
		case unsupported:
			r.Notes = append(r.Notes, fmt.Sprintf("%s was not compiled: %s cannot: %s", u.File, c.Name(), oneLine(failure)))
		case failure != "":
			r.add(read(u, failure))
		default:
			r.Compiled++
		}
	}
	return r
}

func (r *Result) add(ms kernels.Mistakes) {
	for _, m := range ms {
		same := func(o kernels.Mistake) bool { return o.Error() == m.Error() }
		if !slices.ContainsFunc(r.Mistakes, same) {
			r.Mistakes = append(r.Mistakes, m)
		}
	}
}

// message is an error of NVRTC, candidate.cu(12): error: ..., or of g++ and clang++, candidate.cu:12:5: error: ...
var message = regexp.MustCompile(`^candidate\.cu(?:\((\d+)\)|:(\d+)(?::\d+)?)?: (?:(?:catastrophic|fatal) )?error` +
	`(?: #[\w-]+)?: (.*)$`)

// read finds the errors in a compiler's text, with their places in the folder; if there is none, its first line.
func read(u templates.Unit, failure string) (ms kernels.Mistakes) {
	for line := range strings.SplitSeq(failure, "\n") {
		m := message.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		where := u.File
		if n, err := strconv.Atoi(m[1] + m[2]); err == nil {
			where = u.Locate(n)
		}
		ms = append(ms, kernels.Mistake{File: where, Err: errors.New(m[3])})
	}
	if len(ms) == 0 {
		ms = kernels.Mistakes{{File: u.File, Err: errors.New(oneLine(failure))}}
	}
	return ms
}

func oneLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
