package gpu

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"darwarp/eval/internal/cuda"
	"darwarp/kernels"
)

// Session is one worker's hold on one GPU. Its methods run on the thread that Handle locks.
type Session struct {
	drv     *cuda.Driver
	id      cuda.Device
	ctx     *cuda.Context
	dev     kernels.Device
	stream  cuda.Stream
	start   cuda.Event
	stop    cuda.Event
	harness *harness

	files Files
	out   outputs

	prep     Prepare
	arenas   []*arena // by case
	inHash   [][]uint64
	scratch  [2]block         // one for each contender of a duel
	flush    block            // what a cold sample writes to push everything out of L2
	cold     map[string]*cold // arenas of cold runs by workload
	turn     int              // of all samples: the inputs change with each
	counters cuda.Ptr         // maxCounters 64-bit words
	readback cuda.Pinned

	stackLimit uint64 // bytes a thread, before any candidate was launched

	library *library // nil: no cuBLASLt
	bursts  bursts

	l2         l2
	persisting bool // a part of L2 is set aside for persisting lines
}

// block is a grow-only allocation.
type block struct {
	at    cuda.Ptr
	bytes int
}

// maxCounters bounds the hashes and guard counts of one gate run.
const maxCounters = 4096

// NewSession serves requests over the given memories.
func NewSession(files Files) *Session {
	return &Session{files: files, cold: map[string]*cold{}}
}

// Handle answers one request. phase is told what is about to be done. An error is ours; what a
// candidate does wrong is a Fault in the reply.
func (s *Session) Handle(req *Request, phase func(string)) (any, error) {
	if req.Open != nil {
		return s.open(req.Open)
	}
	if s.ctx == nil {
		return nil, errors.New("device worker: not open")
	}
	var reply any
	err := s.ctx.Do(func() (err error) {
		reply, err = s.handle(req, phase)
		return err
	})
	return reply, err
}

func (s *Session) handle(req *Request, phase func(string)) (any, error) {
	switch {
	case req.Prepare != nil:
		return nil, s.prepare(req.Prepare)
	case req.Truth != nil:
		return nil, s.makeTruth(req.Truth, phase)
	case req.Power != nil:
		return s.Power(req.Power, phase)
	case req.Gate != nil:
		return s.gate(req.Gate, phase)
	case req.Time != nil:
		return s.time(req.Time, phase)
	case req.Duel != nil:
		return s.duel(req.Duel, phase)
	case req.Disturb != nil:
		return s.disturb(req.Disturb, phase)
	case req.Library != nil:
		return s.findLibrary(req.Library, phase)
	case req.Ceilings != nil:
		return s.ceilings(req.Ceilings)
	case req.Inputs != nil:
		return s.inputs(req.Inputs)
	}
	return nil, errors.New("device worker: empty request")
}

func (s *Session) open(req *Open) (*OpenReply, error) {
	drv, err := cuda.Open(req.Driver)
	if err != nil {
		return nil, err
	}
	s.drv = drv
	reply := &OpenReply{}
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
	return reply, s.ctx.Do(func() error { return s.start0(req, reply) })
}

// start0 makes what lives as long as the session.
func (s *Session) start0(req *Open, reply *OpenReply) (err error) {
	free, _, err := s.drv.MemInfo()
	if err != nil {
		return err
	}
	reply.Free = int(free)
	if s.stream, err = s.drv.NewStream(); err != nil {
		return err
	}
	if s.start, err = s.drv.NewEvent(); err != nil {
		return err
	}
	if s.stop, err = s.drv.NewEvent(); err != nil {
		return err
	}
	if s.harness, err = newHarness(s.drv, s.stream, req.Harness); err != nil {
		return fmt.Errorf("harness: %w", err)
	}
	if s.stackLimit, err = s.drv.GetLimit(cuda.LimitStackSize); err != nil {
		return err
	}
	if s.counters, err = s.drv.Alloc(maxCounters * 8); err != nil {
		return err
	}
	if s.readback, err = s.drv.HostAlloc(maxCounters * 8); err != nil {
		return err
	}
	if req.Library != "" {
		s.library, err = s.openLibrary(req.Library)
	}
	return err
}

