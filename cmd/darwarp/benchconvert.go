package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/eval/replay"
)

type convertFlags struct {
	out, format, workload string
}

func (a *app) benchConvertCmd() *cobra.Command {
	var f convertFlags
	c := &cobra.Command{
		Use:   "convert RECORDING|RUN -o FILE",
		Short: "Rewrite a recording, or what a run measured, for darwarp, Kernel Tuner or T4",
		Long: "convert reads darwarp's recordings, Kernel Tuner caches, T4 results and runs of darwarp (run.db), and writes any of\n" +
			"the first three. Failed configurations stay. Kernel Tuner and T4 have one time a configuration: --workload says whose.",
		Example: "  darwarp bench convert cache.json -o space.json.gz\n" +
			"  darwarp bench convert run.db --to kerneltuner --workload 2048 -o cache.json",
		Args: argsBetween(1, 1),
		RunE: func(_ *cobra.Command, args []string) error { return a.benchConvert(args[0], f) },
	}
	c.Flags().StringVarP(&f.out, "out", "o", "", "the file to write; the foreign formats are packed where it ends in .gz")
	c.Flags().StringVar(&f.format, "to", "darwarp", "format: "+strings.Join(replay.Formats, ", "))
	c.Flags().StringVar(&f.workload, "workload", "", "whose times, where the format has one a configuration")
	return c
}

func (a *app) benchConvert(path string, f convertFlags) error {
	if f.out == "" {
		return exit.Usagef("-o is missing: name the file to write, as in -o space.json.gz")
	}
	if !slices.Contains(replay.Formats, f.format) {
		return exit.Usagef("--to %q: expected one of %s", f.format, strings.Join(replay.Formats, ", "))
	}
	if f.format == "darwarp" && f.workload != "" {
		return exit.Usagef("--workload: darwarp's format keeps all of them")
	}
	rec, left, err := readAny(path)
	if err != nil {
		return err
	}
	if err := console.WriteFile(f.out, func(w io.Writer) error {
		return rec.Convert(w, f.format, f.workload, strings.HasSuffix(f.out, ".gz"))
	}); err != nil {
		return exit.Usagef("%s: %v", path, err)
	}
	if left > 0 {
		a.Sayf("%s left out: own sources and verdicts that were lost are no points of a space", report.Quantity(left, "candidate"))
	}
	a.Sayf("%s has %s.", f.out, report.Quantity(rec.Len(), "point"))
	return nil
}

// readAny reads a recording or a run; left is the number of a run's candidates that no recording can hold.
func readAny(path string) (rec *replay.Record, left int, err error) {
	if looksRecorded(path) {
		rec, err = session.ReadRecording(path)
		return rec, 0, err
	}
	run, err := record.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, run.Close()) }()
	if rec, left, err = run.Recording(); err != nil {
		return nil, 0, exit.Usagef("%s: %v", path, err)
	}
	return rec, left, nil
}

// looksRecorded tells a recording, which is JSON or gzip, from a run, whose first page has a number.
func looksRecorded(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 64)
	n, _ := f.Read(head)
	text := bytes.TrimSpace(head[:n])
	return len(text) > 0 && (text[0] == '{' || text[0] == 0x1f)
}
