package evolve

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"darwarp/kernels"
)

var update = flag.Bool("update", false, "record the logs of TestEquality again")

// scenario is a search whose every event is compared with what an earlier version of this package did. None depends on
// the order in which goroutines run: answers are taken in order, time is simulated, and commands come from the loop.
type scenario struct {
	name  string
	cfg   func(t *testing.T) Config
	ev    func(t *testing.T, cfg Config) Evaluator // nil: the toy on three slots
	keep  func(m *memory) keeper                   // nil: m as it is
	at    map[int][]func(m *memory) Command        // commands by how many results were told before
	cut   int                                      // results after which the run is killed and resumed; 0: it is not
	duel  bool                                     // it is killed at the first duel that is told after that
	mask  func(log []byte) []byte                  // leaves out what is measured; nil: nothing is
	later func(t *testing.T, m *memory) Config     // the configuration of the second session; nil: that of the first
}

// TestEquality holds that one seed gives the same run as it did when testdata/equality was written, byte for byte:
// every event, every question to a model, and the last checkpoint. A change of the search's structure must not touch
// the files. A change of what it does, or of a type whose JSON is in an event, records them again with -update, and
// says so. IDs are numbered in the order in which they appear, for they depend on the device library's text.
func TestEquality(t *testing.T) {
	for _, sc := range slices.Concat(recordedScenarios(t), toyScenarios(), advisedScenarios(),
		[]scenario{cpuScenario()}) {
		t.Run(sc.name, func(t *testing.T) {
			t.Parallel()
			got := sc.log(t)
			path := filepath.Join("testdata", "equality", strings.ReplaceAll(sc.name, " ", "-")+".jsonl.gz")
			if *update {
				writeLog(t, path, got)
				return
			}
			sameLines(t, readLog(t, path), got)
		})
	}
}

// log runs the scenario and gives its lines.
func (sc *scenario) log(t *testing.T) []byte {
	t.Helper()
	var log bytes.Buffer
	m := &memory{}
	cfg := sc.cfg(t)
	half := sc.session(t, cfg, m, &log, sc.cut)
	if sc.cut > 0 {
		if half == nil {
			t.Fatalf("the run ended before %d results", sc.cut)
		}
		m = half
		if sc.later != nil {
			cfg = sc.later(t, m)
		} else {
			cfg = sc.cfg(t)
		}
		sc.session(t, cfg, m, &log, 0)
	}
	fmt.Fprintf(&log, "%s\n", m.checkpoint)
	if sc.mask != nil {
		return sc.mask(numbered(log.Bytes()))
	}
	return numbered(log.Bytes())
}

// session runs one search to its end, and gives the store as it was after so many results.
func (sc *scenario) session(t *testing.T, cfg Config, m *memory, log *bytes.Buffer, cut int) (killed *memory) {
	t.Helper()
	if o, ok := cfg.Advisor.(*oracle); ok {
		o.log = log
	}
	var ev Evaluator = clocked{newFake(3, true)}
	if sc.ev != nil {
		ev = sc.ev(t, cfg)
	}
	var keep keeper = m
	if sc.keep != nil {
		keep = sc.keep(m)
	}
	s := mustSearch(t, cfg, ev, keep)
	hold(s)
	last := KindResult
	if sc.duel {
		last = KindDuel
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	_, err := s.Run(ctx, func(e Event) {
		line, jsonErr := json.Marshal(e)
		if jsonErr != nil {
			t.Error(jsonErr)
		}
		if killed == nil {
			fmt.Fprintf(log, "%s\n", line)
		}
		if e.Kind == KindResult {
			for _, command := range sc.at[len(m.candidates)] {
				do(s, log, command(m))
			}
		}
		if killed == nil && cut > 0 && e.Kind == last && len(m.candidates) >= cut {
			killed = m.clone()
			cancel()
		}
	})
	if err != nil {
		fmt.Fprintf(log, "%q\n", err)
	}
	return killed
}

// hold makes a search's time of day follow its simulated clock, and leaves out what comes by the wall's.
func hold(s *Search) {
	s.inbox.every, s.upkeep.control.every = time.Hour, time.Hour
	s.clock.wall = func() time.Time {
		return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(s.clock.before)
	}
}

// do does a command inside the loop, so that it comes between the same two answers every time.
func do(s *Search, log io.Writer, c Command) {
	r := request{c, make(chan error, 1)}
	s.apply(r)
	select {
	case err := <-r.answer:
		if err != nil {
			fmt.Fprintf(log, "%q\n", err)
		}
	default: // it is answered when it is stored
	}
}

var (
	fullID = regexp.MustCompile(`\b[0-9a-f]{64}\b`)
	anyID  = regexp.MustCompile(`\b([0-9a-f]{64}|[0-9a-f]{10})\b`)
	beaten = regexp.MustCompile(`"beaten":\[[^\]]*\]`)
	drain  = regexp.MustCompile(`("kind":"drain".*): \d+ in flight`)
)

// numbered replaces IDs by numbers, orders the only list that comes from a map, and leaves out how many goroutines had
// not answered yet.
func numbered(log []byte) []byte {
	names := map[string]string{}
	for _, id := range fullID.FindAll(log, -1) {
		if short := string(id[:10]); names[short] == "" {
			names[short] = fmt.Sprintf("id%d", len(names)+1)
		}
	}
	log = anyID.ReplaceAllFunc(log, func(id []byte) []byte {
		if name := names[string(id[:10])]; name != "" {
			return []byte(name)
		}
		return id
	})
	log = drain.ReplaceAll(log, []byte("$1"))
	return beaten.ReplaceAllFunc(log, func(list []byte) []byte {
		ids := strings.Split(strings.TrimSuffix(strings.TrimPrefix(string(list), `"beaten":[`), "]"), ",")
		slices.Sort(ids)
		return []byte(`"beaten":[` + strings.Join(ids, ",") + "]")
	})
}

func writeLog(t *testing.T, path string, log []byte) {
	t.Helper()
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
	z.Write(log)
	z.Close()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

func readLog(t *testing.T, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	log, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return log
}

// sameLines shows the first line that differs.
func sameLines(t *testing.T, want, got []byte) {
	t.Helper()
	if bytes.Equal(want, got) {
		return
	}
	was, is := strings.Split(string(want), "\n"), strings.Split(string(got), "\n")
	for i := range min(len(was), len(is)) {
		if was[i] != is[i] {
			t.Fatalf("line %d of %d is\n%s\n-- instead of --\n%s", i+1, len(was), is[i], was[i])
		}
	}
	t.Fatalf("%d lines instead of %d", len(is), len(was))
}

// faulty is a store whose disk is full at some of its operations.
type faulty struct {
	*memory
	ops  int
	fail func(op int) error
}

func (f *faulty) PutAll(all []*kernels.Candidate, checkpoint []byte) error {
	if f.ops++; f.fail(f.ops) != nil {
		return f.fail(f.ops)
	}
	return f.memory.PutAll(all, checkpoint)
}
