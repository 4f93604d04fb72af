package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"darwarp/cmd/darwarp/internal/background"
	"darwarp/cmd/darwarp/internal/cmdline"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/cmd/darwarp/internal/search"
)

// detach starts the same search in the background and says where it is.
func (a *app) detach(ctx context.Context, f searchFlags) error {
	run := record.Locate(f.Resume)
	if run == "" {
		if err := f.CheckStore(); err != nil { // a log would be made beside it
			return err
		}
	}
	args := slices.DeleteFunc(slices.Clone(a.args), func(s string) bool {
		return s == "--json" || strings.HasPrefix(s, "--detach")
	})
	if run == "" {
		if run = f.Store; run == "" {
			name, _, _ := strings.Cut(filepath.Base(f.Problem), ".")
			run = search.DefaultStore(name)
			args = append(args, "--store", run)
		}
	}
	d, err := background.Start(ctx, a.Console, args, run, a.keys)
	switch {
	case err != nil || d == nil:
		return err
	case f.json:
		return a.PrintJSON(d)
	}
	report.Fields(a.Out, "",
		[2]string{"run", d.Run},
		[2]string{"pid", fmt.Sprint(d.PID)},
		[2]string{"log", d.Log},
		[2]string{"watch", cmdline.Of("watch", d.Run)},
		[2]string{"stop", cmdline.Of("stop", d.Run)})
	return nil
}
