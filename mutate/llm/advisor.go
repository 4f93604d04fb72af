package llm

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"darwarp/kernels"
)

// Setup is what an Advisor is made of.
type Setup struct {
	Chat    Chat
	Config  Config
	Models  []string // each is asked; where one fails, the others are asked in its place
	Prompts *Prompts
	Prices  Prices
	Account *Account
	Jobs    int // questions in flight at once
}

// Advisor asks language models for proposals. Its methods may be called from many goroutines.
type Advisor struct {
	Setup
	breakers map[string]*breaker
	poor     sync.Once // the limits were said to be reached
}

// maxOut bounds a reply in tokens, hidden reasoning included.
const maxOut = 16 << 10

// NewAdvisor makes an advisor.
func NewAdvisor(s Setup) (*Advisor, error) {
	if len(s.Models) == 0 {
		return nil, errors.New("no model is named")
	}
	for _, m := range s.Models {
		if _, ok := s.Prices[m]; !ok && s.Account.limits.USD > 0 {
			return nil, fmt.Errorf("no price is known for model %q, so that a limit in usd cannot hold: name a price table, "+
				"or bound calls or tokens alone", m)
		}
	}
	a := &Advisor{Setup: s, breakers: map[string]*breaker{}}
	for _, m := range s.Models {
		a.breakers[m] = &breaker{now: time.Now}
	}
	return a, nil
}

// Jobs is how many questions may be in flight.
func (a *Advisor) Jobs() int { return max(1, a.Setup.Jobs) }

// Arms lists the operators: every model with every operator of the configuration, by kernels.Arm.
func (a *Advisor) Arms() (arms []string) {
	for _, m := range a.Models {
		for _, op := range a.Config.operators {
			arms = append(arms, kernels.Arm(m, op))
		}
	}
	return arms
}

// Ready reports whether an arm's model may be asked now.
func (a *Advisor) Ready(arm string) bool {
	model, _, ok := kernels.SplitArm(arm)
	b := a.breakers[model]
	return ok && b != nil && b.ready()
}

// Advice is what came of a question.
type Advice struct {
	Exchange kernels.Exchange // to be stored, but for what becomes of the proposals
	Reply    *Reply           // null: there is none that can be used
	Declined bool             // the model has nothing to propose: there is nothing to repair
	Asked    bool             // a server was asked; else the exchange is not worth keeping
	Notice   string           // what a person should know; empty: nothing
}

// ErrSpent means that the limits do not allow another question.
var ErrSpent = errors.New("the limits are reached")

// Ask asks an arm's model. A thread that is not empty is a conversation before: then what is asked is its
// repair.
func (a *Advisor) Ask(ctx context.Context, arm string, b Brief, thread []kernels.Message) Advice {
	out := Advice{Exchange: kernels.Exchange{At: time.Now().UTC(), Arm: arm}}
	e := &out.Exchange
	model, operator, _ := kernels.SplitArm(arm)
	var err error
	if e.Asked, err = a.messages(operator, b, thread); err != nil {
		e.Failed = Line(err.Error(), maxFailure)
		out.Notice = e.Failed
		return out
	}
	most := a.worst(model, e.Asked)
	if !a.Account.Reserve(most) {
		e.Failed = ErrSpent.Error()
		a.poor.Do(func() {
			out.Notice = fmt.Sprintf("language models are asked no more: the limit %s is reached", a.Account.limits)
		})
		return out
	}
	out.Asked = true
	begun := time.Now()
	answer, err := a.Chat.Chat(ctx, model, e.Asked, maxOut)
	e.Took, e.Attempts, e.Tokens = time.Since(begun), answer.Attempts, answer.Tokens
	a.charge(e, model, most, err)
	if told := a.breakers[model].note(err); told != "" && ctx.Err() == nil {
		out.Notice = "language model " + model + " " + told
	}
	if err != nil {
		e.Failed = Line(err.Error(), maxFailure)
		return out
	}
	e.Reply = kept(answer.Text)
	if out.Reply, err = Parse(answer.Text); err != nil {
		e.Refused, out.Declined = err.Error(), errors.Is(err, ErrDeclined) && !answer.Cut
		if answer.Cut {
			e.Refused = fmt.Sprintf("the reply was cut off at %d tokens", answer.Tokens.Out)
		}
	}
	return out
}

// kept is a reply as it is stored: one that is too long to be parsed is kept in part.
func kept(text string) string {
	if len(text) > maxReply {
		return text[:maxReply]
	}
	return text
}

func (a *Advisor) messages(operator string, b Brief, thread []kernels.Message) ([]kernels.Message, error) {
	if len(thread) == 0 {
		return a.Prompts.Messages(operator, a.Config.told(b))
	}
	text, err := a.Prompts.render(Repair, a.Config.told(b))
	return append(thread[:len(thread):len(thread)], kernels.Message{Role: "user", Text: text}), err
}

// worst is the most that a question can cost.
func (a *Advisor) worst(model string, asked []kernels.Message) Spending {
	t := kernels.Tokens{In: EstimateTokens(asked), Out: maxOut}
	usd, _ := a.Prices.Of(model, t)
	return Spending{Calls: 1, In: t.In, Out: t.Out, USD: usd}
}

// charge enters what a question cost. One that failed after the server began on it may be billed, and is
// entered at its worst.
func (a *Advisor) charge(e *kernels.Exchange, model string, most Spending, err error) {
	var f *Failure
	if err != nil && errors.As(err, &f) && !f.Billed {
		a.Account.Charge(most, Spending{Calls: 1})
		e.Priced = true
		return
	}
	if err != nil {
		e.Tokens = kernels.Tokens{In: most.In, Out: most.Out, Estimated: true}
	}
	e.USD, e.Priced = a.Prices.Of(model, e.Tokens)
	a.Account.Charge(most, SpentOn(e))
}
