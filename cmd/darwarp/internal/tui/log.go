package tui

import (
	"fmt"
	"strings"
	"time"

	"darwarp/cmd/darwarp/internal/figures"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/evolve"
	"darwarp/kernels"
)

// judged enters a verdict; a failure has a line in the log.
func (b *Board) judged(c *kernels.Candidate, at time.Duration) {
	if r, isNew := b.enter(c, at); isNew && r.outcome.Failed() && r.outcome != kernels.Duplicate {
		b.say(line{b.latest(), levelQuiet,
			fmt.Sprintf("%s %s: %s", r.outcome, r.id.Short(), report.FirstLine(c.Result.Detail)), r.id})
	}
}

// answered enters what came of a question to a language model.
func (b *Board) answered(e *kernels.Exchange, at time.Duration) {
	if b.charge(e) {
		text, lv := exchangeText(e)
		b.say(line{at: at, level: lv, text: text})
	}
}

// heads are what the notes of some events begin with.
var heads = map[evolve.Kind]string{
	evolve.KindFamily: "new family ", evolve.KindRestart: "starting again: ", evolve.KindNoise: "noise: ",
	evolve.KindPaused: "paused: ", evolve.KindResumed: "resumed: ", evolve.KindSteer: "told: ",
}

// applyNote takes the events that have a line of their own.
func (b *Board) applyNote(e *evolve.Event) {
	l, text, lv := &b.live, e.Note, levelNote
	switch e.Kind {
	case evolve.KindDuel:
		if e.Duel == nil {
			return
		}
		b.fight(e.Duel)
		text, lv = "duel "+e.ID.Short()+": "+report.FirstLine(figures.Duel(e.Duel)), levelQuiet
	case evolve.KindTrial:
		text, lv = "trial of "+e.ID.Short()+": "+text, levelQuiet
		if e.Candidate != nil {
			lv = levelBad
			b.fell(e.Candidate)
		}
	case evolve.KindAdvice:
		if e.Exchange != nil {
			b.answered(e.Exchange, e.At)
			return
		}
	case evolve.KindLost:
		l.lost++
		text, lv = "lost: "+text, levelBad
	case evolve.KindOutage:
		text, lv = "outage: "+text, levelBad
	case evolve.KindDisk:
		if l.diskFull = strings.HasPrefix(text, "disk full"); l.diskFull {
			lv = levelBad
		}
	case evolve.KindDrain:
		l.draining, text = e.Note, "stopping: "+text
	case evolve.KindEnd:
		l.summary, text = e.Summary, "ended: "+text
	default:
		head := heads[e.Kind]
		if head == "" {
			return // a skipped point is no news
		}
		text = head + text
	}
	b.say(line{e.At, lv, text, e.ID})
}

// exchangeText tells what came of a question to a language model, and what it took.
func exchangeText(e *kernels.Exchange) (string, level) {
	text, lv := fmt.Sprintf("%s proposed %d", shortArm(e.Arm), len(e.Proposed)), levelQuiet
	switch {
	case e.Failed != "":
		text, lv = shortArm(e.Arm)+" failed: "+report.FirstLine(e.Failed), levelBad
	case e.Refused != "" && len(e.Proposed) == 0:
		text = shortArm(e.Arm) + " refused: " + report.FirstLine(e.Refused)
	}
	if n := e.Tokens.In + e.Tokens.Out; n > 0 {
		text += ", " + report.Quantity(n, "token")
	}
	if e.USD > 0 {
		text += fmt.Sprintf(", USD %.4f", e.USD)
	}
	if e.Took > 0 {
		text += ", " + report.Duration(e.Took)
	}
	return text, lv
}

// sayChampion tells of a new champion, with its time where there is one workload, and what it changed.
func (b *Board) sayChampion(at time.Duration) {
	n := len(b.steps)
	r := &b.rows[b.steps[n-1].row]
	text := fmt.Sprintf("champion %s %s", r.id.Short(), b.speedupOf(r))
	if len(r.times) == 1 {
		text += " " + report.Time(float64(r.times[0].median))
	}
	if n == 1 {
		text += ", the naive start"
	} else if before := &b.rows[b.steps[n-2].row]; r.score > 0 {
		text += fmt.Sprintf(", gain %s: %s", b.gain(before, r), b.changes(before, r))
	}
	b.say(line{at, levelGood, text, r.id})
}

// factor writes a gain: 3.10x, and 1.012x where it is small.
func factor(f float64) string {
	if f >= 2 {
		return report.Ratio(f)
	}
	return report.Gain(f, 0, 0)
}
