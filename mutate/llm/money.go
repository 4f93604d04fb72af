package llm

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"darwarp/kernels"
)

// Limits bound what a run may spend on language models, over all its sessions. Zero fields bound nothing.
type Limits struct {
	USD    float64 `json:"usd,omitempty"`
	Calls  int     `json:"calls,omitempty"`  // questions; a retry is the same question
	Tokens int     `json:"tokens,omitempty"` // in and out
}

var limitRE = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?)([kM]?)(usd|calls|tokens)$`)

// ParseLimits reads limits as a person types them: "5usd", "200calls,2Mtokens".
func ParseLimits(text string) (l Limits, err error) {
	for _, part := range strings.Split(text, ",") {
		m := limitRE.FindStringSubmatch(strings.TrimSpace(part))
		if m == nil {
			return l, fmt.Errorf("%q: expected as in 5usd, 200calls or 2Mtokens, separated by commas", part)
		}
		v, err := strconv.ParseFloat(m[1], 64)
		v *= map[string]float64{"": 1, "k": 1e3, "M": 1e6}[m[2]]
		if err != nil || v <= 0 || v > 1e12 || m[3] != "usd" && v != math.Trunc(v) {
			return l, fmt.Errorf("%q: expected a number above 0, a whole one of calls and tokens", part)
		}
		switch m[3] {
		case "usd":
			l.USD = v
		case "calls":
			l.Calls = int(v)
		case "tokens":
			l.Tokens = int(v)
		}
	}
	return l, nil
}

// String writes limits as ParseLimits reads them.
func (l Limits) String() string {
	var parts []string
	if l.USD > 0 {
		parts = append(parts, strconv.FormatFloat(l.USD, 'g', -1, 64)+"usd")
	}
	if l.Calls > 0 {
		parts = append(parts, strconv.Itoa(l.Calls)+"calls")
	}
	if l.Tokens > 0 {
		parts = append(parts, strconv.Itoa(l.Tokens)+"tokens")
	}
	return strings.Join(parts, ",")
}

// Spending is what was spent, or is reserved.
type Spending struct {
	Calls    int     `json:"calls"`
	In       int     `json:"in"` // tokens
	Cached   int     `json:"cached,omitempty"`
	Out      int     `json:"out"`
	USD      float64 `json:"usd,omitempty"`
	Unpriced int     `json:"unpriced,omitempty"` // calls of models without a price: USD is without them
}

// Add adds b. What is too large for an integer stays at the largest one, so that no sum passes below a limit again.
func (s *Spending) Add(b Spending) {
	s.Calls = plus(s.Calls, b.Calls)
	s.In = plus(s.In, b.In)
	s.Cached = plus(s.Cached, b.Cached)
	s.Out = plus(s.Out, b.Out)
	s.Unpriced = plus(s.Unpriced, b.Unpriced)
	s.USD += b.USD
}

// release takes away what was added, of which nothing was too large.
func (s *Spending) release(b Spending) {
	s.Calls -= b.Calls
	s.In -= b.In
	s.Cached -= b.Cached
	s.Out -= b.Out
	s.Unpriced -= b.Unpriced
	s.USD -= b.USD
}

// Tokens are those of prompts and replies.
func (s Spending) Tokens() int { return plus(s.In, s.Out) }

// plus adds numbers of 0 or more.
func plus(a, b int) int {
	if a > math.MaxInt-b {
		return math.MaxInt
	}
	return a + b
}

// SpentOn is what an exchange cost. Exchanges are read from files too: nothing in them makes a sum smaller.
func SpentOn(e *kernels.Exchange) Spending {
	s := Spending{Calls: 1, In: max(0, e.Tokens.In), Cached: max(0, e.Tokens.Cached), Out: max(0, e.Tokens.Out),
		USD: max(0, e.USD)}
	if !e.Priced {
		s.Unpriced = 1
	}
	return s
}

// Account holds limits while questions are in flight: the most that one can cost is reserved before it
// is asked, and replaced when its usage is known.
type Account struct {
	limits Limits
	mu     sync.Mutex
	spent  Spending
	held   Spending
}

// NewAccount opens an account of a run that has spent before.
func NewAccount(l Limits, before Spending) *Account { return &Account{limits: l, spent: before} }

// Reserve reserves the most that a question can cost; false: the limits do not allow it.
func (a *Account) Reserve(most Spending) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	sum := a.spent
	sum.Add(a.held)
	sum.Add(most)
	l := a.limits
	if l.USD > 0 && !(sum.USD <= l.USD) || l.Calls > 0 && sum.Calls > l.Calls || l.Tokens > 0 && sum.Tokens() > l.Tokens {
		return false
	}
	a.held.Add(most)
	return true
}

// Charge replaces what was reserved for a question by what it cost.
func (a *Account) Charge(most, real Spending) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.held.release(most); a.held.Calls == 0 {
		a.held = Spending{} // floats taken away in another order than they came leave a residue
	}
	a.spent.Add(real)
}

// Spent is what was spent until now, without what is in flight.
func (a *Account) Spent() Spending {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.spent
}
