package gpu

import (
	"errors"
	"fmt"
	"math/rand/v2"
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
	clock   stopwatch
	harness *harness

	files Files
	out   outputs

	prep Prepare
	stage
	tally

	stackLimit uint64 // bytes a thread, before any candidate was launched
	watched    bool   // by a tool, to which looks of ours at a program's variables would be its reads of what nobody wrote

	library *library // nil: no cuBLASLt
	bursts  bursts
	l2      l2
}

// stage is the memory that candidates work on, and what it is refilled with.
type stage struct {
	mem      *memory
	arenas   []*arena            // by case; nil where a case has none of its own
	cold     map[string][]*arena // of cold runs, by workload
	scratch  map[scratchKey]*arena
	stock    map[int]*arena // inputs alone, by case
	flush    *arena         // what a cold sample writes to push everything out of L2
	inHash   [][]uint64     // of the inputs, by case and buffer; nil where no arena has held them yet
	palettes *palettes
	rng      *rand.Rand // secret
	tosses   uint64     // seed of what is left to chance in the samples of a request
	turn     int        // of all samples: the inputs change with each
}

// NewSession serves requests over the given memories.
func NewSession(files Files) *Session {
	stage := stage{cold: map[string][]*arena{}, scratch: map[scratchKey]*arena{}, stock: map[int]*arena{}, rng: SecretNumbers()}
	return &Session{files: files, stage: stage}
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

// prepare allocates and fills every case that candidates are always run on. Others are when somebody asks for them.
func (s *Session) prepare(req *Prepare) error {
	s.prep = *req
	if err := s.openOutputs(req); err != nil {
		return err
	}
	if err := s.preparePalettes(); err != nil {
		return err
	}
	s.arenas, s.inHash = make([]*arena, len(req.Cases)), make([][]uint64, len(req.Cases))
	if err := s.begin(); err != nil {
		return err
	}
	for i := range req.Cases {
		if req.Cases[i].Trial {
			continue
		}
		if _, err := s.ownArena(i); err != nil {
			return err
		}
	}
	return s.rest()
}

// begin starts a request that runs something on the device.
func (s *Session) begin() error {
	s.mem.request++
	s.tosses = s.rng.Uint64()
	if err := s.clearCounters(); err != nil {
		return err
	}
	return s.usePalettes()
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
