package llm

import (
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/sashabaranov/go-openai"

	"darwarp/kernels"
)

// TestClaims asks a server that counts as it likes until the limits end it: they hold whatever it claims.
func TestClaims(t *testing.T) {
	const reply = "## thought\n" + kernelText
	tests := []struct {
		name, usage string
		limits      Limits
		most        int // questions
	}{
		{"more than can be added", `{"prompt_tokens": 9223372036854775807, "completion_tokens": 9223372036854775807}`,
			Limits{Tokens: 1e12}, 1},
		{"more than can be added, in USD", `{"prompt_tokens": 9223372036854775807, "completion_tokens": 1}`,
			Limits{USD: 1e6}, 1},
		{"all of it cached", `{"prompt_tokens": 9223372036854775807, "completion_tokens": 1,
			"prompt_tokens_details": {"cached_tokens": 9223372036854775807}}`, Limits{USD: 1e6}, 1},
		{"one and one", `{"prompt_tokens": 1, "completion_tokens": 1}`, Limits{Tokens: 60_000}, 25},
		{"one and one, in USD", `{"prompt_tokens": 1, "completion_tokens": 1}`, Limits{USD: 0.2}, 25},
		{"below nothing", `{"prompt_tokens": -9223372036854775808, "completion_tokens": -9223372036854775808}`,
			Limits{Tokens: 60_000}, 25},
		{"cached below nothing", `{"prompt_tokens": 10000, "completion_tokens": 90,
			"prompt_tokens_details": {"cached_tokens": -9223372036854775808}}`, Limits{Tokens: 60_000}, 25},
		{"nothing", `{}`, Limits{Tokens: 60_000}, 25},
		{"no number", `{"prompt_tokens": 1e99}`, Limits{Tokens: 60_000}, 25},
		{"null", `null`, Limits{Tokens: 60_000}, 25},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := newScript(t, claims(reply, test.usage))
			a := advisor(t, endpoint(t, s.URL, 10*time.Second), test.limits, "m")
			cached := 0.1
			a.Prices["m"] = Price{In: 1, Cached: &cached, Out: 10}
			for range 2 * test.most {
				ask(a, t, "llm:m:init")
			}
			if n := s.requests(); n == 0 || n > test.most {
				t.Errorf("%d questions: expected 1 to %d; %+v", n, test.most, a.Account.Spent())
			}
		})
	}
}

// TestLeastTokens: what no tokenizer gets below is near what one makes of a text. The counts are those of cl100k_base.
func TestLeastTokens(t *testing.T) {
	tests := []struct {
		text   string
		tokens int
	}{
		{"", 0}, {" \n\t ", 1}, {"a", 1}, {"hello world", 2}, {"x.y", 2}, {"foo_bar", 2}, {"a b c d e f g h", 8},
		{"1234567", 3}, {"((((", 1}, {"if (i < n) y[i] = 2 * x[i];\n", 16}, {"internationalization", 2},
	}
	for _, test := range tests {
		if got := leastTokens(test.text); got > test.tokens || 3*got < test.tokens-2 {
			t.Errorf("%q has at least %d tokens: expected at most %d, and not far less", test.text, got, test.tokens)
		}
	}
	source, err := os.ReadFile("usage.go")
	if err != nil {
		t.Fatal(err)
	}
	if least, text := leastTokens(string(source)), string(source); least > len(text)/3 || least < len(text)/9 {
		t.Errorf("at least %d tokens of %d characters", least, len(text))
	}
	if many := strings.Repeat("a ", 100); estimate(many) < leastTokens(many) {
		t.Error("the estimate is below the least")
	}
}

func FuzzUsage(f *testing.F) {
	f.Add(int64(1), int64(1), int64(0), "some text", "a reply", uint64(1))
	f.Add(int64(math.MaxInt64), int64(math.MaxInt64), int64(math.MaxInt64), "x", "y", uint64(30))
	f.Add(int64(math.MinInt64), int64(-1), int64(math.MinInt64), "x.y(z)", "\xff\u200b", uint64(3))
	f.Fuzz(func(t *testing.T, in, out, cached int64, asked, reply string, times uint64) {
		u := openai.Usage{PromptTokens: int(in), CompletionTokens: int(out),
			PromptTokensDetails: &openai.PromptTokensDetails{CachedTokens: int(cached)}}
		messages := []kernels.Message{{Role: "user", Text: asked}}
		got := tokensOf(u, messages, reply)
		if got.In < leastTokens(asked) || got.Out < leastTokens(reply) || got.In < 1 || got.Out < 1 || got.Cached < 0 ||
			got.Cached > got.In || got.In > maxClaim && !got.Estimated || got.Out > maxClaim && !got.Estimated {
			t.Fatalf("%+v of %+v", got, u)
		}
		if int64(got.In) < min(in, maxClaim) || int64(got.Out) < min(out, maxClaim) {
			t.Fatalf("%+v is less than the server claims: %+v", got, u)
		}
		usd, _ := Prices{"m": {In: 1, Out: maxPrice}}.Of("m", got)
		limit := Limits{Tokens: 1 << 20, USD: 1e12}
		account := NewAccount(limit, Spending{In: int(max(0, in))})
		for range times%40 + 1 {
			before := account.Spent()
			if !account.Reserve(Spending{Calls: 1, In: 1, Out: 1}) {
				break
			}
			if before.Tokens() > limit.Tokens || before.USD > limit.USD {
				t.Fatalf("%+v allows another question", before)
			}
			account.Charge(Spending{Calls: 1, In: 1, Out: 1}, SpentOn(&kernels.Exchange{Tokens: got, USD: usd}))
			if after := account.Spent(); after.Tokens() < before.Tokens() || !(after.USD >= before.USD) {
				t.Fatalf("%+v after %+v", after, before)
			}
		}
	})
}

// TestSpentOn: exchanges of a file that somebody made give no credit.
func TestSpentOn(t *testing.T) {
	before := Spending{Calls: 3, In: 7, USD: 1}
	for _, e := range []kernels.Exchange{
		{Tokens: kernels.Tokens{In: math.MinInt, Cached: -1, Out: -5}, USD: -100}, {USD: math.Inf(-1)},
		{Tokens: kernels.Tokens{In: math.MaxInt, Out: math.MaxInt}},
	} {
		after := before
		after.Add(SpentOn(&e))
		after.Add(SpentOn(&e))
		if after.In < before.In || after.Out < 0 || after.Cached < 0 || after.USD < before.USD || after.Tokens() < after.In {
			t.Errorf("%+v makes %+v of %+v", e, after, before)
		}
	}
}
