package templates

import (
	"bytes"
	"encoding/json"
	"maps"

	"darwarp/kernels"
)

// fixedFile has the values of the problem's fixed dims that a run's candidates are made for. It is not read from
// folders, and lies among the files of a run or a recording alone.
const fixedFile = "fixed.json"

// OfRun reports whether a file of that name comes from a run and not from the problem's author.
func OfRun(file string) bool { return file == fixedFile }

// readFixed takes over the fixed values that lie among the files.
func (b *Bundle) readFixed() error {
	text, ok := b.Files[fixedFile]
	if !ok {
		return nil
	}
	var to kernels.Fixed
	d := json.NewDecoder(bytes.NewReader(text))
	if err := d.Decode(&to); err != nil {
		return err
	}
	return b.Problem.Fix(to)
}

// For is the bundle for a run of some workloads: its candidates have kernels for the values alone that these give to
// the problem's fixed dims, and are judged at these.
func (b *Bundle) For(loads []kernels.Workload) (*Bundle, error) {
	files := maps.Clone(b.Files)
	delete(files, fixedFile)
	whole, err := FromFiles(files)
	if err != nil {
		return nil, err
	}
	to := whole.Problem.FixedBy(loads)
	if len(to) == 0 {
		return whole, nil
	}
	if files[fixedFile], err = json.Marshal(to); err != nil {
		return nil, err
	}
	return FromFiles(files)
}
