package tui

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

// tally counts what became of candidates, and what that took.
type tally struct {
	outcomes map[kernels.Outcome]int
	verdicts int // duplicates not counted
	failed   int
	causes   causes
	ops      []operator      // by number
	asked    map[string]bool // questions to language models that are counted
	spent    operator        // on all of them
	cost     kernels.Cost
	pace     pace
}

// operatorsByGain sorts the operators that were used by what they earned.
func (t *tally) operatorsByGain() []int {
	var out []int
	for i := range t.ops {
		if t.ops[i].tried+t.ops[i].asked > 0 {
			out = append(out, i)
		}
	}
	slices.SortStableFunc(out, func(x, y int) int {
		p, q := &t.ops[x], &t.ops[y]
		return cmp.Or(cmp.Compare(q.earned, p.earned), cmp.Compare(q.records, p.records), cmp.Compare(q.tried, p.tried))
	})
	return out
}

// operator is what became of the candidates that one operator made.
type operator struct {
	tried, right int
	records      int     // faster than their better parent
	crowned      int     // became champion
	earned       float64 // log of the factor by which its champions beat the ones before
	best         float64 // score
	seconds      float64 // compiling, checking and timing
	asked        int     // questions to a language model
	usd          float64 // what they cost, as far as it is known
	unpriced     int     // questions without a known price
}

// operator is the tally of an operator by its number.
func (b *Board) operator(n uint16) *operator {
	for len(b.ops) < len(b.operators.all) {
		b.ops = append(b.ops, operator{})
	}
	return &b.ops[n]
}

// charge counts a question to a language model, each once: those from about the time when the view was opened
// are stored and told of. It reports whether this one was new.
func (b *Board) charge(e *kernels.Exchange) bool {
	key := e.At.String() + e.Arm
	if b.asked[key] {
		return false
	}
	b.asked[key] = true
	o := b.operator(b.operators.number(e.Arm))
	o.asked++
	o.usd += e.USD
	b.spent.asked++
	b.spent.usd += e.USD
	if !e.Priced {
		o.unpriced++
		b.spent.unpriced++
	}
	return true
}

// dollars writes what questions cost; what has no known price is not 0.
func (o *operator) dollars() string {
	switch {
	case o.asked == 0:
		return "-"
	case o.unpriced > 0 && o.usd == 0: // only questions without a reply cost nothing
		return "unknown"
	case o.unpriced > 0:
		return fmt.Sprintf(">%.4f", o.usd)
	}
	return fmt.Sprintf("%.4f", o.usd)
}

func (b *Board) countOperator(r *row, c *kernels.Candidate) {
	o := b.operator(r.op)
	o.tried++
	o.seconds += c.Result.Cost.Total()
	if r.outcome != kernels.OK {
		return
	}
	o.right++
	if o.best == 0 || r.score < o.best {
		o.best = r.score
	}
	if r.better >= 0 && r.score < b.rows[r.better].score {
		o.records++
	}
}

// cause is a reason that candidates failed for, told by the first of them.
type cause struct {
	key     string
	outcome kernels.Outcome
	text    string
	count   int
	example int32 // the latest row
}

// maxCauses bounds the causes that are told apart: nobody knows what details will say.
const maxCauses = 2000

type causes struct {
	of    map[string]int
	all   []cause
	stale bool
}

func (cs *causes) add(c *kernels.Candidate, i int32) {
	o := c.Result.Outcome
	if !o.Failed() {
		return
	}
	if cs.of == nil {
		cs.of = map[string]int{}
	}
	key, text := report.Cause(o, c.Result.Detail)
	at, known := cs.of[key]
	if !known {
		if len(cs.all) >= maxCauses {
			key, text = o.String(), "other causes"
		}
		if at, known = cs.of[key]; !known {
			at = len(cs.all)
			cs.of[key] = at
			cs.all = append(cs.all, cause{key: key, outcome: o, text: shown(text)})
		}
	}
	cs.all[at].count++
	cs.all[at].example = i
	cs.stale = true
}

// sorted is the causes, most frequent first. It is valid until the next one is added.
func (cs *causes) sorted() []cause {
	if cs.stale {
		slices.SortStableFunc(cs.all, func(a, b cause) int { return cmp.Compare(b.count, a.count) })
		for i, c := range cs.all {
			cs.of[c.key] = i
		}
		cs.stale = false
	}
	return cs.all
}

// sample is a thinned list of rows that are right, evenly over the run: every stride-th.
type sample struct {
	rows   []int32
	stride int
	seen   int
}

// sampled bounds a sample: more dots than this are a blot.
const sampled = 4096

func (s *sample) add(i int32) {
	s.stride = max(1, s.stride)
	if s.seen%s.stride == 0 {
		s.rows = append(s.rows, i)
	}
	if s.seen++; len(s.rows) >= sampled {
		for k := range len(s.rows) / 2 {
			s.rows[k] = s.rows[2*k]
		}
		s.rows, s.stride = s.rows[:len(s.rows)/2], 2*s.stride
	}
}

// pace counts verdicts over the time of the search in slices that double when there are too many.
type pace struct {
	width  time.Duration
	counts []int
}

func (p *pace) add(at time.Duration) {
	if p.width == 0 {
		p.width = time.Second
	}
	for at/p.width >= 512 {
		for i := range (len(p.counts) + 1) / 2 {
			n := p.counts[2*i]
			if 2*i+1 < len(p.counts) {
				n += p.counts[2*i+1]
			}
			p.counts[i] = n
		}
		p.counts, p.width = p.counts[:(len(p.counts)+1)/2], 2*p.width
	}
	k := int(max(0, at) / p.width)
	for len(p.counts) <= k {
		p.counts = append(p.counts, 0)
	}
	p.counts[k]++
}

// spark is the pace in n levels from 0 to 1, the newest last.
func (p *pace) spark(n int) []float64 {
	if len(p.counts) == 0 || n < 1 {
		return nil
	}
	out, most := make([]float64, min(n, len(p.counts))), 0.0
	for i := range out {
		from, to := i*len(p.counts)/len(out), (i+1)*len(p.counts)/len(out)
		for _, c := range p.counts[from:to] {
			out[i] += float64(c) / float64(to-from)
		}
		most = max(most, out[i])
	}
	for i := range out {
		out[i] /= most
	}
	return out
}
