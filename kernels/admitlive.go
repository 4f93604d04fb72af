package kernels

import "cmp"

// What another process tells of a live search is admitted as what a run holds.

// maxGPUs and maxIslands bound a sample of a machine.
const (
	maxGPUs    = 256
	maxIslands = 64
)

// Admit checks a sample of the machine, in which -1 stands for what is not known.
func (m *Machine) Admit() error {
	clean(MaxLine, &m.Idle)
	return cmp.Or(AdmitCounts("compile", m.Compile.Busy, m.Compile.Total),
		AdmitCounts("device", m.Device.Busy, m.Device.Total), AdmitCounts("queue", m.Queue),
		each("gpus", m.GPUs, maxGPUs, (*GPU).admit), each("islands", m.Islands, maxIslands, (*Island).admit))
}

func (i *Island) admit() error {
	clean(MaxLine, &i.Device, &i.Run)
	return cmp.Or(counts("evals", i.Evals), AdmitFigures("speedup", i.Speedup))
}

func (g *GPU) admit() error {
	clean(MaxLine, &g.Name)
	if err := cmp.Or(counts("index", g.Index), each("throttle", g.Throttle, maxTags, func(s *string) error {
		clean(MaxName, s)
		return nil
	})); err != nil {
		return err
	}
	for key, v := range map[string]float64{"util": g.Util, "sm_clock": float64(g.SMClock),
		"mem_clock": float64(g.MemClock), "temp": float64(g.Temp), "power": g.Power, "power_limit": g.PowerLimit,
		"mem_used": float64(g.MemUsed), "mem_total": float64(g.MemTotal)} {
		if err := number(key, v, -1000, mostWork); err != nil { // degrees below zero
			return err
		}
	}
	return nil
}

// AdmitCounts refuses counts that are negative, or beyond what anything counts. The key begins the error.
func AdmitCounts[T int | int64](key string, all ...T) error { return counts(key, all...) }

// AdmitFigures refuses scores, factors and rates that nothing can be computed with: negative ones, NaN, and more than
// one thing is faster than another. The key begins the error.
func AdmitFigures(key string, all ...float64) error {
	for _, v := range all {
		if err := number(key, v, 0, mostTimes); err != nil {
			return err
		}
	}
	return nil
}
