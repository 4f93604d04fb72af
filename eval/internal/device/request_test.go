package device

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"darwarp/eval/internal/proc"
	"darwarp/eval/internal/tight"
	"darwarp/kernels"
)

// fullCall is a call with something in each field, and numbers that differ by n.
func fullCall(n int) kernels.Call {
	launch := kernels.Launch{Entry: "k", Grid: [3]int{n, 2, 3}, Block: [3]int{256, 1, 1}, Cluster: [3]int{1, 1, 1},
		Smem:   4096,
		Args:   []kernels.Arg{{Kind: "tensor", Name: "x"}, {Kind: "i32", Int: -n}, {Kind: "tensor_map", Name: "m"}},
		Maps:   []kernels.TensorMap{{Name: "m", Tensor: "x", Shape: []int{n}, Box: []int{64}, Swizzle: 128}},
		Window: []string{"x"}}
	scratch := []kernels.Scratch{{Name: "s", Bytes: 1 << 40, Zero: true}, {Name: "t", Bytes: n, Once: true}}
	return kernels.Call{Scratch: scratch, Launches: []kernels.Launch{launch, launch}, Prepare: []kernels.Launch{launch},
		Packed: scratch}
}

// Machine code and calls travel beside the JSON, and come back to where they were; who asked keeps his own.
func TestRequestPacked(t *testing.T) {
	calls := []kernels.Call{fullCall(1), {}, fullCall(2), fullCall(1), {Launches: []kernels.Launch{{Entry: "k"}}}}
	for _, want := range []Request{
		{Gate: &Gate{Cubin: []byte("gate"), Calls: calls, Checked: []byte("watched")}},
		{Gate: &Gate{Cubin: []byte("gate"), Calls: calls}},
		{Time: &Time{Contender: Contender{Cubin: []byte("time"), Calls: calls}}},
		{Duel: &Duel{A: Contender{Library: true}, B: Contender{Cubin: []byte("b")}, Pairs: 3}},
		{Duel: &Duel{A: Contender{Cubin: []byte("a"), Calls: calls}, B: Contender{Cubin: []byte("b"), Calls: calls[2:3]}}},
		{Disturb: &Disturb{Cubin: []byte("disturb"), Cases: []int{1, 2}, Calls: calls[:3]}},
		{Ceilings: &Ceilings{DType: kernels.FP16}},
	} {
		t.Run(want.Name(), func(t *testing.T) {
			before, _ := json.Marshal(want)
			message, blob := want.Pack()
			sent, err := json.Marshal(message)
			if err != nil || strings.Contains(string(sent), "entry") {
				t.Fatalf("%v, with calls: %s", err, sent)
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
	for _, sizes := range [][]int{{}, {1}, {5, 0}, {4, 0}, {-1, 3, 0}, {1, 2, 3}, {5, 0, 0}, {2, 0, 2}, {1, 2, 1, 0}} {
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

// Equal calls are sent once, and what does not say which is refused.
func TestCallsOnce(t *testing.T) {
	one, two := packCalls([]kernels.Call{fullCall(1)}), packCalls([]kernels.Call{fullCall(1), fullCall(1), fullCall(1)})
	if len(two) > len(one)+2 {
		t.Errorf("a call takes %d bytes, three that are equal %d", len(one), len(two))
	}
	for _, which := range []int{-1, 1} {
		bad := tight.Append(nil, packedCalls{Distinct: []kernels.Call{fullCall(1)}, Which: []int{0, which}})
		if got, err := unpackCalls(bad); err == nil {
			t.Errorf("call %d of one: %+v", which, got)
		}
	}
	for n := 1; n < len(two); n++ {
		if _, err := unpackCalls(two[:n]); err == nil {
			t.Errorf("%d of %d bytes were taken", n, len(two))
		}
	}
}

// BenchmarkRequest is a gate's request as its worker reads it: 90 cases, of which a third has a size of its own.
func BenchmarkRequest(b *testing.B) {
	req := &Request{Gate: &Gate{Cubin: make([]byte, 40<<10)}}
	for i := range 90 {
		c := fullCall(i / 3)
		c.Prepare, c.Packed, c.Launches = nil, nil, c.Launches[:1]
		req.Gate.Calls = append(req.Gate.Calls, c)
	}
	f, err := proc.Encode(req)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(f.Body) + len(f.Blob)))
	b.ReportAllocs()
	for b.Loop() {
		var got Request
		if err := f.Decode(&got); err != nil || len(got.Gate.Calls) != 90 {
			b.Fatal(err)
		}
	}
}
