package eval

import (
	"reflect"
	"testing"
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
