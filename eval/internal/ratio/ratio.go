// Package ratio makes times of several devices of one model comparable. Such devices differ by percents, and not by the
// same for each kernel.
package ratio

import (
	"fmt"
	"math"

	"darwarp/kernels"
)

// Ratio is how many times as long a call takes on the first device as on another, by a kernel that was timed on both.
type Ratio struct {
	Of     float64
	Spread float64 // relative, half of the 95 % interval
}

// Most bounds a ratio that can be believed: devices of one model are not as far apart.
const Most = 1.5

// between compares a kernel's times on two devices.
func between(first, other kernels.Timing) (r Ratio, err error) {
	half := func(t kernels.Timing) float64 { return (t.Hi - t.Lo) / 2 / t.Median }
	r = Ratio{first.Median / other.Median, math.Hypot(half(first), half(other))}
	if !(r.Of > 1/Most && r.Of < Most && r.Spread < 1) {
		return r, fmt.Errorf("%s: %s on the first, %s on this one", first.Workload, span(first.Median), span(other.Median))
	}
	return r, nil
}

// Table is the ratios of a device by workload. It is replaced and never changed; nil: they are not known.
type Table map[string]Ratio

// At is the ratio at a workload; 1 where it is not known.
func (t Table) At(workload string) Ratio {
	if r, ok := t[workload]; ok {
		return r
	}
	return Ratio{Of: 1}
}

// Compare makes the table of a device from a kernel's times on it and on a device whose table is known.
func Compare(known Table, there, here []kernels.Timing) (Table, error) {
	if len(there) != len(here) {
		return nil, fmt.Errorf("%d workloads on one device, %d on another", len(there), len(here))
	}
	found := Table{}
	for i := range here {
		r, err := between(there[i], here[i])
		if err != nil {
			return nil, err
		}
		k := known.At(there[i].Workload)
		found[there[i].Workload] = Ratio{r.Of * k.Of, math.Hypot(r.Spread, k.Spread)}
	}
	return found, nil
}

// Scale makes times of the device what they are on the first. What is not known of the ratio widens their intervals.
func (t Table) Scale(times []kernels.Timing) {
	for i := range times {
		w := &times[i]
		r := t.At(w.Workload)
		if r.Of == 1 && r.Spread == 0 {
			continue
		}
		below, above := math.Hypot(1-w.Lo/w.Median, r.Spread), math.Hypot(w.Hi/w.Median-1, r.Spread)
		w.Median, w.Scale = w.Median*r.Of, r.Of
		w.Lo, w.Hi = w.Median*max(0, 1-below), w.Median*(1+above)
	}
}

// span is a time as people read it, of four digits: ns have no fractions in a time.Duration.
func span(ns float64) string {
	for _, u := range []struct {
		of   float64
		name string
	}{{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}} {
		if ns >= u.of {
			return fmt.Sprintf("%.4g %s", ns/u.of, u.name)
		}
	}
	return fmt.Sprintf("%.4g ns", ns)
}
