package evolve

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"darwarp/kernels"
)

// After tripAfter verdicts in a row that were lost the champion is asked, which is known to work. If it gets its
// verdict it was the candidates that took their workers along. If not there is an outage: nothing new is asked for,
// and the champion again after pauses that double to 5 minutes, and start over once all was well for healthy.
const (
	tripAfter = 5
	healthy   = 10 * time.Minute
	attempts  = 3 // how often a verdict that was lost is asked for
)

// pauses are 20 minutes together: a driver that is reinstalled, a full disk or a machine's other tenants are through
// by then. After the last the search ends.
var pauses = []time.Duration{10 * time.Second, 20 * time.Second, 40 * time.Second, 80 * time.Second, 160 * time.Second,
	5 * time.Minute, 5 * time.Minute, 5 * time.Minute}

// Outage is the error of a search that ended because our side failed again and again. Its state is saved.
type Outage struct {
	Lost  int           // verdicts in a row
	Since time.Duration // the first of them
	Why   string        // the last one was lost
}

func (o *Outage) Error() string {
	return fmt.Sprintf("nothing can be evaluated here any more: %s in a row were lost in %s, "+
		"the last with: %s. See darwarp doctor and the system's log, then go on with --resume",
		kernels.Quantity(o.Lost, "verdict"), kernels.Span(o.Since), line(o.Why))
}

// line is the first line of a text.
func line(s string) string {
	first, _, _ := strings.Cut(s, "\n")
	return first
}

// outage is what is known of failures of our own side.
type outage struct {
	lost    int              // verdicts in a row, without one that shows that evaluating works
	first   time.Time        // of them
	why     string           // the last of them
	held    []*task          // lost, and not known whether by their own doing
	over    <-chan time.Time // fires at the end of a pause, nil outside of one
	probing bool             // the champion is asked
	told    bool             // that there is one
	taken   int              // pauses since all was well for long
	ended   time.Time        // the last outage
	pauses  []time.Duration
	leftOut []int // GPUs that were told of
	waits   bool  // it was told that nobody is there to evaluate
}

// leave notes the GPUs that the evaluator goes on without, and gives what to tell of those that were not told of.
func (o *outage) leave(gpus []kernels.GPU) (notes []string) {
	for _, g := range gpus {
		if g.LeftOut == "" || slices.Contains(o.leftOut, g.Index) {
			continue
		}
		o.leftOut = append(o.leftOut, g.Index)
		notes = append(notes, fmt.Sprintf("GPU %d is left out, the search goes on without it: %s", g.Index,
			line(g.LeftOut)))
	}
	return notes
}

// wait notes why nothing can be evaluated, empty where it can, and gives what to tell when that has changed.
func (o *outage) wait(why string) (notes []string) {
	was := o.waits
	switch o.waits = why != ""; {
	case o.waits && !was:
		return []string{why}
	case was && !o.waits:
		return []string{"a worker is there again: going on"}
	}
	return nil
}

// on reports whether so much was lost that only the champion is asked.
func (o *outage) on() bool { return o.lost >= tripAfter }

// count notes a verdict that was lost.
func (o *outage) count(why string, now time.Time) {
	if o.lost++; o.lost == 1 {
		o.first = now
	}
	o.why = why
}

// hold keeps a task until it is known whether it is to blame.
func (o *outage) hold(t *task) { o.held = append(o.held, t) }

// waiting are the tasks that are held.
func (o *outage) waiting() []*task { return o.held }

func (o *outage) holds() bool { return len(o.held) > 0 }

// idle reports whether the champion may be asked: no pause is on, and it is not asked already.
func (o *outage) idle() bool { return o.over == nil && !o.probing }

// pausing reports whether a pause is on: over fires at its end, and resume ends it.
func (o *outage) pausing() bool { return o.over != nil }
func (o *outage) resume()       { o.over = nil }

// probe notes that the champion is asked, and answered that it has an answer.
func (o *outage) probe()    { o.probing = true }
func (o *outage) answered() { o.probing = false }

// fail notes that the champion was lost, too.
func (o *outage) fail(why string) {
	o.why = why
	o.lost++
}

// pause begins the next pause, of at most limit where that is not negative. No task is given up for what was lost in an
// outage. note is what to tell, once; the error says that there were pauses enough.
func (o *outage) pause(now time.Time, limit time.Duration) (note string, err error) {
	for _, t := range o.held {
		t.Attempts = min(t.Attempts, attempts-1)
	}
	if !o.ended.IsZero() && now.Sub(o.ended) > healthy {
		o.taken = 0
	}
	if o.taken >= len(o.pauses) {
		return "", o.error(now)
	}
	wait := o.pauses[o.taken]
	o.taken++
	if !o.told {
		note = fmt.Sprintf("%s in a row were lost, the champion's too: "+
			"waiting %s and longer, %d times at most (%s)", kernels.Quantity(o.lost, "verdict"), kernels.Span(wait),
			len(o.pauses)-o.taken+1, line(o.why))
	}
	o.told = true
	if limit >= 0 {
		wait = min(wait, limit)
	}
	o.over = time.After(wait)
	return note, nil
}

// recover notes that evaluating works, and gives back what was held; told says whether an outage was told of.
func (o *outage) recover(now time.Time) (held []*task, told bool) {
	if told = o.told; told {
		o.ended, o.told = now, false
	}
	held = o.held
	o.lost, o.held, o.over = 0, nil, nil
	return held, told
}

func (o *outage) error(now time.Time) error { return &Outage{o.lost, now.Sub(o.first), o.why} }
