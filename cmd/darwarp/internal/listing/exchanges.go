package listing

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/models"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
	"darwarp/mutate/llm"
)

// showArms tells what language models found for what they cost; nothing where none was asked.
func (to Lister) showArms(r *record.Record) error {
	arms, err := models.Arms(r)
	if err != nil || len(arms) == 0 {
		return err
	}
	var sum llm.Spending
	t := report.NewTable("lrrrrrrrrrr", "language model", "asked", "failed", "declined", "refused",
		"judged", "ok", "crowned", "best", "tokens", "USD")
	for _, x := range arms {
		best := ""
		if x.Best > 0 {
			best = fmt.Sprintf("%.2fx", x.Best)
		}
		t.Row(models.ArmName(x.Arm), x.Asked, x.Failed, x.Declined, x.Refused,
			x.Judged, x.OK, x.Crowned, best, report.Count(x.In+x.Out), models.USD(x.Spending))
		sum.Add(x.Spending)
	}
	fmt.Fprintln(to.Out)
	t.Width = console.Width(to.Out)
	t.Write(to.Out)
	to.Sayf("%s cost %s USD", report.Quantity(sum.Calls, "question"), models.USD(sum))
	return nil
}

// Exchange finds a question by its number.
func Exchange(r *record.Record, name string) (found *kernels.Exchange, err error) {
	n, notNumber := strconv.Atoi(name)
	all := 0
	err = r.EachExchange(func(e kernels.Exchange) error {
		if all++; all == n {
			found = &e
			return errEnough
		}
		return nil
	})
	switch {
	case enough(err) != nil:
		return nil, err
	case found != nil && notNumber == nil:
		return found, nil
	case all == 0:
		return nil, exit.Usagef("exchange %q: no language model was asked in this run", name)
	}
	return nil, exit.Usagef("exchange %q: expected 1 to %d", name, all)
}

// Exchanges lists the questions to language models, and what they brought.
func (to Lister) Exchanges(r *record.Record) error {
	t := report.NewTable("rlrrrl", "#", "language model", "took", "tokens", "USD", "result")
	n := 0
	err := r.EachExchange(func(e kernels.Exchange) error {
		n++
		t.Row(n, strings.TrimPrefix(e.Arm, "llm:"), report.Duration(e.Took), report.Count(llm.SpentOn(&e).Tokens()),
			models.USD(llm.SpentOn(&e)), models.Became(&e))
		return nil
	})
	if err != nil {
		return err
	}
	if n == 0 {
		to.Sayf("No language model was asked in this run.")
		return nil
	}
	t.Width = console.Width(to.Out)
	t.Write(to.Out)
	return to.showArms(r)
}

// ShowExchange prints a conversation.
func (to Lister) ShowExchange(e *kernels.Exchange, asJSON bool) error {
	if asJSON {
		return to.PrintJSON(e)
	}
	for _, m := range append(slices.Clone(e.Asked), kernels.Message{Role: "reply", Text: e.Reply}) {
		to.Printf("---- %s\n", m.Role)
		fmt.Fprintln(to.Out, m.Text) // as it was written
	}
	to.Printf("---- %s, %s USD\n%s\n", e.Arm, models.USD(llm.SpentOn(e)), console.Lines(models.Became(e)))
	return nil
}

// showGrown lists the families that language models gave to a run; nothing where there is none.
func (to Lister) showGrown(r *record.Record) error {
	all, err := r.GrownFamilies()
	if err != nil || len(all) == 0 {
		return err
	}
	t := report.NewTable("lrrr", "family of a language model", "judged", "ok", "best")
	for _, g := range all {
		best := ""
		if g.Best > 0 {
			best = fmt.Sprintf("%.2fx", g.Best)
		}
		t.Row(g.Title, g.Judged, g.Ok, best)
	}
	fmt.Fprintln(to.Out)
	t.Width = console.Width(to.Out)
	t.Write(to.Out)
	return nil
}
