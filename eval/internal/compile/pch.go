package compile

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"darwarp/eval/internal/nvrtc"
	"darwarp/eval/internal/proc"
)

const (
	commonPCH  = "common.pch" // of what every template starts with
	hopperPCH  = "hopper.pch" // of that and hopperHead
	pchUnfit   = "629,630"    // warnings that a precompiled header does not fit a source
	heapIsFull = "unable to obtain mapped memory"
)

// hopperHead is how the sources of the families for Hopper begin. To parse its second header takes a third of what
// everything else takes that does not depend on the source.
const hopperHead = "#include <" + preamble + ">\n#include <darwarp/wgmma.cuh>\n"

// prepare makes the precompiled header that all sources use. It is made and used by name: the automatic mode would
// store another one for every new sequence of directives at the top of a candidate.
func (s *server) prepare(source string) (whyNot string) {
	s.pch = map[string]bool{}
	if !s.PCH {
		return ""
	}
	if !s.compiler.HasPCH() {
		return "this NVRTC is older than 12.8"
	}
	return s.precompile(commonPCH, source)
}

// precompile makes a precompiled header of those at the top of a source.
func (s *server) precompile(name, source string) (whyNot string) {
	_, err := s.compiler.Compile(source, sourceName,
		slices.Concat(s.options(), s.pchOptions(), []string{"--create-pch=" + name}))
	if _, statErr := os.Stat(filepath.Join(pchDir(s.folder), name)); err == nil {
		err = statErr
	}
	if s.pch[name] = err == nil; err != nil {
		return err.Error()
	}
	return ""
}

// parsed is the precompiled header for a source, empty: none. That for Hopper is made when the first source needs it.
func (s *server) parsed(source string) string {
	if !s.pch[commonPCH] {
		return ""
	}
	if strings.HasPrefix(source, hopperHead) {
		if _, tried := s.pch[hopperPCH]; !tried {
			s.precompile(hopperPCH, hopperHead+readyKernel) // without it the source is compiled all the same
		}
		if s.pch[hopperPCH] {
			return hopperPCH
		}
	}
	return commonPCH
}

// Wake starts the compilers that were not needed yet, beside whatever else is done, and has them parse what sources
// include, those for Hopper as well if they are to come. Else the first candidates of a search wait for that, all at
// once.
func (p *Pool) Wake(hopper bool) {
	first := readySource(p.cfg.Headers)
	if hopper {
		first = hopperHead + readyKernel
	}
	p.workers.Wake(func(w *proc.Worker) { // one that this ends is replaced when it is needed
		_ = w.Call(context.Background(), &request{Source: first}, &response{}, readyTimeout, nil)
	})
}

// pchOptions are those with which a precompiled header is made and used; NVRTC compares them.
func (s *server) pchOptions() []string {
	return []string{"--pch-dir=" + pchDir(s.folder), "--pch-messages=false", "--diag-suppress=" + pchUnfit}
}

// translate compiles, with precompiled headers if there are any. With them, NVRTC keeps what it parses in a heap of
// fixed size; the rare source that needs more is compiled without them.
func (s *server) translate(source string, more ...string) (nvrtc.Output, error) {
	opts := append(s.options(), more...)
	if level := Assembler(source); level != "" {
		opts = append(opts, "--ptxas-options="+level)
	}
	headers := s.parsed(source)
	if headers == "" {
		return s.compiler.Compile(source, sourceName, opts)
	}
	out, err := s.compiler.Compile(source, sourceName,
		slices.Concat(opts, s.pchOptions(), []string{"--use-pch=" + headers}))
	if err != nil && strings.Contains(out.Log, heapIsFull) {
		return s.compiler.Compile(source, sourceName, opts)
	}
	return out, err
}
