package compile

import (
	"context"
	"encoding/json"
)

type madeKey struct{}

// With has the source that is compiled with ctx taken as another machine has compiled it, which is an Output as JSON.
func With(ctx context.Context, made []byte) context.Context {
	return context.WithValue(ctx, madeKey{}, made)
}

// made is machine code of another machine, if there is some that a compile worker here could have given. It is not
// cached, for it may be of another source; and no refusal is believed.
func (p *Pool) made(ctx context.Context) (out Output, ok bool) {
	data, _ := ctx.Value(madeKey{}).([]byte)
	if len(data) == 0 || p.cfg.Worker == "cxx" { // the processor's code depends on the machine
		return out, false
	}
	err := json.Unmarshal(data, &out)
	if err == nil {
		err = p.recheck(&out)
	}
	if err != nil || out.Failure != "" || out.State != "" || out.Unsupported {
		p.log.Warn("machine code of another machine is compiled again", "error", err)
		return Output{}, false
	}
	return out, true
}
