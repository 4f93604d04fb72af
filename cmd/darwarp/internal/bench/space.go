package bench

import (
	"encoding/csv"
	"errors"
	"fmt"
	"strings"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/files"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/eval/replay"
	"darwarp/eval/replay/restrict"
)

// Space says whose restrictions make a space.
type Space struct {
	Constraints string
	List, JSON  bool
}

// Run counts or lists the space of the file at path, and compares it with the recording that it may be.
func (f Space) Run(con *console.Console, path string) error {
	if f.List && f.JSON {
		return exit.Usagef("--list prints CSV: leave --json out")
	}
	if f.Constraints == "" {
		data, err := files.Read(path, session.MaxRecording)
		if err != nil {
			return exit.Usagef("%v: expected a T1 file, or a recording and --constraints FILE", err)
		}
		d, err := replay.ReadRestrictions(data, "", nil)
		if err == nil && len(d.Params) == 0 {
			err = errors.New("there are no parameters in it: expected a T1 file")
		}
		if err != nil {
			return exit.Usagef("%s: %v; to restrict a recording, give --constraints FILE", path, err)
		}
		return showSpace(con, nil, d, f)
	}
	rec, err := session.ReadRecording(path)
	if err != nil {
		return err
	}
	params, err := rec.Params()
	if err != nil {
		return exit.Usagef("%s: %v", path, err)
	}
	file, name := f.Constraints, ""
	if !session.IsFile(file) {
		if i := strings.LastIndexByte(file, ':'); i > 0 {
			file, name = file[:i], file[i+1:]
		}
	}
	data, err := files.Read(file, session.MaxRecording)
	if err != nil {
		return exit.Usagef("--constraints: %v", err)
	}
	d, err := replay.ReadRestrictions(data, name, params)
	if err != nil {
		return exit.Usagef("--constraints %s: %v", file, err)
	}
	d.Params = params
	return showSpace(con, rec, d, f)
}

func showSpace(con *console.Console, rec *replay.Record, d *replay.Declared, f Space) error {
	if f.List {
		return listSpace(con, d)
	}
	sum := replay.Agreement{Cartesian: restrict.Cartesian(d.Params)}
	var err error
	if rec != nil {
		sum, err = rec.Compare(d)
	} else {
		err = restrict.Each(d.Params, d.Restrictions, func([]int) bool { sum.Passing++; return true })
	}
	if err != nil {
		return exit.Usagef("%v", err)
	}
	if f.JSON {
		return con.PrintJSON(sum)
	}
	t := report.NewTable("lr")
	t.Row("combinations", fmt.Sprintf("%.0f", sum.Cartesian))
	t.Row("allowed", sum.Passing)
	if rec != nil {
		t.Row("recorded", sum.Recorded)
		t.Row("both", sum.Both)
	}
	t.Write(con.Out)
	return nil
}

func listSpace(con *console.Console, d *replay.Declared) error {
	w := csv.NewWriter(con.Out)
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
		return exit.Usagef("%v", err)
	}
	if w.Flush(); broken == nil {
		broken = w.Error()
	}
	return broken
}
