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
	// UTF8 says that the terminal shows more than ASCII.
	UTF8 bool
	// Now is the clock, nil: the real one.
	Now func() time.Time
}

// Model is the view of a run as Bubble Tea runs it.
type Model struct {
	board *Board
	src   Source
	opt   Options
	ctx   context.Context
	art   *art
	w, h  int

	focus      pane
	zoom       bool
	help       bool
	helpTop    int
	pressed    string // the key
	dialog     *dialog
	notice     string
	bad        bool // the notice is an error
	noticed    time.Time
	byTime     bool // the curve is over time
	otherScale bool // of the curve's two scales not the one that fits the range
	linearX    bool // the curve's other axis is linear, else logarithmic
	workload   int  // whose times are listed

	leader  list // of the leaderboard
	picked  int32
	follows bool // the cursor stays on the best
	marks   []int32
	cause   list
	ops     list
	logs    list
	logWord filter
	page    int // rows of the pane in focus, for paging

	view   candidateView
	scroll map[candidateView]int
	sheets map[sheetKey]*sheet
	pair   [2]int32 // the two that are compared, -1: with the parent

	seen    int // version of the board on the screen
	second  int64
	changed bool
	last    string // the screen
	left    Leave
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
	return &Model{
		board: b, src: src, opt: o, ctx: ctx, art: localArt(o.UTF8), follows: true, picked: -1,
		scroll: map[candidateView]int{}, sheets: map[sheetKey]*sheet{}, pair: [2]int32{-1, -1}, changed: true, seen: -1,
	}
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
		return m, tea.Batch(m.key(msg), m.need())
	case tea.PasteMsg:
		if m.dialog != nil && m.dialog.input {
			m.dialog.text += msg.Content
		}
	case sheetMsg:
		m.sheets[msg.key] = msg.sheet
	case noticeMsg:
		m.say(msg.text, msg.err)
	default:
		return m, nil
	}
	m.changed = true
	return m, m.need()
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
	return tea.Batch(nextTick(), m.need())
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
	v.WindowTitle = shown("darwarp " + m.title())
	return v
}

func (m *Model) title() string {
	b := m.board
	if b.state == nil {
		return ""
	}
	if c := b.champion(); c != nil {
		return b.state.Meta.Problem + " " + speedupOf(c)
	}
	return b.state.Meta.Problem
}

// elapsed is the search's time now, a little after its last event.
func (m *Model) elapsed() time.Duration {
	b := m.board
	at := b.elapsed.elapsed
	if l := &b.live; l.last.Kind != "" {
		at = l.last.At
		if l.watching && !l.paused && !b.still() {
			at += max(0, m.opt.Now().Sub(l.heard))
		}
	}
	return at
}

// selected is the row under the leaderboard's cursor, -1: there is none.
func (m *Model) selected() int32 {
	x := &m.board.ranking
	n := x.len()
	if n == 0 {
		return -1
	}
	if !m.follows {
		if at := x.find(m.picked); at >= 0 {
			m.leader.at = at
		}
	} else {
		m.leader.at = 0
	}
	m.leader.at = min(max(0, m.leader.at), n-1)
	return x.order[x.position(m.leader.at)]
}

// subject is the row that the candidate pane shows and that keys are about.
func (m *Model) subject() int32 {
	if m.focus == paneFailures {
		if all := m.board.causes.sorted(); m.cause.at < len(all) {
			return all[m.cause.at].example
		}
	}
	if m.picked >= 0 && !m.follows && m.board.rows[m.picked].score == 0 {
		return m.picked // a failure that was opened
	}
	return m.selected()
}

// list is a cursor in rows of which a window is shown.
type list struct{ at, top int }

// window moves the window so that the cursor is in it, and gives its first row.
func (l *list) window(n, height int) int {
	l.at = min(max(0, l.at), max(0, n-1))
	l.top = min(max(l.top, l.at-height+1), l.at)
	l.top = max(0, min(l.top, n-height))
	return l.top
}
