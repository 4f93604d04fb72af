package cublaslt

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"darwarp/eval/internal/dl"
	"darwarp/eval/internal/dl/dltest"
)

func open(t *testing.T) *Library {
	t.Helper()
	l, err := Open(dltest.Find(t, dl.CublasLt))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestLayoutOfStructs(t *testing.T) {
	var r heuristicResult
	for _, f := range []struct {
		name      string
		got, want uintptr
	}{
		{"sizeof cublasLtMatmulHeuristicResult_t", unsafe.Sizeof(r), 96},
		{"sizeof cublasLtMatmulAlgo_t", unsafe.Sizeof(r.algo), 64},
		{"workspaceSize", unsafe.Offsetof(r.workspace), 64},
		{"state", unsafe.Offsetof(r.state), 72},
		{"wavesCount", unsafe.Offsetof(r.waves), 76},
	} {
		if f.got != f.want {
			t.Errorf("%s = %d, want %d", f.name, f.got, f.want)
		}
	}
}

func TestNames(t *testing.T) {
	tests := []struct {
		enum string
		v    int
		want string
	}{
		{"tile", 20, "128x128"}, {"tile", 23, "128x256"}, {"tile", 634, "512x1024"}, {"tile", 635, "#635"},
		{"stages", 16, "64x4"}, {"stages", 29, "#29"}, {"stages", 36, "128xauto"},
		{"cluster", 0, "auto"}, {"cluster", 1, "#1"}, {"cluster", 3, "2x1x1"}, {"cluster", 51, "1x15x1"},
		{"cluster", -1, "#-1"}, {"no such enum", 1, "#1"},
	}
	for _, tt := range tests {
		if got := nameOf(tt.enum, tt.v); got != tt.want {
			t.Errorf("nameOf(%s, %d) = %s, want %s", tt.enum, tt.v, got, tt.want)
		}
	}
}

// TestNamesAgainstHeader compares every name with the installed cublasLt.h.
func TestNamesAgainstHeader(t *testing.T) {
	path := dltest.Find(t, dl.CublasLt)
	text, err := os.ReadFile(filepath.Join(filepath.Dir(filepath.Dir(path)), "include", "cublasLt.h"))
	if err != nil {
		t.Skipf("cuBLASLt is installed without its header: %v", err)
	}
	for enum, prefix := range map[string]string{"tile": "MATMUL_TILE", "stages": "MATMUL_STAGES",
		"cluster": "CLUSTER_SHAPE"} {
		found := regexp.MustCompile(`CUBLASLT_`+prefix+`_(\d+x\w+)\s*=\s*(\d+)`).FindAllStringSubmatch(string(text), -1)
		if len(found) < 30 {
			t.Errorf("%s: header was misread, %d values", enum, len(found))
		}
		for _, m := range found {
			v, err := strconv.Atoi(m[2])
			if got := nameOf(enum, v); err != nil || got != strings.ToLower(m[1]) {
				t.Errorf("%s %d = %s, header says %s", enum, v, got, m[1])
			}
		}
	}
}

// TestDescribe reads the descriptors back from the real library, which needs no GPU for them.
func TestDescribe(t *testing.T) {
	l := open(t)
	if v := l.Version(); v < 120000 || v > 990000 {
		t.Errorf("Version = %d", v)
	}
	var get struct {
		Layout dl.Proc `c:"cublasLtMatrixLayoutGetAttribute"`
		Desc   dl.Proc `c:"cublasLtMatmulDescGetAttribute"`
	}
	lib, err := dl.Open(dltest.Find(t, dl.CublasLt))
	if err == nil {
		err = lib.Bind(&get)
	}
	if err != nil {
		t.Fatal(err)
	}
	m := &Matmul{l: l}
	if err := m.describe(Product{M: 3, N: 5, K: 7, In: BFloat16, Out: Float32}); err != nil {
		t.Fatal(err)
	}
	read := func(p dl.Proc, handle uintptr, attr, size int) uint64 {
		var v, written uint64
		if err := l.call(p, handle, uintptr(attr), uintptr(unsafe.Pointer(&v)), uintptr(size),
			uintptr(unsafe.Pointer(&written))); err != nil {
			t.Fatal(err)
		}
		return v
	}
	const typ, rows, cols, ld = 0, 2, 3, 4 // cublasLtMatrixLayoutAttribute_t
	for _, lay := range []struct {
		name   string
		handle uintptr
		want   [4]uint64
	}{
		{"A", m.layA, [4]uint64{14, 7, 3, 7}},
		{"B", m.layB, [4]uint64{14, 7, 5, 7}},
		{"C", m.layC, [4]uint64{0, 5, 3, 5}},
	} {
		got := [4]uint64{read(get.Layout, lay.handle, typ, 4), read(get.Layout, lay.handle, rows, 8),
			read(get.Layout, lay.handle, cols, 8), read(get.Layout, lay.handle, ld, 8)}
		if got != lay.want {
			t.Errorf("%s: type, rows, columns, leading dimension = %v, want %v", lay.name, got, lay.want)
		}
	}
	for attr, want := range map[int]uint64{0: compute32F, 1: 0, descTransA: opT, descTransB: opN} {
		if got := read(get.Desc, m.desc, attr, 4); got != want {
			t.Errorf("descriptor attribute %d = %d, want %d", attr, got, want)
		}
	}
	closeTwice(t, m)
}

func closeTwice(t *testing.T, m *Matmul) {
	t.Helper()
	if err := m.Close(); err != nil || m.desc != 0 || m.layC != 0 {
		t.Errorf("Close = %v, left %+v", err, m)
	}
	if err := m.Close(); err != nil {
		t.Errorf("second Close = %v", err)
	}
}

func TestErrors(t *testing.T) {
	l := open(t)
	if err := l.check(l.p.Matmul, NotSupported); fmt.Sprint(err) != "cublasLtMatmul: CUBLAS_STATUS_NOT_SUPPORTED (15)" {
		t.Errorf("error = %v", err)
	}
	if _, err := l.Matmul(Product{M: 0, N: 1, K: 1}, 0, 1); err == nil {
		t.Error("an empty product was accepted")
	}
	// Without a handle the library must refuse, and the descriptors must be freed.
	_, err := l.Matmul(Product{M: 16, N: 16, K: 16, In: Float16, Out: Float16}, 0, 1)
	if e := (*Error)(nil); !errors.As(err, &e) {
		t.Errorf("product without a handle = %v", err)
	}
}
