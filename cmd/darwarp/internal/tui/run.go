package tui

import (
	"context"
	"errors"
	"io"

	// Bubble Tea is github.com/charmbracelet/bubbletea; its second version goes by this name.
	tea "charm.land/bubbletea/v2"
)

// Run shows a source on a terminal until the person leaves, ctx ends, or the search ends and o.CloseAtEnd
// is set. The board must be filled by Follow, which goes on when the view is gone. An error means that the
// view broke; the terminal is as it was before in any case.
func Run(ctx context.Context, b *Board, src Source, o Options, in io.Reader, out io.Writer) (Leave, error) {
	m := NewModel(ctx, b, src, o)
	_, err := tea.NewProgram(m, tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(out),
		tea.WithoutSignalHandler()).Run()
	if ctx.Err() != nil && !errors.Is(err, tea.ErrProgramPanic) {
		return LeftDetached, nil
	}
	return m.left, err
}
