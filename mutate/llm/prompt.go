package llm

import (
	"bytes"
	"embed"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"text/template"

	"darwarp/kernels"
)

//go:embed prompts
var shippedPrompts embed.FS

const (
	promptSuffix = ".tmpl"
	maxPrompt    = 192 << 10 // bytes of one prompt
)

// Prompts are the wordings, one text/template for each part and operator.
type Prompts struct{ all *template.Template }

// PromptNames lists the files that a folder of own prompts may have.
func PromptNames() (names []string) {
	entries, err := fs.ReadDir(shippedPrompts, "prompts")
	if err != nil { // embedded
		panic(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// ReadPrompts reads the shipped prompts, with those in the folder in place of theirs; nil is none. Every prompt is
// tried on the sample, so that a mistake is told at the start.
func ReadPrompts(dir fs.FS, sample Brief) (*Prompts, error) {
	p := &Prompts{template.New("").Option("missingkey=error")}
	own, err := ownPrompts(dir)
	if err != nil {
		return nil, err
	}
	for _, name := range PromptNames() {
		data, err := shippedPrompts.ReadFile("prompts/" + name)
		if own[name] {
			data, err = readPrompt(dir, name)
		}
		if err == nil {
			_, err = p.all.New(strings.TrimSuffix(name, promptSuffix)).Parse(string(data))
		}
		if err != nil {
			return nil, fmt.Errorf("prompt %s: %w", name, err)
		}
	}
	for _, name := range PromptNames() {
		if _, err := p.render(strings.TrimSuffix(name, promptSuffix), sample); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// ownPrompts are the prompts in a folder by file name.
func ownPrompts(dir fs.FS) (map[string]bool, error) {
	own := map[string]bool{}
	if dir == nil {
		return own, nil
	}
	entries, err := fs.ReadDir(dir, ".")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), promptSuffix) {
			continue
		}
		if !slices.Contains(PromptNames(), e.Name()) {
			return nil, fmt.Errorf("%q: no such prompt: expected some of %s", e.Name(), strings.Join(PromptNames(), ", "))
		}
		own[e.Name()] = true
	}
	return own, nil
}

// readPrompt reads no more of a file than a prompt may have.
func readPrompt(dir fs.FS, name string) ([]byte, error) {
	f, err := dir.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxPrompt+1))
	if err == nil && len(data) > maxPrompt {
		err = fmt.Errorf("more than %d bytes", maxPrompt)
	}
	return data, err
}

// Messages writes an operator's question. The parts that stay the same from question to question come
// first, so that servers can cache them.
func (p *Prompts) Messages(operator string, b Brief) ([]kernels.Message, error) {
	system, err := p.render("system", b)
	if err != nil {
		return nil, err
	}
	user, err := p.render(operator, b)
	if err != nil {
		return nil, err
	}
	return []kernels.Message{{Role: "system", Text: system}, {Role: "user", Text: user}}, nil
}

func (p *Prompts) render(name string, b Brief) (string, error) {
	var out bytes.Buffer
	if err := p.all.ExecuteTemplate(&out, name, b); err != nil {
		return "", fmt.Errorf("prompt %w", err)
	}
	text := strings.TrimSpace(out.String()) + "\n"
	if len(text) > maxPrompt {
		return "", fmt.Errorf("prompt %s has %d bytes: at most %d", name, len(text), maxPrompt)
	}
	return text, nil
}
