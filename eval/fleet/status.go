package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"darwarp/eval/fleet/broker"
	"darwarp/kernels"
)

// WorkerStatus is one worker, as the search knows it.
type WorkerStatus struct {
	Worker  string  `json:"worker"`
	State   string  `json:"state"` // opening, ready, waiting, aside, draining, gone or left out
	Why     string  `json:"why,omitempty"`
	Device  string  `json:"device"`
	Slots   int     `json:"slots"`
	Doing   string  `json:"doing,omitempty"` // what it said last: "1 duel, 3 evaluate"
	Answers int     `json:"answers"`
	Rate    float64 `json:"answers_per_minute"` // of late
	Busy    float64 `json:"busy"`               // share of the time that its device was in use
	Ratio   float64 `json:"ratio,omitempty"`    // of times on the first worker to those on this one, at one workload
	Silent  float64 `json:"silent_s"`           // since it was last heard
}

// Status is who is in a fleet.
type Status struct {
	Version string         `json:"version"`
	Device  string         `json:"device"`
	Workers []WorkerStatus `json:"workers"`
}

func (m *member) state() string {
	switch {
	case m.out != "":
		return "left out"
	case m.left:
		return "gone"
	case m.drain:
		return "draining"
	case m.ready:
		return "ready"
	case m.aside != "":
		return "aside"
	}
	return "waiting"
}

func (c *roster) status(now time.Time) Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := Status{Version: c.version, Device: c.device.Label()}
	for _, m := range c.members {
		w := WorkerStatus{Worker: m.name, State: m.state(), Why: m.out, Slots: m.last.Slots, Answers: m.done,
			Busy: m.last.Busy, Silent: now.Sub(m.seen).Seconds(), Device: m.proof.Device.Label()}
		if !m.left {
			w.Doing, w.Rate = m.last.doing(), m.pace.perMinute(m.done, now)
		}
		if m.helps {
			w.Device = "compiles"
		}
		if w.State == "aside" { // who is gone was it once
			w.Why = m.aside
		}
		for _, r := range m.ratios {
			w.Ratio = r.Of
		}
		s.Workers = append(s.Workers, w)
	}
	for _, name := range slices.Sorted(maps.Keys(c.opening)) {
		s.Workers = append(s.Workers, WorkerStatus{Worker: name, State: "opening", Device: "-",
			Silent: now.Sub(c.opening[name]).Seconds()})
	}
	return s
}

// isOpening reports whether a worker is connected, and its devices are not open yet.
func (c *roster) isOpening(name string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.opening[name]
	return ok
}

// doing is what a worker does in words. It names what workers can do, and nothing else that one says.
func (h *hello) doing() string {
	var all []string
	for _, do := range slices.Sorted(maps.Keys(abilities)) {
		if n := h.Doing[do]; n > 0 && n <= 4096 {
			all = append(all, fmt.Sprintf("%d %s", n, do))
		}
	}
	return strings.Join(all, ", ")
}

func (f *Fleet) tellStatus(msg *nats.Msg) {
	all := f.every()
	s := all[0].roster.status(time.Now())
	for _, i := range all[1:] {
		s.Workers = append(s.Workers, i.roster.status(time.Now()).Workers...)
	}
	_ = msg.Respond(encode(s))
}

// drain answers whoever wants a worker to finish and leave.
func (f *Fleet) drain(msg *nats.Msg) {
	name, why := string(msg.Data), ""
	if slices.ContainsFunc(f.every(), func(i *Fleet) bool { return i.roster.setDrain(name) }) {
		f.cfg.Say("worker %s is drained: it finishes what it does", kernels.CleanLine(name, kernels.MaxName))
	} else {
		why = "no worker of that name is here: darwarp fleet status lists them"
		if slices.ContainsFunc(f.every(), func(i *Fleet) bool { return i.roster.isOpening(name) }) {
			why = "it opens its devices: drain it when it is ready, or end its process"
		}
	}
	_ = msg.Respond([]byte(why))
}

// ErrNoFleet says that no search with a fleet runs here.
var ErrNoFleet = errors.New("no search with a fleet runs on it")

// AskStatus asks the search whose fleet has its private folder at dir, on this machine.
func AskStatus(ctx context.Context, dir string) (s Status, err error) {
	data, err := askOwner(ctx, dir, (broker.Names).Status, nil)
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	return s, err
}

// Drain has a worker finish what it does and leave.
func Drain(ctx context.Context, dir, worker string) error {
	data, err := askOwner(ctx, dir, (broker.Names).Drain, []byte(worker))
	if err == nil && len(data) > 0 {
		err = broker.Mistaken(fmt.Errorf("%s: %s", kernels.CleanLine(worker, kernels.MaxName), data))
	}
	return err
}

func askOwner(ctx context.Context, dir string, subject func(broker.Names) string, data []byte) ([]byte, error) {
	to, err := os.ReadFile(filepath.Join(dir, broker.AddressFile))
	if err != nil {
		return nil, ErrNoFleet
	}
	a, err := broker.ParseAddress(strings.TrimSpace(string(to)))
	if err != nil {
		return nil, err
	}
	by := broker.Access{TokenFile: filepath.Join(dir, broker.OwnerFile)}
	if a.Pin == "" {
		by, err = readAccess(dir)
	} else if a.ID != "" { // beside other searches
		if by, err = readAccess(dir); err == nil {
			by.Secret, err = broker.ReadToken(filepath.Join(dir, broker.OwnerFile))
		}
	}
	if err != nil {
		return nil, err
	}
	nc, err := broker.Dial(a, broker.UserOwner, by)
	if errors.Is(err, broker.ErrSilent) && a.ID == "" { // the search's own server: both were killed
		return nil, ErrNoFleet
	}
	if err != nil {
		return nil, err
	}
	defer nc.Close()
	ctx, end := context.WithTimeout(ctx, 5*time.Second)
	defer end()
	msg, err := nc.RequestWithContext(ctx, subject(a.Names()), data)
	if err != nil {
		return nil, fmt.Errorf("the search does not answer: %w", err)
	}
	return msg.Data, nil
}
