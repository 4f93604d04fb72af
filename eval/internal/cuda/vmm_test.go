package cuda_test

import (
	"bytes"
	"errors"
	"testing"

	"darwarp/eval/internal/cuda"
	"darwarp/eval/internal/cuda/cudatest"
)

func TestMapBeyondRange(t *testing.T) {
	r := &cuda.Range{Bytes: 4 << 20}
	if err := r.Map(2<<20, &cuda.Physical{Bytes: 4 << 20}, cuda.ReadOnly); err == nil {
		t.Error("memory was mapped behind the end of a range, where nothing may be")
	}
}

// mapper is a GPU that has virtual memory management, and its context.
func mapper(t *testing.T) (*cuda.Driver, cuda.Device, *cuda.Context) {
	t.Helper()
	d, _, dev := cudatest.GPU(t)
	if !d.HasVirtualMemory(dev) {
		t.Skip("this GPU or driver has no virtual memory management")
	}
	return d, dev, retained(t, d, dev)
}

// TestSharedMemoryOnGPU exports memory, imports it again and maps it at two places: what is written at one is read
// at the other.
func TestSharedMemoryOnGPU(t *testing.T) {
	d, dev, c := mapper(t)
	want := bytes.Repeat([]byte("shared by two mappings, "), 1<<16)
	got := make([]byte, len(want))
	err := c.Do(func() error {
		p, err := d.NewPhysical(dev, uint64(len(want)))
		if err != nil {
			return err
		}
		f, err := p.Export()
		if err != nil {
			return err
		}
		q, err := d.ImportPhysical(dev, f, p.Bytes)
		if err != nil {
			return err
		}
		from, err1 := p.MapAlone(64<<20, cuda.ReadWrite)
		to, err2 := q.MapAlone(0, cuda.ReadOnly)
		if err := errors.Join(err1, err2, f.Close()); err != nil {
			return err
		}
		return errors.Join(d.HtoD(from.At, want), d.Synchronize(), d.DtoH(got, to.At), from.Free(), to.Free())
	})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("the mappings are not of one memory")
	}
}

// TestAllocBetweenOnGPU checks that copies reach the memory and nothing beside it.
func TestAllocBetweenOnGPU(t *testing.T) {
	d, dev, c := mapper(t)
	err := c.Do(func() error {
		r, err := d.AllocBetween(dev, 1, 1)
		if err != nil {
			return err
		}
		word := []byte("last")
		for at, fits := range map[cuda.Ptr]bool{r.At: true, r.At + cuda.Ptr(r.Bytes) - 4: true, r.At - 4: false,
			r.At + cuda.Ptr(r.Bytes): false} {
			var refused *cuda.Error
			if err := d.HtoD(at, word); (err == nil) != fits || err != nil && !errors.As(err, &refused) {
				t.Errorf("copy to %d of a range of %d bytes: %v", int64(at)-int64(r.At), r.Bytes, err)
			}
		}
		return r.Free()
	})
	if err != nil {
		t.Error(err)
	}
}
