package gpu

import (
	"darwarp/eval/internal/cuda"
	"darwarp/eval/internal/device"
	"fmt"
)

func (s *Session) open(req *device.Open) (*device.OpenReply, error) {
	drv, err := cuda.Open(req.Driver)
	if err != nil {
		return nil, err
	}
	s.drv = drv
	reply := &device.OpenReply{}
	if reply.Count, err = drv.DeviceCount(); err != nil {
		return nil, err
	}
	if req.Index < 0 || req.Index >= reply.Count {
		return nil, fmt.Errorf("no GPU %d: this machine has %d", req.Index, reply.Count)
	}
	id, err := drv.Device(req.Index)
	if err != nil {
		return nil, err
	}
	s.id = id
	if err := s.describe(id, reply); err != nil {
		return nil, err
	}
	if len(req.Harness) == 0 {
		return reply, nil
	}
	if s.ctx, err = drv.Retain(id); err != nil {
		return nil, err
	}
	return reply, s.ctx.Do(func() error { return s.initSession(req, reply) })
}

// initSession makes what lives as long as the session.
func (s *Session) initSession(req *device.Open, reply *device.OpenReply) (err error) {
	free, _, err := s.drv.MemInfo()
	if err != nil {
		return err
	}
	reply.Free = int(free)
	if s.stream, err = s.drv.NewStream(); err != nil {
		return err
	}
	if s.clock, err = newStopwatch(s.drv, s.stream); err != nil {
		return err
	}
	if s.harness, err = newHarness(s.drv, s.stream, req.Harness); err != nil {
		return fmt.Errorf("harness: %w", err)
	}
	if s.stackLimit, err = s.drv.GetLimit(cuda.LimitStackSize); err != nil {
		return err
	}
	s.mem = &memory{drv: s.drv, id: s.id, virtual: s.drv.HasVirtualMemory(s.id)}
	if s.tally, err = newTally(s.drv, s.mem); err != nil {
		return err
	}
	if req.Library != "" {
		s.library, err = s.openLibrary(req.Library)
	}
	return err
}

func (s *Session) describe(id cuda.Device, reply *device.OpenReply) error {
	d := &reply.Device
	d.Kind = "cuda"
	var err error
	if d.Name, err = s.drv.DeviceName(id); err != nil {
		return err
	}
	uuid, err := s.drv.DeviceUUID(id)
	if err != nil {
		return err
	}
	d.UUID = uuid.String()
	total, err := s.drv.DeviceMemory(id)
	if err != nil {
		return err
	}
	d.MemoryBytes = int(total)
	const pageableAccess cuda.Attribute = 88 // CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS
	var major, minor, clock, pageable, mode int
	for _, q := range []struct {
		attr cuda.Attribute
		into *int
	}{
		{cuda.CapabilityMajor, &major}, {cuda.CapabilityMinor, &minor}, {cuda.ClockRate, &clock}, {pageableAccess,
			&pageable}, {cuda.ComputeMode, &mode},
		{cuda.MultiprocessorCount, &d.SMs}, {cuda.SharedPerBlockOptin, &d.SmemPerBlock}, {cuda.SharedPerSM, &d.SmemPerSM},
		{cuda.RegistersPerSM, &d.RegsPerSM}, {cuda.MaxThreadsPerBlock, &d.MaxThreads}, {cuda.ThreadsPerSM, &d.ThreadsPerSM},
		{cuda.L2CacheSize, &d.L2Bytes}, {cuda.MaxAccessPolicyWindow, &s.l2.window}, {cuda.MaxPersistingL2, &s.l2.persisting},
	} {
		if *q.into, err = s.drv.DeviceAttribute(id, q.attr); err != nil {
			return err
		}
	}
	d.CC, d.PageableAccess, reply.MaxClock = 10*major+minor, pageable == 1, float64(clock)/1000
	reply.Shares = mode == 0 && s.drv.HasVirtualMemory(id) // in another mode one process has the GPU to itself
	d.Arch = fmt.Sprintf("sm_%d", d.CC)
	if d.CC >= 90 { // the architecture-specific target: wgmma, setmaxnreg
		d.Arch += "a"
	}
	s.dev = *d
	return nil
}
