package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"

	"darwarp/cmd/darwarp/internal/printable"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

// sheetKey names what a sheet is of: a candidate, compared with another.
type sheetKey struct{ row, with int32 }

// sheet is what has to be read and rendered to show a candidate. It is made in the background.
type sheet struct {
	candidate kernels.Candidate
	source    []rich
	diff      []rich
	err       error
}

type sheetMsg struct {
	key   sheetKey
	sheet *sheet
}

// maxSheets bounds what is kept.
const maxSheets = 64

// wanted is the sheet that the candidate pane needs now.
func (p *candidatePane) wanted() (k sheetKey, ok bool) {
	i := p.subject()
	if p.pair[0] >= 0 && p.view == viewDiff {
		return sheetKey{p.pair[1], p.pair[0]}, true
	}
	if i < 0 {
		return k, false
	}
	return sheetKey{i, p.board.rows[i].better}, true
}

// need starts to make the sheet that is to be seen and is not there.
func (p *candidatePane) need() tea.Cmd {
	if p.focus != paneCandidate && p.size() < sizeHigh || p.board.state == nil {
		return nil
	}
	k, ok := p.wanted()
	if !ok || p.sheets[k] != nil {
		return nil
	}
	if len(p.sheets) >= maxSheets {
		clear(p.sheets)
	}
	p.sheets[k] = &sheet{} // on its way
	b, src, state := p.board, p.src, p.board.state
	ids := [2]kernels.ID{b.rows[k.row].id}
	if k.with >= 0 {
		ids[1] = b.rows[k.with].id
	}
	return func() tea.Msg { return sheetMsg{k, makeSheet(src, state, ids)} }
}

// makeSheet reads a candidate, renders its source and that of the one that it is compared with.
func makeSheet(src Source, state *State, ids [2]kernels.ID) *sheet {
	s := &sheet{}
	if s.candidate, s.err = src.Get(ids[0]); s.err != nil {
		return s
	}
	text, err := renderSource(state, s.candidate.Variant)
	if err != nil {
		s.err = err
		return s
	}
	s.source = highlight(text)
	if ids[1].IsZero() {
		s.diff = []rich{{{"It has no parent.", inkDim}}}
		return s
	}
	other, err := src.Get(ids[1])
	if err == nil {
		var before string
		if before, err = renderSource(state, other.Variant); err == nil {
			s.diff = diffLines(report.Unified(ids[1].Short()+".cu", ids[0].Short()+".cu", before, text))
		}
	}
	if err != nil {
		s.diff = []rich{{{err.Error(), inkBad}}}
	}
	return s
}

// renderSource is a candidate's source, rendered from the run's own copy of the templates.
func renderSource(s *State, v kernels.Variant) (string, error) {
	if v.Family == "" {
		return printable.Text(v.Source), nil
	}
	b, err := s.bundleOf(v.Family)
	if err != nil {
		return "", err
	}
	j, err := b.VariantJob(v, s.Meta.Device, s.Meta.DType)
	return printable.Text(j.Source), err
}

// highlight colours C++; what CUDA adds are names to the lexer.
func highlight(source string) []rich {
	tokens, err := chroma.Coalesce(lexers.Get("c++")).Tokenise(nil, source)
	if err != nil { // the lexer is built in; a source that it cannot read is shown as it is
		tokens = chroma.Literator(chroma.Token{Type: chroma.Text, Value: source})
	}
	var out []rich
	for _, l := range chroma.SplitTokensIntoLines(tokens.Tokens()) {
		var r rich
		for _, t := range l {
			r = append(r, piece{strings.ReplaceAll(strings.TrimRight(t.Value, "\n"), "\t", "    "), tokenInk(t)})
		}
		out = append(out, r)
	}
	return out
}

func tokenInk(t chroma.Token) ink {
	switch c := t.Type; {
	case t.Type == chroma.CommentPreproc || t.Type == chroma.CommentPreprocFile:
		return inkMacro
	case c.InCategory(chroma.Comment):
		return inkComment
	case c.InSubCategory(chroma.LiteralString):
		return inkString
	case c.InCategory(chroma.Literal):
		return inkNumber
	case t.Type == chroma.KeywordType || strings.HasSuffix(t.Value, "_t"):
		return inkType
	case c.InCategory(chroma.Keyword) || strings.HasPrefix(t.Value, "__") && strings.HasSuffix(t.Value, "__"):
		return inkKeyword
	case t.Value == "threadIdx" || t.Value == "blockIdx" || t.Value == "blockDim" || t.Value == "gridDim":
		return inkMacro
	}
	return inkPlain
}

// diffLines colours a unified diff.
func diffLines(text string) []rich {
	if text == "" {
		return []rich{{{"The sources are the same.", inkDim}}}
	}
	var out []rich
	for l := range strings.Lines(text) {
		l = strings.ReplaceAll(strings.TrimRight(l, "\n"), "\t", "    ")
		k := inkPlain
		switch {
		case strings.HasPrefix(l, "+"):
			k = inkGood
		case strings.HasPrefix(l, "-"):
			k = inkBad
		case strings.HasPrefix(l, "@@"):
			k = inkAccent
		}
		out = append(out, rich{{l, k}})
	}
	return out
}
