package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/cmd/darwarp/internal/remote"
	"darwarp/cmd/darwarp/internal/report"
)

func (a *app) joinCmd() *cobra.Command {
	var o remote.Options
	c := command("join", func(c *cobra.Command, args []string) error {
		o.URL = args[0]
		stop := console.OnInterrupt(c.Context())
		defer stop.Release()
		o.Now = stop.Hard.Done()
		return stop.Explain(remote.Join(stop.Soft, o, a.Sayf))
	})
	fs := c.Flags()
	fs.StringVar(&o.TokenFile, "token-file", "", "a file that contains only the token")
	fs.StringVar(&o.Creds, "creds", "", "a file of credentials for a NATS that is not the search's own")
	fs.StringVar(&o.CA, "ca", "", "a file of certificates that such a server's is signed by (default: the system's)")
	fs.StringVar(&o.Name, "name", "", "this worker's name (default: the machine's, with a few letters)")
	fs.BoolVar(&o.CompileOnly, "compile-only", false, "compile for the search's GPUs, and use none here")
	fs.IntVar(&o.Jobs, "jobs", 0, "compiles at once (default: one per core)")
	addSandbox(fs, &o.Target)
	addGPUs(c, &o.Target)
	return c
}

func (a *app) fleetCmd() *cobra.Command {
	c := command("fleet", showHelp)
	var asJSON bool
	status := command("fleet status", func(c *cobra.Command, args []string) error {
		run := fleetOf(args[0])
		if err := checkFleet(run); err != nil {
			return err
		}
		return a.fleetStatus(c.Context(), run, asJSON)
	})
	addJSON(status, &asJSON)
	drain := command("fleet drain", func(c *cobra.Command, args []string) error {
		run := fleetOf(args[0])
		err := checkFleet(run)
		if err != nil {
			return err
		}
		if err = remote.Drain(c.Context(), record.First(run), args[1]); err == nil {
			a.Sayf("worker %s finishes what it does, and leaves", args[1])
		}
		return err
	})
	var listen string
	serve := command("fleet serve", func(c *cobra.Command, args []string) error {
		if args[0] == "" {
			return exit.Usagef("the name of the folder is empty")
		}
		return interruptible(c, func(ctx context.Context) error { return remote.Serve(ctx, args[0], listen, a.Sayf) })
	})
	serve.Flags().StringVar(&listen, "listen", ":4222", "HOST:PORT at which searches and workers find it")
	c.AddCommand(serve, status, drain)
	return c
}

// fleetOf finds a run by what a person calls it. Its file is not there yet while the search waits for its first worker.
func fleetOf(name string) string {
	path := record.Locate(name)
	if _, err := os.Stat(path); err != nil {
		if _, err := os.Stat(remote.Folder(name + ".db")); err == nil {
			return name + ".db"
		}
	}
	return path
}

// checkFleet tells a mistyped name from a run without a fleet.
func checkFleet(run string) error {
	if _, err := os.Stat(remote.Folder(run)); err == nil {
		return nil
	}
	return record.CheckFile(run)
}

func (a *app) fleetStatus(ctx context.Context, run string, asJSON bool) error {
	s, err := remote.AskStatus(ctx, record.First(run))
	if err != nil {
		return err
	}
	if asJSON {
		return a.PrintJSON(s)
	}
	if len(s.Workers) == 0 {
		a.Printf("no worker has joined yet: start darwarp join as the search says\n")
		return nil
	}
	rate := 0.0
	t := report.NewTable("lllrrrrrll", "worker", "state", "device", "answers", "a minute", "busy", "ratio", "heard",
		"doing", "")
	for _, w := range s.Workers {
		rate += w.Rate
		ratio := "-"
		if w.Ratio > 0 {
			ratio = fmt.Sprintf("%.3f", w.Ratio)
		}
		t.Row(w.Worker, w.State, w.Device, report.Count(w.Answers), fmt.Sprintf("%.0f", w.Rate),
			fmt.Sprintf("%.0f %%", 100*w.Busy), ratio, fmt.Sprintf("%.0f s ago", w.Silent), cmp.Or(w.Doing, "-"), w.Why)
	}
	a.Printf("darwarp %s: %s, %.0f answers a minute\n", s.Version, report.Quantity(len(s.Workers), "worker"), rate)
	t.Width = console.Width(a.Out)
	t.Write(a.Out)
	return nil
}

