package eval

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"

	"darwarp/eval/internal/verdict"
	"darwarp/kernels"
)

// Host is several GPUs of one model behind one evaluator. Each has device workers, a judge and a runner of its own;
// compilers and cases are common. A candidate is compiled before it is given a GPU, the first that is free, and its
// times are compared with the champion's on that GPU. Duels and winners are measured on one GPU, home.
type Host struct {
	log    *slog.Logger
	front  *Pool // compiles, and knows which machine code was seen
	places *places

	ctx  context.Context // ends when the host is closed
	stop context.CancelFunc
	work sync.WaitGroup

	mu     sync.Mutex
	start  *yardstick // the first one
	begun  bool       // there is one, or what may become it is looked at
	latest int        // yardsticks that duels gave
	timing sync.Mutex // held while one is timed
}

// OpenHost readies several GPUs, named by their indices, as Open does one. One that cannot be opened is told of by
// cfg.Progress and left out.
func OpenHost(ctx context.Context, cfg Config, gpus []int) (h *Host, err error) {
	if len(gpus) == 0 {
		return nil, errors.New("open a host: no GPU is named")
	}
	pools, err := openAll(ctx, cfg, gpus)
	if err != nil {
		return nil, err
	}
	h = &Host{log: pools[0].Log, front: pools[0], places: newPlaces(pools)}
	h.ctx, h.stop = context.WithCancel(context.Background())
	return h, nil
}

// Close ends all workers. Those of a GPU that was left out may be beyond that.
func (h *Host) Close() error {
	h.stop()
	h.work.Wait()
	var errs []error
	for _, p := range slices.Backward(h.places.all) { // the first one has the compilers
		err := p.pool.Close()
		if p.out != "" && err != nil {
			h.log.Warn("a GPU that was left out cannot be closed", "gpu", p.name(), "error", err)
			continue
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// Evaluate is Pool.Evaluate on the GPU that is free first. What a GPU loses is asked of another.
func (h *Host) Evaluate(ctx context.Context, job *kernels.Job) (kernels.Result, error) {
	return h.front.evaluate(ctx, &verdict.Evaluation{Session: h.front.Session, Job: job, Place: h.measured})
}

// measured gates and times what was compiled.
func (h *Host) measured(ctx context.Context, e *verdict.Evaluation) (err error) {
	was := *e
	for range h.places.all {
		var home *place
		first := h.first()
		if first {
			home = h.places.home()
		}
		var at *place
		if at, err = h.places.take(ctx, home); err == nil {
			*e = was
			e.Session, e.Job = at.pool.Session, h.places.jobOn(at, was.Job)
			err = e.Measured(ctx)
			h.places.leave(at)
			err = h.blame(ctx, at, err)
		}
		if err == nil && h.places.judge(at, e.Res.Outcome) {
			h.examine(ctx, at)
		}
		if first {
			h.begin(ctx, yardstick{e, at}, err)
		}
		if !errors.Is(err, kernels.ErrLost) {
			break
		}
	}
	if err == nil {
		h.places.scale(h.placeOf(e.Session), e.Res.Times)
	}
	return err
}

func (h *Host) placeOf(s *verdict.Session) *place {
	return h.places.all[slices.IndexFunc(h.places.all, func(q *place) bool { return q.pool.Session == s })]
}

// A GPU may lose so many verdicts in a row while others are there, and find so many candidates out before it is asked
// for the first yardstick again.
const (
	mostLost = 5
	mostBad  = 8
)

// blame sees to a GPU that has lost what it was asked for. The error says whether another may be asked: it does not
// where no GPU is left.
func (h *Host) blame(ctx context.Context, at *place, err error) error {
	gone, lost := errors.Is(err, ErrGone), errors.Is(err, kernels.ErrLost)
	if ctx.Err() != nil {
		return err
	}
	n := h.places.count(at, lost || gone)
	switch {
	case gone:
		if !h.leaveOut(at, err) {
			return err
		}
		return fmt.Errorf("%w: %s: %w", kernels.ErrLost, at.name(), err)
	case lost && n >= mostLost:
		h.leaveOut(at, fmt.Errorf("%d verdicts in a row were lost there, the last with: %w", n, err))
	case lost && h.places.rest(at):
		h.work.Go(func() { h.revive(at) })
	}
	return err
}

// revive has a GPU start another worker, however often that takes, before it gets the next candidate.
func (h *Host) revive(at *place) {
	for {
		err := at.pool.Runner.Wake(h.ctx)
		if h.ctx.Err() != nil {
			return
		}
		if err != nil && errors.Is(err, kernels.ErrLost) { // it has rested, and will longer
			continue
		}
		if err != nil {
			h.leaveOut(at, err)
		}
		h.places.resume(at) // the last one says itself what is wrong
		return
	}
}

// leaveOut goes on without a GPU; false: there is no other.
func (h *Host) leaveOut(at *place, err error) bool {
	if !h.places.leaveOut(at, kernels.CleanDetail(err.Error())) {
		return false
	}
	h.log.Warn("a GPU is left out", "gpu", at.name(), "error", err)
	return true
}
