package gpu

import (
	"errors"
	"math/rand/v2"

	"darwarp/eval/internal/cuda"
	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// Session is one worker's hold on one GPU. Its methods run on the thread that Handle locks.
type Session struct {
	opened
	clock    stopwatch
	harness  *harness
	encoding encoding

	files device.Files
	out   outputs

	prep device.Prepare
	stage
	tally

	stackLimit uint64 // bytes a thread, before any candidate was launched
	watched    bool   // by a tool, which would take looks of ours at a program's variables for reads of unwritten memory

	loaded []*program // of the request before, that nobody needs any more

	library *library // nil: no cuBLASLt
	bursts  bursts
	l2      l2
}

// encoding is the memory for what launches of ours are told.
type encoding struct{ regions, refills []byte }

// opened is the GPU, with the stream that all work of a session goes through.
type opened struct {
	drv    *cuda.Driver
	id     cuda.Device
	ctx    *cuda.Context
	dev    kernels.Device
	stream cuda.Stream
	maker  cuda.Module // of inputs that follow from others; 0 where there are none
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
	coinSeed uint64     // seed of what is left to chance in the samples of a request
	turn     int        // of all samples: the inputs change with each
}

// NewSession serves requests over the given memories.
func NewSession(files device.Files) *Session {
	stage := stage{cold: map[string][]*arena{}, scratch: map[scratchKey]*arena{}, stock: map[int]*arena{}}
	stage.rng = device.SecretNumbers()
	return &Session{files: files, stage: stage}
}

// Handle answers one request. phase is told what is about to be done. An error is ours; what a
// candidate does wrong is a Fault in the reply.
func (s *Session) Handle(req *device.Request, phase func(string)) (any, error) {
	if req.Open != nil {
		return s.open(req.Open)
	}
	if s.ctx == nil {
		return nil, errors.New("device worker: not open")
	}
	if err := s.Finish(); err != nil {
		return nil, err
	}
	var reply any
	err := s.ctx.Do(func() (err error) {
		reply, err = s.handle(req, phase)
		return err
	})
	return reply, err
}

// Finish does what is left to do of a request that was answered. Unloading a program takes half a millisecond, in which
// its outputs can be judged.
func (s *Session) Finish() error {
	if len(s.loaded) == 0 {
		return nil
	}
	return s.ctx.Do(func() (err error) {
		for _, p := range s.loaded {
			err = errors.Join(err, s.unload(p))
		}
		s.loaded = nil
		return err
	})
}

// unloadLater unloads a program once the request is answered.
func (s *Session) unloadLater(p *program) { s.loaded = append(s.loaded, p) }

func (s *Session) handle(req *device.Request, phase func(string)) (any, error) {
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
	case req.Trim != nil:
		return nil, s.mem.giveBack(s.mem.request + 1)
	}
	return nil, errors.New("device worker: empty request")
}

// prepare allocates and fills every case that candidates are always run on. Others are when somebody asks for them.
func (s *Session) prepare(req *device.Prepare) error {
	s.prep, s.mem.most = *req, req.CaseBytes
	if err := s.openOutputs(req); err != nil {
		return err
	}
	if err := s.loadMaker(req.Maker); err != nil {
		return err
	}
	if err := s.preparePalettes(); err != nil {
		return err
	}
	s.arenas, s.inHash = make([]*arena, len(req.Cases)), make([][]uint64, len(req.Cases))
	if err := s.beginRequest(); err != nil {
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
	return s.protect()
}

// beginRequest starts a request that runs something on the device.
func (s *Session) beginRequest() error {
	s.mem.request++
	if err := s.mem.giveBackIdle(); err != nil {
		return err
	}
	s.coinSeed = s.rng.Uint64()
	if err := s.clearCounters(); err != nil {
		return err
	}
	return s.usePalettes()
}
