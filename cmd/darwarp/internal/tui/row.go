package tui

import (
	"math"
	"slices"
	"strings"
	"time"

	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

// row is what the view keeps of one candidate: small, for there may be hundreds of thousands.
type row struct {
	id      kernels.ID
	seq     int32
	better  int32 // row of its faster parent, -1: none
	step    int32 // verdicts up to it, duplicates not counted
	family  uint16
	op      uint16
	outcome kernels.Outcome
	checks  uint16
	proven  bool    // the run has the provenance of its figures
	spread  float32 // half of the score's interval over the score
	score   float64
	elapsed float32 // seconds of search
	genes   []uint16
	times   []span // by workload
}

// span is a median with its interval, ns.
type span struct{ median, lo, hi float32 }

// interval is that of the score.
func (r *row) interval() [2]float32 {
	return [2]float32{float32(r.score * (1 - float64(r.spread))), float32(r.score * (1 + float64(r.spread)))}
}

// table is all rows, by number and by ID, with the words in them.
type table struct {
	rows      []row
	bounds    [][2]float32 // by row: the score's interval, apart from the rows because ranking reads many
	byID      map[kernels.ID]int32
	families  *names
	operators *names
	genes     *geneTable
}

func newTable() table {
	return table{byID: map[kernels.ID]int32{}, families: newNames(), operators: newNames(), genes: newGeneTable()}
}

// betterParent is the fastest parent that is known, -1: none.
func (t *table) betterParent(parents []kernels.ID) int32 {
	best := int32(-1)
	for _, id := range parents {
		if i, ok := t.byID[id]; ok &&
			(best < 0 || t.rows[i].score > 0 && (t.rows[best].score == 0 || t.rows[i].score < t.rows[best].score)) {
			best = i
		}
	}
	return best
}

// family is a row with all whose path leads through it.
func (t *table) family(i int32) map[int32]bool {
	all := map[int32]bool{i: true}
	for j := int(i) + 1; j < len(t.rows); j++ {
		if p := t.rows[j].better; p >= 0 && all[p] {
			all[int32(j)] = true
		}
	}
	return all
}

// changes lists the genes in which a row differs from another, as notes.
func (t *table) changes(from, to *row) string {
	if name := t.families.all[to.family]; name != "" && to.family != from.family { // whose genes are others
		return "family " + name
	}
	var out []string
	for i := 1; i < len(t.genes.values); i++ {
		switch x, y := t.genes.text(from.genes, i), t.genes.text(to.genes, i); {
		case x == y:
		case x == "":
			out = append(out, t.genes.genes.all[i]+" "+y)
		case y == "":
			out = append(out, "no "+t.genes.genes.all[i])
		default:
			out = append(out, t.genes.genes.all[i]+" "+x+" -> "+y)
		}
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// names numbers strings that repeat; 0 is the empty one.
type names struct {
	of  map[string]uint16
	all []string
}

func newNames() *names { return &names{map[string]uint16{"": 0}, []string{""}} }

func (n *names) number(s string) uint16 {
	if i, ok := n.of[s]; ok {
		return i
	}
	if clean := shown(s); clean != s { // widths are those of what is seen
		n.of[s] = n.number(clean)
		return n.of[s]
	}
	if len(n.all) > math.MaxUint16 { // nobody has so many operators; what is beyond has no name
		return 0
	}
	n.of[s] = uint16(len(n.all))
	n.all = append(n.all, s)
	return uint16(len(n.all) - 1)
}

// geneTable numbers the genes of all families and their values.
type geneTable struct {
	genes  *names
	values []*names // by gene
}

func newGeneTable() *geneTable { return &geneTable{newNames(), []*names{newNames()}} }

// encode numbers a genome's values by gene.
func (t *geneTable) encode(g kernels.Genome) []uint16 {
	if len(g) == 0 {
		return nil
	}
	for name := range g {
		for int(t.genes.number(name)) >= len(t.values) {
			t.values = append(t.values, newNames())
		}
	}
	out := make([]uint16, len(t.values))
	for name, v := range g {
		i := t.genes.number(name)
		out[i] = t.values[i].number(v.String())
	}
	return out
}

// text is a value as a cell; "" where the candidate does not have the gene.
func (t *geneTable) text(genes []uint16, gene int) string {
	if gene >= len(genes) {
		return ""
	}
	return t.values[gene].all[genes[gene]]
}

// times puts a candidate's times into the order of the workloads and gives the half width of the score's
// interval over the score.
func timesOf(times []kernels.Timing, workloads []kernels.Workload) (out []span, spread float64) {
	out = make([]span, len(workloads))
	for i, w := range workloads {
		if t := report.Find(times, w.Name); t != nil && t.Median > 0 {
			out[i] = span{float32(t.Median), float32(t.Lo), float32(t.Hi)}
		}
	}
	return out, report.Spread(times, workloads)
}

// sessions adds up the time of a search from when its candidates were judged: a new session, which has a
// provenance of its own, begins when it says and not when the last one ended.
type sessions struct {
	simulated bool // time is what the recording says
	began     func(proof string) (time.Time, bool)
	proof     string
	last      time.Time
	elapsed   time.Duration
}

func (s *sessions) add(c *kernels.Candidate) time.Duration {
	if s.simulated {
		s.elapsed += time.Duration(c.Result.Cost.Total() * float64(time.Second))
		return s.elapsed
	}
	if c.Result.Provenance != s.proof || s.last.IsZero() {
		s.proof, s.last = c.Result.Provenance, c.At
		if t, ok := s.began(c.Result.Provenance); ok && t.Before(c.At) {
			s.last = t
		}
	}
	if d := c.At.Sub(s.last); d > 0 {
		s.elapsed += d
		s.last = c.At
	}
	return s.elapsed
}
