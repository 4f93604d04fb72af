package source

import (
	"strconv"
	"strings"
)

// conditional opens, turns or closes a group.
func (p *preprocessor) conditional(line int, name string, rest []token) error {
	last := len(p.groups) - 1
	switch {
	case name != "if" && name != "ifdef" && name != "ifndef" && last < 0:
		return refuse(line, "#%s without #if", name)
	case name == "endif":
		p.groups = p.groups[:last]
		return nil
	case name == "else":
		g := &p.groups[last]
		g.on, g.done = !g.done, true
		return nil
	}
	value := false
	if outer := p.groups[:max(0, last)]; name != "elif" && p.on() ||
		name == "elif" && !p.groups[last].done && (&preprocessor{groups: outer}).on() {
		var err error
		if value, err = p.condition(line, name, rest); err != nil {
			return err
		}
	}
	if name == "elif" {
		p.groups[last].on, p.groups[last].done = value && !p.groups[last].done, p.groups[last].done || value
		return nil
	}
	p.groups = append(p.groups, group{value, value})
	return nil
}

// condition is a number, a number compared with another, or whether the source defines a name, which it must.
func (p *preprocessor) condition(line int, name string, rest []token) (bool, error) {
	unknown := func(name string) error {
		return refuse(line, "#if on %s, which the source does not define: what is judged must be what every compiler sees; "+
			"write the branch that is meant, or use if constexpr", name)
	}
	if name == "ifdef" || name == "ifndef" {
		if len(rest) != 1 || p.macros[rest[0].text] == nil {
			return false, unknown(spell(rest))
		}
		return name == "ifdef", nil
	}
	tokens, err := p.expand(rest, 0)
	if err != nil {
		return false, err
	}
	not := len(tokens) > 1 && tokens[0].is("!")
	if not {
		tokens = tokens[1:]
	}
	var n []int64
	for i := 0; i < len(tokens); i += 2 {
		v, err := strconv.ParseInt(strings.TrimRight(tokens[i].text, "uUlL"), 0, 64)
		if err != nil || tokens[i].kind != number {
			return false, unknown(spell(tokens))
		}
		n = append(n, v)
	}
	switch {
	case len(tokens) == 1:
		return (n[0] != 0) != not, nil
	case len(tokens) == 3 && !not:
		if value, ok := compare(n[0], tokens[1].text, n[1]); ok {
			return value, nil
		}
	}
	return false, refuse(line, "#if %s: expected a number, or two that are compared", spell(tokens))
}

func compare(a int64, op string, b int64) (value, ok bool) {
	switch op {
	case "==":
		return a == b, true
	case "!=":
		return a != b, true
	case "<":
		return a < b, true
	case ">":
		return a > b, true
	case "<=":
		return a <= b, true
	case ">=":
		return a >= b, true
	}
	return false, false
}
