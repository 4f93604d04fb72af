package templates

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"darwarp/kernels"
)

// fixedFile has the values of the problem's fixed dims that a run's candidates are made for. It is not read from
// folders, and lies among the files of a run or a recording alone.
const fixedFile = "fixed.json"

// sizesFile has the sizes of the run's workloads, where a family's source depends on them, and lies there as well.
const sizesFile = "sizes.json"

// OfRun reports whether a file of that name comes from a run and not from the problem's author.
func OfRun(file string) bool { return file == fixedFile || file == sizesFile }

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

// readSizes takes over the sizes of workloads that lie among the files.
func (b *Bundle) readSizes() error {
	text, ok := b.Files[sizesFile]
	if !ok {
		return nil
	}
	var sizes []kernels.Dims
	if err := json.Unmarshal(text, &sizes); err != nil {
		return err
	}
	return b.Problem.Score(sizes)
}

// For is the bundle for a run of some workloads: its candidates have kernels for the values alone that these give to
// the problem's fixed dims, and are judged at these. What lets with `some` say is about these workloads.
func (b *Bundle) For(loads []kernels.Workload) (*Bundle, error) {
	files := maps.Clone(b.Files)
	delete(files, fixedFile)
	delete(files, sizesFile)
	whole, err := FromFiles(files)
	if err != nil {
		return nil, err
	}
	to := whole.Problem.FixedBy(loads)
	scored := len(loads) > 0 && whole.readsSizes()
	if len(to) == 0 && !scored {
		return whole, nil
	}
	if len(to) > 0 {
		if files[fixedFile], err = json.Marshal(to); err != nil {
			return nil, err
		}
	}
	if scored {
		var sizes []kernels.Dims
		for _, w := range loads {
			sizes = append(sizes, w.Dims)
		}
		if files[sizesFile], err = json.Marshal(sizes); err != nil {
			return nil, err
		}
	}
	return FromFiles(files)
}

// readsSizes reports whether what any family renders depends on the run's workloads.
func (b *Bundle) readsSizes() bool {
	return slices.ContainsFunc(b.Families, func(f *kernels.Family) bool {
		return slices.ContainsFunc(f.Lets, func(l kernels.Let) bool { return l.Some })
	})
}
