package tui

import (
	"math"
	"slices"
	"sync"
	"time"

	"darwarp/evolve"
	"darwarp/kernels"
)

// Board is all that a view shows of a run, kept up to date by one goroutine (Follow) and read by another
// (the screen): whoever uses it holds mu. What the search publishes goes into it without waiting for the
// screen, which looks at it when it is its turn.
type Board struct {
	mu      sync.Mutex
	version int // counts changes
	state   *State
	loading bool
	err     error // why there is no more to show

	table
	tally
	history
	measures
	steering
	ranking index  // by score
	sorted  *index // by what the leaderboard is sorted by, nil: by score
	elapsed sessions
	keys    keyGenes
	live    live
}

// history is what happened, oldest first.
type history struct {
	steps  []gain // champions, in order
	sample sample
	log    []line
}

// steering is what people have asked of the search.
type steering struct {
	budget evolve.Budget
	pins   map[int32]bool
	killed map[int32]bool // with what is known to descend from them
}

// live is where a search stands, by its last event.
type live struct {
	last     evolve.Event
	heard    time.Time // of the last event
	summary  *evolve.Summary
	watching bool // events come
	paused   bool
	draining string
	diskFull bool
	lost     int
	machine  *kernels.Machine // nil: nothing was heard of it
}

// gain is when a champion became one.
type gain struct {
	row     int32
	evals   int32
	elapsed float64 // seconds
	score   float64
}

// level is how a line of the log reads.
type level uint8

const (
	levelNote level = iota
	levelGood
	levelBad
	levelQuiet
)

// line is one line of the log.
type line struct {
	at    time.Duration
	level level
	text  string
	id    kernels.ID
}

// logLines bounds the log.
const logLines = 5000

// NewBoard makes an empty board.
func NewBoard() *Board {
	b := &Board{table: newTable(), tally: tally{outcomes: map[kernels.Outcome]int{}, asked: map[string]bool{},
		ops: make([]operator, 1)}, measures: measures{proofs: map[string]bool{}, fought: map[[2]string]float64{}},
		steering: steering{pins: map[int32]bool{}, killed: map[int32]bool{}}, loading: true}
	b.ranking.board = b
	return b
}

// begin takes what is known before any candidate.
func (b *Board) begin(s *State) {
	b.state, b.budget, b.over = s, evolve.Budget(s.Meta.Budget), s.Pace
	b.floors = make([]float64, len(s.Meta.Workloads))
	b.elapsed = sessions{simulated: s.Meta.Device.Kind == "replay", began: func(proof string) (time.Time, bool) {
		p, err := s.Provenance(proof)
		return p.Started, err == nil
	}}
	if !s.Replayed { // they are fought again
		b.fights(s)
	}
}

// still reports whether time stands between events.
func (b *Board) still() bool { return b.elapsed.simulated || b.state != nil && b.state.Replayed }

// enter adds a candidate; one that is known is left as it is. at is the time of the search, below 0: as
// the candidates' own times say.
func (b *Board) enter(c *kernels.Candidate, at time.Duration) (r *row, isNew bool) {
	if i, known := b.byID[c.ID]; known {
		return &b.rows[i], false
	}
	stored := b.elapsed.add(c)
	if at < 0 {
		at = stored
	}
	i, o := int32(len(b.rows)), c.Result.Outcome
	b.byID[c.ID] = i
	b.outcomes[o]++
	if o != kernels.Duplicate {
		b.verdicts++
	}
	if o.Failed() && o != kernels.Duplicate {
		b.failed++
	}
	x := row{id: c.ID, seq: int32(c.Seq), better: b.betterParent(c.Origin.Parents),
		step: int32(b.verdicts), outcome: o,
		family: b.families.number(c.Variant.Family), op: b.operators.number(c.Origin.Operator), score: c.Score,
		elapsed: float32(at.Seconds()), genes: b.genes.encode(c.Variant.Genes)}
	if c.Result.Gate != nil {
		x.checks = uint16(min(c.Result.Gate.Checks, math.MaxUint16))
	}
	if o == kernels.OK {
		var spread float64
		x.times, spread = timesOf(c.Result.Times, b.workloads())
		x.spread, x.proven = float32(spread), b.proven(c.Result.Provenance)
	}
	if b.killed[x.better] {
		b.killed[i] = true
	}
	b.rows, b.bounds = append(b.rows, x), append(b.bounds, x.interval())
	r = &b.rows[i]
	if o == kernels.OK {
		b.list(i)
		b.sample.add(i)
	}
	b.causes.add(c, i)
	b.countOperator(r, c)
	addCost(&b.cost, c.Result.Cost)
	b.pace.add(at)
	return r, true
}

