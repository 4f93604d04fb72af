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

	"darwarp/eval/fleet/broker"
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
	host     *broker.Host
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

// mostTenants bounds the accounts of one server: each takes memory as long as it runs.
const mostTenants = 1024

// Serve keeps workers for several searches until ctx ends.
func Serve(ctx context.Context, cfg HubConfig) (err error) {
	h := &hub{cfg: cfg, accounts: map[string]*server.Account{}, shares: shares{begun: time.Now()}}
	if _, err = broker.OpenKeys(cfg.Dir); err != nil {
		return err
	}
	if h.searches, err = broker.OpenToken(filepath.Join(cfg.Dir, broker.SearchesFile)); err != nil {
		return broker.Mistaken(err)
	}
	if h.host, err = broker.Serve(cfg.Listen, cfg.Dir, h); err != nil {
		return err
	}
	defer h.host.Close()
	nc, err := h.host.Connect()
	if err != nil {
		return err
	}
	defer nc.Close()
	of := h.host.Names()
	for subject, answer := range map[string]nats.MsgHandler{of.Hello("*"): h.hear, of.Queue("*"): h.line} {
		if _, err := nc.Subscribe(subject, answer); err != nil {
			return err
		}
	}
	if err := nc.Flush(); err != nil { // whoever reads the address is heard
		return err
	}
	at := h.host.Address(hostName(cfg.Listen))
	path := filepath.Join(cfg.Dir, broker.AddressFile)
	if err := os.WriteFile(path, []byte(h.host.Address("127.0.0.1").String()+"\n"), 0o600); err != nil {
		return err
	}
	defer os.Remove(path)
	cfg.Say("workers, with %s/%s:", cfg.Dir, broker.TokenFile)
	cfg.Say("  darwarp join %s --token-file %s", at, broker.TokenFile)
	cfg.Say("searches, with %s/%s:", cfg.Dir, broker.SearchesFile)
	cfg.Say("  darwarp search PROBLEM --fleet %s --fleet-token-file %s", at, broker.SearchesFile)
	<-ctx.Done()
	return nil
}

// hear answers a worker: whom it is to work for.
func (h *hub) hear(msg *nats.Msg) {
	var of hello
	if json.Unmarshal(msg.Data, &of) != nil || checkName(of.Worker) != nil ||
		of.Works != "" && !broker.IsID(of.Works) {
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
	if json.Unmarshal(msg.Data, &q) != nil || !broker.IsID(id) {
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
	if len(h.accounts) >= mostTenants {
		return fmt.Errorf("the server has had %d searches: start it again", mostTenants)
	}
	a, _ := h.host.NATS.LookupOrRegisterAccount("search-" + id)
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
	token, own := o.Password, broker.NamesBy(o.Password[cut:]).ID // the search that has this secret
	if role != broker.UserWorker && cut > 0 {
		token = o.Password[:cut-1]
	}
	is := func(want string) bool { return subtle.ConstantTimeCompare([]byte(token), []byte(want)) == 1 }
	user := &server.User{Username: o.Username}
	of := h.host.Names()
	switch {
	case role == broker.UserSearch && !inAccount && is(h.host.Own): // this process
	case role == broker.UserWorker && is(h.host.Keys.Token) && !inAccount:
		user.Permissions = broker.Allow([]string{of.Hello("*")}, []string{of.Inbox(broker.UserWorker) + ".>", of.End()})
	case role == broker.UserSearch && is(h.searches) && !inAccount:
		user.Permissions = broker.Allow([]string{of.Queue(own)}, []string{of.Inbox(broker.UserSearch) + "." + own + ".>"})
	case role == broker.UserWorker && is(h.host.Keys.Token):
		user.Permissions = broker.Allow(broker.Names{ID: id}.WorkerMay(), broker.Names{ID: id}.WorkerHears())
	case role == broker.UserSearch && is(h.searches) && own == id: // all of its account
	case role == broker.UserOwner && is(h.searches) && own == id:
		names := broker.Names{ID: id}
		user.Permissions = broker.Allow(names.OwnerMay(), []string{names.Inbox(broker.UserOwner) + ".>"})
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
