package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
	"darwarp/mutate/llm"
)

// armCount is what an operator of a language model found for what it cost.
type armCount struct {
	Arm     string  `json:"arm"`
	Asked   int     `json:"asked"`
	Failed  int     `json:"failed,omitempty"`  // questions without a reply
	Refused int     `json:"refused,omitempty"` // replies of which nothing was used
	Judged  int     `json:"judged"`            // proposals
	OK      int     `json:"ok"`                // that work
	Best    float64 `json:"best,omitempty"`    // speedup over the naive start
	Crowned int     `json:"crowned,omitempty"` // that became champion
	llm.Spending
}

// arms counts what language models did in a run, dearest first; none without them.
func arms(r *record.Record) ([]armCount, error) {
	exchanges, err := r.Exchanges()
	if err != nil || len(exchanges) == 0 {
		return nil, err
	}
	by := map[string]*armCount{}
	of := func(arm string) *armCount {
		if by[arm] == nil {
			by[arm] = &armCount{Arm: arm}
		}
		return by[arm]
	}
	for i := range exchanges {
		e := &exchanges[i]
		a := of(e.Arm)
		a.Asked++
		a.Add(llm.SpentOn(e), 1)
		if e.Failed != "" {
			a.Failed++
		} else if len(e.Proposed) == 0 {
			a.Refused++
		}
	}
	if err := countJudged(r, of); err != nil {
		return nil, err
	}
	return slices.SortedFunc(values(by), func(a, b armCount) int {
		return cmp.Or(cmp.Compare(b.USD, a.USD), cmp.Compare(b.Asked, a.Asked), strings.Compare(a.Arm, b.Arm))
	}), nil
}

func values(by map[string]*armCount) func(func(armCount) bool) {
	return func(yield func(armCount) bool) {
		for v := range maps.Values(by) {
			if !yield(*v) {
				return
			}
		}
	}
}

// countJudged counts the candidates of each arm.
func countJudged(r *record.Record, of func(string) *armCount) error {
	champions, err := r.Champions()
	if err != nil {
		return err
	}
	crowned := map[kernels.ID]bool{}
	for _, c := range champions {
		crowned[c.ID] = true
	}
	return r.Each(func(c kernels.Candidate) error {
		if _, _, ok := kernels.SplitArm(c.Origin.Operator); !ok {
			return nil
		}
		a := of(c.Origin.Operator)
		a.Judged++
		if c.Result.Outcome == kernels.OK && c.Score > 0 {
			a.OK++
			a.Best = max(a.Best, 1/c.Score)
		}
		if crowned[c.ID] {
			a.Crowned++
		}
		return nil
	})
}

// armName is an arm for people: MODEL:OPERATOR.
func armName(arm string) string { return strings.TrimPrefix(arm, "llm:") }

// showArms tells what language models found for what they cost; nothing where none was asked.
func (a *app) showArms(r *record.Record) error {
	arms, err := arms(r)
	if err != nil || len(arms) == 0 {
		return err
	}
	var sum llm.Spending
	t := report.NewTable("lrrrrrrrrr", "language model", "asked", "failed", "refused", "judged", "ok", "crowned", "best", "tokens", "USD")
	for _, x := range arms {
		best := ""
		if x.Best > 0 {
			best = fmt.Sprintf("%.2fx", x.Best)
		}
		t.Row(armName(x.Arm), x.Asked, x.Failed, x.Refused, x.Judged, x.OK, x.Crowned, best, report.Count(x.In+x.Out), usd(x.Spending))
		sum.Add(x.Spending, 1)
	}
	fmt.Fprintln(a.Out)
	t.Width = console.Width(a.Out)
	t.Write(a.Out)
	a.Sayf("%s cost %s USD", report.Quantity(sum.Calls, "question"), usd(sum))
	return nil
}

// usd is what was spent; what has no known price is not 0.
func usd(s llm.Spending) string {
	switch {
	case s.Unpriced > 0 && s.USD == 0: // only questions without a reply cost nothing
		return "unknown"
	case s.Unpriced > 0:
		return fmt.Sprintf("%.4f and more", s.USD)
	}
	return fmt.Sprintf("%.4f", s.USD)
}

func (a *app) exchangesCmd() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "exchanges RUN [N]",
		Short:   "What language models were asked, and what they replied",
		Example: "  darwarp exchanges gemm.db\n  darwarp exchanges gemm.db 3",
		Args:    argsBetween(1, 2),
		RunE: func(_ *cobra.Command, args []string) error {
			return record.With(args[0], func(r *record.Record) error {
				all, err := r.Exchanges()
				if err != nil {
					return err
				}
				if len(args) == 2 {
					n, err := strconv.Atoi(args[1])
					if err != nil || n < 1 || n > len(all) {
						return exit.Usagef("exchange %q: expected 1 to %d", args[1], len(all))
					}
					return a.showExchange(&all[n-1], asJSON)
				}
				if asJSON {
					return a.PrintJSON(all)
				}
				return a.listExchanges(r, all)
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func (a *app) listExchanges(r *record.Record, all []kernels.Exchange) error {
	if len(all) == 0 {
		a.Sayf("No language model was asked in this run.")
		return nil
	}
	t := report.NewTable("rlrrrl", "#", "language model", "took", "tokens", "USD", "what came of it")
	for i := range all {
		e := &all[i]
		t.Row(i+1, strings.TrimPrefix(e.Arm, "llm:"), report.Duration(e.Took), report.Count(e.Tokens.In+e.Tokens.Out), usd(llm.SpentOn(e)), became(e))
	}
	t.Width = console.Width(a.Out)
	t.Write(a.Out)
	return a.showArms(r)
}

// became is what came of a question, in a few words.
func became(e *kernels.Exchange) string {
	switch {
	case e.Failed != "":
		return "failed: " + e.Failed
	case len(e.Proposed) == 0:
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

// showExchange prints a conversation; what a model wrote is made printable.
func (a *app) showExchange(e *kernels.Exchange, asJSON bool) error {
	if asJSON {
		return a.PrintJSON(e)
	}
	for _, m := range append(slices.Clone(e.Asked), kernels.Message{Role: "reply", Text: e.Reply}) {
		fmt.Fprintf(a.Out, "---- %s\n%s\n", m.Role, printable(m.Text))
	}
	fmt.Fprintf(a.Out, "---- %s, %s USD\n%s\n", e.Arm, usd(llm.SpentOn(e)), became(e))
	return nil
}

// printable keeps a model's text from steering the terminal.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || r >= ' ' && r != 0x7f && (r < 0x80 || r > 0x9f) {
			return r
		}
		return '?'
	}, text)
}
