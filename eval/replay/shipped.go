package replay

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

//go:embed all:data
var shipped embed.FS

const suffix = ".json.gz"

// Shipped reads the recording of a problem that comes with darwarp.
func Shipped(problem string) (*Record, error) {
	data, err := shipped.ReadFile("data/" + problem + suffix)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("no recording of %q is shipped", problem)
	}
	if err != nil {
		return nil, err
	}
	r, err := Open(data)
	if err != nil {
		return nil, fmt.Errorf("shipped recording of %s: %w", problem, err)
	}
	return r, nil
}

// ShippedNames lists the problems with a shipped recording.
func ShippedNames() []string {
	entries, err := shipped.ReadDir("data")
	if err != nil { // embedded
		panic(err)
	}
	var out []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), suffix); ok {
			out = append(out, name)
		}
	}
	return out
}
