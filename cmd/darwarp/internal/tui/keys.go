package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"
)

// binding is one thing that keys do. The table below is what keys are dispatched by and what help shows:
// there is no other.
type binding struct {
	keys  []string // as Bubble Tea names them
	show  string
	short string // for the footer
	long  string // for the help
	panes []pane // where it is so, nil: everywhere
	live  bool   // only while a search can be steered
	hint  bool   // worth a place in the footer
	do    func(*Model) tea.Cmd
}

// fits reports whether a binding means something here and now.
func (b *binding) fits(m *Model) bool {
	if b.live && !m.steerable() {
		return false
	}
	if b.panes == nil {
		return true
	}
	for _, p := range b.panes {
		if p == m.focus {
			return true
		}
	}
	return false
}

var onCandidates = []pane{paneLeaders, paneCandidate, paneFailures}

// bindings is filled at the start, for what it calls looks at it.
var bindings []*binding

func init() { bindings = slices.Concat(moves(), views(), commands()) }

// moves are the keys that go somewhere.
func moves() []*binding {
	return []*binding{
		{keys: []string{"?"}, show: "?", short: "help", long: "this help", hint: true, do: func(m *Model) tea.Cmd {
			m.help = true
			return nil
		}},
		{keys: []string{"q"}, show: "q", short: "leave", long: "leave; a live run: asks whether to detach or to stop",
			hint: true, do: (*Model).quit},
		{keys: []string{"tab"}, show: "tab", short: "pane", long: "next pane; shift-tab the one before, 1 to 8 by number",
			hint: true, do: func(m *Model) tea.Cmd { m.turn(1); return nil }},
		{keys: []string{"shift+tab"}, do: func(m *Model) tea.Cmd { m.turn(-1); return nil }},
		{keys: []string{"1", "2", "3", "4", "5", "6", "7", "8"}, do: func(m *Model) tea.Cmd {
			if p := pane(m.pressed[0] - '1'); m.has(p) {
				m.focus = p
			}
			return nil
		}},
		{keys: []string{"j", "down"}, show: "j k", short: "move", long: "down and up, also the arrow keys", hint: true,
			do: func(m *Model) tea.Cmd { m.move(1); return nil }},
		{keys: []string{"k", "up"}, do: func(m *Model) tea.Cmd { m.move(-1); return nil }},
		{keys: []string{"pgdown", "ctrl+f", "ctrl+d"}, show: "pgdn pgup", long: "a page down and up; home and end: first " +
			"and last", do: func(m *Model) tea.Cmd { m.move(m.page); return nil }},
		{keys: []string{"pgup", "ctrl+b", "ctrl+u"}, do: func(m *Model) tea.Cmd { m.move(-m.page); return nil }},
		{keys: []string{"g", "home"}, do: func(m *Model) tea.Cmd { m.move(-1 << 30); return nil }},
		{keys: []string{"G", "end"}, do: func(m *Model) tea.Cmd { m.move(1 << 30); return nil }},
		{keys: []string{"enter"}, show: "enter", short: "open", long: "open the candidate",
			panes: []pane{paneLeaders, paneFailures, paneLog, panePortfolio}, hint: true, do: (*Model).open},
		{keys: []string{"left", "right", "[", "]"}, show: "left right", short: "source, diff, ...",
			long: "of a candidate: source, diff, lineage, figures", panes: []pane{paneCandidate}, hint: true,
			do: (*Model).nextView},
	}
}

