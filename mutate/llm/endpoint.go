package llm

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/sashabaranov/go-openai"

	"darwarp/kernels"
)

// Answer is what a model said.
type Answer struct {
	Text     string
	Cut      bool // it ended at the limit of tokens
	Tokens   kernels.Tokens
	Attempts int // requests that were sent
}

// Chat is a language model's server.
type Chat interface {
	// Chat asks a model. Errors are *Failure where the server answered, or could not be reached.
	Chat(ctx context.Context, model string, messages []kernels.Message, maxTokens int) (Answer, error)
}

// OpenAI is the address that is asked where no other is named.
const OpenAI = "https://api.openai.com/v1"

// The limits of an exchange. A reply is a kernel of some hundred lines.
const (
	maxBody        = 1 << 20         // bytes of a response, hidden reasoning included
	maxHeader      = 64 << 10        // bytes
	maxRetryAfter  = 2 * time.Minute // longer waits are the circuit breaker's
	retries        = 4               // requests in all
	firstRetry     = time.Second
	DefaultTimeout = 4 * time.Minute // of one request: reasoning models think for minutes
)

// Endpoint is a server that speaks OpenAI's chat protocol.
type Endpoint struct {
	url     string
	key     string
	hidden  *redactor
	client  *openai.Client
	http    *http.Client
	timeout time.Duration
	first   time.Duration // before the first retry
}

// NewEndpoint makes an endpoint of a base URL such as http://localhost:8080/v1. The key may be empty.
func NewEndpoint(base, key string, timeout time.Duration) (*Endpoint, error) {
	hidden := newRedactor(key)
	if err := checkURL(base, hidden); err != nil {
		return nil, err
	}
	e := &Endpoint{url: strings.TrimSuffix(base, "/"), key: key, hidden: hidden, timeout: timeout, first: firstRetry}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DisableKeepAlives = true // net/http logs what comes on a connection that is kept, keys as well
	transport.MaxResponseHeaderBytes = maxHeader
	e.http = &http.Client{Transport: transport, CheckRedirect: func(*http.Request,
		[]*http.Request) error {
		return http.ErrUseLastResponse
	}}
	cfg := openai.DefaultConfig(key)
	cfg.BaseURL, cfg.HTTPClient = e.url, e
	e.client = openai.NewClientWithConfig(cfg)
	return e, nil
}

// checkURL refuses a base URL that is none, or has a secret in it: it is stored in the run.
func checkURL(base string, hidden *redactor) error {
	const expected = "expected the base URL of a server, as in http://localhost:8080/v1"
	u, err := url.Parse(base)
	switch {
	case strings.ContainsAny(base, "@?#") || hidden.hide(base) != base:
		return fmt.Errorf("with a key or a query in it: %s; the key belongs in $%s or in a key file", expected, EnvKey)
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return fmt.Errorf("%q: %s", base, expected)
	}
	return nil
}

// Close drops idle connections.
func (e *Endpoint) Close() { e.http.CloseIdleConnections() }

// Models lists what the server offers, where it says so.
func (e *Endpoint) Models(ctx context.Context) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, min(e.timeout, 30*time.Second))
	defer cancel()
	seen := &seen{}
	list, err := e.client.ListModels(context.WithValue(ctx, seenKey{}, seen))
	if err != nil {
		return nil, e.failure(ctx, seen, err)
	}
	var names []string
	for _, m := range list.Models {
		names = append(names, e.hidden.hide(m.ID))
	}
	return names, nil
}

// Chat asks, and asks again after what passes: after the time that the server names, or after waits that
// double.
func (e *Endpoint) Chat(ctx context.Context, model string, messages []kernels.Message, maxTokens int) (Answer, error) {
	waits := backoff.NewExponentialBackOff()
	waits.InitialInterval = e.first
	sent := 0
	a, err := backoff.Retry(ctx, func() (Answer, error) {
		sent++
		a, f := e.once(ctx, model, messages, maxTokens)
		switch {
		case f == nil:
			return a, nil
		case !f.passing() || f.After > maxRetryAfter:
			return a, backoff.Permanent(f)
		case f.After > 0:
			return a, &patient{f, &backoff.RetryAfterError{Duration: f.After}}
		}
		return a, f
	}, backoff.WithBackOff(waits), backoff.WithMaxTries(retries), backoff.WithMaxElapsedTime(0))
	a.Attempts = sent
	var p *patient
	if errors.As(err, &p) {
		err = p.Failure
	}
	return a, err
}

// patient is a failure whose server says when to come back.
type patient struct {
	*Failure
	after *backoff.RetryAfterError
}

func (p *patient) Unwrap() []error { return []error{p.Failure, p.after} }

// once sends one request.
func (e *Endpoint) once(ctx context.Context, model string, messages []kernels.Message,
	maxTokens int) (Answer, *Failure) {
	ctx, cancel := context.WithTimeout(ctx, e.timeout)
	defer cancel()
	seen := &seen{}
	req := openai.ChatCompletionRequest{Model: model}
	if e.url == OpenAI || reasons(model) {
		req.MaxCompletionTokens = maxTokens
	} else { // what llama.cpp, vLLM and Ollama all know
		req.MaxTokens = maxTokens //lint:ignore SA1019 for OpenAI's own models, which get the other
	}
	for _, m := range messages {
		req.Messages = append(req.Messages, openai.ChatCompletionMessage{Role: m.Role, Content: m.Text})
	}
	resp, err := e.client.CreateChatCompletion(context.WithValue(ctx, seenKey{}, seen), req)
	if err != nil {
		return Answer{}, e.failure(ctx, seen, err)
	}
	if len(resp.Choices) == 0 || strings.TrimSpace(resp.Choices[0].Message.Content) == "" {
		return Answer{}, &Failure{Status: seen.status, Billed: true, Err: errors.New("the reply is empty")}
	}
	c := resp.Choices[0]
	a := Answer{Text: e.hidden.hide(c.Message.Content), Cut: c.FinishReason == openai.FinishReasonLength}
	a.Tokens = tokensOf(resp.Usage, messages, c.Message.Content)
	return a, nil
}

// reasons reports whether go-openai refuses max_tokens for a model of this name, on whatever server.
func reasons(model string) bool {
	for _, p := range []string{"o1", "o3", "o4", "gpt-5", "gpt-6"} {
		if strings.HasPrefix(model, p) {
			return true
		}
	}
	return false
}
