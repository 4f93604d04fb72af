package models

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"darwarp/cmd/darwarp/internal/record"
	"darwarp/kernels"
	"darwarp/mutate/llm"
)

// Arm is what an operator of a language model found for what it cost.
type Arm struct {
	Arm      string  `json:"arm"`
	Asked    int     `json:"asked"`
	Failed   int     `json:"failed,omitempty"`   // questions without a reply
	Declined int     `json:"declined,omitempty"` // replies that there is nothing to propose
	Refused  int     `json:"refused,omitempty"`  // other replies of which nothing was used
	Judged   int     `json:"judged"`             // proposals
	OK       int     `json:"ok"`                 // that work
	Best     float64 `json:"best,omitempty"`     // speedup over the naive start
	Crowned  int     `json:"crowned,omitempty"`  // that became champion
	llm.Spending
}

// Arms counts what language models did in a run, dearest first; none without them.
func Arms(r *record.Record) ([]Arm, error) {
	by := map[string]*Arm{}
	of := func(arm string) *Arm {
		if by[arm] == nil {
			by[arm] = &Arm{Arm: arm}
		}
		return by[arm]
	}
	err := r.EachExchange(func(e kernels.Exchange) error {
		a := of(e.Arm)
		a.Asked++
		a.Add(llm.SpentOn(&e))
		_, declined := declines(&e)
		switch {
		case e.Failed != "":
			a.Failed++
		case declined:
			a.Declined++
		case len(e.Proposed) == 0:
			a.Refused++
		}
		return nil
	})
	if err != nil || len(by) == 0 {
		return nil, err
	}
	if err := countJudged(r, of); err != nil {
		return nil, err
	}
	return slices.SortedFunc(values(by), func(a, b Arm) int {
		return cmp.Or(cmp.Compare(b.USD, a.USD), cmp.Compare(b.Asked, a.Asked), strings.Compare(a.Arm, b.Arm))
	}), nil
}

func values(by map[string]*Arm) func(func(Arm) bool) {
	return func(yield func(Arm) bool) {
		for v := range maps.Values(by) {
			if !yield(*v) {
				return
			}
		}
	}
}

// countJudged counts the candidates of each arm.
func countJudged(r *record.Record, of func(string) *Arm) error {
	champions, err := r.Champions()
	if err != nil {
		return err
	}
	crowned := map[kernels.ID]bool{}
	for _, c := range champions {
		crowned[c.ID] = true
	}
	pace, err := r.Pace()
	if err != nil {
		return err
	}
	return r.Each(func(c kernels.Candidate) error {
		if _, _, ok := kernels.SplitArm(c.Origin.Operator); !ok {
			return nil
		}
		a := of(c.Origin.Operator)
		a.Judged++
		if c.Result.Outcome == kernels.OK && c.Score > 0 {
			a.OK++
			a.Best = max(a.Best, pace.Speedup(c.Score))
		}
		if crowned[c.ID] {
			a.Crowned++
		}
		return nil
	})
}

// ArmName is an arm for people: MODEL:OPERATOR.
func ArmName(arm string) string { return strings.TrimPrefix(arm, "llm:") }

// USD is what was spent; what has no known price is not 0.
func USD(s llm.Spending) string {
	switch {
	case s.Unpriced > 0 && s.USD == 0: // only questions without a reply cost nothing
		return "unknown"
	case s.Unpriced > 0:
		return fmt.Sprintf("%.4f and more", s.USD)
	}
	return fmt.Sprintf("%.4f", s.USD)
}

// declines reports whether a model had nothing to propose, and in which words.
func declines(e *kernels.Exchange) (words string, ok bool) {
	if len(e.Proposed) > 0 {
		return "", false
	}
	return strings.CutPrefix(e.Refused, llm.ErrDeclined.Error())
}

// Became is what came of a question, in a few words.
func Became(e *kernels.Exchange) string {
	switch {
	case e.Failed != "":
		return "failed: " + e.Failed
	case len(e.Proposed) == 0:
		if words, ok := declines(e); ok {
			return "declined: " + words
		}
		return "refused: " + e.Refused
	}
	var ids []string
	if e.Family != "" {
		ids = append(ids, "family "+e.Family+":")
	}
	for _, id := range e.Proposed {
		ids = append(ids, id.Short())
	}
	return strings.Join(ids, " ")
}
