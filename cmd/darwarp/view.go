package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/cmd/darwarp/internal/tui"
	"darwarp/evolve"
	"darwarp/kernels"
)

// viewOptions are what every view may do.
func (a *app) viewOptions(path string) tui.Options {
	command := func(do string, args []string) (evolve.Command, error) { return steerFlags{}.command(path, do, args) }
	return tui.Options{UTF8: tui.UTF8(), Command: command,
		Export: func(ctx context.Context, id kernels.ID, dir string) (string, error) {
			r, err := record.Open(path)
			if err != nil {
				return "", err
			}
			var said bytes.Buffer
			quiet := &app{Console: &console.Console{In: a.In, Out: io.Discard, Err: &said}}
			err = errors.Join(quiet.export(ctx, dir, nil, r, id.String()), r.Close())
			text := fmt.Sprintf("Wrote %s to %s; how to prove it is in its README.md.", id.Short(), dir)
			if first, _, _ := strings.Cut(said.String(), "\n"); strings.HasPrefix(first, "warning: ") {
				text = fmt.Sprintf("Wrote %s to %s, %s", id.Short(), dir, first)
			}
			return text, err
		}}
}
