package tui

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"darwarp/evolve"
	"darwarp/kernels"
	"darwarp/store"
	"darwarp/templates"
)

// began is when the fixture's search began.
var began = time.Unix(1760000000, 0).UTC()

const proof = "proof"

// ceiling is the bandwidth of the fixture's device, bytes/s.
const ceiling = 5.1e12

// story is a made-up search of the axpy problem: a seed gives always the same one.
type story struct {
	rnd    *rand.Rand
	bundle *templates.Bundle
	space  *kernels.Space
	meta   store.Meta
	made   []kernels.Candidate
	best   float64
	base   []float64 // ns of the naive start by workload
	reigns []store.Champion
	asked  evolve.Steering // before the view was opened
}

func newStory(tb testing.TB) *story {
	tb.Helper()
	b, err := templates.Load(os.DirFS("../../testdata/axpy"))
	if err != nil {
		tb.Fatal(err)
	}
	dev, err := kernels.ArchDevice("sm_90a")
	if err != nil {
		tb.Fatal(err)
	}
	dev.Kind, dev.Name, dev.Toolchain = "cuda", "NVIDIA H200", "NVRTC 13.0"
	space, err := kernels.NewSpace(b.Families[0], dev, kernels.FP32, nil)
	if err != nil {
		tb.Fatal(err)
	}
	m := store.Meta{Version: "test", Created: began, Problem: "axpy", Files: b.Files, DType: kernels.FP32,
		Workloads: b.Problem.Workloads[:2], Device: dev,
		Strategy: "evolve", Seed: 1, Cache: "hot", Budget: store.Budget{Evals: 1000}}
	s := &story{rnd: rand.New(rand.NewPCG(7, 11)), bundle: b, space: space, meta: m}
	for _, w := range m.Workloads {
		_, bytes, err := b.Problem.Work(w.Dims, m.DType)
		if err != nil {
			tb.Fatal(err)
		}
		s.base = append(s.base, bytes/ceiling*1e9/0.08) // the roofline is at 12.5 times the naive start
	}
	return s
}

func idOf(i int) kernels.ID {
	return sha256.Sum256(binary.BigEndian.AppendUint64(nil, uint64(i)))
}

// next makes a candidate: some fail, and the others crowd below the best, which gets better by and by.
func (s *story) next() kernels.Candidate {
	n := len(s.made)
	p := s.space.At(s.rnd.IntN(s.space.Len()))
	if n == 0 {
		p = s.space.At(0)
	}
	c := kernels.Candidate{ID: idOf(n), Seq: n + 1, Variant: kernels.Variant{Family: s.space.Family.Name,
		Genes: s.space.Genome(p)}, At: began.Add(time.Duration(n+1) * 300 * time.Millisecond)}
	c.Origin.Operator = []string{"estimate", "mutate", "crossover", "random"}[s.rnd.IntN(4)]
	if n == 0 {
		c.Origin.Operator = "default"
	} else if c.Origin.Operator != "random" {
		parent := s.made[s.rnd.IntN(n)]
		c.Origin.Parents, c.Origin.Generation = []kernels.ID{parent.ID}, parent.Origin.Generation+1
	}
	c.Result.Provenance, c.Result.Cost = proof, kernels.Cost{Compile: 0.25, Gate: 0.1, Time: 0.2, Wait: 0.05}
	if x := s.rnd.IntN(20); n > 0 && x < 2 {
		c.Result.Outcome = []kernels.Outcome{kernels.Wrong, kernels.CompileFailed}[x]
		c.Result.Detail = []string{fmt.Sprintf("z[%d] = 3, expected 4", s.rnd.IntN(3)),
			"kernel.cu(3): error: expected a ;\nmore of it"}[x]
	} else {
		s.right(&c)
	}
	s.made = append(s.made, c)
	return c
}

func (s *story) right(c *kernels.Candidate) {
	limit := 0.12 + 0.88*math.Exp(-float64(len(s.made))/60)
	c.Score = limit * (1 + s.rnd.ExpFloat64())
	if len(s.made) == 0 {
		c.Score = 1
	}
	c.Result.Outcome = kernels.OK
	c.Result.Gate = &kernels.GateReport{Checks: 24, Elements: 12345, Worst: 0.25, Where: "33 normal"}
	c.Result.Resources = []kernels.Resources{{Entry: "axpy", Registers: 24, BlocksPerSM: 8, Occupancy: 1}}
	for i, ns := range s.base {
		t := ns * c.Score
		c.Result.Times = append(c.Result.Times, kernels.Timing{Workload: s.meta.Workloads[i].Name, Median: t, Lo: t * 0.995,
			Hi: t * 1.005, Samples: 31, Cache: "hot", Tier: "fitness"})
	}
	if s.best == 0 || c.Score < 0.97*s.best {
		s.best = c.Score
		s.reigns = append(s.reigns, store.Champion{ID: c.ID, Why: "a duel", At: c.At.Add(time.Millisecond)})
	}
}

