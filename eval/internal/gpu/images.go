package gpu

import (
	"bytes"
	"fmt"
	"strings"

	"darwarp/eval/internal/cubin"
	"darwarp/eval/internal/cuda"
)

// image is a variable, table or text of a loaded program. The loader puts all of them, constant memory too, where a
// kernel can write: what one holds after a call is what the next call finds.
type image struct {
	cubin.Variable
	at    cuda.Ptr
	first []byte // its content as it was loaded
}

// images finds the variables of a program that was just loaded and copies what they hold.
func (s *Session) images(p *program, code []byte) error {
	content, err := cubin.Inspect(code)
	if err != nil {
		return err
	}
	for _, v := range content.Variables {
		at, size, err := s.drv.Global(p.mod, v.Name)
		if err != nil {
			return fmt.Errorf("variable %s: %w", cubin.Readable(v.Name), err)
		}
		i := image{Variable: v, at: at, first: make([]byte, size)}
		if err := s.drv.DtoH(i.first, at); err != nil {
			return err
		}
		p.images = append(p.images, i)
	}
	return nil
}

// kept is what a program's calls have left in its own variables, for later calls to find.
type kept string

func (k kept) Error() string { return "changed " + string(k) }

// unchanged waits for what was queued and looks whether the variables of a program still hold what they held when it
// was loaded; otherwise the error is of type kept.
func (s *Session) unchanged(p *program) error {
	if p == nil || len(p.images) == 0 {
		return nil
	}
	if err := s.drv.SyncStream(s.stream); err != nil {
		return err
	}
	var found []string
	for _, i := range p.images {
		now := make([]byte, len(i.first))
		if err := s.drv.DtoH(now, i.at); err != nil {
			return err
		}
		if !bytes.Equal(now, i.first) {
			found = append(found, i.String())
		}
	}
	if len(found) > 0 {
		return kept(strings.Join(found, ", "))
	}
	return nil
}
