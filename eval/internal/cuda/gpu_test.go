package cuda_test

import (
	"errors"
	"fmt"
	"testing"

	"darwarp/eval/internal/cuda"
	"darwarp/eval/internal/cuda/cudatest"
	"darwarp/eval/internal/dl"
	"darwarp/eval/internal/dl/dltest"
	"darwarp/eval/internal/nvrtc"
)

// gpu is the first GPU, with src compiled for it.
func gpu(t *testing.T, src string) (*cuda.Driver, cuda.Device, []byte) {
	t.Helper()
	d, _, dev := cudatest.GPU(t)
	major, err1 := d.DeviceAttribute(dev, cuda.CapabilityMajor)
	minor, err2 := d.DeviceAttribute(dev, cuda.CapabilityMinor)
	c, err3 := nvrtc.Open(dltest.Find(t, dl.NVRTC))
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	out, err := c.Compile(src, "test.cu", []string{fmt.Sprintf("--gpu-architecture=sm_%d%d", major, minor)})
	if err != nil {
		t.Fatalf("%v\n%s", err, out.Log)
	}
	return d, dev, out.Cubin
}

// retained is the device's context, until the test ends.
func retained(t *testing.T, d *cuda.Driver, dev cuda.Device) *cuda.Context {
	t.Helper()
	c, err := d.Retain(dev)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Release() }) // an error of the test itself was said already
	return c
}

func TestSelfTestOnGPU(t *testing.T) {
	d, dev, cubin := gpu(t, cuda.SelfTestSource)
	name, err := d.DeviceName(dev)
	if err != nil || name == "" {
		t.Errorf("DeviceName = %q, %v", name, err)
	}
	if mem, err := d.DeviceMemory(dev); err != nil || mem < 1<<28 {
		t.Errorf("DeviceMemory = %d, %v", mem, err)
	}
	if u, err := d.DeviceUUID(dev); err != nil || u == (cuda.UUID{}) {
		t.Errorf("DeviceUUID = %s, %v", u, err)
	}
	if err := cuda.SelfTest(d, dev, cubin); err != nil {
		t.Error(err)
	}
}

// clusterSource: every block writes its rank in its cluster.
const clusterSource = `extern "C" __global__ void ranks(unsigned* out) {
	unsigned r = 0;
#if __CUDA_ARCH__ >= 900
	asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
#endif
	if (threadIdx.x == 0) out[blockIdx.x] = r;
}`

