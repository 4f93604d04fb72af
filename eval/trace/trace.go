// Package trace records what happens when, as trace events that Perfetto (ui.perfetto.dev) and Chrome (about:tracing)
// show: rows of spans, grouped by what they are about. A nil *Recorder records nothing, and so does what it gives.
package trace

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"
)

// Recorder writes a trace, each span when it ends: what is there of a process that was killed can be looked at, too.
// Its methods may be called from many goroutines.
type Recorder struct {
	start time.Time

	mu     sync.Mutex
	out    io.Writer
	begun  bool // something was written
	err    error
	groups map[string]*group
}

// group is rows that are about the same kind of thing, which viewers show as a process.
type group struct {
	pid  int
	rows int
	free []*Lane // those that nobody has
}

// event is one of the format's: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
type event struct {
	Name     string            `json:"name"`
	Phase    string            `json:"ph"` // X: a whole span, M: the name of a row or group
	PID      int               `json:"pid"`
	TID      int               `json:"tid"`
	Start    float64           `json:"ts"` // us
	Duration float64           `json:"dur,omitempty"`
	Args     map[string]string `json:"args,omitempty"`
}

// New begins a trace. Nothing is written before its first event.
func New(w io.Writer) *Recorder {
	return &Recorder{start: time.Now(), out: w, groups: map[string]*group{}}
}

// Close ends the trace, and tells the first error of writing it. One without an event stays unwritten.
func (r *Recorder) Close() error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.begun {
		return nil
	}
	if r.err != nil {
		return r.err
	}
	_, err := io.WriteString(r.out, "{}]\n")
	return err
}

// write appends an event. The caller holds mu.
func (r *Recorder) write(e event) {
	line, err := json.Marshal(e)
	if err == nil {
		line = append(line, ",\n"...)
		if !r.begun {
			line = append([]byte("[\n"), line...)
		}
		r.begun = true
		_, err = r.out.Write(line)
	}
	if r.err == nil {
		r.err = err
	}
}

// Lane is a row: what is in it happens one after the other, or one within the other.
type Lane struct {
	recorder *Recorder
	group    *group
	pid, tid int
}

// Take gives a row of a group that nobody has at present.
func (r *Recorder) Take(of string) *Lane {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	g := r.groups[of]
	if g == nil {
		g = &group{pid: len(r.groups) + 1}
		r.groups[of] = g
		r.write(event{Name: "process_name", Phase: "M", PID: g.pid, Args: map[string]string{"name": of}})
	}
	if n := len(g.free); n > 0 {
		l := g.free[n-1]
		g.free = g.free[:n-1]
		return l
	}
	g.rows++
	l := &Lane{recorder: r, group: g, pid: g.pid, tid: g.rows}
	r.write(event{Name: "thread_name", Phase: "M", PID: l.pid, TID: l.tid,
		Args: map[string]string{"name": fmt.Sprint(of, " ", l.tid)}})
	return l
}

// Free lets somebody else have the row.
func (l *Lane) Free() {
	if l == nil {
		return
	}
	l.recorder.mu.Lock()
	defer l.recorder.mu.Unlock()
	l.group.free = append(l.group.free, l)
}

// Span is something that goes on. The zero Span is nothing.
type Span struct {
	lane *Lane
	name string
	from time.Time
	args map[string]string
}

// Begin begins a span.
func (l *Lane) Begin(name string) *Span {
	if l == nil {
		return nil
	}
	return &Span{lane: l, name: name, from: time.Now()}
}

// Note adds something to be known of the span.
func (s *Span) Note(key string, value any) {
	if s == nil {
		return
	}
	if s.args == nil {
		s.args = map[string]string{}
	}
	s.args[key] = fmt.Sprint(value)
}

// End ends the span.
func (s *Span) End() {
	if s == nil {
		return
	}
	r, now := s.lane.recorder, time.Now()
	us := func(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
	r.mu.Lock()
	defer r.mu.Unlock()
	r.write(event{Name: s.name, Phase: "X", PID: s.lane.pid, TID: s.lane.tid, Start: us(s.from.Sub(r.start)),
		Duration: us(now.Sub(s.from)), Args: s.args})
}

type laneKey struct{}

// With has what is begun in the context be in a row.
func With(ctx context.Context, l *Lane) context.Context {
	if l == nil {
		return ctx
	}
	return context.WithValue(ctx, laneKey{}, l)
}

// Begin begins a span in the context's row.
func Begin(ctx context.Context, name string) *Span {
	l, _ := ctx.Value(laneKey{}).(*Lane)
	return l.Begin(name)
}
