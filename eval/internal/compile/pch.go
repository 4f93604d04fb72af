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
	pchUnfit   = "629,630" // warnings that a precompiled header does not fit a source
	heapIsFull = "unable to obtain mapped memory"
)

// head is what sources begin with, for which there is a precompiled header each.
type head struct {
	hopper bool // hopperHead, else what every template starts with
	lean   bool // with stubs
}

func headOf(source string) head { return head{strings.HasPrefix(source, hopperHead), lean(source)} }

// file is the name of the precompiled header.
func (h head) file() string {
	name := "common"
	if h.hopper {
		name = "hopper"
	}
	if h.lean {
		name += "-lean"
	}
	return name + ".pch"
}

// ready is a program that begins so.
func (h head) ready() string {
	if h.hopper {
		return hopperHead + readyKernel
	}
	return "#include <" + preamble + ">\n" + readyKernel
}

// hopperHead is how the sources of the families for Hopper begin. To parse its second header takes a third of what
// everything else takes that does not depend on the source.
const hopperHead = "#include <" + preamble + ">\n#include <darwarp/wgmma.cuh>\n"

// prepare makes the precompiled header that most sources use, or says why there are none. They are made and used by
// name: the automatic mode would store another one for every new sequence of directives at the top of a candidate.
func (s *server) prepare() (whyNot string) {
	if !s.PCH {
		return ""
	}
	s.pch = map[head]bool{}
	if s.PCH = s.compiler.HasPCH(); !s.PCH {
		return "this NVRTC is older than 12.8"
	}
	if s.precompile(head{lean: true}) == "" {
		return ""
	}
	whyNot = s.precompile(head{})
	s.PCH = whyNot == ""
	return whyNot
}

// precompile makes the precompiled header of a head.
func (s *server) precompile(h head) (whyNot string) {
	_, err := s.compiler.Compile(h.ready(), sourceName,
		slices.Concat(s.options(h), s.pchOptions(), []string{"--create-pch=" + h.file()}))
	if _, statErr := os.Stat(filepath.Join(pchDir(s.folder), h.file())); err == nil {
		err = statErr
	}
	if s.pch[h] = err == nil; err != nil {
		return err.Error()
	}
	return ""
}

// parsed is the head whose precompiled header serves sources of a head, if there is one. It is made when the first of
// them needs it.
func (s *server) parsed(h head) (head, bool) {
	for _, h := range []head{h, {hopper: h.hopper}, {lean: h.lean}, {}} {
		if _, tried := s.pch[h]; s.PCH && !tried {
			s.precompile(h) // without it the source is compiled all the same
		}
		if s.PCH && s.pch[h] {
			return h, true
		}
	}
	return head{}, false
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
	if level := Assembler(source); level != "" {
		more = append(slices.Clone(more), "--ptxas-options="+level)
	}
	h := headOf(source)
	out, err := s.headed(source, h, more)
	if h.lean && err != nil && missed(out.Log) {
		h.lean = false
		out, err = s.headed(source, h, more)
	}
	if err != nil && strings.Contains(out.Log, heapIsFull) {
		return s.compiler.Compile(source, sourceName, slices.Concat(s.options(head{}), more))
	}
	return out, err
}

// headed compiles with the precompiled header that serves a head.
func (s *server) headed(source string, h head, more []string) (nvrtc.Output, error) {
	h, ok := s.parsed(h)
	opts := slices.Concat(s.options(h), more)
	if ok {
		opts = slices.Concat(opts, s.pchOptions(), []string{"--use-pch=" + h.file()})
	}
	return s.compiler.Compile(source, sourceName, opts)
}
