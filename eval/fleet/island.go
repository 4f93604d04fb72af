package fleet

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"darwarp/kernels"
)

// Devices that are unlike, by model, driver or toolchain, are islands of one fleet: times of two cannot be compared, so
// each kind is an evaluator of its own, for a search of its own. The islands share the server, the stream and the
// session, and nothing else: each has its own queue, workers, ratios and claims.

// mostIslands bounds how many kinds of device a fleet has: each has a search, and what a worker says of its device is
// its own word.
const mostIslands = 16

// islands are the evaluators of further kinds of device. An island has none.
type islands struct {
	mu   sync.Mutex // guards what follows
	list []*Fleet   // in the order of their first workers
}

func (i *islands) add(f *Fleet) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.list = append(i.list, f)
}

func (i *islands) all() []*Fleet {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.list)
}

// island is an evaluator of another kind of device, without workers yet. It is closed with the fleet, or before.
func (f *Fleet) island() *Fleet {
	i := newFleet(f.cfg)
	i.door, i.post, i.task, i.main = door{names: f.names, nc: f.nc}, f.post, f.task, f
	return i
}

// every are the islands of the fleet, the first kind of device included.
func (f *Fleet) every() []*Fleet {
	return append([]*Fleet{f}, f.islands.all()...)
}

// admit is what the fleet says to a worker, and the island that it belongs to. The first of a kind that is not there
// yet begins an island, where the search wants islands.
func (f *Fleet) admit(h hello, now time.Time) (at *Fleet, w welcome, joined *member) {
	at = f.placeOf(&h)
	if at != nil {
		w, joined = at.roster.hear(h, now)
		return at, w, joined
	}
	if f.inLine != nil && f.kind() == "" { // the server would hold it to be the worker that the search waits for
		return f, welcome{Refused: fmt.Sprintf("the run goes on with the first %s; this is %s", f.cfg.Device.Label(),
			described(h.Proof.Device))}, nil
	}
	if len(f.every()) > mostIslands {
		return f, welcome{Refused: fmt.Sprintf("the fleet has %d kinds of devices already; this is %s", mostIslands,
			described(h.Proof.Device))}, nil
	}
	at = f.island()
	if w, joined = at.roster.hear(h, now); joined == nil {
		return f, w, nil
	}
	f.islands.add(at)
	if f.Device().Name == "" {
		f.cfg.Say("worker %s waits: it is %s, and the run goes on with the first %s", h.Worker,
			described(h.Proof.Device), f.cfg.Device.Label())
	}
	f.cfg.Unlike(at)
	return at, w, joined
}

// placeOf is the island of a worker; nil: it would be the first of one.
func (f *Fleet) placeOf(h *hello) *Fleet {
	if f.cfg.Unlike == nil || h.Proof == nil || h.Proof.Admit() != nil {
		return f // which takes it, or says why not
	}
	if kind := cmp.Or(f.Device().Kind, f.cfg.Device.Kind); kind != "" && kind != h.Proof.Device.Kind {
		return f
	}
	all := f.every()
	if at := slices.IndexFunc(all, func(i *Fleet) bool { return i.takes(h.Proof.Device) }); at >= 0 {
		return all[at]
	}
	return nil
}

// takes reports whether a device is one of the island's. The first island has no device before its first worker: then
// it is that of a run that goes on, or any.
func (f *Fleet) takes(d kernels.Device) bool {
	f.roster.mu.Lock()
	defer f.roster.mu.Unlock()
	if want := f.cfg.Device; f.roster.kind == "" {
		return want.Name == "" || want.Name == d.Name && want.Arch == d.Arch
	}
	return alike(f.roster.device, d)
}

// Kind names the island's device, by all that its times depend on.
func (f *Fleet) Kind() string { return f.kind() }

// Manned reports whether a worker with a device is there.
func (f *Fleet) Manned() bool { return len(f.roster.ready()) > 0 }

// errIslandOver is what workers of an island hear whose search has ended.
var errIslandOver = errors.New("the search on devices of this kind has ended")

// closeIsland ends an island: its workers leave, and the others stay.
func (f *Fleet) closeIsland() {
	f.roster.dismiss()
	f.stop()
	f.work.Wait()
}

// dismiss has all members finish what they do and leave, and takes no others.
func (c *roster) dismiss() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	for _, m := range c.members {
		m.drain = true
	}
}
