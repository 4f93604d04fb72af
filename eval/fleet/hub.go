package fleet

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"darwarp/kernels"
)

// HubConfig is what a server for several searches is started with.
type HubConfig struct {
	Listen  string // HOST:PORT
	Dir     string // a private folder for keys
	Version string // of this darwarp: searches and workers of another are refused
	Say     func(format string, args ...any)
}

// hub is a server whose workers several searches share. Each search has an account of NATS's of its own, where nobody
// else's subjects, streams and inboxes are; a worker enters the account of the search that it works for, and leaves it
// before it enters another.
type hub struct {
	cfg      HubConfig
	host     *host
	searches string // token of searches
	shares   shares
	names    nameHolders

	mu       sync.Mutex
	accounts map[string]*server.Account // by the search's ID
}

// queueing is what a search tells the server every helloEvery.
type queueing struct {
	Version  string `json:"version"`
	Protocol int    `json:"protocol"`
	About    string `json:"about"`
	Leaving  bool   `json:"leaving,omitempty"`
}

// place is what the server says to that.
type place struct {
	Refused string `json:"refused,omitempty"`
	Have    int    `json:"have"`    // workers
	Before  int    `json:"before"`  // searches without a worker that came before
	Tenants int    `json:"guests"`  // searches in all
	Workers int    `json:"workers"` // in all
}

// mostGuests bounds the accounts of one server: each takes memory as long as it runs.
const mostGuests = 1024

// Serve keeps workers for several searches until ctx ends.
func Serve(ctx context.Context, cfg HubConfig) (err error) {
	h := &hub{cfg: cfg, accounts: map[string]*server.Account{}, shares: shares{begun: time.Now()}}
	if _, err = openKeys(cfg.Dir); err != nil {
		return err
	}
	if h.searches, err = madeToken(filepath.Join(cfg.Dir, searchesFile)); err != nil {
		return mistaken(err)
	}
	if h.host, err = serve(cfg.Listen, cfg.Dir, h); err != nil {
		return err
	}
	defer h.host.close()
	nc, err := h.host.connect()
	if err != nil {
		return err
	}
	defer nc.Close()
	of := h.host.names()
	for subject, answer := range map[string]nats.MsgHandler{of.hello("*"): h.hear, of.queue("*"): h.line} {
		if _, err := nc.Subscribe(subject, answer); err != nil {
			return err
		}
	}
	if err := nc.Flush(); err != nil { // whoever reads the address is heard
		return err
	}
	at := h.host.address(hostName(cfg.Listen))
	path := filepath.Join(cfg.Dir, addressFile)
	if err := os.WriteFile(path, []byte(h.host.address("127.0.0.1").String()+"\n"), 0o600); err != nil {
		return err
	}
	defer os.Remove(path)
	cfg.Say("workers, with %s/%s:", cfg.Dir, tokenFile)
	cfg.Say("  darwarp join %s --token-file %s", at, tokenFile)
	cfg.Say("searches, with %s/%s:", cfg.Dir, searchesFile)
	cfg.Say("  darwarp search PROBLEM --fleet %s --fleet-token-file %s", at, searchesFile)
	<-ctx.Done()
	return nil
}

// hear answers a worker: whom it is to work for.
func (h *hub) hear(msg *nats.Msg) {
	var of hello
	if json.Unmarshal(msg.Data, &of) != nil || checkName(of.Worker) != nil ||
		of.Works != "" && !idRE.MatchString(of.Works) {
		_ = msg.Respond(encode(welcome{Refused: "the server cannot read what this worker says"}))
		return
	}
	if why := h.refuses(of.Version, of.Protocol); why != "" {
		_ = msg.Respond(encode(welcome{Refused: why}))
		return
	}
	if h.names.isTaken(&of, time.Now()) {
		_ = msg.Respond(encode(welcome{Taken: true}))
		return
	}
	if of.Cannot != "" && h.shares.knows(of.Cannot) {
		h.cfg.Say("worker %s leaves search %s: %s", of.Worker, of.Cannot, kernels.CleanLine(of.Why, kernels.MaxLine))
	}
	to := h.shares.offer(of.Worker, of.Works, of.Cannot, of.Leaving, time.Now())
	_ = msg.Respond(encode(welcome{Hub: true, Search: to}))
}

