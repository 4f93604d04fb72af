package llm

import (
	"fmt"
	"math"
	"regexp"
	"strings"

	"darwarp/kernels"
)

// told is the brief with what the configuration keeps back taken out.
func (c Config) told(b Brief) Brief {
	if !c.solutions {
		b.Others = nil
		b.Base.Speedup, b.Base.Times = 0, nil
	}
	if !c.insights {
		b.Insights, b.Findings, b.Counters = nil, nil, nil
	}
	b.Figures = c.insights && c.solutions
	return b
}

const maxWhy = 2 << 10 // bytes of a verdict that are told back

var (
	pathRE   = regexp.MustCompile(`(?:/[A-Za-z0-9_.+-]+){2,}`)
	whyLines = 20
)

// Why makes a verdict fit to be told to a model: its first lines, printable, with files named by their
// last part alone.
func Why(outcome kernels.Outcome, detail string) string {
	detail = pathRE.ReplaceAllStringFunc(kernels.CleanDetail(detail),
		func(p string) string { return p[strings.LastIndex(p, "/")+1:] })
	lines := strings.Split(detail, "\n")
	detail = strings.Join(lines[:min(whyLines, len(lines))], "\n")
	if len(detail) > maxWhy {
		detail = detail[:maxWhy] + " ..."
	}
	return strings.TrimSpace(fmt.Sprintf("%s: %s", told[outcome], detail))
}

// Gain is a speedup as an insight tells it.
func Gain(ratio float64) string {
	switch {
	case math.IsInf(ratio, 0) || math.IsNaN(ratio) || ratio <= 0:
		return "it failed"
	case ratio < 1.005 && ratio > 0.995:
		return "no difference"
	}
	return fmt.Sprintf("%.3f times as fast", ratio)
}
