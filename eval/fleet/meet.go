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
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// IsServer reports whether text names a server that runs already, rather than where to listen.
func IsServer(text string) bool { return strings.Contains(text, "://") }

// connect connects to the server where the search meets its workers: its own, or one that runs already. at is where
// this machine finds it.
func (f *Fleet) connect(ctx context.Context) (at address, err error) {
	if IsServer(f.cfg.Listen) {
		return f.connectOutside(ctx)
	}
	if f.host, err = serve(f.cfg.Listen, f.cfg.Dir, nil); err != nil {
		return at, err
	}
	f.names = f.host.names()
	f.nc, err = f.host.connect()
	return f.host.address("127.0.0.1"), err
}

// connectOutside connects to a server that runs already. The search's names there follow from a secret that it keeps
// beside its run, so that a resumed search finds its workers again.
func (f *Fleet) connectOutside(ctx context.Context) (at address, err error) {
	if err = f.cfg.CheckServer(f.cfg.Listen); err != nil {
		return at, err
	}
	if at, err = parseServer(f.cfg.Listen); err != nil {
		return at, err
	}
	k, err := openKeys(f.cfg.Dir)
	if err != nil {
		return at, err
	}
	if f.lock, err = lockDir(f.cfg.Dir); err != nil {
		return at, err
	}
	f.names = namesBy(k.owner)
	if at.pin != "" {
		f.cfg.secret = k.owner
		if err := f.standInLine(ctx, at); err != nil {
			return at, err
		}
	}
	at.id = f.names.id
	f.nc, err = dial(at, userSearch, f.cfg.Access, nats.MaxReconnects(-1), nats.ReconnectWait(time.Second),
		nats.IgnoreAuthErrorAbort())
	if err != nil {
		return at, err
	}
	if _, err := f.nc.TLSConnectionState(); err != nil && !isLoopback(at.host) {
		f.cfg.Say("the connection to %s is not encrypted: whoever sees it sees token and candidates", at.host)
	}
	return at, nil
}

func isLoopback(host string) bool {
	name, _, _ := net.SplitHostPort(host)
	ip := net.ParseIP(name)
	return name == "localhost" || ip != nil && ip.IsLoopback()
}

// leaveWord tells people how a worker joins, and this machine where the search is.
func (f *Fleet) leaveWord(at address) (err error) {
	if f.inLine != nil {
		err = writeAccess(f.cfg.Dir, f.cfg.Access)
	} else if f.host == nil {
		if err = writeAccess(f.cfg.Dir, f.cfg.Access); err == nil {
			f.cfg.Say("waiting for workers. Start on each machine, with files by which %s lets it in:", at.host)
			f.line = fmt.Sprintf("darwarp join %s%s", at, f.cfg.Access.flags())
			f.cfg.Say("  %s", f.line)
		}
	} else {
		f.cfg.Say("waiting for workers. Copy %s/%s to each machine, and start there:", f.cfg.Dir, tokenFile)
		f.line = fmt.Sprintf("darwarp join %s --token-file %s", f.host.address(hostName(f.cfg.Listen)), tokenFile)
		f.cfg.Say("  %s", f.line)
	}
	return cmp.Or(err, os.WriteFile(filepath.Join(f.cfg.Dir, addressFile), []byte(at.String()+"\n"), 0o600))
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

// flags are those of join, with the names of the files.
func (x Access) flags() (text string) {
	for _, f := range [][2]string{{"--token-file", x.TokenFile}, {"--creds", x.Creds}, {"--ca", x.CA}} {
		if f[1] != "" {
			text += " " + f[0] + " " + filepath.Base(f[1])
		}
	}
	return text
}

// writeAccess keeps how this machine is let into a server, for status and drain.
func writeAccess(dir string, x Access) error {
	for _, path := range []*string{&x.TokenFile, &x.Creds, &x.CA} {
		if *path != "" {
			var err error
			if *path, err = filepath.Abs(*path); err != nil {
				return err
			}
		}
	}
	return os.WriteFile(filepath.Join(dir, accessFile), encode(x), 0o600)
}

func readAccess(dir string) (x Access, err error) {
	data, err := os.ReadFile(filepath.Join(dir, accessFile))
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
