package htmlreport

import (
	"cmp"
	"slices"

	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

// Step is one candidate on the way from the naive start to the champion.
type Step struct {
	ID, Origin, Changes, Speedup, Gain string
	Generation, Seq                    int
}

// shownSteps bounds the steps of the champion's path: the latest are shown, and the naive start.
const shownSteps = 200

func (in *Input) steps(n sharing) (out []Step, leftOut int) {
	path := in.Lineage
	for i, c := range path {
		if i > 0 && i <= len(path)-n.part(shownSteps) {
			leftOut++
			continue
		}
		s := Step{ID: c.ID.Short(), Origin: clip(c.Origin.Operator, 60), Speedup: in.speedupCell(c).Text,
			Generation: c.Origin.Generation, Seq: c.Seq}
		if i > 0 {
			s.Changes = clip(report.Step(path[i-1].Variant, c.Variant), 500)
			if before := path[i-1].Score; before > 0 && c.Score > 0 {
				s.Gain = report.Ratio(before / c.Score)
			}
		}
		out = append(out, s)
	}
	return out, leftOut
}

// Node is an ancestor of the champion with its own parents.
type Node struct {
	ID       string  `json:"id"`
	Speedup  string  `json:"speedup"`
	Origin   string  `json:"origin"`
	Main     bool    `json:"main,omitempty"` // on the path of the better parents
	Children []*Node `json:"children,omitempty"`
}

// shownNodes bounds the tree: the nearest ancestors are the ones that tell.
const shownNodes = 80

// tree is the champion with its ancestors, each once, nearest first. Those of the main path hang on each
// other, also where they are someone else's parents too.
func (in *Input) tree() *Node {
	if in.Champion == nil {
		return nil
	}
	byID := map[kernels.ID]*kernels.Candidate{}
	for i := range in.Candidates {
		byID[in.Candidates[i].ID] = &in.Candidates[i]
	}
	before := map[kernels.ID]kernels.ID{} // on the main path
	main := map[kernels.ID]bool{in.Champion.ID: true}
	for i, c := range in.Lineage {
		main[c.ID] = true
		if i > 0 {
			before[c.ID] = in.Lineage[i-1].ID
		}
	}
	nodes := map[kernels.ID]*Node{}
	add := func(c *kernels.Candidate) *Node {
		n := &Node{ID: c.ID.Short(), Speedup: in.speedupCell(*c).Text, Origin: clip(origin(*c), 200), Main: main[c.ID]}
		nodes[c.ID] = n
		return n
	}
	root := add(in.Champion)
	for queue := []*kernels.Candidate{in.Champion}; len(queue) > 0; queue = queue[1:] {
		c := queue[0]
		parents := c.Origin.Parents
		if id, ok := before[c.ID]; ok {
			parents = append([]kernels.ID{id}, parents...)
		}
		for _, id := range parents {
			p := byID[id]
			if p == nil || nodes[id] != nil || main[id] && before[c.ID] != id || len(nodes) == shownNodes {
				continue
			}
			nodes[c.ID].Children = append(nodes[c.ID].Children, add(p))
			queue = append(queue, p)
		}
	}
	return root
}

// CostRow is how many candidates had an outcome, and what they took in seconds.
type CostRow struct {
	Outcome kernels.Outcome `json:"outcome"`
	Kind    string          `json:"kind"` // the meaning that its colour has
	Count   int             `json:"count"`
	Share   string          `json:"share"`
	Compile float64         `json:"compile"`
	Gate    float64         `json:"gate"`
	Time    float64         `json:"time"`
	Wait    float64         `json:"wait"`
}

// Cells are the seconds as the table shows them.
func (c CostRow) Cells() []string {
	var out []string
	for _, s := range []float64{c.Compile, c.Gate, c.Time, c.Wait} {
		out = append(out, seconds(s))
	}
	return out
}

func seconds(s float64) string {
	if s == 0 {
		return "-"
	}
	return report.Time(s * 1e9)
}

func costs(all []kernels.Candidate) []CostRow {
	by := map[kernels.Outcome]*CostRow{}
	for _, c := range all {
		x := by[c.Result.Outcome]
		if x == nil {
			x = &CostRow{Outcome: c.Result.Outcome, Kind: kindOf(c.Result.Outcome)}
			by[c.Result.Outcome] = x
		}
		x.Count++
		x.Compile += c.Result.Cost.Compile
		x.Gate += c.Result.Cost.Gate
		x.Time += c.Result.Cost.Time
		x.Wait += c.Result.Cost.Wait
	}
	var out []CostRow
	for _, o := range kernels.Outcomes() {
		if x := by[o]; x != nil {
			x.Share = report.Percent(float64(x.Count) / float64(len(all)))
			x.Compile, x.Gate, x.Time, x.Wait = round(x.Compile), round(x.Gate), round(x.Time), round(x.Wait)
			out = append(out, *x)
		}
	}
	return out
}

// Model is what a language model found as one operator, and what it cost.
type Model struct {
	Name                                                     string
	Asked, Failed, Declined, Refused, Judged, Right, Crowned int
	Best, Tokens, USD                                        string
}

// Cause is a reason that candidates failed for, told by the first of them.
type Cause struct {
	Outcome kernels.Outcome
	Detail  string
	Count   int
	Example string
}

const shownCauses = 12

func causes(all []kernels.Candidate) []Cause {
	at := map[string]int{}
	var out []Cause
	for _, c := range all {
		if o := c.Result.Outcome; !o.Failed() || o == kernels.Duplicate { // which is no failure to look into
			continue
		}
		key, detail := report.Cause(c.Result.Outcome, c.Result.Detail)
		i, ok := at[key]
		if !ok {
			i = len(out)
			at[key] = i
			out = append(out, Cause{Outcome: c.Result.Outcome, Detail: clip(detail, 500), Example: c.ID.Short()})
		}
		out[i].Count++
	}
	slices.SortStableFunc(out, func(a, b Cause) int { return cmp.Compare(b.Count, a.Count) })
	return out[:min(shownCauses, len(out))]
}
