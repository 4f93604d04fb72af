package tui

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"darwarp/cmd/darwarp/internal/report"
	"darwarp/evolve"
	"darwarp/kernels"
)

// steerPatience is how long a command may take to be answered.
const steerPatience = 10 * time.Second

// steer sends a command in the background and says what came of it.
func (m *Model) steer(c evolve.Command, done string) tea.Cmd {
	ctx, src := m.ctx, m.src
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, steerPatience)
		defer cancel()
		return noticeMsg{done, firstLine(src.Steer(ctx, c))}
	}
}

func (m *Model) pause() tea.Cmd {
	if m.board.live.paused {
		return m.steer(evolve.Command{Do: "resume"}, "Resumed.")
	}
	return m.steer(evolve.Command{Do: "pause"},
		"Paused: evaluations in flight are finished, nothing new is started. P resumes.")
}

// errNobody answers keys about a candidate where there is none.
var errNobody = errors.New("no candidate is right yet")

func (m *Model) pin() tea.Cmd {
	i := m.subject()
	if i < 0 {
		m.say("", errNobody)
		return nil
	}
	id := m.board.rows[i].id
	if m.board.pins[i] {
		return m.steer(evolve.Command{Do: "unpin", ID: id}, "Unpinned "+id.Short()+".")
	}
	return m.steer(evolve.Command{Do: "pin", ID: id}, "Pinned "+id.Short()+".")
}

func (m *Model) askKill() tea.Cmd {
	i := m.subject()
	if i < 0 {
		m.say("", errNobody)
		return nil
	}
	id := m.board.rows[i].id
	m.dialog = &dialog{title: "Kill a lineage", choices: []choice{
		{"y", fmt.Sprintf("stop breeding from %s and its %s", id.Short(),
			report.Count(len(m.board.family(i))-1)),
			func(m *Model) tea.Cmd {
				return m.steer(evolve.Command{Do: "kill", ID: id}, "Killed the lineage of "+id.Short()+".")
			}},
		{"esc", "leave it alive", nil},
	}}
	return nil
}

func (m *Model) askBudget() tea.Cmd {
	about := "evaluations, as in 500, or time, as in 30m or 2h"
	switch b := m.board.budget; { // what has no limit cannot be added to
	case b.Evals == 0 && b.For > 0:
		about = "time, as in 30m or 2h"
	case b.For == 0 && b.Evals > 0:
		about = "evaluations, as in 500"
	}
	m.dialog = &dialog{title: "Add to the budget", about: about, input: true, accept: func(m *Model, s string) tea.Cmd {
		c, text, err := budgetCommand(strings.TrimSpace(s))
		if err != nil {
			m.say("", err)
			return nil
		}
		return m.steer(c, "Added "+text+".")
	}}
	return nil
}

// budgetCommand reads a number of evaluations or a span of time.
func budgetCommand(s string) (c evolve.Command, text string, err error) {
	c.Do = "add"
	if n, err := strconv.Atoi(strings.ReplaceAll(s, ",", "")); err == nil && n > 0 {
		c.Evals = n
		return c, report.Quantity(n, "evaluation"), nil
	}
	if d, err := time.ParseDuration(s); err == nil && d > 0 {
		c.For = d
		return c, report.Duration(d), nil
	}
	return c, "", fmt.Errorf("%q: expected a number of evaluations, as in 500, or a time, as in 30m", s)
}

// askWeights starts from the weights as they are.
func (m *Model) askWeights() tea.Cmd {
	var now []string
	for _, w := range m.board.workloads() {
		now = append(now, fmt.Sprintf("%s=%v", w.Name, w.Weight))
	}
	return m.askCommand("weigh", "Weights", "of the workloads, by which all scores are computed again; those that are "+
		"left out stay", strings.Join(now, " "), "All scores follow the new weights.")
}

func (m *Model) askInject() tea.Cmd {
	return m.askCommand("inject", "Inject a candidate", "a TOML or JSON file with family and genes, which is judged next",
		"", "Injected: it is judged next.")
}

// askCommand asks for the arguments of a command, as they are written on the command line.
func (m *Model) askCommand(do, title, about, text, done string) tea.Cmd {
	if m.opt.Command == nil {
		m.say("", fmt.Errorf("%s: only from the command line: darwarp steer", do))
		return nil
	}
	m.dialog = &dialog{title: title, about: about, input: true, text: text, accept: func(m *Model, s string) tea.Cmd {
		args := strings.Fields(s)
		if do == "inject" { // a file may have blanks in its name
			args = []string{strings.TrimSpace(s)}
		}
		c, err := m.opt.Command(do, args)
		if err != nil {
			m.say("", firstLine(err))
			return nil
		}
		return m.steer(c, done)
	}}
	return nil
}

func (m *Model) askExport() tea.Cmd {
	i := m.subject()
	switch {
	case i < 0:
		m.say("", errNobody)
		return nil
	case m.opt.Export == nil:
		m.say("", fmt.Errorf("nothing can be exported from here"))
		return nil
	case m.board.rows[i].outcome != kernels.OK:
		m.say("", fmt.Errorf("%s is not right (%s): export a candidate of the leaderboard", m.board.rows[i].id.Short(),
			m.board.rows[i].outcome))
		return nil
	}
	id := m.board.rows[i].id
	dir := filepath.Join(".", m.board.state.Meta.Problem+"-"+id.Short())
	m.dialog = &dialog{title: "Export " + id.Short(), about: "the folder to write", input: true, text: dir,
		accept: func(m *Model, s string) tea.Cmd {
			m.say("Exporting "+id.Short()+" ...", nil)
			ctx, export := m.ctx, m.opt.Export
			return func() tea.Msg {
				text, err := export(ctx, id, strings.TrimSpace(s))
				return noticeMsg{text: text, err: firstLine(err)}
			}
		}}
	return nil
}

func (m *Model) askFilter() tea.Cmd {
	on := m.focus
	text := m.board.ranking.filter.text
	if on == paneLog {
		text = m.log.word.text
	}
	set := func(m *Model, s string) {
		if on == paneLog {
			m.log.word, m.log.list = newFilter(s), list{}
			return
		}
		m.board.setFilter(s)
	}
	m.dialog = &dialog{title: "Filter", about: "words in ID, family, operator or genes: stages=4 mma", input: true,
		line: true, text: text,
		typed: set, accept: func(m *Model, s string) tea.Cmd { set(m, s); return nil }, cancel: func(m *Model) { set(m, "") }}
	return nil
}

// quit asks what becomes of a live search; nothing else is lost by leaving.
func (m *Model) quit() tea.Cmd {
	if !m.steerable() {
		return tea.Quit
	}
	detach := "detach: the search continues, `darwarp watch` opens this again"
	if m.opt.Here {
		detach = "close the view: the search continues here and prints lines"
	}
	m.dialog = &dialog{title: "Leave", choices: []choice{
		{"d", detach, func(m *Model) tea.Cmd { m.left = LeftDetached; return tea.Quit }},
		{"s", "stop the search: finish what is in flight, save, and end", func(m *Model) tea.Cmd {
			m.left = LeftStopped
			if m.opt.Here && m.opt.Interrupt != nil {
				m.opt.Interrupt()
				m.say("Finishing what is in flight. Ctrl-C ends now.", nil)
				return nil
			}
			return m.steer(evolve.Command{Do: "stop"}, "Stopping: what is in flight is finished and saved.")
		}},
		{"esc", "stay", nil},
	}}
	return nil
}
