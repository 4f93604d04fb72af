package proc

import (
	"bufio"
	"bytes"
	"testing"
)

func FuzzReadFrame(f *testing.F) {
	var good bytes.Buffer
	if err := writeFrame(&good, envelope{Kind: kindReply, ID: 3, Body: []byte(`{"a":1}`)}, []byte("blob")); err != nil {
		f.Fatal(err)
	}
	f.Add(good.Bytes())
	f.Add(lengths(1<<31, 1<<31))
	f.Add(append(lengths(4, 1), "null!"...))
	f.Add(append(lengths(2, 3, 1), "{}[1]!"...))
	f.Add(lengths(1<<31, 1<<31, 1<<31))
	f.Fuzz(func(t *testing.T, wire []byte) {
		e, blob, err := readFrame(bufio.NewReader(bytes.NewReader(wire)))
		if err != nil {
			return
		}
		var again bytes.Buffer
		if err := writeFrame(&again, e, blob); err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		e2, blob2, err := readFrame(bufio.NewReader(&again))
		if err != nil || !bytes.Equal(blob, blob2) || !bytes.Equal(e.Body, e2.Body) {
			t.Fatalf("second reading: %v, %d bytes for %d", err, len(blob2), len(blob))
		}
	})
}

func TestFrameMemoryFollowsData(t *testing.T) {
	wire := lengths(maxFrame, 0) // announced, never sent
	allocated := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, _, err := readFrame(bufio.NewReader(bytes.NewReader(wire))); err == nil {
				b.Fatal("half a frame was taken")
			}
		}
	}).AllocedBytesPerOp()
	if allocated > 1<<20 {
		t.Errorf("%d bytes allocated for an announced length", allocated)
	}
}

func TestTail(t *testing.T) {
	var tl tail
	for range 100 {
		_, _ = tl.Write(bytes.Repeat([]byte("a"), 1000))
	}
	_, _ = tl.Write([]byte("end"))
	got := tl.String()
	if len(got) != tailSize || got[len(got)-4:] != "aend" {
		t.Errorf("%d bytes, ending %q", len(got), got[len(got)-4:])
	}
	_, _ = tl.Write(bytes.Repeat([]byte("b"), 3*tailSize))
	if got := tl.String(); got != string(bytes.Repeat([]byte("b"), tailSize)) {
		t.Error("a long write did not replace the rest")
	}
}
