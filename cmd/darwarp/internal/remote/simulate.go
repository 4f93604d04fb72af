//go:build !nofleet

package remote

import (
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"runtime/metrics"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"darwarp/cmd/darwarp/internal/session"
	"darwarp/eval/fleet"
	"darwarp/eval/fleet/broker"
	"darwarp/kernels"
)

// slotsOfOne is how many candidates a simulated worker has in flight, of which its device judges one at a time.
const slotsOfOne = 4

// device answers from a recording, and takes as long as a device that gives so many verdicts a second. What waits there
// begins when the one before has ended, also where this process notices that late: a real device does not wait for the
// processors that its search, the server and all other workers have in common here.
type device struct {
	fleet.Evaluator
	takes time.Duration
	mu    sync.Mutex
	free  time.Time     // when what has come so far will be done
	spent *atomic.Int64 // ns, of all devices
}

func (s *Simulation) device(of fleet.Evaluator, spent *atomic.Int64) *device {
	return &device{Evaluator: of, takes: time.Duration(float64(time.Second) / s.Rate), spent: spent}
}

func (d *device) Slots() int { return slotsOfOne }

func (d *device) Evaluate(ctx context.Context, j *kernels.Job) (kernels.Result, error) {
	done := time.NewTimer(time.Until(d.reserve()))
	defer done.Stop()
	select {
	case <-ctx.Done(): // nobody waits for it any more
		return kernels.Result{}, ctx.Err()
	case <-done.C:
	}
	d.spent.Add(int64(d.takes))
	return d.Evaluator.Evaluate(ctx, j)
}

// reserve is when a candidate that has come now will be done.
func (d *device) reserve() time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	if now := time.Now(); d.free.Before(now) {
		d.free = now
	}
	d.free = d.free.Add(d.takes)
	return d.free
}

// simulated is a fleet whose workers are of this process.
type simulated struct {
	Simulation
	x      *session.Session // whose recording answers
	on     session.Session  // the same, asked through the fleet
	dir    string
	spent  atomic.Int64 // ns that devices were in use
	joined sync.WaitGroup
	lost   atomic.Int64
	failed chan error // one that left, and was not to
	next   atomic.Int64
}

// Simulate measures a fleet of workers of this process over loopback, with TLS, whose verdicts are a recording's.
func (s Simulation) Simulate(ctx context.Context, say func(string, ...any)) (r Simulated, err error) {
	m := &simulated{Simulation: s, failed: make(chan error, s.Workers)}
	m.x, err = session.Open(ctx,
		session.Target{Problem: s.Problem, Device: "replay", Work: session.Work{Jobs: slotsOfOne}}, say)
	if err != nil {
		return r, err
	}
	if m.dir, err = os.MkdirTemp("", "darwarp-fleet"); err != nil {
		return r, err
	}
	defer os.RemoveAll(m.dir)
	short, stop := context.WithCancel(ctx)
	defer m.joined.Wait()
	defer stop()
	tolerateGarbage(short)
	f, err := m.open(short)
	if err != nil {
		return r, err
	}
	defer f.Close()
	m.on = *m.x
	m.on.Evaluator = f
	return m.measureAll(ctx)
}

