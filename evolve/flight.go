package evolve

import (
	"slices"

	"darwarp/kernels"
)

// flight is something that was asked of the evaluator: a verdict on a point, or a duel. Its exported
// fields are what a checkpoint keeps of it.
type flight struct {
	Space      int                 `json:"space"` // own: a source of its own, Variant
	Index      int                 `json:"index"` // in its space; -1: the naive start, where pins exclude it
	Variant    *kernels.Variant    `json:"variant,omitempty"`
	Origin     kernels.Origin      `json:"origin"`
	Attempts   int                 `json:"attempts,omitempty"`  // that were lost
	Champion   kernels.ID          `json:"champion,omitzero"`   // of a duel
	Challenger kernels.ID          `json:"challenger,omitzero"` // of a duel
	Weighed    int                 `json:"weighed,omitempty"`   // of a duel: Steering.Weighed when it began
	job        *kernels.Job        // the challenger's, of a duel
	champion   *kernels.Job        // of a duel
	ticket     int                 // 1, 2, ... in the order of asking
	aside      aside               // asked beside the search: no checkpoint keeps it
	doubts     *member             // whose trial it is
	parts      []kernels.TrialPart // of it
}

// aside is what a flight is that the search itself wants to know.
type aside uint8

const (
	probing     aside = iota + 1 // whether evaluating works: the champion, again
	controlling                  // the noise of the champion against itself
	doubting                     // whether a would-be champion stands its trial
)

// isVerdict says that it takes one of the evaluator's slots: duels and trials do not, for they are few.
func (f *flight) isVerdict() bool { return f.Challenger.IsZero() && f.aside != doubting }

// answer is what came of a flight.
type answer struct {
	flight *flight
	result kernels.Result
	duel   kernels.Duel
	trial  kernels.Trial
	err    error
}

// flights keeps what is in flight, in the order of asking.
type flights struct {
	results chan answer
	pending []*flight // asked for and not taken, in the order of asking; before Run: to be asked again
	arrived []answer  // in the order of arrival, not taken
	out     int       // goroutines that have not answered
	evals   int       // verdicts asked for and not taken
	tickets int
}

func (q *flights) answers() chan answer {
	if q.results == nil {
		q.results = make(chan answer)
	}
	return q.results
}

// start runs fn beside the loop; its answer comes through answers.
func (q *flights) start(f *flight, fn func(*flight) answer) {
	q.add(f)
	q.out++
	c := q.answers()
	go func() { c <- fn(f) }()
}

// answered enters a flight whose answer is known.
func (q *flights) answered(a answer) {
	q.add(a.flight)
	q.arrived = append(q.arrived, a)
}

func (q *flights) add(f *flight) {
	q.tickets++
	f.ticket = q.tickets
	q.pending = append(q.pending, f)
	if f.isVerdict() {
		q.evals++
	}
}

func (q *flights) receive(a answer) {
	q.out--
	q.arrived = append(q.arrived, a)
}

// next takes the answer that is due: the first that was asked for, or the first that came.
func (q *flights) next(inOrder bool) (answer, bool) {
	if len(q.arrived) == 0 {
		return answer{}, false
	}
	at := 0
	if inOrder {
		at = slices.IndexFunc(q.arrived, func(a answer) bool { return a.flight == q.pending[0] })
		if at < 0 {
			return answer{}, false
		}
	}
	a := q.arrived[at]
	q.arrived = slices.Delete(q.arrived, at, at+1)
	q.pending = slices.DeleteFunc(q.pending, func(f *flight) bool { return f == a.flight })
	if a.flight.isVerdict() {
		q.evals--
	}
	return a, true
}
