package kernels

import (
	"strings"
	"time"
)

// Message is one turn of a conversation with a language model.
type Message struct {
	Role string `json:"role"` // system, user or assistant
	Text string `json:"text"`
}

// Tokens are what a language model's server counts, or what was estimated where it does not.
type Tokens struct {
	In        int  `json:"in"`               // of the prompt, cached ones included
	Cached    int  `json:"cached,omitempty"` // of In: read from the server's cache
	Out       int  `json:"out"`              // of the reply, hidden reasoning included
	Estimated bool `json:"estimated,omitempty"`
}

// Exchange is one question to a language model with its reply, and what became of that.
type Exchange struct {
	At       time.Time     `json:"at"`
	Arm      string        `json:"arm"` // llm:MODEL:OPERATOR, the Origin.Operator of what it proposed
	Asked    []Message     `json:"asked"`
	Reply    string        `json:"reply,omitempty"`
	Refused  string        `json:"refused,omitempty"`  // why nothing, or not all, of the reply was used
	Failed   string        `json:"failed,omitempty"`   // why there is no reply
	Proposed []ID          `json:"proposed,omitempty"` // candidates that were asked for
	Family   string        `json:"family,omitempty"`   // that the reply gave to the run
	Tokens   Tokens        `json:"tokens"`
	USD      float64       `json:"usd,omitempty"`    // what it cost, by the price table of the run
	Priced   bool          `json:"priced,omitempty"` // the table has the model: USD is known
	Attempts int           `json:"attempts"`         // requests that were sent, retries included
	Took     time.Duration `json:"took"`             // ns from question to reply
}

// armPrefix marks the operators that are language models.
const armPrefix = "llm:"

// Arm names an operator of a language model.
func Arm(model, operator string) string { return armPrefix + model + ":" + operator }

// SplitArm takes such a name apart; ok is false for every other operator. Models may have colons.
func SplitArm(arm string) (model, operator string, ok bool) {
	rest, ok := strings.CutPrefix(arm, armPrefix)
	at := strings.LastIndex(rest, ":")
	if !ok || at < 0 {
		return "", "", false
	}
	return rest[:at], rest[at+1:], true
}
