package tui

import (
	"cmp"
	"math"
	"slices"
	"strings"
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

	rows      []row
	bounds    [][2]float32 // by row: the score's interval, apart from the rows because ranking reads many
	byID      map[kernels.ID]int32
	families  *names
	operators *names
	genes     *geneTable
	ranking   index
	outcomes  map[kernels.Outcome]int
	verdicts  int // duplicates not counted
	failed    int
	steps     []gain // reigns of champions, oldest first
	sample    sample
	causes    causes
	ops       []operator      // by number
	asked     map[string]bool // questions to language models that are counted
	spent     operator        // on all of them
	proofs    map[string]bool // provenances that are known
	cost      kernels.Cost
	pace      pace
	log       []line
	baselines []baseline
	floors    []float64 // ns by workload that the ceilings allow, 0: not known
	elapsed   sessions
	keys      keyGenes

	live    live
	machine *kernels.Machine
	budget  evolve.Budget
	pins    map[int32]bool
	killed  map[int32]bool // with what is known to descend from them
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
}

// gain is the beginning of a champion's reign.
type gain struct {
	row     int32
	evals   int32
	elapsed float64 // seconds
	score   float64
}

// baseline is what the champion is held against, relative to the naive start.
type baseline struct {
	name  string
	score float64
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
	b := &Board{
		byID: map[kernels.ID]int32{}, families: newNames(), operators: newNames(), genes: newGeneTable(),
		outcomes: map[kernels.Outcome]int{}, proofs: map[string]bool{}, pins: map[int32]bool{}, killed: map[int32]bool{},
		asked: map[string]bool{}, ops: make([]operator, 1), loading: true,
	}
	b.ranking.board = b
	return b
}

// begin takes what is known before any candidate.
func (b *Board) begin(s *State) {
	b.state, b.budget = s, evolve.Budget(s.Meta.Budget)
	b.floors = make([]float64, len(s.Meta.Workloads))
	b.elapsed = sessions{simulated: s.Meta.Device.Kind == "replay", began: func(proof string) (time.Time, bool) {
		p, err := s.Provenance(proof)
		return p.Started, err == nil
	}}
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
	x := row{id: c.ID, seq: int32(c.Seq), gen: int32(c.Origin.Generation), better: b.betterParent(c.Origin.Parents),
		step: int32(b.verdicts), outcome: o,
		family: b.families.number(c.Variant.Family), op: b.operators.number(c.Origin.Operator), score: c.Score,
		elapsed: float32(at.Seconds()), at: c.At.UnixNano(), genes: b.genes.encode(c.Variant.Genes)}
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
		b.ranking.add(i)
		b.sample.add(i)
	}
	b.causes.add(c, i)
	b.countOperator(r, c)
	addCost(&b.cost, c.Result.Cost)
	b.pace.add(at)
	return r, true
}

// proven reports whether the run says what a figure stands on: one without is not shown.
func (b *Board) proven(proof string) bool {
	known, asked := b.proofs[proof]
	if !asked {
		_, err := b.state.Provenance(proof)
		known = err == nil
		b.proofs[proof] = known
		b.floor(proof)
	}
	return known
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

// betterParent is the fastest parent that is known, -1: none.
func (b *Board) betterParent(parents []kernels.ID) int32 {
	best := int32(-1)
	for _, id := range parents {
		if i, ok := b.byID[id]; ok &&
			(best < 0 || b.rows[i].score > 0 && (b.rows[best].score == 0 || b.rows[i].score < b.rows[best].score)) {
			best = i
		}
	}
	return best
}

// crown begins a reign. A champion is told of after a duel: at and evals are when. One that has reigned
// was stored before the event came.
func (b *Board) crown(id kernels.ID, evals int, at time.Duration) {
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

// fell makes a row the failure that its candidate was found out to be. Where it reigned, the one before reigns again.
func (b *Board) fell(c *kernels.Candidate) {
	i, known := b.byID[c.ID]
	if !known || b.rows[i].outcome != kernels.OK {
		return
	}
	r := &b.rows[i]
	b.ranking.remove(i)
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

// champion is the row that reigns, nil while there is none.
func (b *Board) champion() *row {
	if len(b.steps) == 0 {
		return nil
	}
	return &b.rows[b.steps[len(b.steps)-1].row]
}

// say adds a line to the log.
func (b *Board) say(l line) {
	l.text = shown(l.text)
	if len(b.log) >= logLines {
		b.log = append(b.log[:0], b.log[logLines/4:]...)
	}
	b.log = append(b.log, l)
}

// share is a row's share of the roofline at one workload, or over all of them (-1), 0: not known.
func (b *Board) share(r *row, workload int) float64 {
	sum, weights := 0.0, 0.0
	for i, w := range b.workloads() {
		if workload >= 0 && i != workload {
			continue
		}
		if i >= len(r.times) || b.floors[i] == 0 || r.times[i].median == 0 {
			return 0
		}
		sum += w.Weight * math.Log(b.floors[i]/float64(r.times[i].median))
		weights += w.Weight
	}
	if weights == 0 {
		return 0
	}
	return math.Exp(sum / weights)
}

// roofline is the score that the ceilings allow, 0: not known.
func (b *Board) roofline() float64 {
	c := b.champion()
	if c == nil {
		return 0
	}
	return b.share(c, -1) * c.score
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

// family is a row with all whose path leads through it.
func (b *Board) family(i int32) map[int32]bool {
	all := map[int32]bool{i: true}
	for j := int(i) + 1; j < len(b.rows); j++ {
		if p := b.rows[j].better; p >= 0 && all[p] {
			all[int32(j)] = true
		}
	}
	return all
}

// operatorNames sorts the operators that were used by what they earned.
func (b *Board) operatorsByGain() []int {
	var out []int
	for i := range b.ops {
		if b.ops[i].tried+b.ops[i].asked > 0 {
			out = append(out, i)
		}
	}
	slices.SortStableFunc(out, func(x, y int) int {
		p, q := &b.ops[x], &b.ops[y]
		return cmp.Or(cmp.Compare(q.earned, p.earned), cmp.Compare(q.records, p.records), cmp.Compare(q.tried, p.tried))
	})
	return out
}

// changes lists the genes in which a row differs from another, as notes.
func (b *Board) changes(from, to *row) string {
	if name := b.families.all[to.family]; name != "" && to.family != from.family { // whose genes are others
		return "family " + name
	}
	var out []string
	for i := 1; i < len(b.genes.values); i++ {
		switch x, y := b.genes.text(from.genes, i), b.genes.text(to.genes, i); {
		case x == y:
		case x == "":
			out = append(out, b.genes.genes.all[i]+" "+y)
		case y == "":
			out = append(out, "no "+b.genes.genes.all[i])
		default:
			out = append(out, b.genes.genes.all[i]+" "+x+" -> "+y)
		}
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}
