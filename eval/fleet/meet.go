package fleet

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nats.go"

	"darwarp/eval/fleet/broker"
)

// connect connects to the server where the search meets its workers: its own, or one that runs already. at is where
// this machine finds it.
func (f *Fleet) connect(ctx context.Context) (at broker.Address, err error) {
	if broker.IsServer(f.cfg.Listen) {
		return f.connectOutside(ctx)
	}
	if f.host, err = broker.Serve(f.cfg.Listen, f.cfg.Dir, nil); err != nil {
		return at, err
	}
	f.names = f.host.Names()
	f.nc, err = f.host.Connect()
	return f.host.Address("127.0.0.1"), err
}

// connectOutside connects to a server that runs already. The search's names there follow from a secret that it keeps
// beside its run, so that a resumed search finds its workers again.
func (f *Fleet) connectOutside(ctx context.Context) (at broker.Address, err error) {
	if err = f.cfg.CheckServer(f.cfg.Listen); err != nil {
		return at, err
	}
	if at, err = broker.ParseServer(f.cfg.Listen); err != nil {
		return at, err
	}
	k, err := broker.OpenKeys(f.cfg.Dir)
	if err != nil {
		return at, err
	}
	if f.lock, err = broker.LockDir(f.cfg.Dir); err != nil {
		return at, err
	}
	f.names = broker.NamesBy(k.Owner)
	if at.Pin != "" {
		f.cfg.Secret = k.Owner
		if err := f.standInLine(ctx, at); err != nil {
			return at, err
		}
	}
	at.ID = f.names.ID
	f.nc, err = broker.Dial(at, broker.UserSearch, f.cfg.Access, nats.MaxReconnects(-1), nats.ReconnectWait(time.Second),
		nats.IgnoreAuthErrorAbort())
	if err != nil {
		return at, err
	}
	if _, err := f.nc.TLSConnectionState(); err != nil && !isLoopback(at.Host) {
		f.cfg.Say("the connection to %s is not encrypted: whoever sees it sees token and candidates", at.Host)
	}
	return at, nil
}

func isLoopback(host string) bool {
	name, _, _ := net.SplitHostPort(host)
	ip := net.ParseIP(name)
	return name == "localhost" || ip != nil && ip.IsLoopback()
}

// leaveWord tells people how a worker joins, and this machine where the search is.
func (f *Fleet) leaveWord(at broker.Address) (err error) {
	if f.inLine != nil {
		err = writeAccess(f.cfg.Dir, f.cfg.Access)
	} else if f.host == nil {
		if err = writeAccess(f.cfg.Dir, f.cfg.Access); err == nil {
			f.cfg.Say("waiting for workers. Start on each machine, with files by which %s lets it in:", at.Host)
			f.line = fmt.Sprintf("darwarp join %s%s", at, f.cfg.Access.Flags())
			f.cfg.Say("  %s", f.line)
		}
	} else {
		f.cfg.Say("waiting for workers. Copy %s/%s to each machine, and start there:", f.cfg.Dir, broker.TokenFile)
		f.line = fmt.Sprintf("darwarp join %s --token-file %s", f.host.Address(hostName(f.cfg.Listen)), broker.TokenFile)
		f.cfg.Say("  %s", f.line)
	}
	return cmp.Or(err, os.WriteFile(filepath.Join(f.cfg.Dir, broker.AddressFile), []byte(at.String()+"\n"), 0o600))
}

// idle says why nothing is evaluated, and what to do; empty: a worker with a device is there.
func (f *Fleet) idle() string {
	line := f.line
	if f.main != nil {
		line = f.main.line
	}
	switch {
	case f.roster.anyHere():
		return ""
	case line == "":
		return "no workers are left: the search waits in line for one"
	}
	return "no workers are left; join with: " + line
}

// hostName is how other machines find this one, where it listens.
func hostName(listen string) string {
	name, _, _ := net.SplitHostPort(listen)
	if ip := net.ParseIP(name); name == "" || ip != nil && ip.IsUnspecified() {
		name, _ = os.Hostname()
		name = cmp.Or(name, "THIS-HOST")
	}
	return name
}

// writeAccess keeps how this machine is let into a server, for status and drain.
func writeAccess(dir string, x broker.Access) error {
	for _, path := range []*string{&x.TokenFile, &x.Creds, &x.CA} {
		if *path != "" {
			var err error
			if *path, err = filepath.Abs(*path); err != nil {
				return err
			}
		}
	}
	return os.WriteFile(filepath.Join(dir, broker.AccessFile), encode(x), 0o600)
}

func readAccess(dir string) (x broker.Access, err error) {
	data, err := os.ReadFile(filepath.Join(dir, broker.AccessFile))
	if errors.Is(err, fs.ErrNotExist) {
		return x, ErrNoFleet
	}
	if err == nil {
		err = json.Unmarshal(data, &x)
	}
	return x, err
}

// restore makes the queues again where a server that was started again has lost them. What was in flight is lost, and
// asked for again. Workers have as long to be heard again as when they fall silent.
func (f *Fleet) restore(ctx context.Context) error {
	missing, err := f.post.missing(ctx)
	if err == nil && missing {
		f.cfg.Say("the server was started again: what was in flight is asked for again")
		if err = f.post.create(ctx, f.task, f.cfg.Task); err == nil {
			f.post.lose()
		}
	}
	for _, i := range f.every() {
		i.roster.excuse(time.Now())
		for _, m := range i.roster.joined() {
			if err == nil {
				err = i.openQueues(m)
			}
		}
	}
	return err
}
