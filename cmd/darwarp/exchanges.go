package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/models"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
	"darwarp/mutate/llm"
)

// showArms tells what language models found for what they cost; nothing where none was asked.
func (a *app) showArms(r *record.Record) error {
	arms, err := models.Arms(r)
	if err != nil || len(arms) == 0 {
		return err
	}
	var sum llm.Spending
	t := report.NewTable("lrrrrrrrrr", "language model", "asked", "failed", "refused", "judged", "ok", "crowned", "best",
		"tokens", "USD")
	for _, x := range arms {
		best := ""
		if x.Best > 0 {
			best = fmt.Sprintf("%.2fx", x.Best)
		}
		t.Row(models.ArmName(x.Arm), x.Asked, x.Failed, x.Refused, x.Judged, x.OK, x.Crowned, best, report.Count(x.In+x.Out),
			models.USD(x.Spending))
		sum.Add(x.Spending)
	}
	fmt.Fprintln(a.Out)
	t.Width = console.Width(a.Out)
	t.Write(a.Out)
	a.Sayf("%s cost %s USD", report.Quantity(sum.Calls, "question"), models.USD(sum))
	return nil
}

func (a *app) exchangesCmd() *cobra.Command {
	var asJSON bool
	c := command("exchanges", func(_ *cobra.Command, args []string) error {
		return record.With(a.Sayf, args[0], func(r *record.Record) error {
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
	})
	addJSON(c, &asJSON)
	return c
}

func (a *app) listExchanges(r *record.Record, all []kernels.Exchange) error {
	if len(all) == 0 {
		a.Sayf("No language model was asked in this run.")
		return nil
	}
	t := report.NewTable("rlrrrl", "#", "language model", "took", "tokens", "USD", "result")
	for i := range all {
		e := &all[i]
		t.Row(i+1, strings.TrimPrefix(e.Arm, "llm:"), report.Duration(e.Took), report.Count(llm.SpentOn(e).Tokens()),
			models.USD(llm.SpentOn(e)), models.Became(e))
	}
	t.Width = console.Width(a.Out)
	t.Write(a.Out)
	return a.showArms(r)
}

// showExchange prints a conversation.
func (a *app) showExchange(e *kernels.Exchange, asJSON bool) error {
	if asJSON {
		return a.PrintJSON(e)
	}
	for _, m := range append(slices.Clone(e.Asked), kernels.Message{Role: "reply", Text: e.Reply}) {
		a.Printf("---- %s\n", m.Role)
		fmt.Fprintln(a.Out, m.Text) // as it was written
	}
	a.Printf("---- %s, %s USD\n%s\n", e.Arm, models.USD(llm.SpentOn(e)), console.Lines(models.Became(e)))
	return nil
}

// showGrown lists the families that language models gave to a run; nothing where there is none.
func (a *app) showGrown(r *record.Record) error {
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
	fmt.Fprintln(a.Out)
	t.Width = console.Width(a.Out)
	t.Write(a.Out)
	return nil
}
