package device

import (
	"encoding/json"
	"reflect"
	"testing"

	"darwarp/kernels"
)

// Machine code travels beside the JSON, and comes back to where it was; who asked keeps his own.
func TestRequestPacked(t *testing.T) {
	calls := []kernels.Call{{Launches: []kernels.Launch{{Entry: "k"}}}}
	for _, want := range []Request{
		{Gate: &Gate{Cubin: []byte("gate"), Calls: calls, Checked: []byte("watched")}},
		{Gate: &Gate{Cubin: []byte("gate"), Calls: calls}},
		{Time: &Time{Contender: Contender{Cubin: []byte("time"), Calls: calls}}},
		{Duel: &Duel{A: Contender{Library: true}, B: Contender{Cubin: []byte("b")}, Pairs: 3}},
		{Disturb: &Disturb{Cubin: []byte("disturb"), Cases: []int{1, 2}}},
		{Ceilings: &Ceilings{DType: kernels.FP16}},
	} {
		t.Run(want.Name(), func(t *testing.T) {
			before, _ := json.Marshal(want)
			message, blob := want.Pack()
			sent, err := json.Marshal(message)
			if err != nil {
				t.Fatal(err)
			}
			if after, _ := json.Marshal(want); string(after) != string(before) {
				t.Errorf("packing changed the request to %s", after)
			}
			var got Request
			if err := json.Unmarshal(sent, &got); err != nil {
				t.Fatal(err)
			}
			if err := got.Unpack(blob); err != nil {
				t.Fatal(err)
			}
			got.Code = nil
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v of %s, %q", got, sent, blob)
			}
		})
	}
}

func TestRequestPackedWrongly(t *testing.T) {
	for _, sizes := range [][]int{{}, {1}, {5, 0}, {-1, 3}, {1, 2, 3}} {
		r := Request{Gate: &Gate{}, Code: sizes}
		if r.Unpack([]byte("code")) == nil {
			t.Errorf("sizes %v were taken", sizes)
		}
	}
	bare := Request{Gate: &Gate{Cubin: []byte("within")}} // of one that was sent as JSON alone
	if err := bare.Unpack(nil); err != nil || string(bare.Gate.Cubin) != "within" {
		t.Error(err)
	}
}
