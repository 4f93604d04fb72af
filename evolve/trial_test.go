package evolve

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"darwarp/kernels"
)

// A trial that our side lost is asked for again; one that is lost again and again promotes nobody, and leaves a
// champion on trial. An evaluator that answers without a verdict has lost it.
func TestLostTrials(t *testing.T) {
	lost := fmt.Errorf("%w: killed", kernels.ErrLost)
	for _, tt := range []struct {
		name     string
		part     kernels.TrialPart
		times    int
		standing kernels.Standing // of the last champion; empty: the naive start is champion
	}{
		{"quick, once", kernels.TrialClasses, 1, kernels.Stood},
		{"quick, always", kernels.TrialClasses, 1e6, ""},
		{"slow, twice", kernels.TrialEmulated, 2, kernels.Stood},
		{"slow, always", kernels.TrialSanitized, 1e6, kernels.OnTrial},
		{"launches, always", kernels.TrialLaunches, 1e6, kernels.Stood},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ev, m := newTrialFake(2), &memory{}
			var mu sync.Mutex
			failed := map[kernels.ID]int{}
			ev.before = func(_ context.Context, job *kernels.Job, parts []kernels.TrialPart) error {
				mu.Lock()
				defer mu.Unlock()
				if slices.Contains(parts, tt.part) && failed[job.ID] < tt.times {
					failed[job.ID]++
					return lost
				}
				return nil
			}
			var c collector
			cfg := toyConfig(t, "hills")
			cfg.Budget.Evals = 40
			sum, err := tried(t, cfg, ev, m).Run(context.Background(), c.emit)
			if err != nil {
				t.Fatal(err)
			}
			if sum.Standing != tt.standing || tt.standing == "" && sum.Champion != m.candidates[0].ID {
				t.Errorf("champion %s is %q, expected %q", sum.Champion.Short(), sum.Standing, tt.standing)
			}
			for id, n := range failed {
				if n > attempts+1 { // one answer may have been lost that nobody waited for

					t.Errorf("%s was lost %d times", id.Short(), n)
				}
			}
			if n := len(c.of(KindLost)); n == 0 || n != sum.Lost {
				t.Errorf("%d lost events: %+v", n, sum)
			}
			if sum.Evals != 40 || sum.Outcomes[kernels.OK] != 40 {
				t.Errorf("%+v", sum)
			}
		})
	}
}

// TestOvertakenSuccessor: the trial of a successor is given up once somebody is far faster, who fights and is tried
// instead. It counts neither as lost nor as a defeat.
func TestOvertakenSuccessor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ev, m := newTrialFake(2), &memory{}
		var mu sync.Mutex
		var given []kernels.ID // the first that are tried
		times := map[string]float64{}
		ev.claims = func(g kernels.Genome) float64 {
			mu.Lock()
			defer mu.Unlock()
			name := fmt.Sprint(g)
			if times[name] == 0 {
				times[name] = toyTime(g)
				if len(given) > 0 { // all that come later are far faster
					times[name] /= 10
				}
			}
			return times[name]
		}
		ev.before = func(ctx context.Context, job *kernels.Job, _ []kernels.TrialPart) error {
			if ev.claims(job.Variant.Genes) < planted {
				return nil
			}
			mu.Lock()
			given = append(given, job.ID)
			mu.Unlock()
			<-ctx.Done() // it would take for ever
			return ctx.Err()
		}
		cfg := toyConfig(t, "hills")
		cfg.Budget.Evals = 60
		var c collector
		sum, err := tried(t, cfg, ev, m).Run(context.Background(), c.emit)
		if err != nil || sum.Standing != kernels.Stood || sum.Lost != 0 || len(given) == 0 {
			t.Errorf("%d trials given up, %+v, %v", len(given), sum, err)
		}
		for _, e := range c.of(KindChampion)[1:] {
			if slices.Contains(given, e.ID) {
				t.Errorf("%s became champion, whose trial was given up", e.ID.Short())
			}
		}
	})
}

func TestSilentTrialIsLost(t *testing.T) {
	ev := newTrialFake(1)
	silent := silence{ev.fake}
	cfg := toyConfig(t, "hills")
	cfg.Budget.Evals = 20
	sum, err := tried(t, cfg, silent, &memory{}).Run(context.Background(), nil)
	if err != nil || sum.Lost == 0 || sum.Standing != "" {
		t.Errorf("%v, %+v", err, sum)
	}
}

// silence gives no verdict on a trial.
type silence struct{ *fake }

func (s silence) Capabilities() kernels.Capabilities { return kernels.Capabilities{Trial: s.Trial} }

func (silence) Trial(context.Context, *kernels.Job, ...kernels.TrialPart) (kernels.Trial, error) {
	return kernels.Trial{Parts: []kernels.Doubt{{Part: kernels.TrialClasses, Verdict: "maybe"}}}, nil
}

func TestBrokenTrialStops(t *testing.T) {
	ev := newTrialFake(2)
	ev.before = func(context.Context, *kernels.Job, []kernels.TrialPart) error { return errBroken }
	if sum, err := tried(t, toyConfig(t, "hills"), ev, &memory{}).Run(context.Background(), nil); !errors.Is(err,
		errBroken) || sum.Reason != ReasonFailed {
		t.Errorf("%v, %+v", err, sum)
	}
}

