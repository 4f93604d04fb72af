package htmlreport

import (
	"cmp"
	"slices"
	"strings"

	"darwarp/cmd/darwarp/internal/printable"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

// Timeline is when candidates were judged, by verdict, in seconds of the search.
type Timeline struct {
	Lanes []Lane  `json:"lanes"`
	Width float64 `json:"width"` // seconds a bin

	Thinned bool `json:"-"` // some lane has fewer points than verdicts
}

// Lane is the candidates with one outcome: all of them counted by bin, and some of them as points.
type Lane struct {
	Outcome kernels.Outcome `json:"outcome"`
	Kind    string          `json:"kind"` // right, duplicate, lost or failed
	Count   int             `json:"count"`
	Bins    []int           `json:"bins"`
	Points  []Judged        `json:"points"`
}

// Judged is a verdict: when, and on which candidate.
type Judged struct {
	At       float64 `json:"at"`
	Seq      int     `json:"n"`
	ID       string  `json:"id"`
	Operator string  `json:"by"`
	Champion bool    `json:"champion,omitempty"`
}

const (
	timelineBins = 120
	shownLane    = 300 // points
)

// timeline is nil where nothing was judged.
func (in *Input) timeline(n sharing) *Timeline {
	if len(in.Candidates) < 2 {
		return nil
	}
	when, last := in.elapsed(), 0.0
	by := map[kernels.Outcome][]Judged{}
	for _, c := range in.Candidates {
		j := Judged{At: milli(when[c.ID].Seconds()), Seq: c.Seq, ID: c.ID.Short(),
			Operator: clip(c.Origin.Operator, 60), Champion: in.isChampion(c)}
		by[c.Result.Outcome] = append(by[c.Result.Outcome], j)
		last = max(last, j.At)
	}
	t := &Timeline{Width: cmp.Or(last/timelineBins, 1)}
	for _, o := range kernels.Outcomes() {
		if all := by[o]; len(all) > 0 {
			t.Lanes = append(t.Lanes, lane(o, all, t.Width, n.part(shownLane)))
			t.Thinned = t.Thinned || len(all) > n.part(shownLane)
		}
	}
	return t
}

func lane(o kernels.Outcome, all []Judged, width float64, most int) Lane {
	l := Lane{Outcome: o, Kind: kindOf(o), Count: len(all), Bins: make([]int, timelineBins)}
	for _, j := range all {
		l.Bins[min(timelineBins-1, int(j.At/width))]++
	}
	l.Points = thin(all, 0, most)
	champion := func(j Judged) bool { return j.Champion }
	if i := slices.IndexFunc(all, champion); i >= 0 && !slices.ContainsFunc(l.Points, champion) {
		l.Points = append(l.Points, all[i])
	}
	return l
}

// kindOf is the meaning that an outcome is coloured by.
func kindOf(o kernels.Outcome) string {
	switch o {
	case kernels.OK:
		return "right"
	case kernels.Duplicate:
		return "duplicate"
	case kernels.Lost:
		return "lost"
	}
	return "failed"
}

// clip cuts what a run says where the page shows a line of it.
func clip(s string, most int) string {
	s = report.FirstLine(s)
	if n := 8 * most; len(s) > n { // more than is shown, whatever its characters are
		s = strings.ToValidUTF8(s[:n], "")
	}
	return report.Clip(printable.Line(s), most)
}
