package bench

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/files"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/eval/replay"
)

// Convert says what to write of a recording or a run, and where.
type Convert struct {
	Out, Format, Workload string
}

// Run rewrites the recording or run at path.
func (f Convert) Run(con *console.Console, path string) error {
	if f.Out == "" {
		return exit.Usagef("-o is missing: name the file to write, as in -o space.json.gz")
	}
	if !slices.Contains(replay.Formats, f.Format) {
		return exit.Usagef("--to %q: expected one of %s", f.Format, strings.Join(replay.Formats, ", "))
	}
	if f.Format == "darwarp" && f.Workload != "" {
		return exit.Usagef("--workload: darwarp's format keeps all of them")
	}
	if err := console.CheckFile(f.Out); err != nil {
		return err
	}
	rec, left, err := readAny(con, path)
	if err != nil {
		return err
	}
	if err := console.WriteFile(f.Out, func(w io.Writer) error {
		err := rec.Convert(w, f.Format, f.Workload, strings.HasSuffix(f.Out, ".gz"))
		if err == nil || files.Reason(err) != err { // it cannot be written
			return err
		}
		return exit.Usagef("%s: %v", path, err)
	}); err != nil {
		return err
	}
	if left > 0 {
		con.Sayf("%s left out: sources of their own and lost verdicts are not points of a space",
			report.Quantity(left, "candidate"))
	}
	con.Sayf("%s has %s.", f.Out, report.Quantity(rec.Len(), "point"))
	return nil
}

// readAny reads a recording or a run; left is the number of a run's candidates that no recording can hold.
func readAny(con *console.Console, path string) (rec *replay.Record, left int, err error) {
	if looksRecorded(path) {
		rec, err = session.ReadRecording(path)
		return rec, 0, err
	}
	err = record.With(con.Sayf, path, func(run *record.Record) (err error) {
		if rec, left, err = run.Recording(); err != nil {
			err = exit.Usagef("%s: %v", path, err)
		}
		return err
	})
	return rec, left, err
}

// looksRecorded tells a recording, which is JSON or gzip, from a run, whose first page has a number.
func looksRecorded(path string) bool {
	head, err := files.Head(path, 64)
	text := bytes.TrimSpace(head)
	return err == nil && len(text) > 0 && (text[0] == '{' || text[0] == 0x1f)
}
