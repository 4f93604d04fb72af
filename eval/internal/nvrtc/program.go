package nvrtc

import (
	"fmt"
	"runtime"
	"strings"
	"unsafe"

	"darwarp/eval/internal/dl"
)

// program is one nvrtcProgram.
type program struct {
	c      *Compiler
	handle uintptr
}

func (c *Compiler) newProgram(src, name string) (*program, error) {
	csrc, err := dl.CString(src)
	if err != nil {
		return nil, &CompileError{Log: "error: source: " + err.Error()}
	}
	cname, err := dl.CString(name)
	if err != nil {
		return nil, fmt.Errorf("program name: %w", err)
	}
	p := &program{c: c}
	r := c.p.Create.Call(uintptr(unsafe.Pointer(&p.handle)), uintptr(unsafe.Pointer(&csrc[0])),
		uintptr(unsafe.Pointer(&cname[0])), 0, 0, 0)
	return p, c.check(c.p.Create, r)
}

func (p *program) destroy() { p.c.p.Destroy.Call(uintptr(unsafe.Pointer(&p.handle))) }

func (p *program) compile(opts []string) (log string, err error) {
	list := make([]*byte, len(opts)+1) // one more, so that an empty list has a first element
	for i, o := range opts {
		text, err := dl.CString(o)
		if err != nil {
			return "", fmt.Errorf("option %q: %w", o, err)
		}
		list[i] = &text[0]
	}
	r := p.c.p.Compile.Call(p.handle, uintptr(len(opts)), uintptr(unsafe.Pointer(&list[0])))
	runtime.KeepAlive(list)
	text, err := p.bytes(p.c.p.LogSize, p.c.p.Log)
	if err != nil {
		return "", err
	}
	log = dl.Trim(text)
	switch r {
	case 0:
		return log, nil
	case resultCompilation:
		return log, &CompileError{Log: log}
	}
	return log, fmt.Errorf("%w: %s", p.c.check(p.c.p.Compile, r), strings.TrimSpace(log))
}

func (p *program) cubin() ([]byte, error) {
	image, err := p.bytes(p.c.p.CubinSize, p.c.p.Cubin)
	if err == nil && len(image) == 0 {
		err = fmt.Errorf("NVRTC made no machine code: --gpu-architecture must be of the form sm_90, not compute_90")
	}
	return image, err
}

// bytes reads a result through NVRTC's pairs of functions for its size and its content.
func (p *program) bytes(size, content dl.Proc) ([]byte, error) {
	var n uint64
	if err := p.c.check(size, size.Call(p.handle, uintptr(unsafe.Pointer(&n)))); err != nil || n == 0 {
		return nil, err
	}
	buf := make([]byte, n)
	return buf, p.c.check(content, content.Call(p.handle, uintptr(unsafe.Pointer(&buf[0]))))
}

// growPCHHeap enlarges the heap for parsed headers if this program's did not fit, and reports
// whether it did. The heap belongs to the process.
func (p *program) growPCHHeap() bool {
	if p.c.p.PCHCreateStatus.Call(p.handle) != resultPCHHeapExhausted {
		return false
	}
	var need uint64
	if p.c.p.PCHHeapSizeRequired.Call(p.handle, uintptr(unsafe.Pointer(&need))) != 0 {
		return false
	}
	return p.c.p.SetPCHHeapSize.Call(uintptr(need)) == 0
}