// state is the story so far as a file would hold it.
func (s *story) state() *State {
	p := kernels.Provenance{Device: s.meta.Device, Protocol: "1", Started: began,
		Ceilings: &kernels.Ceilings{Bandwidth: 4e12, L2: ceiling, Matrix: 5e14}}
	return &State{Path: "axpy.db", Meta: s.meta, Bundle: s.bundle, Len: len(s.made), Champions: s.reigns,
		Steering: s.asked,
		Baselines: []kernels.BaselineResult{{Name: "default", Kind: kernels.BaselineName, Times: s.times(1)},
			{Name: "cublas", Kind: kernels.BaselineName, Times: s.times(0.15)}},
		Reads: Reads{Provenance: func(key string) (kernels.Provenance, error) {
			if key != proof {
				return p, store.ErrNotFound
			}
			return p, nil
		},
			Each: func(fn func(kernels.Candidate) error) error {
				for _, c := range s.made {
					if err := fn(c); err != nil {
						return err
					}
				}
				return nil
			}}}
}

func (s *story) times(score float64) (out []kernels.Timing) {
	for i, w := range s.meta.Workloads {
		out = append(out, kernels.Timing{Workload: w.Name, Median: s.base[i] * score})
	}
	return out
}

// fake is a source over a story.
type fake struct {
	*story
	feed   chan evolve.Event
	told   []evolve.Command
	answer error // to what is told
}

func (f *fake) Steer(_ context.Context, c evolve.Command) error {
	f.told = append(f.told, c)
	return f.answer
}

func (f *fake) Load() (*State, error)       { return f.state(), nil }
func (f *fake) Events() <-chan evolve.Event { return f.feed }

func (f *fake) Get(id kernels.ID) (kernels.Candidate, error) {
	for _, c := range f.made {
		if c.ID == id {
			return c, nil
		}
	}
	return kernels.Candidate{}, errors.New("no such candidate")
}

// driver runs a model as Bubble Tea would, with commands run at once.
type driver struct {
	testing.TB
	m    *Model
	src  *fake
	now  time.Time
	quit bool
}

// open makes the view of a story of n candidates; live says that a search goes on.
func open(tb testing.TB, n, w, h int, live bool) *driver {
	tb.Helper()
	src := &fake{story: newStory(tb)}
	for range n {
		src.next()
	}
	d := &driver{TB: tb, src: src, now: began.Add(time.Hour)}
	b := NewBoard()
	if live {
		src.feed = make(chan evolve.Event)
		b.load(src)
		b.loading, b.live.watching = false, true
	} else {
		b.Follow(src)
	}
	d.m = NewModel(tb.Context(), b, src, Options{UTF8: true, Steer: true, Now: func() time.Time { return d.now }})
	d.m.board = b
	d.send(tea.WindowSizeMsg{Width: w, Height: h})
	return d
}

// tell gives the board an event as if it had just come.
func (d *driver) tell(e evolve.Event) {
	d.m.board.do(func() error { d.m.board.apply(&e); return nil })
	d.m.board.live.heard = d.now
	d.run(d.m.candidate.need())
}

func (d *driver) send(msg tea.Msg) {
	_, cmd := d.m.Update(msg)
	d.run(cmd)
}

func (d *driver) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			d.run(c)
		}
	case tea.QuitMsg:
		d.quit = true
	default:
		d.send(msg)
	}
}

// codes are the keys whose names are not what they type.
var codes = map[string]tea.KeyPressMsg{
	"enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape}, "tab": {Code: tea.KeyTab},
	"shift+tab": {Code: tea.KeyTab, Mod: tea.ModShift}, "down": {Code: tea.KeyDown},
	"up": {Code: tea.KeyUp}, "left": {Code: tea.KeyLeft}, "right": {Code: tea.KeyRight}, "pgdown": {Code: tea.KeyPgDown},
	"pgup": {Code: tea.KeyPgUp},
	"home": {Code: tea.KeyHome}, "end": {Code: tea.KeyEnd}, "space": {Code: tea.KeySpace, Text: " "},
	"ctrl+c": {Code: 'c', Mod: tea.ModCtrl}, "backspace": {Code: tea.KeyBackspace},
}

// press presses keys by name.
func (d *driver) press(keys ...string) {
	d.Helper()
	for _, k := range keys {
		msg, ok := codes[k]
		if !ok {
			msg = tea.KeyPressMsg{Code: []rune(k)[0], Text: k}
		}
		if got := msg.String(); got != k {
			d.Fatalf("key %q is called %q", k, got)
		}
		d.send(msg)
	}
}

// write types a text.
func (d *driver) write(s string) {
	for _, r := range s {
		d.send(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
}

// screen is what is seen, without colours.
func (d *driver) screen() string {
	d.m.board.mu.Lock()
	defer d.m.board.mu.Unlock()
	return d.m.draw().Text()
}
