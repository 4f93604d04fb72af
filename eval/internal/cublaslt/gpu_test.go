package cublaslt

import (
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"darwarp/eval/internal/cuda"
	"darwarp/eval/internal/cuda/cudatest"
)

// TestProductOnGPU multiplies small integers, which float32 holds exactly, so that a transposed or
// swapped operand cannot pass.
func TestProductOnGPU(t *testing.T) {
	d, _, dev := cudatest.GPU(t)
	l := open(t)
	ctx, err := d.Retain(dev)
	if err != nil {
		t.Fatal(err)
	}
	defer ctx.Release()
	const m, n, k = 48, 80, 32
	a, b, c := make([]float32, m*k), make([]float32, n*k), make([]float32, m*n)
	for i := range a {
		a[i] = float32(i*7%13 - 6)
	}
	for i := range b {
		b[i] = float32(i*5%11 - 5)
	}
	err = ctx.Do(func() error {
		if err := l.Create(); err != nil {
			return err
		}
		mm, err := l.Matmul(Product{M: m, N: n, K: k, In: Float32, Out: Float32}, 1<<22, 4)
		if err != nil {
			return err
		}
		err = multiply(t, d, mm, a, b, c)
		return errors.Join(err, mm.Close(), l.Close())
	})
	if err != nil {
		t.Fatal(err)
	}
	holdProduct(t, a, b, c, m, n, k)
}

// holdProduct compares c with the product of a, m by k, and the transpose of b, n by k.
func holdProduct(t *testing.T, a, b, c []float32, m, n, k int) {
	t.Helper()
	for i := range m {
		for j := range n {
			var want float32
			for x := range k {
				want += a[i*k+x] * b[j*k+x]
			}
			if c[i*n+j] != want {
				t.Fatalf("C[%d,%d] = %v, want %v", i, j, c[i*n+j], want)
			}
		}
	}
}

func multiply(t *testing.T, d *cuda.Driver, mm *Matmul, a, b, c []float32) error {
	plan := mm.Plans[0]
	t.Log(plan.Describe())
	da, err1 := d.Alloc(uint64(4 * len(a)))
	db, err2 := d.Alloc(uint64(4 * len(b)))
	dc, err3 := d.Alloc(uint64(4 * len(c)))
	ws, err4 := d.Alloc(max(plan.Workspace, 256))
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return err
	}
	out := make([]byte, 4*len(c))
	err := errors.Join(d.HtoD(da, bytesOf(a)), d.HtoD(db, bytesOf(b)),
		plan.Run(0, uint64(da), uint64(db), uint64(dc), uint64(ws)), d.Synchronize(), d.DtoH(out, dc))
	for i := range c {
		c[i] = math.Float32frombits(binary.LittleEndian.Uint32(out[4*i:]))
	}
	return errors.Join(err, d.Free(da), d.Free(db), d.Free(dc), d.Free(ws))
}

func bytesOf(v []float32) []byte {
	var out []byte
	for _, x := range v {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x))
	}
	return out
}
