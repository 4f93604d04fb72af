package gpu

import (
	"fmt"

	"darwarp/eval/internal/cubin"
)

// image is a variable, table or text of a loaded program. The loader puts all of them, constant memory too, where a
// kernel can write: what one holds after a call is what the next call finds.
type image struct {
	cubin.Variable
	zone
	hash uint64 // of its content as it was loaded
}

// imageAlign is what the addresses of regions that are hashed are a multiple of. The loader gives each variable a
// multiple of 256 bytes, so that what lies between is nobody's.
const imageAlign = 16

// images finds the variables of a program that was just loaded, and what they hash to before anything ran.
func (s *Session) images(p *program, code []byte) error {
	content, err := cubin.Inspect(code)
	if err != nil || len(content.Variables) == 0 {
		return err
	}
	for _, v := range content.Variables {
		at, size, err := s.drv.Global(p.mod, v.Name)
		if err != nil {
			return fmt.Errorf("variable %s: %w", cubin.Readable(v.Name), err)
		}
		first := at &^ (imageAlign - 1)
		p.images = append(p.images, &image{Variable: v, zone: zone{first, int(at-first) + int(size)}})
	}
	v := s.newInspection()
	v.variables(p)
	if err := s.look(v); err != nil {
		return err
	}
	got, err := s.readCounters(s.counted)
	if err != nil {
		return err
	}
	for _, n := range v.notes {
		n.image.hash = got[n.counter]
	}
	return nil
}

// variables looks at all that a program's calls could leave in variables of its own.
func (v *inspection) variables(p *program) {
	if p == nil {
		return
	}
	for i, m := range p.images {
		v.notes = append(v.notes, note{counter: v.next, finding: variable, image: m})
		v.add(HashKind, v.next, Salt(i), m.zone)
		v.next++
	}
}