func (s *Session) describe(id cuda.Device, reply *OpenReply) error {
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
		{cuda.CapabilityMajor, &major}, {cuda.CapabilityMinor, &minor}, {cuda.ClockRate, &clock}, {pageableAccess, &pageable}, {cuda.ComputeMode, &mode},
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

// prepare allocates and fills every case.
func (s *Session) prepare(req *Prepare) error {
	s.prep = *req
	if n := s.counterOf(len(req.Cases), 0); n > counterStamp0 {
		return fmt.Errorf("%d cases need %d counters, there are %d: declare fewer check shapes", len(req.Cases), n, counterStamp0)
	}
	if err := s.openOutputs(req); err != nil {
		return err
	}
	for i := range req.Cases {
		c := &req.Cases[i]
		base, err := s.drv.Alloc(uint64(c.ArenaBytes()))
		if err != nil {
			return fmt.Errorf("%s: %d bytes: %w", c.Name, c.ArenaBytes(), err)
		}
		a := newArena(base, sizesOf(c.Buffers))
		s.arenas = append(s.arenas, a)
		if err := s.reset(i); err != nil {
			return err
		}
	}
	return s.hashInputs()
}

// reset makes a case's arena as new: inputs, guards, poisoned outputs.
func (s *Session) reset(i int) error {
	c, a := &s.prep.Cases[i], s.arenas[i]
	if err := s.fill(c, a, c.Seed); err != nil {
		return err
	}
	if err := s.poison(c, a, poisonNaN); err != nil {
		return err
	}
	return s.setGuards(a, s.prep.GuardKey)
}

// hashInputs remembers what the inputs of every case hash to.
func (s *Session) hashInputs() error {
	s.inHash = nil
	for i := range s.prep.Cases {
		c := &s.prep.Cases[i]
		if err := s.clearCounters(); err != nil {
			return err
		}
		for j := range c.Buffers {
			if err := s.hash(s.arenas[i], c, j, j); err != nil {
				return err
			}
		}
		got, err := s.readCounters(len(c.Buffers))
		if err != nil {
			return err
		}
		s.inHash = append(s.inHash, got)
	}
	return nil
}

func (s *Session) counterAt(i int) cuda.Ptr { return s.counters + cuda.Ptr(8*i) }

func (s *Session) clearCounters() error {
	return s.drv.Memset8(s.counters, 0, maxCounters*8, s.stream)
}

// readCounters waits for the stream and returns the first n counters.
func (s *Session) readCounters(n int) ([]uint64, error) {
	if err := s.drv.DtoHAsync(s.readback[:8*n], s.counters, s.stream); err != nil {
		return nil, err
	}
	if err := s.drv.SyncStream(s.stream); err != nil {
		return nil, err
	}
	out := make([]uint64, n)
	for i := range out {
		for b := 7; b >= 0; b-- {
			out[i] = out[i]<<8 | uint64(s.readback[8*i+b])
		}
	}
	return out, nil
}

// grow makes a block at least n bytes.
func (s *Session) grow(b *block, n int) error {
	if n <= b.bytes {
		return nil
	}
	if b.at != 0 {
		if err := s.drv.Free(b.at); err != nil {
			return err
		}
		*b = block{}
	}
	at, err := s.drv.Alloc(uint64(n))
	if err != nil {
		return err
	}
	*b = block{at, n}
	return nil
}

// errScratch marks an allocation that the candidate's plan asked for.
var errScratch = errors.New("scratch memory")

// refusal is what a candidate asks for and this device does not give.
type refusal string

func (r refusal) Error() string { return string(r) }

// ours lists the driver's calls that no candidate has a part in: our buffers, and copies between them.
var ours = []string{"cuMem"}

// refusals are the driver's calls that fail where a candidate asks for what the device does not give.
var refusals = []string{"cuLaunch", "cuModule", "cuFunc", "cuTensorMap"}

// fault turns an error into a candidate's fault where it is one; any other stays our error. Memory that runs out
// while a candidate is loaded, launched or made part of a graph runs out for its tables or its stack: the driver
// sets aside nothing else then.
func fault(where string, err error) (*Fault, error) {
	if k := kept(""); errors.As(err, &k) {
		return &Fault{Case: where, Text: err.Error(), Kept: string(k)}, nil
	}
	if r := refusal(""); errors.As(err, &r) {
		return &Fault{Case: where, Text: err.Error(), Launch: true}, nil
	}
	var e *cuda.Error
	if !errors.As(err, &e) {
		return nil, err
	}
	calls := func(list []string) bool {
		return slices.ContainsFunc(list, func(call string) bool { return strings.HasPrefix(e.Call, call) })
	}
	out := &Fault{Case: where, Code: e.Code, Text: e.Error(), Sticky: e.Sticky()}
	switch {
	case e.Code == cuda.OutOfMemory && !errors.Is(err, errScratch) && calls(ours):
		return nil, err
	case e.Code == cuda.OutOfMemory:
		out.Launch, out.Text = true, "no device memory left for its tables, stack or scratch: "+err.Error()
	case calls(refusals) && !e.Sticky():
		out.Launch, out.Text = true, err.Error() // which kernel, which map
	}
	return out, nil
}