// open opens the fleet with all its workers.
func (m *simulated) open(ctx context.Context) (f *fleet.Fleet, err error) {
	opened := make(chan error, 1)
	go func() {
		var err error
		f, err = fleet.Open(ctx, fleet.Config{Listen: "127.0.0.1:0", Dir: m.dir, Version: session.Version(),
			Cache: m.x.Cache, Task: []byte(m.x.Bundle.Problem.Name), Say: func(string, ...any) {}})
		opened <- err
	}()
	for range m.Workers {
		m.join(ctx, nil)
	}
	if err := <-opened; err != nil {
		return nil, err
	}
	if err := m.awaitAll(ctx, f.Slots); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// awaitAll waits until the fleet has the slots of all workers.
func (m *simulated) awaitAll(ctx context.Context, slots func() int) error {
	for slots() < m.Workers*(slotsOfOne+1) {
		select {
		case err := <-m.failed:
			return errors.Join(errors.New("a simulated worker has left"), err)
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
	return nil
}

// join has one more worker join.
func (m *simulated) join(ctx context.Context, dial fleet.Dial) {
	i := int(m.next.Add(1))
	on := &fleet.Station{Evaluator: m.device(m.x.Evaluator, &m.spent), Problem: m.x.Bundle.Problem}
	work := m.joined.Go
	if dial != nil { // one that is cut off ends with the process: it has what nobody takes
		work = func(fn func()) { go fn() }
	}
	work(func() {
		if err := joinHere(ctx, m.dir, i, on, dial); err != nil {
			select {
			case m.failed <- err:
			default:
			}
		}
	})
}

// measureAll measures what there is to measure.
func (m *simulated) measureAll(ctx context.Context) (r Simulated, err error) {
	asked := func(ctx context.Context) (int, error) { return points(ctx, &m.on, &m.lost) }
	if m.Churn > 0 {
		return m.measureChurn(ctx, asked)
	}
	if err := m.warm(ctx); err != nil {
		return r, err
	}
	if r, err = m.measure(ctx, &m.spent, asked); err != nil || !m.Search {
		return r, err
	}
	searched := func(ctx context.Context) (int, error) { return m.search(ctx, &m.on, m.dir) }
	through, err := m.measure(ctx, &m.spent, searched)
	if err != nil {
		return r, err
	}
	m.on.Evaluator = newSimulatedDevices(m.x.Evaluator, &m.Simulation, &m.spent)
	alone, err := m.measure(ctx, &m.spent, searched)
	r.Alone, r.Through = &alone, &through
	return r, err
}

// perWorker is how many candidates each worker has on average before anything is measured: with a problem's few
// families it knows their plans then, which real workers compile beside each other, each on its own machine.
const perWorker = 8

// warm has the workers compile the plans that they will need.
func (m *simulated) warm(ctx context.Context) (err error) {
	left := perWorker * m.Workers
	some := func(yield func(session.Point) bool) {
		for p := range again(&m.on) {
			if left--; left < 0 || !yield(p) {
				return
			}
		}
	}
	for v := range m.on.EvaluateAll(ctx, some) {
		err = errors.Join(err, v.Err)
	}
	return err
}

// joinHere is one worker of the simulation.
func joinHere(ctx context.Context, dir string, i int, station *fleet.Station, dial fleet.Dial) error {
	station.Close = func() error { return nil }
	var url []byte
	for len(url) == 0 && ctx.Err() == nil {
		url, _ = os.ReadFile(filepath.Join(dir, "address")) // it is there soon
		time.Sleep(10 * time.Millisecond)
	}
	return fleet.Join(ctx, fleet.JoinConfig{URL: string(url[:max(0, len(url)-1)]),
		Access: broker.Access{TokenFile: filepath.Join(dir, "token")},
		Name:   "simulated-" + strconv.Itoa(i), Dial: dial, Version: session.Version(), Say: func(string, ...any) {},
		Now:  ctx.Done(),
		Open: func(context.Context, []byte) (*fleet.Station, error) { return station, nil }})
}

// measure has something give verdicts for a while.
func (s Simulation) measure(ctx context.Context, spent *atomic.Int64, drive func(context.Context) (int, error)) (
	r Simulated, err error) {
	short, end := context.WithTimeout(ctx, s.Span)
	defer end()
	begun, before, cpu := time.Now(), spent.Load(), processorTime()
	if r.Verdicts, err = drive(short); err != nil {
		return r, err
	}
	r.Workers, r.Seconds = s.Workers, time.Since(begun).Seconds()
	r.Rate, r.CPU = float64(r.Verdicts)/r.Seconds, (processorTime()-cpu)/float64(max(1, r.Verdicts))
	r.Busy = float64(spent.Load()-before) / 1e9 / r.Seconds / float64(s.Workers)
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}}
	metrics.Read(sample)
	r.Memory = sample[0].Value.Uint64()
	return r, ctx.Err()
}

// points asks for points by chance, as fast as they come back.
func points(ctx context.Context, on *session.Session, lost *atomic.Int64) (n int, err error) {
	for v := range on.EvaluateAll(ctx, again(on)) {
		if v.Err == nil {
			if n++; v.C.Result.Outcome == kernels.Lost {
				lost.Add(1)
			}
		} else if ctx.Err() == nil {
			err = errors.Join(err, v.Err)
		}
	}
	return n, err
}

// again draws points over and over.
func again(s *session.Session) iter.Seq[session.Point] {
	return func(yield func(session.Point) bool) {
		for seed := uint64(1); ; seed++ {
			for p := range s.RandomPoints(seed) {
				if !yield(p) {
					return
				}
			}
		}
	}
}

// processorTime is the seconds of processor time that this process has taken.
func processorTime() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}
