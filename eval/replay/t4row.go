package replay

import (
	"fmt"
	"slices"

	"darwarp/kernels"
)

// row reads verdict, time and cost; unit is of times, in ns. Its error begins with the key.
func (x *t4Result) row(unit float64) (*row, error) {
	at := slices.IndexFunc(t4Words, func(w struct {
		word    string
		outcome kernels.Outcome
	}) bool {
		return w.word == x.Invalidity
	})
	if at < 0 {
		return nil, fmt.Errorf("invalidity %q: expected correct, timeout, compile, runtime, correctness or constraints",
			x.Invalidity)
	}
	r := &row{outcome: t4Words[at].outcome, cost: x.cost(unit)}
	if r.outcome != kernels.OK {
		var own kernels.Outcome
		if s, ok := x.measured(keyOutcome).(string); ok && own.UnmarshalText([]byte(s)) == nil && own.Failed() &&
			own != kernels.Duplicate {
			r.outcome = own
		}
		return r, nil
	}
	for name, to := range map[string]*float64{"time": &r.median, keyLo: &r.lo, keyHi: &r.hi} {
		ns, err := x.time(name, unit)
		if err != nil {
			return nil, err
		}
		*to = ns
	}
	if r.median == 0 {
		mean, _ := x.runtimes()
		r.median = mean * unit
	}
	if !(r.median > 0) {
		return nil, fmt.Errorf("measurements: a correct configuration without a time: expected a measurement named time, " +
			"or times.runtimes")
	}
	return r, nil
}

// cost is what the configuration took, in seconds.
func (x *t4Result) cost(unit float64) (seconds float64) {
	for _, key := range []string{"compilation", "compilation_time", "benchmark", "framework", "search_algorithm",
		"validation"} {
		if v, ok := x.Times[key].(float64); ok && v > 0 {
			seconds += v * unit / 1e9
		}
	}
	if _, ok := x.Times["benchmark"]; !ok {
		mean, runs := x.runtimes()
		seconds += max(0, mean) * float64(runs) * unit / 1e9
	}
	return seconds
}

// runtimes is how often the configuration was timed, and the mean.
func (x *t4Result) runtimes() (mean float64, n int) {
	list, _ := x.Times["runtimes"].([]any)
	mean, timed := meanOf(list)
	if !timed {
		return 0, 0
	}
	return mean, len(list)
}

func (x *t4Result) measured(name string) any {
	for _, m := range x.Measurements {
		if m.Name == name {
			return m.Value
		}
	}
	return nil
}

// time is a measurement in ns, 0 when there is none.
func (x *t4Result) time(name string, unit float64) (float64, error) {
	for _, m := range x.Measurements {
		if v, ok := m.Value.(float64); ok && m.Name == name {
			own, known := units[m.Unit]
			if !known {
				return 0, fmt.Errorf("measurements: %s in %q: expected ms, s, us or ns", name, m.Unit)
			}
			if m.Unit == "" {
				own = unit
			}
			return v * own, nil
		}
	}
	return 0, nil
}