// A search that is to end during a trial: a spent budget and a stop wait for all of it, an interruption for what is in
// flight, an abort for nothing. What is missing is tried when the run goes on.
func TestEndDuringATrial(t *testing.T) {
	for _, tt := range []struct {
		name     string
		evals    int
		end      func(s *Search, cancel context.CancelFunc)
		standing kernels.Standing
		whole    bool
	}{
		{"budget", 30, func(*Search, context.CancelFunc) {}, kernels.Stood, true},
		{"stop", 30, func(s *Search, _ context.CancelFunc) { go steer(s, "stop") }, kernels.Stood, true},
		{"stopped twice", 30, func(s *Search, _ context.CancelFunc) { go steer(s, "stop", "stop") }, kernels.OnTrial, false},
		// A budget that ends first would begin the other parts.
		{"interrupted", 10000, func(_ *Search, cancel context.CancelFunc) { cancel() }, kernels.OnTrial, false},
		{"aborted", 30, func(s *Search, _ context.CancelFunc) { s.Abort() }, kernels.OnTrial, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ev, m := newTrialFake(2), &memory{}
			cfg := toyConfig(t, "hills")
			cfg.Budget.Evals = tt.evals
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			var s *Search
			release := ev.holdEmulated(func() { tt.end(s, cancel) })
			if tt.name == "budget" {
				close(release)
			}
			s = tried(t, cfg, ev, m)
			sum, err := s.Run(ctx, func(e Event) {
				if e.Kind == KindDrain && tt.name != "budget" && tt.name != "stopped twice" &&
					strings.Contains(e.Note, "in flight") {
					close(release)
				}
			})
			if err != nil || sum.Standing != tt.standing {
				t.Fatalf("%v, %q, %+v", err, sum.Standing, sum)
			}
			if whole := len(m.trial(sum.Champion).Missing(kernels.WholeTrial)) == 0; whole != tt.whole {
				t.Errorf("%s", m.trial(sum.Champion).Text())
			}
			ev.before = nil
			again, err := tried(t, cfg, ev, m).Run(context.Background(), nil)
			if err != nil || again.Standing != kernels.Stood || len(m.trial(again.Champion).Missing(kernels.WholeTrial)) > 0 {
				t.Errorf("resumed: %v, %+v", err, again)
			}
		})
	}
}

// TestPartsBesideEachOther: at the end of a search the device does not wait for what is emulated. A champion that falls
// meanwhile falls once, and the one before it is tried in its place.
func TestPartsBesideEachOther(t *testing.T) {
	for _, falls := range []kernels.TrialPart{"", kernels.TrialEmulated, kernels.TrialSanitized} {
		t.Run("falls "+string(falls), func(t *testing.T) {
			ev, m := newTrialFake(2), &memory{}
			cfg := toyConfig(t, "hills")
			cfg.Budget.Evals = 30
			ev.falls = func(kernels.Genome) (kernels.TrialPart, bool) { return falls, falls != "" }
			device := make(chan kernels.ID, 100) // the parts that take it
			ev.before = func(ctx context.Context, job *kernels.Job, parts []kernels.TrialPart) error {
				switch parts[0] {
				case kernels.TrialSanitized:
					device <- job.ID
				case kernels.TrialEmulated:
					for id := range device { // or it hangs here
						if id == job.ID {
							return nil
						}
					}
				}
				return nil
			}
			s := mustSearch(t, cfg, ev, m) // whose champions are replaced before they can be tried before the end
			fell := map[kernels.ID]int{}
			sum, err := s.Run(context.Background(), func(e Event) {
				if e.Kind == KindTrial && e.Candidate != nil {
					fell[e.ID]++
				}
			})
			if err != nil || (falls == "") != (len(fell) == 0) || (falls == "") != (sum.Standing == kernels.Stood) {
				t.Fatalf("%v, %d fell, %+v", err, len(fell), sum)
			}
			for id, n := range fell {
				if n != 1 {
					t.Errorf("%s fell %d times", id.Short(), n)
				}
			}
		})
	}
}

// steer sends commands one after the other; the search may have ended before the last.
func steer(s *Search, commands ...string) {
	for _, do := range commands {
		_ = s.Steer(context.Background(), Command{Do: do})
	}
}

// holdEmulated has the emulated part of trials wait for release; the first one calls began before it waits.
func (c *trialFake) holdEmulated(began func()) (release chan struct{}) {
	release = make(chan struct{})
	var once sync.Once
	c.before = func(ctx context.Context, _ *kernels.Job, parts []kernels.TrialPart) error {
		if parts[0] != kernels.TrialEmulated {
			return nil
		}
		once.Do(began)
		select {
		case <-release:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return release
}

// Where nobody can doubt a champion nothing is told of it: recordings give the events that they gave before.
func TestNoTrialWithoutADoubter(t *testing.T) {
	var c collector
	sum, err := mustSearch(t, toyConfig(t, "hills"), newFake(2, true), &memory{}).Run(context.Background(), c.emit)
	if err != nil || sum.Standing != "" || len(c.of(KindTrial)) > 0 {
		t.Errorf("%v, %+v", err, sum)
	}
	for _, e := range c.all {
		if e.Standing != "" {
			t.Fatalf("%+v", e)
		}
	}
}
