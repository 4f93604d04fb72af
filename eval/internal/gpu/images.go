package gpu

import (
	"fmt"
	"slices"
	"strings"

	"darwarp/eval/internal/cubin"
	"darwarp/eval/internal/device"
)

// image is a variable, table or text of a loaded program. The loader puts all of them, constant memory too, where a
// kernel can write: what one holds after a call is what the next call finds.
type image struct {
	cubin.Variable
	zone
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
		p.images = append(p.images, image{Variable: v, zone: zone{first, int(at-first) + int(size)}})
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
	p.hash = got[v.notes[0].counter]
	return nil
}

// variables looks at all that a program's calls could leave in variables of its own: one hash of all, since headers
// bring dozens.
func (v *inspection) variables(p *program) {
	if p == nil || len(p.images) == 0 {
		return
	}
	v.notes = append(v.notes, note{counter: v.next, finding: variable, program: p})
	v.regions = slices.Grow(v.regions, len(p.images)+2) // scratch and its guards often follow
	for i, m := range p.images {
		v.add(HashKind, v.next, device.Salt(i), m.zone)
	}
	v.next++
}

// mostNamed is how many variables a message names.
const mostNamed = 3

// names lists a program's variables, as far as a message has room.
func (p *program) names() string {
	var all []string
	for _, m := range p.images[:min(len(p.images), mostNamed)] {
		all = append(all, m.String())
	}
	if more := len(p.images) - len(all); more > 0 {
		all = append(all, fmt.Sprintf("or one of %d more", more))
	}
	return strings.Join(all, ", ")
}
