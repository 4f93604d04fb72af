package fleet

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/nats-io/nats.go/jetstream"

	"darwarp/eval/fleet/broker"
	"darwarp/kernels"
)

// models are sources that workers can fetch, by family: the first that was sent of each. They go to the object store
// beside the search's candidates, none of which waits for that.
type models struct {
	mu    sync.Mutex
	store jetstream.ObjectStore // nil: there are none yet
	known map[string]*model     // nil entries: not there, or on their way
}

// model is one of them.
type model struct {
	name string // the hash, by which it is kept
	*likeness
}

// mostModels bounds what the object store keeps of a search, and largestModel what one is.
const (
	mostModels   = 64
	largestModel = 256 << 10
)

// modelKey is what a model lies under, beside the name of an object that is empty. There it is one message, which the
// server gives to whoever asks; an object's body is read by a consumer, and a thousand workers would make one each.
const modelKey = "source"

// begin forgets what an earlier store had.
func (m *models) begin(store jetstream.ObjectStore) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.store, m.known = store, map[string]*model{}
}

// of is the model of a family; nil: there is none, and perhaps this source becomes it.
func (m *models) of(family, source string) *model {
	m.mu.Lock()
	defer m.mu.Unlock()
	got, ok := m.known[family]
	if !ok && m.store != nil && family != "" && len(m.known) < mostModels && len(source) <= largestModel {
		m.known[family] = nil
		go m.put(m.store, family, source)
	}
	return got
}

// put has workers find a model. Without it all of a family is sent whole.
func (m *models) put(store jetstream.ObjectStore, family, source string) {
	sum := sha256.Sum256([]byte(source))
	made := &model{hex.EncodeToString(sum[:]), newLikeness(source)}
	ctx, end := context.WithTimeout(context.Background(), time.Minute)
	defer end()
	if !utf8.ValidString(source) { // it would be another one in JSON
		return
	}
	about := jetstream.ObjectMeta{Name: made.name, Metadata: map[string]string{modelKey: source}}
	if _, err := store.Put(ctx, about, strings.NewReader("")); err != nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.store == store { // else the server was started again, and has lost it
		m.known[family] = made
	}
}

// shorten has a job's source sent as what differs from its family's model, where that is shorter.
func (m *models) shorten(j *job) {
	j.Like, j.sent = "", ""
	model := m.of(j.Variant.Family, j.Source)
	if model == nil {
		return
	}
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	if *buf = model.differing(*buf, j.Source); len(*buf) < len(j.Source) {
		j.Like, j.sent = model.name, string(*buf)
	}
}

// unpack is a job as whoever sent it had it.
func (w *worker) unpack(ctx context.Context, j *job) (out *kernels.Job, err error) {
	if j.Like != "" {
		if j.Source, err = w.source(ctx, j); err != nil {
			return nil, err
		}
	}
	return w.unpacker.unpack(j, w.station.Problem)
}

// source is that of a job that is like another.
func (w *worker) source(ctx context.Context, j *job) (string, error) {
	text, err := w.models.get(j.Like, func() (string, error) {
		data, err := w.fetchBy(ctx, j.Like, func(from jetstream.ObjectStore) ([]byte, error) {
			about, err := from.GetInfo(ctx, j.Like)
			if err != nil {
				return nil, err
			}
			return []byte(about.Metadata[modelKey]), nil
		})
		return string(data), err
	})
	if err != nil {
		return "", err
	}
	return restored(text, j.sent, broker.MaxMessage)
}
