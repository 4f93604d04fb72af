package evolve

import (
	"context"
	"slices"
	"time"

	"darwarp/kernels"
)

// queue keeps what the evaluator was asked for, in the order of asking.
type queue struct {
	ctx     context.Context // of all that is asked for
	ask     func(context.Context, *task) answer
	inOrder bool // answers are taken in the order of asking
	results chan answer
	pending []*task  // asked for and not taken; before Run: to be asked for again
	arrived []answer // not taken, in the order of arrival
	out     int      // goroutines that have not answered
	evals   int      // verdicts asked for and not taken
	gone    int      // of pending, those that were withdrawn
}

func newQueue(ctx context.Context, ask func(context.Context, *task) answer, inOrder bool) *queue {
	return &queue{ctx: ctx, ask: ask, inOrder: inOrder, results: make(chan answer)}
}

// start does a task beside the loop; its answer comes through results.
func (q *queue) start(t *task) {
	q.add(t)
	q.out++
	var ctx context.Context
	t.asked, t.watch, t.withdrawn = time.Now(), &kernels.Watch{}, false
	ctx, t.cancel = context.WithCancelCause(t.watch.With(q.ctx))
	go func() {
		defer t.cancel(nil)
		q.results <- q.ask(ctx, t)
	}()
}

// withdraw no longer waits for candidates that the device has not begun, and for what is no part of the run: the next
// session asks for them again. Their answers still come, and most say that they were stopped.
func (q *queue) withdraw() (n int) {
	for _, t := range q.pending {
		aside := t.purpose == forProbe || t.purpose == forNoise
		here := slices.ContainsFunc(q.arrived, func(a answer) bool { return a.task == t })
		if t.withdrawn || t.watch == nil || here || !aside && (!t.isVerdict() || t.watch.Begun()) {
			continue
		}
		t.withdrawn = true
		t.cancel(nil)
		n++
	}
	q.gone += n
	return n
}

// answered enters a task whose answer is known.
func (q *queue) answered(a answer) {
	q.add(a.task)
	q.arrived = append(q.arrived, a)
}

func (q *queue) add(t *task) {
	q.pending = append(q.pending, t)
	if t.isVerdict() {
		q.evals++
	}
}

// receive notes an answer that came; next takes it.
func (q *queue) receive(a answer) {
	q.out--
	q.arrived = append(q.arrived, a)
}

// hear notes an answer that is there, and does not wait for one.
func (q *queue) hear() {
	select {
	case a := <-q.results:
		q.receive(a)
	default:
	}
}

// next takes the answer that is due: the first that was asked for, or the first that came.
func (q *queue) next() (answer, bool) {
	if len(q.arrived) == 0 {
		return answer{}, false
	}
	at := 0
	if q.inOrder {
		at = slices.IndexFunc(q.arrived, func(a answer) bool { return a.task == q.pending[0] })
		if at < 0 {
			return answer{}, false
		}
	}
	a := q.arrived[at]
	q.arrived = slices.Delete(q.arrived, at, at+1)
	q.pending = slices.DeleteFunc(q.pending, func(t *task) bool { return t == a.task })
	if a.task.isVerdict() {
		q.evals--
	}
	if a.task.withdrawn {
		q.gone--
	}
	return a, true
}

// nextVerdict is next, where that is a verdict that somebody waits for.
func (q *queue) nextVerdict() (answer, bool) {
	if q.inOrder {
		return answer{}, false
	}
	q.hear()
	if len(q.arrived) == 0 {
		return answer{}, false
	}
	if a := q.arrived[0]; a.err != nil || a.task.purpose != forRun || a.task.withdrawn || !a.task.isVerdict() {
		return answer{}, false
	}
	return q.next()
}

// leave keeps a task for the next session. Nobody is at it any more.
func (q *queue) leave(t *task) {
	t.watch = nil
	q.pending = append(q.pending, t)
	if t.withdrawn {
		q.gone++
	}
}

// leaveFirst keeps a task as the first for the next session.
func (q *queue) leaveFirst(t *task) { q.pending = slices.Insert(q.pending, 0, t) }

// takeUp has tasks of an earlier session asked for again by Run.
func (q *queue) takeUp(tasks []*task) { q.pending = tasks }

// waiting are the tasks in flight.
func (q *queue) waiting() []*task { return q.pending }

// left empties the queue of what an earlier session left.
func (q *queue) left() []*task {
	tasks := q.pending
	q.pending = nil
	return tasks
}

// points adds those of a space that wait for a verdict.
func (q *queue) points(out []int, space int) []int { return points(out, q.pending, space) }

// points adds those of a space that tasks want a verdict on.
func points(out []int, tasks []*task, space int) []int {
	for _, t := range tasks {
		if t.Space == space && t.Index >= 0 && !t.isDuel() {
			out = append(out, t.Index)
		}
	}
	return out
}

// verdicts is how many verdicts are in flight, and tasks how many verdicts, duels and trials that are waited for.
func (q *queue) verdicts() int { return q.evals }
func (q *queue) tasks() int    { return len(q.pending) - q.gone }

// abandoned is how many of the tasks in flight were withdrawn.
func (q *queue) abandoned() int { return q.gone }

// idleBut reports whether nothing is in flight but n, and nothing waits to be taken.
func (q *queue) idleBut(n int) bool { return q.out == n && len(q.arrived) == 0 }

// running is how many goroutines have not answered.
func (q *queue) running() int { return q.out }
