// Package cublaslt runs cuBLASLt's matrix products as the baseline to beat, opened at run time.
package cublaslt

import (
	"fmt"
	"unsafe"

	"darwarp/eval/internal/dl"
)

// procs are the functions of cublasLt.h.
type procs struct {
	StatusName    dl.Proc `c:"cublasLtGetStatusName"`
	Version       dl.Proc `c:"cublasLtGetVersion"`
	Create        dl.Proc `c:"cublasLtCreate"`
	Destroy       dl.Proc `c:"cublasLtDestroy"`
	DescCreate    dl.Proc `c:"cublasLtMatmulDescCreate"`
	DescDestroy   dl.Proc `c:"cublasLtMatmulDescDestroy"`
	DescSet       dl.Proc `c:"cublasLtMatmulDescSetAttribute"`
	LayoutCreate  dl.Proc `c:"cublasLtMatrixLayoutCreate"`
	LayoutDestroy dl.Proc `c:"cublasLtMatrixLayoutDestroy"`
	PrefCreate    dl.Proc `c:"cublasLtMatmulPreferenceCreate"`
	PrefDestroy   dl.Proc `c:"cublasLtMatmulPreferenceDestroy"`
	PrefSet       dl.Proc `c:"cublasLtMatmulPreferenceSetAttribute"`
	AlgoHeuristic dl.Proc `c:"cublasLtMatmulAlgoGetHeuristic"`
	AlgoConfigGet dl.Proc `c:"cublasLtMatmulAlgoConfigGetAttribute"`
	Matmul        dl.Proc `c:"cublasLtMatmul"`
}

// Error is a call that did not succeed.
type Error struct {
	Code int    // cublasStatus_t
	Name string // such as CUBLAS_STATUS_NOT_SUPPORTED
	Call string
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %s (%d)", e.Call, e.Name, e.Code) }

// NotSupported is the code for a product that cuBLASLt has no kernel for.
const NotSupported = 15

// Library is the open cuBLASLt with a handle for one GPU.
type Library struct {
	p      procs
	handle uintptr
}

// Open loads cuBLASLt from path (see dl.Find). The library has half a gigabyte, so this takes a while.
func Open(path string) (*Library, error) {
	lib, err := dl.Open(path)
	if err != nil {
		return nil, err
	}
	l := &Library{}
	return l, lib.Bind(&l.p)
}

// Version is cuBLASLt's own, such as 130100 for 13.1.0.
func (l *Library) Version() int { return int(l.p.Version.Call()) }

// Create makes the handle for the current CUDA context. Everything else runs in the same context.
func (l *Library) Create() error {
	return l.call(l.p.Create, uintptr(unsafe.Pointer(&l.handle)))
}

// Close frees the handle.
func (l *Library) Close() error { return l.call(l.p.Destroy, l.handle) }

//go:uintptrescapes
func (l *Library) call(p dl.Proc, args ...uintptr) error { return l.check(p, p.Call(args...)) }

func (l *Library) check(p dl.Proc, code int32) error {
	if code == 0 {
		return nil
	}
	return &Error{Code: int(code), Name: l.p.StatusName.CallString(uintptr(code)), Call: p.Name}
}
