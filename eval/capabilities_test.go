package eval

import (
	"reflect"
	"strings"
	"testing"

	"darwarp/kernels"
)

// TestCapabilities: a pool can do everything, in time that passes; what a search is not offered it would not miss.
func TestCapabilities(t *testing.T) {
	can := reflect.ValueOf((&Pool{}).Capabilities())
	for i := range can.NumField() {
		not := map[string]bool{"Simulated": true, "Provenances": true} // the second is a host's, of several GPUs
		if name := can.Type().Field(i).Name; can.Field(i).IsZero() != not[name] {
			t.Errorf("%s: %v", name, can.Field(i))
		}
	}
}

// TestTimeAgain: a kernel is timed beside the others, whether its machine code was seen before or not, with few samples
// or with those of a final measurement; one that is not right has no times.
func TestTimeAgain(t *testing.T) {
	h := mustHost(t, 2)
	again := h.Capabilities().Time
	if r, err := h.Evaluate(t.Context(), fakeJob(t, h.front, "right")); err != nil || r.Outcome != kernels.OK {
		t.Fatalf("%+v, %v", r, err)
	}
	for _, test := range []struct {
		name  string
		brief bool
		tier  string
	}{{"right", true, "fitness"}, {"right", false, "final"}, {"another", false, "final"}} {
		times, err := again(t.Context(), fakeJob(t, h.front, test.name), test.brief)
		if err != nil || len(times) != 1 || times[0].Tier != test.tier || !near(times[0].Median, 10e3) {
			t.Errorf("%s, brief %v: %+v, %v", test.name, test.brief, times, err)
		}
	}
	_, err := again(t.Context(), fakeJob(t, h.front, "wrong"), false)
	if err == nil || !strings.Contains(err.Error(), "it is wrong") {
		t.Errorf("a kernel that is wrong: %v", err)
	}
	if _, workers := h.Load(); workers != 2 {
		t.Errorf("%d device workers: one was begun anew", workers)
	}
}
