package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/report"
	"darwarp/eval/replay"
	"darwarp/eval/replay/restrict"
)

type benchSpaceFlags struct {
	constraints string
	list, json  bool
}

func (a *app) benchSpaceCmd() *cobra.Command {
	var f benchSpaceFlags
	c := &cobra.Command{
		Use:   "space RECORDING --constraints FILE[:NAME] | space T1FILE",
		Short: "Make the space that another tuner's restrictions allow, and hold it against a recording",
		Long: "space counts the configurations that restrictions allow: Python expressions as Kernel Tuner has them, in a JSON list, or\n" +
			"those of a T1 file. With a recording it also says how many of them were recorded; --list prints them as CSV.",
		Example: "  darwarp bench space gemm.json.gz --constraints constraints.json:gemm_RTX3090\n" +
			"  darwarp bench space input.t1.json --list > space.csv",
		Args: argsBetween(1, 1),
		RunE: func(_ *cobra.Command, args []string) error { return a.benchSpace(args[0], f) },
	}
	c.Flags().StringVar(&f.constraints, "constraints", "", "file of restrictions, and which of them where it has several")
	c.Flags().BoolVar(&f.list, "list", false, "print the allowed configurations")
	c.Flags().BoolVar(&f.json, "json", false, "print JSON")
	return c
}

func (a *app) benchSpace(path string, f benchSpaceFlags) error {
	if f.list && f.json {
		return usagef("--list prints CSV: leave --json out")
	}
	if f.constraints == "" {
		data, err := os.ReadFile(path)
		if err != nil {
			return usagef("%v", err)
		}
		d, err := replay.ReadRestrictions(data, "", nil)
		if err == nil && len(d.Params) == 0 {
			err = errors.New("there are no parameters in it: expected a T1 file")
		}
		if err != nil {
			return usagef("%s: %v; to restrict a recording name --constraints FILE", path, err)
		}
		return a.showSpace(nil, d, f)
	}
	rec, err := readRecording(path)
	if err != nil {
		return err
	}
	params, err := rec.Params()
	if err != nil {
		return usagef("%s: %v", path, err)
	}
	file, name := f.constraints, ""
	if !isFile(file) {
		if i := strings.LastIndexByte(file, ':'); i > 0 {
			file, name = file[:i], file[i+1:]
		}
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return usagef("--constraints: %v", err)
	}
	d, err := replay.ReadRestrictions(data, name, params)
	if err != nil {
		return usagef("--constraints %s: %v", file, err)
	}
	d.Params = params
	return a.showSpace(rec, d, f)
}

func (a *app) showSpace(rec *replay.Record, d *replay.Declared, f benchSpaceFlags) error {
	if f.list {
		return a.listSpace(d)
	}
	sum := replay.Agreement{Cartesian: restrict.Cartesian(d.Params)}
	var err error
	if rec != nil {
		sum, err = rec.Compare(d)
	} else {
		err = restrict.Each(d.Params, d.Restrictions, func([]int) bool { sum.Passing++; return true })
	}
	if err != nil {
		return usagef("%v", err)
	}
	if f.json {
		return a.printJSON(sum)
	}
	t := report.NewTable("lr")
	t.Row("combinations", fmt.Sprintf("%.0f", sum.Cartesian))
	t.Row("allowed", sum.Passing)
	if rec != nil {
		t.Row("recorded", sum.Recorded)
		t.Row("both", sum.Both)
	}
	t.Write(a.out)
	return nil
}

func (a *app) listSpace(d *replay.Declared) error {
	w := csv.NewWriter(a.out)
	line := make([]string, len(d.Params))
	for i, p := range d.Params {
		line[i] = p.Name
	}
	broken := w.Write(line)
	err := restrict.Each(d.Params, d.Restrictions, func(config []int) bool {
		for i, v := range config {
			line[i] = fmt.Sprint(d.Params[i].Values[v])
		}
		broken = w.Write(line)
		return broken == nil
	})
	if err != nil {
		return usagef("%v", err)
	}
	if w.Flush(); broken == nil {
		broken = w.Error()
	}
	return broken
}
