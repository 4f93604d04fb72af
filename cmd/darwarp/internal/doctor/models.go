package doctor

import (
	"context"
	"fmt"
	"strings"
	"time"

	"darwarp/cmd/darwarp/internal/models"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
	"darwarp/mutate/llm"
)

// TryModels asks a server the least that there is, and says what it supports.
func TryModels(ctx context.Context, f *models.Options) (out []finding) {
	f.URL = llm.BaseURL(f.URL, f.Getenv)
	server := finding{Name: "LLM server", Do: "Name a server with --llm-url and its key in $" + llm.EnvKey +
		" or --llm-key-file"}
	e, err := f.Endpoint()
	if err != nil {
		server.Detail = err.Error()
		return append(out, server)
	}
	defer e.Close()
	models, err := e.Models(ctx)
	if err != nil {
		server.Detail = f.URL + " does not list its models: " + err.Error()
	} else {
		server.OK, server.Detail = true, fmt.Sprintf("%s has %s: %s", f.URL, report.Quantity(len(models), "model"),
			llm.Line(strings.Join(models, ", "), 200))
	}
	out = append(out, server)
	if len(f.Models) == 0 && len(models) == 1 {
		f.Models = models
	}
	for _, m := range f.Models {
		out = append(out, tryModel(ctx, e, m))
	}
	return out
}

// tryModel has a model send genes in the form that a search asks for.
func tryModel(ctx context.Context, e *llm.Endpoint, model string) finding {
	f := finding{Name: "LLM " + llm.Line(model, 60), Do: "Choose a model that the server has and that keeps to a format"}
	begun := time.Now()
	a, err := e.Chat(ctx, model, []kernels.Message{{Role: "system", Text: "You reply exactly as you are told."},
		{Role: "user", Text: "Reply with these four lines and nothing else:\n## genes\n```json\n" +
			"{\"family\": \"test\", \"genes\": {\"block\": 64}}\n```"}}, 4096)
	if err != nil {
		f.Detail = err.Error()
		return f
	}
	took := time.Since(begun).Round(10 * time.Millisecond)
	counted := "it counts tokens"
	if a.Tokens.Estimated {
		counted = "it does not count tokens, so they are estimated"
	}
	if _, err := llm.Parse(a.Text); err != nil {
		f.Detail = fmt.Sprintf("answers in %s, but does not keep to the format: %v", took, err)
		return f
	}
	price := "no price is known"
	if usd, ok := llm.ShippedPrices().Of(model, a.Tokens); ok {
		price = fmt.Sprintf("this cost %.5f USD", usd)
	}
	f.OK, f.Do = true, ""
	f.Detail = fmt.Sprintf("answers in %s and keeps to the format; %s (%d in, %d out); %s", took, counted, a.Tokens.In,
		a.Tokens.Out, price)
	return f
}
