// Package measure measures again what a search has found: the winner beside the baselines, what each of its choices
// buys, the kernels of a portfolio, and a stored candidate on the machine of today.
package measure

import (
	"context"
	"errors"

	"darwarp/cmd/darwarp/internal/record"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/store"
)

// With opens a run for writing and the device that it was made on. The device takes long: check refuses before.
func With(
	ctx context.Context, path string, t session.Target, say func(string, ...any), check func(*record.Record) error,
	fn func(*session.Session, *record.Record) error,
) (err error) {
	if err := record.CheckFile(path); err != nil {
		return err
	}
	run, err := store.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, run.Close()) }()
	if what := run.Remark(); what != "" {
		say("warning: %s", what)
	}
	if err := check(&record.Record{Run: run}); err != nil {
		return err
	}
	t.Few = true
	s, err := session.OpenFor(ctx, run.Meta(), t, say)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if _, err := run.PutProvenance(s.Provenance()); err != nil {
		return err
	}
	return fn(s, &record.Record{Run: run, Bundle: s.Bundle})
}

// Has refuses a run that does not have the candidate of that name; empty: its champion.
func Has(name string) func(*record.Record) error {
	return func(r *record.Record) error {
		_, err := r.Pick(name)
		return err
	}
}