func (h *hub) refuses(version string, protocol int) string {
	switch {
	case protocol == Protocol && version == h.cfg.Version:
		return ""
	case version == h.cfg.Version: // builds of a checkout bear the same name
		return fmt.Sprintf("this and the server are two builds of darwarp %s, and speak protocols %d and %d: "+
			"start the server's build", h.cfg.Version, protocol, Protocol)
	}
	return fmt.Sprintf("this is darwarp %s, the server is %s: start the server's version",
		kernels.CleanLine(version, kernels.MaxName), h.cfg.Version)
}

// line answers a search: how many workers it has, and who is before it.
func (h *hub) line(msg *nats.Msg) {
	var q queueing
	id := msg.Subject[strings.LastIndexByte(msg.Subject, '.')+1:] // it may publish to its own alone
	if json.Unmarshal(msg.Data, &q) != nil || !idRE.MatchString(id) {
		_ = msg.Respond(encode(place{Refused: "the server cannot read what this search says"}))
		return
	}
	about := kernels.CleanLine(q.About, kernels.MaxName)
	var p place
	if p.Refused = h.refuses(q.Version, q.Protocol); p.Refused == "" && q.Leaving {
		h.shares.leave(id)
		h.cfg.Say("search %s of %s has ended", id, about)
	} else if p.Refused == "" {
		if err := h.account(id, about); err != nil {
			p.Refused = err.Error()
		} else {
			p.Have, p.Before, p.Tenants, p.Workers = h.shares.ask(id, about, time.Now())
		}
	}
	_ = msg.Respond(encode(p))
}

// account makes a search's account, where there is none.
func (h *hub) account(id, about string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.accounts[id] != nil {
		return nil
	}
	if len(h.accounts) >= mostGuests {
		return fmt.Errorf("the server has had %d searches: start it again", mostGuests)
	}
	a, _ := h.host.server.LookupOrRegisterAccount("search-" + id)
	if err := a.EnableJetStream(nil, nil); err != nil {
		return err
	}
	h.accounts[id] = a
	h.cfg.Say("search %s of %s comes", id, about)
	return nil
}

// Check lets searches and workers in, each to where it may be. It is server.Authentication.
func (h *hub) Check(c server.ClientAuthentication) bool {
	o := c.GetOpts()
	role, id, inAccount := strings.Cut(o.Username, ".")
	cut := strings.LastIndexByte(o.Password, '.') + 1
	token, own := o.Password, namesBy(o.Password[cut:]).id // the search that has this secret
	if role != userWorker && cut > 0 {
		token = o.Password[:cut-1]
	}
	is := func(want string) bool { return subtle.ConstantTimeCompare([]byte(token), []byte(want)) == 1 }
	user := &server.User{Username: o.Username}
	of := h.host.names()
	switch {
	case role == userSearch && !inAccount && is(h.host.own): // this process
	case role == userWorker && is(h.host.keys.token) && !inAccount:
		user.Permissions = may([]string{of.hello("*")}, []string{of.inbox(userWorker) + ".>", of.end()})
	case role == userSearch && is(h.searches) && !inAccount:
		user.Permissions = may([]string{of.queue(own)}, []string{of.inbox(userSearch) + "." + own + ".>"})
	case role == userWorker && is(h.host.keys.token):
		user.Permissions = may(names{id}.workerMay(), names{id}.workerHears())
	case role == userSearch && is(h.searches) && own == id: // all of its account
	case role == userOwner && is(h.searches) && own == id:
		user.Permissions = may(names{id}.ownerMay(), []string{names{id}.inbox(userOwner) + ".>"})
	default:
		return false
	}
	if inAccount {
		h.mu.Lock()
		user.Account = h.accounts[id]
		h.mu.Unlock()
		if user.Account == nil {
			return false
		}
	}
	c.RegisterUser(user)
	return true
}
