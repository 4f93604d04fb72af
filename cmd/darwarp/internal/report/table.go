package report

import (
	"fmt"
	"io"
	"strings"

	"darwarp/cmd/darwarp/internal/printable"
)

// Table is rows of text under a head, two blanks between columns.
type Table struct {
	Indent string
	Width  int    // columns there are: the last column is cut to fit; 0: no limit
	align  string // one letter per column: r right-aligned, else left; missing ones are left
	head   []string
	rows   [][]string
}

// NewTable starts a table; align has one letter, l or r, per column.
func NewTable(align string, head ...string) *Table {
	t := &Table{align: align}
	for _, h := range head { // some are names of workloads
		t.head = append(t.head, printable.Line(h))
	}
	return t
}

// Row adds a row. Cells are written with fmt.Sprint, each on one line.
func (t *Table) Row(cells ...any) {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = printable.Line(fmt.Sprint(c))
	}
	t.rows = append(t.rows, row)
}

// Write prints the table; lines end without trailing blanks.
func (t *Table) Write(w io.Writer) {
	lines := t.rows
	if len(t.head) > 0 {
		lines = append([][]string{t.head}, t.rows...)
	}
	var widths []int
	for _, row := range lines {
		for i, c := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], printable.Width(c))
		}
	}
	lines = t.fit(lines, widths)
	for _, row := range lines {
		var b strings.Builder
		for i, c := range row {
			if i > 0 {
				b.WriteString("  ")
			}
			b.WriteString(t.pad(c, i, widths[i]))
		}
		fmt.Fprintln(w, strings.TrimRight(t.Indent+b.String(), " "))
	}
}

// leastLast is the width below which the last column is not cut: a terminal so narrow wraps.
const leastLast = 12

// fit cuts the cells of the last column to what is left of the width.
func (t *Table) fit(lines [][]string, widths []int) [][]string {
	last := len(widths) - 1
	room := t.Width - printable.Width(t.Indent)
	for i, w := range widths {
		if i < last {
			room -= w + 2
		}
	}
	if t.Width == 0 || last < 0 || widths[last] <= room || room < leastLast {
		return lines
	}
	out := make([][]string, len(lines))
	for i, row := range lines {
		out[i] = row
		if len(row) == last+1 {
			out[i] = append(append([]string{}, row[:last]...), Clip(row[last], room))
		}
	}
	widths[last] = room
	return out
}

func (t *Table) pad(cell string, column, width int) string {
	blanks := strings.Repeat(" ", width-printable.Width(cell))
	if column < len(t.align) && t.align[column] == 'r' {
		return blanks + cell
	}
	return cell + blanks
}

// Fields writes "name  value" lines with aligned values.
func Fields(w io.Writer, indent string, pairs ...[2]string) {
	t := Table{Indent: indent}
	for _, p := range pairs {
		if p[1] != "" {
			t.Row(p[0], p[1])
		}
	}
	t.Write(w)
}

// Wrap breaks text at blanks into lines of at most width columns.
func Wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && printable.Width(line)+1+printable.Width(word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}
