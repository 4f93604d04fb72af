package replay

import (
	"encoding/json"
	"fmt"

	"darwarp/kernels"
)

// A recording comes from elsewhere. Its values are compared as texts, each with those before it, so their size is
// bounded, and how deep they are nested.
const (
	maxNested = 64
	maxValue  = 4 << 10 // bytes of a parameter's value as JSON
)

// nested is how deep the lists and objects of a JSON text are nested, broken or not.
func nested(text []byte) (most int) {
	depth, inString := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			inString = !inString
		case inString && c == '\\':
			i++
		case inString:
		case c == '[' || c == '{':
			depth++
			most = max(most, depth)
		case c == ']' || c == '}':
			depth--
		}
	}
	return most
}

// checkValue refuses what is no value of a parameter: too long, or not one printable line.
func checkValue(v any) error {
	switch v := v.(type) {
	case nil, bool, float64:
		return nil
	case string:
		return kernels.CheckLine(v, maxValue)
	}
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if len(text) > maxValue {
		return fmt.Errorf("%.60s...: a value of %d bytes: expected at most %d", text, len(text), maxValue)
	}
	return kernels.CheckLine(string(text), maxValue)
}

// add enters a value of a parameter, where it is a new one.
func (p *param) add(v any) error {
	if err := checkValue(v); err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	if p.find(v) >= 0 {
		return nil
	}
	if len(p.values) == maxValues {
		return fmt.Errorf("%s: expected at most %d values", p.name, maxValues)
	}
	p.values = append(p.values, v)
	return nil
}

// checkParam refuses the name of a parameter that cannot be shown.
func checkParam(name string) error { return kernels.CheckLine(name, kernels.MaxLine) }