// views are the keys that change what is shown, or take something of it away.
func views() []*binding {
	return []*binding{
		{keys: []string{"/"}, show: "/", short: "filter",
			long: "filter by words in ID, family, operator, genes: stages=4 mma", panes: []pane{paneLeaders, paneLog},
			hint: true, do: (*Model).askFilter},
		{keys: []string{"space"}, show: "space", short: "mark", long: "mark a candidate; two marks can be compared",
			panes: onCandidates, hint: true, do: (*Model).mark},
		{keys: []string{"d"}, show: "d", short: "diff", long: "diff of the two marked, else to the parent",
			panes: onCandidates, hint: true, do: (*Model).diff},
		{keys: []string{"l"}, show: "l", short: "lineage", long: "lineage: what each step changed and gained",
			panes: onCandidates, hint: true, do: func(m *Model) tea.Cmd { return m.openAt(viewLineage) }},
		{keys: []string{"e"}, show: "e", short: "export", long: "export to a folder, as `darwarp export` does",
			panes: onCandidates, hint: true, do: (*Model).askExport},
		{keys: []string{"s", "S"}, show: "s S", short: "sort", long: "sort by the next column; S: the other way round",
			panes: []pane{paneLeaders}, do: (*Model).sort},
		{keys: []string{"w"}, show: "w", long: "times of the next workload", panes: []pane{paneLeaders},
			do: func(m *Model) tea.Cmd { return m.leaders.nextWorkload() }},
		{keys: []string{"t"}, show: "t", short: "time", long: "curve over time or evaluations; y, X: axes linear or " +
			"logarithmic", panes: []pane{paneCurve}, hint: true, do: func(m *Model) tea.Cmd {
			m.curve.byTime = !m.curve.byTime
			return nil
		}},
		{keys: []string{"y"}, show: "y", short: "y axis", panes: []pane{paneCurve}, hint: true, do: func(m *Model) tea.Cmd {
			m.curve.otherScale = !m.curve.otherScale
			return nil
		}},
		{keys: []string{"X"}, show: "X", short: "x axis", panes: []pane{paneCurve}, hint: true, do: func(m *Model) tea.Cmd {
			m.curve.linearX = !m.curve.linearX
			return nil
		}},
		{keys: []string{"z"}, show: "z", short: "zoom", long: "the pane alone, and back", hint: true,
			do: func(m *Model) tea.Cmd { m.zoom = !m.zoom; return nil }},
	}
}

// commands are the keys that steer a search, and those that leave.
func commands() []*binding {
	return []*binding{
		{keys: []string{"P"}, show: "P", short: "pause", long: "pause the search, and resume it", live: true, hint: true,
			do: (*Model).pause},
		{keys: []string{"+"}, show: "+", short: "budget", long: "add evaluations or time to the budget", live: true,
			hint: true, do: (*Model).askBudget},
		{keys: []string{"W"}, show: "W i", long: "weights of the workloads; i: judge the genes in a file", live: true,
			do: (*Model).askWeights},
		{keys: []string{"i"}, live: true, do: (*Model).askInject},
		{keys: []string{"p"}, show: "p", short: "pin", long: "pin the candidate: always among the parents; again to unpin",
			panes: onCandidates, live: true, do: (*Model).pin},
		{keys: []string{"x"}, show: "x", short: "kill", long: "kill its lineage: stop breeding from it and its descendants",
			panes: onCandidates, live: true, do: (*Model).askKill},
		{keys: []string{"ctrl+c"}, show: "ctrl-c", long: "a search here: once finishes and saves, twice ends; else leaves",
			do: (*Model).interrupt},
		{show: "mouse", long: "click: go there, sort by a column, a second time opens; wheel: move; shift selects text",
			do: func(*Model) tea.Cmd { return nil }},
		{keys: []string{"esc"}, show: "esc", long: "back: close, unfilter, unmark", do: (*Model).back},
	}
}

// key does what a key means: in a question, in the help, else by the table.
func (m *Model) key(k tea.KeyPressMsg) tea.Cmd {
	name := k.String()
	if m.dialog != nil {
		return m.dialogKey(k)
	}
	m.pressed = name
	if m.help {
		m.helpKey()
		return nil
	}
	for _, b := range bindings {
		if !slices.Contains(b.keys, name) {
			continue
		}
		if b.fits(m) {
			return b.do(m)
		}
		if b.live && !m.steerable() {
			m.say("", errAtRest)
		}
	}
	return nil
}
