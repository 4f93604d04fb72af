//go:build nofleet

// Package remote says that this darwarp was built without NATS, which fleets are made of.
package remote

import (
	"context"

	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/session"
)

var errAbsent = exit.Usagef("this darwarp was built without fleets (build tag nofleet)")

// Options are how a worker joins.
type Options struct {
	session.Target
	URL, Name string
	Access
	CompileOnly bool
	Now         <-chan struct{}
}

// Access is how to be let into a NATS that runs already.
type Access struct{ TokenFile, Creds, CA string }

// Place is where a search meets its workers.
type Place struct {
	Listen string
	Access
}

// Check fails where a fleet is asked for.
func (p Place) Check() error {
	if p != (Place{}) {
		return errAbsent
	}
	return nil
}

// Folder is where the fleet of a run would have its keys.
func Folder(run string) string { return run + ".fleet" }

// Worker is one worker of a fleet.
type Worker struct {
	Worker, State, Why, Device, Doing string
	Slots, Answers                    int
	Busy, Ratio, Silent, Rate         float64
}

// Status is who is in a fleet.
type Status struct {
	Version, Device string
	Workers         []Worker
}

// Open fails.
func Open(context.Context, *session.Session, Want) (session.Opened, error) { return nil, errAbsent }

// Join fails.
func Join(context.Context, Options, func(string, ...any)) error { return errAbsent }

// Serve fails.
func Serve(context.Context, string, string, func(string, ...any)) error { return errAbsent }

// AskStatus fails.
func AskStatus(context.Context, string) (Status, error) { return Status{}, errAbsent }

// Drain fails.
func Drain(context.Context, string, string) error { return errAbsent }

// Simulate fails.
func (Simulation) Simulate(context.Context, func(string, ...any)) (Simulated, error) {
	return Simulated{}, errAbsent
}