func addCost(sum *kernels.Cost, c kernels.Cost) {
	sum.Compile, sum.Gate, sum.Time, sum.Wait = sum.Compile+c.Compile, sum.Gate+c.Gate, sum.Time+c.Time, sum.Wait+c.Wait
}

func (b *Board) workloads() []kernels.Workload {
	if b.state == nil {
		return nil
	}
	return b.state.Meta.Workloads
}

// promote makes a champion. It is told of after a duel: at and evals are when. One that has been champion
// was stored before the event came.
func (b *Board) promote(id kernels.ID, evals int, at time.Duration) {
	i, ok := b.byID[id]
	if !ok || b.rows[i].outcome != kernels.OK || slices.ContainsFunc(b.steps, func(g gain) bool { return g.row == i }) {
		return
	}
	r := &b.rows[i]
	g := gain{row: i, evals: int32(max(evals, int(r.step))), elapsed: max(at.Seconds(), float64(r.elapsed)),
		score: r.score}
	b.ops[r.op].crowned++
	if n := len(b.steps); n > 0 && r.score > 0 {
		g.evals, g.elapsed = max(g.evals, b.steps[n-1].evals), max(g.elapsed, b.steps[n-1].elapsed)
		b.ops[r.op].earned += math.Log(b.steps[n-1].score / r.score)
	}
	b.steps = append(b.steps, g)
	b.sayChampion(time.Duration(g.elapsed * float64(time.Second)))
}

// fell makes a row the failure that its candidate was found out to be. Where it was champion, the one before is again.
func (b *Board) fell(c *kernels.Candidate) {
	i, known := b.byID[c.ID]
	if !known || b.rows[i].outcome != kernels.OK {
		return
	}
	r := &b.rows[i]
	b.ranking.remove(i)
	if b.sorted != nil {
		b.sorted.remove(i)
	}
	b.sample.rows = slices.DeleteFunc(b.sample.rows, func(k int32) bool { return k == i })
	b.steps = slices.DeleteFunc(b.steps, func(g gain) bool { return g.row == i })
	b.outcomes[r.outcome]--
	r.outcome, r.score, r.times = c.Result.Outcome, 0, nil
	b.outcomes[r.outcome]++
	b.failed++
	b.operator(r.op).right--
	b.causes.add(c, i)
}

// standing is where the champion stands, empty where nobody doubts it.
func (b *Board) standing() kernels.Standing {
	c := b.champion()
	switch {
	case c == nil:
		return ""
	case b.live.last.Champion == c.id:
		return b.live.last.Standing
	case b.state == nil:
		return ""
	}
	return b.state.Standings[c.id]
}

// champion is the champion's row, nil while there is none.
func (b *Board) champion() *row {
	if len(b.steps) == 0 {
		return nil
	}
	return &b.rows[b.steps[len(b.steps)-1].row]
}

// say adds a line to the log.
func (h *history) say(l line) {
	l.text = shown(l.text)
	if len(h.log) >= logLines {
		h.log = append(h.log[:0], h.log[logLines/4:]...)
	}
	h.log = append(h.log, l)
}

// lineage is the path to a row from the start, oldest first: each one's faster parent. A row without
// parents follows the start itself.
func (b *Board) lineage(i int32) []int32 {
	path := []int32{i}
	for b.rows[i].better >= 0 && len(path) <= len(b.rows) {
		i = b.rows[i].better
		path = append(path, i)
	}
	if start := b.start(); start >= 0 && i != start {
		path = append(path, start)
	}
	slices.Reverse(path)
	return path
}

// start is the row of the naive start, -1: no verdict yet.
func (b *Board) start() int32 {
	if len(b.steps) == 0 {
		return -1
	}
	return b.steps[0].row
}
