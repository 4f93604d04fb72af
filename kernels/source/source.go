// Package source reads CUDA C++ that is to be device code and nothing else: what one compiler makes of it every
// compiler must make of it, and none may make code of the host of it. A search judges a source with NVRTC; an export is
// built by nvcc, whose host compiler sees the same text outside of every fence.
//
// The rules are narrower than the language. A source has no conditional on what it does not define itself, so that its
// tokens are the same everywhere; and each of its declarations says that it is for the device, or is evaluated when it
// is compiled (constexpr), or is a type.
package source

import "fmt"

// Headers are those of CUDA that a source may include; the others are of the device library.
var Headers = []string{"cuda_fp16.h", "cuda_bf16.h", "cuda_fp8.h", "mma.h"}

// Source is what a source consists of, after its macros are expanded.
type Source struct {
	Includes []string // headers, each once, in order
	Macros   []string // that it defines
	Kernels  []string // functions that are __global__, each once

	Signatures map[string]Signature // of these, by name
}

// Error is why a source is refused.
type Error struct {
	Line int // from 1
	Why  string
}

func (e *Error) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Why) }

func refuse(line int, format string, args ...any) *Error {
	return &Error{line, fmt.Sprintf(format, args...)}
}

// Read reads a source; an *Error says why it is refused.
func Read(text string) (*Source, error) {
	tokens, err := lex(text)
	if err != nil {
		return nil, err
	}
	p := preprocessor{macros: map[string]*macro{}, out: &Source{Signatures: map[string]Signature{}}}
	expanded, err := p.run(tokens)
	if err != nil {
		return nil, err
	}
	d, err := newDeclarations(expanded, p.out)
	if err != nil {
		return nil, err
	}
	if err := d.list(0, len(expanded), ""); err != nil {
		return nil, err
	}
	return p.out, nil
}

// Check is the message to a source's author, or empty.
func Check(text string) string {
	if _, err := Read(text); err != nil {
		return err.Error()
	}
	return ""
}
