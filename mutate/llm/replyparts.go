package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"darwarp/kernels"
)

func readGenes(text string) ([]kernels.Variant, error) {
	type point struct {
		Family string         `json:"family"`
		Genes  kernels.Genome `json:"genes"`
	}
	var points []point
	var one point
	err := strictJSON("genes", text, &one)
	if points = []point{one}; strings.HasPrefix(strings.TrimSpace(text), "[") {
		points = nil
		err = strictJSON("genes", text, &points)
	}
	if err != nil {
		return nil, err
	}
	if len(points) == 0 || len(points) > maxPoints {
		return nil, fmt.Errorf("section genes: %d points: expected 1 to %d", len(points), maxPoints)
	}
	var out []kernels.Variant
	for _, p := range points {
		if p.Family == "" || len(p.Genes) == 0 {
			return nil, errors.New(
				`section genes: a point without family or genes: expected [{"family": "NAME", "genes": {"GENE": 1}}]`)
		}
		out = append(out, kernels.Variant{Family: p.Family, Genes: p.Genes})
	}
	return out, nil
}

func readPlan(text string) (*kernels.PlanSpec, error) {
	p := &kernels.PlanSpec{}
	if err := strictJSON("plan", text, p); err != nil {
		return nil, err
	}
	if len(p.Launches) == 0 || len(p.Launches) > 8 || len(p.Scratch) > 8 {
		return nil, errors.New("section plan: expected 1 to 8 launches and at most 8 scratch buffers")
	}
	return p, nil
}

// strictJSON refuses unknown keys and what follows the value.
func strictJSON(name, text string, into any) error {
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	if err == nil {
		if _, more := d.Token(); more != io.EOF {
			err = errors.New("something follows the JSON value")
		}
	}
	if err != nil {
		return fmt.Errorf("section %s: %s", name, Line(strings.TrimPrefix(err.Error(), "json: "), 200))
	}
	return nil
}

// Thought makes a model's idea fit to be kept and shown: one printable line without fences.
func Thought(text string) string {
	var lines []string
	for _, l := range strings.Split(text, "\n") {
		if !fenceRE.MatchString(l) {
			lines = append(lines, l)
		}
	}
	return Line(strings.Join(lines, " "), maxThought)
}

// Line makes a text one printable line of at most so many bytes.
func Line(text string, most int) string {
	text = strings.Join(strings.Fields(kernels.CleanDetail(text)), " ")
	if len(text) > most {
		text = text[:most-4] + " ..."
	}
	return text
}
