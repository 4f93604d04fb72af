package tui

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"darwarp/cmd/darwarp/internal/report"
)

// operatorColumn is one figure of an operator.
type operatorColumn struct {
	head  string
	width int
	cell  func(o *operator) (string, ink)
}

// operatorColumns are what is told of an operator, the most wanted first.
var operatorColumns = []operatorColumn{
	{"tried", 7, func(o *operator) (string, ink) { return report.Count(o.tried), inkPlain }},
	{"gain", 8, func(o *operator) (string, ink) {
		if o.earned <= 0 {
			return "-", inkDim
		}
		return factor(math.Exp(o.earned)), inkGood
	}},
	{"won", 4, func(o *operator) (string, ink) { return fmt.Sprint(o.crowned), inkChampion }},
	{"better", 7, func(o *operator) (string, ink) { return report.Count(o.records), inkPlain }},
	{"right", 6, func(o *operator) (string, ink) {
		if o.tried == 0 {
			return "-", inkDim
		}
		return fmt.Sprintf("%.0f%%", 100*float64(o.right)/float64(o.tried)), inkPlain
	}},
	{"best", 7, func(o *operator) (string, ink) {
		if o.best == 0 {
			return "-", inkDim
		}
		return report.Speedup(o.best), inkCurve
	}},
	{"cost", 7, func(o *operator) (string, ink) {
		if o.seconds == 0 {
			return "-", inkDim
		}
		return report.Duration(time.Duration(o.seconds * 1e9)), inkDim
	}},
}

// modelColumns are told where language models were asked, after those that say what came of it.
var modelColumns = []operatorColumn{
	{"asked", 6, func(o *operator) (string, ink) { return orNone(o.asked), inkPlain }},
	{"USD", 8, func(o *operator) (string, ink) { return o.dollars(), inkWarn }},
}

func orNone(n int) string {
	if n == 0 {
		return "-"
	}
	return report.Count(n)
}

// operatorColumns are those that find room beside the names.
func (t *tally) operatorColumns(room int) []operatorColumn {
	cols := t.allColumns()
	for n := range cols {
		if room -= cols[n].width + 1; room < 0 {
			return cols[:n]
		}
	}
	return cols
}

// allColumns are those that there is something to say in.
func (t *tally) allColumns() []operatorColumn {
	if t.spent.asked > 0 {
		return slices.Insert(slices.Clone(operatorColumns), 3, modelColumns...)
	}
	return operatorColumns
}

// shortArm is an operator's name without what says that it is a language model: its model does.
func shortArm(name string) string { return strings.TrimPrefix(name, "llm:") }

// endOf cuts a name at its beginning: of a language model's operator the operator is at the end.
func endOf(name string, n int, ellipsis string) string {
	if over := ansi.StringWidth(name) - n; over > 0 {
		return ansi.TruncateLeft(name, over+ansi.StringWidth(ellipsis), ellipsis)
	}
	return name
}

// operatorsPane says what each operator tried, and what came of it.
type operatorsPane struct {
	*scene
	list list
}

func (p *operatorsPane) note() string { return "what they earned" }

func (p *operatorsPane) move(by int) {
	p.list.at = min(max(0, p.list.at+by), max(0, len(p.board.operatorsByGain())-1))
}

// width is what all columns take, with the frame.
func (p *operatorsPane) width() int {
	n := 2 + p.nameWidth(1<<20)
	for _, c := range p.board.allColumns() {
		n += c.width + 1
	}
	return n
}

// nameWidth is the longest name that is shown, in a pane of a width.
func (p *operatorsPane) nameWidth(width int) int {
	b, name := p.board, 8
	for _, i := range b.operatorsByGain() {
		name = max(name, min(ansi.StringWidth(shortArm(b.operators.all[i])), max(9, min(width, 90)/3)))
	}
	return name
}

// draw says what each operator tried, and what came of it.
func (p *operatorsPane) draw(a area) {
	b := p.board
	order := b.operatorsByGain()
	name := p.nameWidth(a.rect.w)
	cols := b.operatorColumns(a.rect.w - name)
	x := name
	for _, c := range cols {
		x += c.width + 1
		a.right(x, 0, c.head, inkDim)
	}
	top := p.list.window(len(order), max(1, a.rect.h-1))
	for i := top; i < min(len(order), top+a.rect.h-1); i++ {
		y, o := i-top+1, b.ops[order[i]]
		o.best = b.over.Score(o.best)
		if p.focus == paneOperators && i == p.list.at {
			a.paint(0, y, a.rect.w, backSelect)
		}
		a.text(0, y, endOf(shortArm(b.operators.all[order[i]]), name, a.art.ellipsis), inkPlain)
		x := name
		for _, c := range cols {
			text, k := c.cell(&o)
			x += c.width + 1
			a.right(x, y, text, k)
		}
	}
}
