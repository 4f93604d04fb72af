package fleet

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"darwarp/eval/fleet/broker"
	"darwarp/kernels"
)

// rights are those of the manual for a search or a worker of the search with this ID.
func rights(t *testing.T, of, id string) *server.Permissions {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "manual", "fleet.md"))
	if err != nil {
		t.Fatal(err)
	}
	may := map[string]*server.SubjectPermission{"publish": {}, "subscribe": {}}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) < 3 || words[0] != of || may[words[1]] == nil || !strings.HasPrefix(line, "    ") {
			continue
		}
		for _, subject := range words[2:] {
			may[words[1]].Allow = append(may[words[1]].Allow, strings.ReplaceAll(subject, "ID", id))
		}
	}
	return &server.Permissions{Publish: may["publish"], Subscribe: may["subscribe"]}
}

// TestRights: the rights that the manual names are enough, and another search's user may use no name of this one.
func TestRights(t *testing.T) {
	mine, others := t.TempDir(), t.TempDir()
	var o server.Options
	id := map[string]string{}
	for user, dir := range map[string]string{"mine": mine, "other": others} {
		k, err := broker.OpenKeys(dir)
		if err != nil {
			t.Fatal(err)
		}
		id[user] = broker.NamesBy(k.Owner).ID
		o.Users = append(o.Users, &server.User{Username: user, Password: "hush", Permissions: rights(t, "search", id[user])},
			&server.User{Username: user + "-worker", Password: "hush", Permissions: rights(t, "worker", id[user])})
	}
	s := outside(t, o)
	g := &ground{t: t, dir: mine, outside: true, access: broker.Access{TokenFile: file(t, "mine:hush")}}
	w := newFake("a")
	workers := file(t, "mine-worker:hush")
	go func() {
		cfg, err := g.joinConfig(w)
		for ; err != nil && t.Context().Err() == nil; cfg, err = g.joinConfig(w) {
			time.Sleep(10 * time.Millisecond)
		}
		cfg.TokenFile = workers
		Join(t.Context(), cfg)
	}()
	f := g.open("nats://" + s.Addr().String())
	defer f.Close()
	for n, r := range asked(t, f, 0, 5) {
		if r.Outcome != kernels.OK {
			t.Errorf("candidate %d: %+v", n, r)
		}
	}
	notAllowed(t, f, broker.Address{Scheme: "nats", Host: s.Addr().String(), ID: id["other"]})
}

// notAllowed has another search's user try the names of a search.
func notAllowed(t *testing.T, f *Fleet, at broker.Address) {
	t.Helper()
	denied := make(chan string, 64)
	other, err := broker.Dial(at, broker.UserSearch,
		broker.Access{TokenFile: file(t, "other:hush")},
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			denied <- err.Error()
		}))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	n := f.names
	for _, subject := range []string{n.AnyOf(f.kind()), n.Answer("a"), n.Hello("a"), n.End(), n.Drain(),
		"$JS.API.STREAM.DELETE." + n.Work(), "$JS.API.STREAM.PURGE." + n.Work(), "$JS.API.STREAM.MSG.GET." + n.Work(),
		"$JS.API.STREAM.DELETE." + n.Own(), "$JS.API.CONSUMER.CREATE." + n.Own() + ".mine",
		"$JS.API.CONSUMER.CREATE." + n.Work() + ".mine", "$JS.API.STREAM.DELETE.OBJ_" + n.Tasks(),
		"$JS.API.DIRECT.GET.OBJ_" + n.Tasks() + ".x"} {
		_ = other.Publish(subject, nil)
		select {
		case <-denied:
		case <-time.After(10 * time.Second):
			t.Errorf("another search may publish to %s", subject)
		}
	}
	for _, subject := range []string{n.Subject(">"), "_INBOX.>", "darwarp.>"} {
		if _, err := other.SubscribeSync(subject); err == nil {
			other.Flush()
			select {
			case <-denied:
			case <-time.After(10 * time.Second):
				t.Errorf("another search may listen to %s", subject)
			}
		}
	}
}
