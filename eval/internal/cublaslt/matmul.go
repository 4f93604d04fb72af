package cublaslt

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"darwarp/eval/internal/dl"
)

// Type is an element type (cudaDataType).
type Type int32

// Element types.
const (
	Float32  Type = 0
	Float16  Type = 2
	BFloat16 Type = 14
)

// Product is C[M,N] = A[M,K] * B[N,K]^T, all three row-major and dense, summed in float32. In is the
// type of A and B, Out that of C.
type Product struct {
	M, N, K int
	In, Out Type
}

// Values of cublasLt.h, cublas_api.h and library_types.h.
const (
	compute32F       = 68 // CUBLAS_COMPUTE_32F
	opN, opT         = 0, 1
	descTransA       = 3
	descTransB       = 4
	prefMaxWorkspace = 1
)

// heuristicResult is cublasLtMatmulHeuristicResult_t.
type heuristicResult struct {
	algo      [8]uint64 // cublasLtMatmulAlgo_t
	workspace uint64
	state     int32
	waves     float32
	_         [4]int32
}

// Matmul is a product with its descriptors and the plans that cuBLASLt proposes for it, best first.
type Matmul struct {
	Plans []*Plan

	l                *Library
	desc             uintptr
	layA, layB, layC uintptr
	one, zero        float32 // alpha and beta: C is overwritten
}

// Plan is one way to compute a product.
type Plan struct {
	Workspace uint64  // bytes of GPU memory that Run needs
	Waves     float32 // how many times the plan fills the GPU; below 1 it does not

	m     *Matmul
	algo  [8]uint64
	frame [16]uintptr
}

// Matmul asks for up to n plans that need at most workspace bytes. The caller closes the result.
func (l *Library) Matmul(p Product, workspace uint64, n int) (*Matmul, error) {
	if p.M < 1 || p.N < 1 || p.K < 1 || n < 1 {
		return nil, fmt.Errorf("product of %d x %d x %d with %d plans", p.M, p.N, p.K, n)
	}
	m := &Matmul{l: l, one: 1}
	err := m.describe(p)
	if err == nil {
		err = m.plan(workspace, n)
	}
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

// describe states the product in cuBLAS's column-major terms. Read like that, the memory of row-major C is C^T (N x
// M), that of B is B^T (K x N) and that of A is A^T (K x M): C^T = (B^T)^T * A^T. cuBLASLt's first operand is
// therefore B, transposed, and its second A, as it is.
func (m *Matmul) describe(p Product) error {
	l := m.l
	transA, transB := int32(opT), int32(opN)
	if err := l.call(l.p.DescCreate, uintptr(unsafe.Pointer(&m.desc)), compute32F, uintptr(Float32)); err != nil {
		return err
	}
	return errors.Join(
		l.call(l.p.DescSet, m.desc, descTransA, uintptr(unsafe.Pointer(&transA)), unsafe.Sizeof(transA)),
		l.call(l.p.DescSet, m.desc, descTransB, uintptr(unsafe.Pointer(&transB)), unsafe.Sizeof(transB)),
		m.layout(&m.layB, p.In, p.K, p.N),
		m.layout(&m.layA, p.In, p.K, p.M),
		m.layout(&m.layC, p.Out, p.N, p.M))
}

// layout describes a dense column-major matrix.
func (m *Matmul) layout(to *uintptr, t Type, rows, cols int) error {
	return m.l.call(m.l.p.LayoutCreate, uintptr(unsafe.Pointer(to)), uintptr(t), uintptr(rows), uintptr(cols),
		uintptr(rows))
}

func (m *Matmul) plan(workspace uint64, n int) (err error) {
	l := m.l
	var pref uintptr
	if err := l.call(l.p.PrefCreate, uintptr(unsafe.Pointer(&pref))); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.call(l.p.PrefDestroy, pref)) }()
	if err := l.call(l.p.PrefSet, pref, prefMaxWorkspace, uintptr(unsafe.Pointer(&workspace)),
		unsafe.Sizeof(workspace)); err != nil {
		return err
	}
	results := make([]heuristicResult, n)
	var found int32
	err = l.call(l.p.AlgoHeuristic, l.handle, m.desc, m.layB, m.layA, m.layC, m.layC, pref,
		uintptr(n), uintptr(unsafe.Pointer(&results[0])), uintptr(unsafe.Pointer(&found)))
	if err != nil {
		return err
	}
	for _, r := range results[:min(max(int(found), 0), n)] {
		if r.state == 0 {
			m.Plans = append(m.Plans, &Plan{m: m, algo: r.algo, Workspace: r.workspace, Waves: r.waves})
		}
	}
	if len(m.Plans) == 0 {
		return &Error{Code: NotSupported, Name: "no plan", Call: l.p.AlgoHeuristic.Name}
	}
	return nil
}

// Close frees the descriptors; the plans end with them.
func (m *Matmul) Close() error {
	var errs []error
	free := func(p dl.Proc, handle *uintptr) {
		if *handle != 0 {
			errs = append(errs, m.l.call(p, *handle))
			*handle = 0
		}
	}
	free(m.l.p.DescDestroy, &m.desc)
	for _, lay := range []*uintptr{&m.layA, &m.layB, &m.layC} {
		free(m.l.p.LayoutDestroy, lay)
	}
	return errors.Join(errs...)
}

// Run puts the product into a stream. a, b, c are addresses in GPU memory, aligned to 256 bytes as
// the allocator's are, and workspace that of Workspace bytes (0 if none); it may run under capture.
func (p *Plan) Run(stream uintptr, a, b, c, workspace uint64) error {
	m := p.m
	p.frame = [16]uintptr{m.l.handle, m.desc,
		uintptr(unsafe.Pointer(&m.one)), uintptr(b), m.layB, uintptr(a), m.layA,
		uintptr(unsafe.Pointer(&m.zero)), uintptr(c), m.layC, uintptr(c), m.layC,
		uintptr(unsafe.Pointer(&p.algo)), uintptr(workspace), uintptr(p.Workspace), stream}
	code := m.l.p.Matmul.CallFrame(p.frame[:])
	runtime.KeepAlive(p) // and with it m
	return m.l.check(m.l.p.Matmul, code)
}
