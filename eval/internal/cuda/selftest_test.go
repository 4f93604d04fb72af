package cuda

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// SelfTestSource is the kernel that SelfTest launches; compile it for the device under test.
const SelfTestSource = `extern "C" __global__ void darwarp_self_test(unsigned* out, int n, long long offset, float scale) {
	extern __shared__ unsigned staged[];
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	staged[threadIdx.x] = i < n ? (unsigned)(out[i] * scale + offset) : 0;
	__syncthreads();
	if (i < n) out[i] = staged[threadIdx.x];
}
`

// SelfTest exercises every part of this package on a GPU, with SelfTestSource compiled to cubin, and
// says which part failed. It leaves nothing behind.
func SelfTest(d *Driver, dev Device, cubin []byte) error {
	c, err := d.Retain(dev)
	if err != nil {
		return err
	}
	return errors.Join(c.Do(func() error { return selfTest(d, cubin) }), c.Release())
}

const selfTestWords = 1000 // no multiple of the block size

func selfTest(d *Driver, cubin []byte) (err error) {
	m, err := d.LoadModule(cubin)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.UnloadModule(m)) }()
	f, err := d.Function(m, "darwarp_self_test")
	if err != nil {
		return err
	}
	regs, err1 := d.FuncAttr(f, FuncRegisters)
	blocks, err2 := d.MaxActiveBlocks(f, 128, 4*128)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	if regs < 1 || blocks < 1 {
		return fmt.Errorf("self test: kernel of %d registers, %d blocks at once", regs, blocks)
	}
	buf, err := d.Alloc(4 * selfTestWords)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Free(buf)) }()
	s, err := d.NewStream()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.DestroyStream(s)) }()

	l := &Launch{Func: f, Grid: Dim3{8, 1, 1}, Block: Dim3{128, 1, 1}, Shared: 4 * 128}
	l.Args.Ptr(buf)
	l.Args.Int32(selfTestWords)
	l.Args.Int64(5)
	l.Args.Float32(2)
	return errors.Join(testLaunch(d, l, buf, s), testCooperative(d, l, buf, s), testGraph(d, l, buf, s))
}

// testLaunch runs the kernel once between two events.
func testLaunch(d *Driver, l *Launch, buf Ptr, s Stream) error {
	start, err1 := d.NewEvent()
	end, err2 := d.NewEvent()
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	err := errors.Join(d.Memset32(buf, 10, selfTestWords, s), d.Record(start, s), d.Start(l, s), d.Record(end, s),
		d.SyncEvent(end), expect(d, buf, s, 25))
	took, timing := d.Elapsed(start, end)
	if timing == nil && took <= 0 {
		timing = fmt.Errorf("self test: kernel took %v", took)
	}
	return errors.Join(err, timing, d.DestroyEvent(start), d.DestroyEvent(end))
}

// testCooperative goes through cuLaunchKernelEx, where the driver has it.
func testCooperative(d *Driver, l *Launch, buf Ptr, s Stream) error {
	if !d.p.LaunchKernelEx.Ok() {
		return nil
	}
	l.Cooperative = true
	defer func() { l.Cooperative = false }()
	return errors.Join(d.Memset32(buf, 20, selfTestWords, s), d.Start(l, s), expect(d, buf, s, 45))
}

// testGraph captures three launches and replays them twice: x -> 2x+5 six times.
func testGraph(d *Driver, l *Launch, buf Ptr, s Stream) error {
	g, err := d.Capture(s, func() error { return errors.Join(d.Start(l, s), d.Start(l, s), d.Start(l, s)) })
	if err != nil {
		return fmt.Errorf("self test: capture: %w", err)
	}
	err = errors.Join(d.Memset8(buf, 0, 4*selfTestWords, s), d.LaunchGraph(g, s), d.LaunchGraph(g, s),
		expect(d, buf, s, 315))
	return errors.Join(err, d.DestroyGraph(g))
}

// expect waits for the stream and compares every word of buf, read through both kinds of copies.
func expect(d *Driver, buf Ptr, s Stream, want uint32) error {
	if err := d.SyncStream(s); err != nil {
		return err
	}
	pinned, err := d.HostAlloc(4 * selfTestWords)
	if err != nil {
		return err
	}
	plain := make([]byte, 4*selfTestWords)
	err = errors.Join(d.DtoH(plain, buf), d.DtoHAsync(pinned, buf, s), d.SyncStream(s))
	for i := 0; i < selfTestWords && err == nil; i++ {
		a, b := binary.LittleEndian.Uint32(plain[4*i:]), binary.LittleEndian.Uint32(pinned[4*i:])
		if a != want || b != want {
			err = fmt.Errorf("self test: word %d is %d and %d, want %d", i, a, b, want)
		}
	}
	return errors.Join(err, d.HostFree(pinned))
}
