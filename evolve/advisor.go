package evolve

import (
	"context"

	"darwarp/kernels"
	"darwarp/mutate/llm"
	"darwarp/templates"
)

// Advisor proposes candidates from afar: language models. It is asked beside the loop, so that the device
// never waits for it; where it fails the search goes on without.
type Advisor interface {
	// Arms lists what can be asked, by kernels.Arm. Each is an operator that is rewarded like the others.
	Arms() []string
	// Ready reports whether an arm may be asked now.
	Ready(arm string) bool
	// Jobs is how many questions may be in flight.
	Jobs() int
	// Ask is called from many goroutines, and must return soon after its context ends.
	Ask(ctx context.Context, arm string, b llm.Brief, thread []kernels.Message) llm.Advice
}

// reply is the answer to a question.
type reply struct {
	thread  *thread
	advice  llm.Advice
	draft   *templates.Draft // of a reply with a template
	mistake error            // why that is none
}

// dialogue is what is being asked in this session.
type dialogue struct {
	ctx     context.Context // ends when nothing new is asked for
	cancel  context.CancelFunc
	replies chan reply
	asking  int
	spent   bool // nothing more may be asked
}

func newDialogue() dialogue { return dialogue{replies: make(chan reply)} }

func (d *dialogue) begin(ctx context.Context) { d.ctx, d.cancel = context.WithCancel(ctx) }

// open reports whether something may be asked.
func (d *dialogue) open() bool { return d.ctx != nil && d.ctx.Err() == nil && !d.spent }

// ended reports whether the session ends.
func (d *dialogue) ended() bool { return d.ctx.Err() != nil }

// stop lets nothing more be asked.
func (d *dialogue) stop() { d.cancel() }

// questions is how many are in flight.
func (d *dialogue) questions() int { return d.asking }

// answered takes note of an answer.
func (d *dialogue) answered(a *llm.Advice) {
	d.asking--
	d.spent = d.spent || !a.Asked && a.Exchange.Failed == llm.ErrSpent.Error()
}

// wait asks while the loop waits.
func (d *dialogue) wait(ask func(context.Context) reply) reply {
	d.asking++
	return ask(d.ctx)
}

// start asks beside the loop.
func (d *dialogue) start(ask func(context.Context) reply) {
	d.asking++
	ctx, c := d.ctx, d.replies
	go func() { c <- ask(ctx) }()
}
