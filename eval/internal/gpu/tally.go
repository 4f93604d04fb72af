package gpu

import (
	"encoding/binary"
	"time"

	"darwarp/eval/internal/cuda"
)

// tally is the counters that device code adds to: counts of bytes, hashes and stamps of the clock.
type tally struct {
	counters cuda.Ptr // maxCounters 64-bit words
	readback cuda.Pinned
	counted  int // counters in use since they were cleared
}

// What the counters are for: two stamps of two words each, hashes of inputs that are made while others are in use,
// and from counterFirst on inspections: seven at most of each run, of which there are up to device.MostDisturbed, and
// those of all arenas.
const (
	counterStamp0 = 0
	counterStamp1 = 2
	counterInputs = 4
	counterFirst  = 64
	maxCounters   = 16384
)

func newTally(drv *cuda.Driver, mem *memory) (t tally, err error) {
	b, err := mem.take(maxCounters*8, false)
	if err != nil {
		return t, err
	}
	t.counters = b.at
	t.readback, err = drv.HostAlloc(maxCounters * 8)
	return t, err
}

func (t *tally) counterAt(i int) cuda.Ptr { return t.counters + cuda.Ptr(8*i) }

func (s *Session) clearCounters() error {
	s.counted = counterFirst
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
		out[i] = binary.LittleEndian.Uint64(s.readback[8*i:])
	}
	return out, nil
}

// stopwatch times what is put into a stream, in laps that are read once the stream is through.
type stopwatch struct {
	drv    *cuda.Driver
	stream cuda.Stream
	marks  [][2]cuda.Event
	laps   int // in use
}

func newStopwatch(drv *cuda.Driver, stream cuda.Stream) (stopwatch, error) {
	w := stopwatch{drv: drv, stream: stream}
	_, err := w.lap(0, func() error { return nil })
	return w, err
}

// reset forgets all laps.
func (w *stopwatch) reset() { w.laps = 0 }

// next times what f queues and returns the number of the lap.
func (w *stopwatch) next(f func() error) (int, error) {
	w.laps++
	return w.lap(w.laps-1, f)
}

func (w *stopwatch) lap(i int, f func() error) (int, error) {
	for len(w.marks) <= i {
		start, err := w.drv.NewEvent()
		if err != nil {
			return i, err
		}
		stop, err := w.drv.NewEvent()
		if err != nil {
			return i, err
		}
		w.marks = append(w.marks, [2]cuda.Event{start, stop})
	}
	if err := w.drv.Record(w.marks[i][0], w.stream); err != nil {
		return i, err
	}
	if err := f(); err != nil {
		return i, err
	}
	return i, w.drv.Record(w.marks[i][1], w.stream)
}

// nanos is how long a lap took. The stream must be through with it.
func (w *stopwatch) nanos(i int) (float64, error) {
	d, err := w.drv.Elapsed(w.marks[i][0], w.marks[i][1])
	return float64(d) / float64(time.Nanosecond), err
}

// nanosOf is how long a lap took, if there was one: 0 for -1.
func (w *stopwatch) nanosOf(lap int) (float64, error) {
	if lap < 0 {
		return 0, nil
	}
	return w.nanos(lap)
}
