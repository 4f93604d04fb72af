package llm

import (
	"unicode"

	"github.com/sashabaranov/go-openai"

	"darwarp/kernels"
)

const (
	charsPerToken = 3       // low, so that estimates are high: English has 4 and code 3 characters per token
	perMessage    = 8       // tokens around a message
	maxClaim      = 1 << 50 // tokens of one exchange; more than any limit, and thousands of them can be added up
)

// EstimateTokens bounds the tokens of a prompt whose server has not counted them.
func EstimateTokens(messages []kernels.Message) (n int) {
	for _, m := range messages {
		n += estimate(m.Text) + perMessage
	}
	return n
}

func estimate(text string) int { return max(len(text)/charsPerToken+1, leastTokens(text)) }

// tokensOf is what an exchange took: what the server counts, as far as it can be true. A count below what any
// tokenizer makes of the text is replaced by our own estimate, since the limits of a run rest on it. A count that is
// too high only ends the budget sooner.
func tokensOf(u openai.Usage, messages []kernels.Message, reply string) kernels.Tokens {
	t := kernels.Tokens{In: min(u.PromptTokens, maxClaim), Out: min(u.CompletionTokens, maxClaim)}
	least := 1
	for _, m := range messages {
		least += leastTokens(m.Text)
	}
	if t.In < least {
		t.In, t.Estimated = EstimateTokens(messages), true
	}
	if t.Out < max(1, leastTokens(reply)) {
		t.Out, t.Estimated = estimate(reply), true
	}
	if u.PromptTokensDetails != nil && !t.Estimated {
		t.Cached = min(max(0, u.PromptTokensDetails.CachedTokens), t.In)
	}
	return t
}

// The longest tokens, in characters. Tokenizers cut a text between words, numbers and signs before they look for
// tokens (OpenAI's cl100k and o200k, Llama 3, Qwen); a sign alone may go with the word behind it.
const (
	longestWord   = 16
	longestNumber = 8
	longestSigns  = 16
)

// leastTokens is a number of tokens below which no tokenizer gets: blanks count nothing.
func leastTokens(text string) (n int) {
	kind, length := blankKind, 0
	for _, c := range text {
		k := kindOf(c)
		if k == kind {
			length++
			continue
		}
		if kind != signKind || k != wordKind || length > 1 {
			n += tokensIn(kind, length)
		}
		kind, length = k, 1
	}
	return n + tokensIn(kind, length)
}

type charKind int

const (
	blankKind charKind = iota
	wordKind
	numberKind
	signKind
)

func kindOf(c rune) charKind {
	switch {
	case unicode.IsSpace(c) || unicode.IsControl(c):
		return blankKind
	case unicode.IsLetter(c) || unicode.IsMark(c):
		return wordKind
	case unicode.IsNumber(c):
		return numberKind
	}
	return signKind
}

// tokensIn is the least that so many characters of a kind take.
func tokensIn(kind charKind, length int) int {
	longest := map[charKind]int{wordKind: longestWord, numberKind: longestNumber, signKind: longestSigns}[kind]
	if longest == 0 {
		return 0
	}
	return (length + longest - 1) / longest
}