// maxSimulated bounds what a simulation is asked for: a thousand workers are more than one machine serves.
const maxSimulated = 100_000

// minRate bounds how long a verdict takes: those that come before anything is measured would take minutes, or years.
const minRate = 0.1

func checkSimulated(s remote.Simulation) error {
	switch {
	case s.Workers < 1 || s.Workers > maxSimulated:
		return exit.Usagef("--workers %d: expected 1 to %d", s.Workers, maxSimulated)
	case s.Churn < 0 || s.Churn > maxSimulated:
		return exit.Usagef("--churn %d: expected 0 to %d", s.Churn, maxSimulated)
	case !(s.Rate >= minRate && s.Rate <= maxSimulated): // nor NaN
		return exit.Usagef("--rate %g: expected %g to %d", s.Rate, minRate, maxSimulated)
	case s.Span <= 0:
		return exit.Usagef("--for %v: expected more than 0", s.Span)
	}
	return nil
}

func (a *app) benchFleetCmd() *cobra.Command {
	var s remote.Simulation
	var asJSON bool
	c := command("bench fleet", func(c *cobra.Command, args []string) error {
		if err := checkSimulated(s); err != nil {
			return err
		}
		s.Problem = args[0]
		return interruptible(c, func(ctx context.Context) error {
			r, err := s.Simulate(ctx, a.Sayf)
			if err != nil {
				return err
			}
			if asJSON {
				return a.PrintJSON(r)
			}
			return a.showSimulated(&s, &r)
		})
	})
	c.Flags().IntVar(&s.Workers, "workers", 64, "how many")
	c.Flags().Float64Var(&s.Rate, "rate", 50, "verdicts a second that each would give alone")
	c.Flags().DurationVar(&s.Span, "for", 10*time.Second, "how long")
	c.Flags().BoolVar(&s.Search, "search", false, "then a search through the fleet, and one without it, as long each")
	c.Flags().IntVar(&s.Churn, "churn", 0, "so many further workers come and go, every other one without a word")
	addJSON(c, &asJSON)
	return c
}

func (a *app) showSimulated(s *remote.Simulation, r *remote.Simulated) error {
	a.Printf("%s, %s verdicts a second each, %s in all\n", report.Quantity(s.Workers, "worker"), rateText(s.Rate),
		rateText(s.Rate*float64(s.Workers)))
	t := report.NewTable("lrrrr", "", "verdicts/s", "devices busy", "processor ms/verdict", "MiB")
	for _, l := range []struct {
		what string
		*remote.Simulated
	}{{"points by chance, through the fleet", r}, {"a search, through the fleet", r.Through},
		{"a search, without a fleet", r.Alone}} {
		if l.Simulated != nil {
			t.Row(l.what, rateText(l.Rate), fmt.Sprintf("%.1f %%", 100*l.Busy), fmt.Sprintf("%.2f", 1e3*l.CPU),
				fmt.Sprintf("%.0f", float64(l.Memory)/(1<<20)))
		}
	}
	t.Write(a.Out)
	if s.Churn > 0 {
		a.Printf("%s came and went, %d without a word: %s lost\n", report.Quantity(r.Came, "further worker"), r.Cut,
			report.Quantity(r.Lost, "verdict"))
	}
	return nil
}

// rateText is verdicts a second, which of slow workers are less than one.
func rateText(rate float64) string {
	if rate >= 100 {
		return fmt.Sprintf("%.0f", rate)
	}
	return fmt.Sprintf("%.3g", rate)
}
