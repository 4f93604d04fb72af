package search

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"darwarp/evolve"
	"darwarp/store"
)

// server is the run's socket, or nothing where there can be none.
type server struct{ *store.Server }

func serve(run *store.Run, steer store.Steer, say func(string, ...any)) server {
	socket, err := store.SocketPath(run.Path())
	if err == nil {
		var s *store.Server
		if s, err = store.Serve(context.Background(), run, socket, steer); err == nil {
			return server{s}
		}
	}
	say("the run cannot be watched while it is live: %v", err)
	return server{}
}

func (s server) publish(e evolve.Event) {
	if s.Server == nil {
		return
	}
	if data, err := json.Marshal(e.Shown()); err == nil { // plain data: it marshals
		s.Server.Publish(data)
	}
}

func (s server) close() {
	if s.Server != nil {
		s.Server.Close() // the socket of a process that is about to end
	}
}

// steerer hands commands from the socket to the search.
func steerer(search *evolve.Search, skip context.CancelFunc) store.Steer {
	return func(ctx context.Context, data []byte) error {
		var c evolve.Command
		if err := json.Unmarshal(data, &c); err != nil {
			return fmt.Errorf("cannot read the command: %w", err)
		}
		err := search.Steer(ctx, c)
		if errors.Is(err, evolve.ErrEnded) && skip != nil {
			return afterwards(skip)(ctx, data)
		}
		return err
	}
}

// afterwards answers commands when the search has ended: stop and abort end what follows it.
func afterwards(skip context.CancelFunc) store.Steer {
	return func(_ context.Context, data []byte) error {
		var c evolve.Command
		if err := json.Unmarshal(data, &c); err != nil {
			return fmt.Errorf("cannot read the command: %w", err)
		}
		if c.Do != "stop" && c.Do != "abort" {
			return evolve.ErrEnded
		}
		skip()
		return nil
	}
}