func TestClusterLaunchOnGPU(t *testing.T) {
	d, dev, cubin := gpu(t, clusterSource)
	if ok, err := d.DeviceAttribute(dev, cuda.ClusterLaunch); err != nil || ok == 0 {
		t.Skipf("this GPU has no clusters: %v", err)
	}
	c := retained(t, d, dev)
	out := make([]byte, 4*8)
	err := c.Do(func() error {
		m, err := d.LoadModule(cubin)
		if err != nil {
			return err
		}
		f, err1 := d.Function(m, "ranks")
		buf, err2 := d.Alloc(uint64(len(out)))
		l := &cuda.Launch{Func: f, Grid: cuda.Dim3{X: 8, Y: 1, Z: 1}, Block: cuda.Dim3{X: 32, Y: 1, Z: 1},
			Cluster: cuda.Dim3{X: 4, Y: 1, Z: 1},
			Window:  cuda.AccessWindow{Base: buf, Bytes: uint64(len(out)), HitRatio: 1}}
		l.Args.Ptr(buf)
		n, err3 := d.MaxActiveClusters(l)
		if n < 1 {
			err3 = errors.Join(err3, fmt.Errorf("%d active clusters", n))
		}
		return errors.Join(err1, err2, err3, d.Start(l, 0), d.Synchronize(), d.DtoH(out, buf), d.ResetPersistingL2(),
			d.Free(buf), d.UnloadModule(m))
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 8 {
		if got := int(out[4*i]); got != i%4 {
			t.Errorf("block %d has rank %d in its cluster", i, got)
		}
	}
}

func TestRefusedLaunchIsNotSticky(t *testing.T) {
	d, dev, cubin := gpu(t, cuda.SelfTestSource)
	c := retained(t, d, dev)
	err := c.Do(func() error {
		m, err := d.LoadModule(cubin)
		if err != nil {
			return err
		}
		f, err := d.Function(m, "darwarp_self_test")
		if err != nil {
			return err
		}
		l := &cuda.Launch{Func: f, Grid: cuda.Dim3{X: 1, Y: 1, Z: 1}, Block: cuda.Dim3{X: 4096, Y: 1, Z: 1}}
		l.Args.Ptr(0)
		l.Args.Int32(0)
		l.Args.Int64(0)
		l.Args.Float32(0)
		var refused *cuda.Error
		if err := d.Start(l, 0); !errors.As(err, &refused) || refused.Sticky() {
			t.Errorf("launch of 4096 threads = %v", err)
		}
		return errors.Join(d.Synchronize(), d.UnloadModule(m))
	})
	if err != nil {
		t.Error(err)
	}
}

// mapSource: one thread copies a box of 8 rows of 64 elements from row 4, column 16 to shared memory, and
// the block writes it out as it lies there.
const mapSource = `struct alignas(64) Map { unsigned long long words[16]; };
extern "C" __global__ void box(const __grid_constant__ Map map, unsigned short* out) {
#if __CUDA_ARCH__ >= 900
	__shared__ alignas(1024) unsigned short tile[8 * 64];
	__shared__ alignas(8) unsigned long long barrier;
	unsigned at = (unsigned)__cvta_generic_to_shared(&barrier), to = (unsigned)__cvta_generic_to_shared(tile);
	if (threadIdx.x == 0) {
		asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at));
		asm volatile("fence.proxy.async;");
		asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 1024;" ::"r"(at) : "memory");
		asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {16, 4}], [%2];"
			::"r"(to), "l"(&map), "r"(at) : "memory");
	}
	__syncthreads();
	unsigned done = 0;
	while (!done)
		asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p;}" : "=r"(done) : "r"(at) : "memory");
	for (unsigned i = threadIdx.x; i < 8 * 64; i += blockDim.x) out[i] = tile[i];
#endif
}`

// TestTensorMapOnGPU compares what the TMA unit copies by an encoded map with the map's description: 16-byte chunks
// of a row of 128 bytes are permuted by the row's number, and elements outside the tensor are zeros.
func TestTensorMapOnGPU(t *testing.T) {
	d, dev, cubin := gpu(t, mapSource)
	if ok, err := d.DeviceAttribute(dev, cuda.TensorMapAccess); err != nil || ok == 0 {
		t.Skipf("this GPU has no tensor maps: %v", err)
	}
	c := retained(t, d, dev)
	const rows, columns = 10, 72
	in, out := make([]byte, 2*rows*columns), make([]byte, 2*8*64)
	for i := range rows * columns {
		in[2*i], in[2*i+1] = byte(i+1), byte((i+1)>>8)
	}
	err := c.Do(func() error {
		m, err1 := d.LoadModule(cubin)
		f, err2 := d.Function(m, "box")
		from, err3 := d.Alloc(uint64(len(in)))
		to, err4 := d.Alloc(uint64(len(out)))
		if err := errors.Join(err1, err2, err3, err4, d.HtoD(from, in)); err != nil {
			return err
		}
		tiles, err := d.EncodeTiled(cuda.Tensor{Type: cuda.TensorFloat16, Base: from, Dims: []uint64{columns, rows},
			Strides: []uint64{2 * columns}, Box: []uint32{64, 8}, Swizzle: cuda.Swizzle128B, Promote: cuda.Promote128B})
		if err != nil {
			return err
		}
		l := &cuda.Launch{Func: f, Grid: cuda.Dim3{X: 1, Y: 1, Z: 1}, Block: cuda.Dim3{X: 64, Y: 1, Z: 1}}
		l.Args.Bytes(tiles[:], cuda.TensorMapAlign)
		l.Args.Ptr(to)
		return errors.Join(d.Start(l, 0), d.Synchronize(), d.DtoH(out, to), d.Free(from), d.Free(to), d.UnloadModule(m))
	})
	if err != nil {
		t.Fatal(err)
	}
	holdBox(t, out, rows, columns)
}

// holdBox compares the box at column 16 of row 4 with the tensor of that many rows and columns.
func holdBox(t *testing.T, out []byte, rows, columns int) {
	t.Helper()
	for row := range 8 {
		for column := range 64 {
			want := 0
			if row+4 < rows && column+16 < columns {
				want = (row+4)*columns + column + 16 + 1
			}
			i := 64*row + (column/8^row%8)*8 + column%8
			if got := int(out[2*i]) | int(out[2*i+1])<<8; got != want {
				t.Fatalf("row %d, column %d of the box is %d, want %d", row, column, got, want)
			}
		}
	}
}
