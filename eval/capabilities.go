package eval

import "darwarp/kernels"

// Capabilities is everything: what this device or machine lacks is said where it is asked for.
func (p *Pool) Capabilities() kernels.Capabilities {
	return kernels.Capabilities{
		Machine: p.Machine, Load: p.Load, Remember: p.Remember, Weigh: p.Weigh, Control: p.Control, Pace: p.Pace,
		Trial: p.Trial, Sanitize: p.Sanitize, Counters: p.Counters, Publisher: p, Code: p.code,
	}
}
