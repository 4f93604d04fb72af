package cuda_test

import (
	"errors"
	"fmt"
	"testing"

	"darwarp/eval/internal/cuda"
	"darwarp/eval/internal/dl"
	"darwarp/eval/internal/nvrtc"
)

// gpu is the first GPU, with src compiled for it.
func gpu(t *testing.T, src string) (*cuda.Driver, cuda.Device, []byte) {
	t.Helper()
	path, tried, err := dl.Find(dl.CUDA)
	if err != nil {
		t.Skipf("no NVIDIA driver: looked in %q", tried)
	}
	lib, tried, err := dl.Find(dl.NVRTC)
	if err != nil {
		t.Skipf("NVRTC not found: looked in %q", tried)
	}
	d, err := cuda.Open(path)
	if err != nil {
		t.Skipf("the CUDA driver does not start on this machine: %v", err)
	}
	dev, err1 := d.Device(0)
	major, err2 := d.DeviceAttribute(dev, cuda.CapabilityMajor)
	minor, err3 := d.DeviceAttribute(dev, cuda.CapabilityMinor)
	c, err4 := nvrtc.Open(lib)
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		t.Fatal(err)
	}
	out, err := c.Compile(src, "test.cu", []string{fmt.Sprintf("--gpu-architecture=sm_%d%d", major, minor)})
	if err != nil {
		t.Fatalf("%v\n%s", err, out.Log)
	}
	return d, dev, out.Cubin
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
	c, err := d.Retain(dev)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Release()
	out := make([]byte, 4*8)
	err = c.Do(func() error {
		m, err := d.LoadModule(cubin)
		if err != nil {
			return err
		}
		f, err1 := d.Function(m, "ranks")
		buf, err2 := d.Alloc(uint64(len(out)))
		l := &cuda.Launch{Func: f, Grid: cuda.Dim3{X: 8, Y: 1, Z: 1}, Block: cuda.Dim3{X: 32, Y: 1, Z: 1}, Cluster: cuda.Dim3{X: 4, Y: 1, Z: 1},
			Window: cuda.AccessWindow{Base: buf, Bytes: uint64(len(out)), HitRatio: 1}}
		l.Args.Ptr(buf)
		n, err3 := d.MaxActiveClusters(l)
		if n < 1 {
			err3 = errors.Join(err3, fmt.Errorf("%d active clusters", n))
		}
		return errors.Join(err1, err2, err3, d.Start(l, 0), d.Synchronize(), d.DtoH(out, buf), d.ResetPersistingL2(), d.Free(buf), d.UnloadModule(m))
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
	c, err := d.Retain(dev)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Release()
	err = c.Do(func() error {
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
