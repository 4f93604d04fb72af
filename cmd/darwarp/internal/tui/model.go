package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"darwarp/evolve"
	"darwarp/kernels"
)

// refresh is how often the screen looks at the board: what the search publishes in between is one change.
const refresh = 100 * time.Millisecond

// noticeTime is how long a notice stays.
const noticeTime = 6 * time.Second

// Options are what a view may do besides looking.
type Options struct {
	// Export writes a candidate to a folder and says in one line what it did; the code that
	// `darwarp export` runs.
	Export func(ctx context.Context, id kernels.ID, dir string) (string, error)
	// Command reads the arguments of weigh and inject as `darwarp steer` does.
	Command func(do string, args []string) (evolve.Command, error)
	// Interrupt is what Ctrl-C does while a search runs in this process, nil: it leaves the view.
	Interrupt func()
	// Steer says that the search takes commands.
	Steer bool
	// Here says that the search runs in this process: it goes on without a view when the view is left.
	Here bool
	// CloseAtEnd leaves the view when the search has ended.
	CloseAtEnd bool
	// Host tells how busy the computer is, nil: nothing is told of it. See HostSampler.
	Host func() (Host, error)
	// UTF8 says that the terminal shows more than ASCII.
	UTF8 bool
	// Now is the clock, nil: the real one.
	Now func() time.Time
}

// Model is the view of a run as Bubble Tea runs it: panes over one scene and one selection, and what is asked above
// them.
type Model struct {
	*scene
	*selection
	prompts
	frame
	ctx context.Context

	panes     [paneCount]content
	leaders   *leadersPane
	curve     *curvePane
	candidate *candidatePane
	operators *operatorsPane
	machine   *machinePane
	portfolio *portfolioPane
	log       *logPane
	header    header
	left      Leave
}

// prompts are what stands above the panes, or in place of the keys on the last line.
type prompts struct {
	dialog  *dialog
	help    bool
	helpTop int
	pressed string // the key
	notice  string
	bad     bool // the notice is an error
	noticed time.Time
}

// frame is what is on the screen, and whether it is still true.
type frame struct {
	seen    int // version of the board
	second  int64
	changed bool
	last    string
	spots   []spot // of the panes
	tabs    []spot
}

// spot is where a pane is on the screen: with its frame, and without.
type spot struct {
	pane        pane
	rect, inner rect
}

// Leave is how a view was left.
type Leave int

// The ways.
const (
	LeftEnded    Leave = iota // the search has ended
	LeftDetached              // it goes on
	LeftStopped               // it was asked to stop
)

// NewModel makes the view of a board that Follow fills from src.
func NewModel(ctx context.Context, b *Board, src Source, o Options) *Model {
	if o.Now == nil {
		o.Now = time.Now
	}
	sc := &scene{board: b, src: src, opt: o, art: localArt(o.UTF8)}
	failures := &failuresPane{scene: sc}
	sel := newSelection(sc, failures)
	m := &Model{scene: sc, selection: sel, frame: frame{changed: true, seen: -1}, ctx: ctx,
		leaders: &leadersPane{selection: sel}, curve: &curvePane{scene: sc}, log: &logPane{scene: sc}, header: header{sc}}
	m.candidate = &candidatePane{selection: sel, leaders: m.leaders, sheets: map[sheetKey]*sheet{}}
	m.operators, m.portfolio = &operatorsPane{scene: sc}, &portfolioPane{scene: sc}
	m.machine = &machinePane{scene: sc}
	m.panes = [paneCount]content{paneLeaders: m.leaders, paneCurve: m.curve, paneCandidate: m.candidate,
		paneFailures: failures, paneOperators: m.operators, paneMachine: m.machine, paneLog: m.log,
		panePortfolio: m.portfolio}
	return m
}

type tickMsg struct{}

func nextTick() tea.Cmd { return tea.Tick(refresh, func(time.Time) tea.Msg { return tickMsg{} }) }

// noticeMsg is what a command in the background has to say.
type noticeMsg struct {
	text string
	err  error
}

// Init asks for the background's colour, for the theme, and starts looking.
func (m *Model) Init() tea.Cmd { return tea.Batch(nextTick(), tea.RequestBackgroundColor) }

// Update takes keys, sizes, and its turns to look at the board.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	m.board.mu.Lock()
	defer m.board.mu.Unlock()
	switch msg := msg.(type) {
	case tickMsg:
		return m, m.tick()
	case tea.WindowSizeMsg:
		m.w, m.h = msg.Width, msg.Height
	case tea.BackgroundColorMsg:
		if m.art.theme = lightTheme; msg.IsDark() {
			m.art.theme = darkTheme
		}
	case tea.KeyPressMsg:
		m.changed = true
		return m, tea.Batch(m.key(msg), m.candidate.need())
	case tea.MouseClickMsg:
		if msg.Button == tea.MouseLeft {
			m.changed = true
			return m, tea.Batch(m.click(msg.X, msg.Y), m.candidate.need())
		}
	case tea.MouseWheelMsg:
		m.wheel(msg.X, msg.Y, msg.Button == tea.MouseWheelDown)
	case tea.PasteMsg:
		if m.dialog != nil && m.dialog.input {
			m.dialog.text += msg.Content
		}
	case sheetMsg:
		m.candidate.sheets[msg.key] = msg.sheet
	case hostMsg:
		m.machine.take(msg)
	case noticeMsg:
		m.say(msg.text, msg.err)
	default:
		return m, nil
	}
	m.changed = true
	return m, m.candidate.need()
}

// tick looks whether there is something new.
func (m *Model) tick() tea.Cmd {
	b := m.board
	now := m.opt.Now()
	if m.seen != b.version || now.Unix() != m.second {
		m.seen, m.second, m.changed = b.version, now.Unix(), true
	}
	if m.notice != "" && now.Sub(m.noticed) > noticeTime {
		m.notice, m.changed = "", true
	}
	if m.opt.CloseAtEnd && !b.loading && !b.live.watching && b.live.last.Kind != "" {
		return tea.Quit
	}
	return tea.Batch(nextTick(), m.candidate.need(), m.machine.sample(now))
}

// say shows a notice for a while.
func (m *Model) say(text string, err error) {
	m.notice, m.bad, m.noticed = text, err != nil, m.opt.Now()
	if err != nil {
		m.notice = err.Error()
	}
}

// View draws the screen.
func (m *Model) View() tea.View {
	m.board.mu.Lock()
	defer m.board.mu.Unlock()
	if m.changed && m.w > 0 && m.h > 0 {
		m.last, m.changed = m.draw().String(), false
	}
	v := tea.NewView(m.last)
	v.AltScreen = true
	v.MouseMode = tea.MouseModeCellMotion
	v.WindowTitle = shown("darwarp " + m.title())
	return v
}

func (m *Model) title() string {
	b := m.board
	if b.state == nil {
		return ""
	}
	if c := b.champion(); c != nil {
		return b.state.Meta.Problem + " " + b.speedupOf(c)
	}
	return b.state.Meta.Problem
}
