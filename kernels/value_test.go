package kernels

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestValueJSON(t *testing.T) {
	g := Genome{"tile": Int(128), "mma": String("wmma"), "on": Bool(true), "low": Int(-1)}
	b, err := json.Marshal(g)
	if want := `{"low":-1,"mma":"wmma","on":true,"tile":128}`; err != nil || string(b) != want {
		t.Fatalf("got %s, %v", b, err)
	}
	var back Genome
	if err := json.Unmarshal(b, &back); err != nil || !reflect.DeepEqual(back, g) {
		t.Errorf("round trip: %v, %v", back, err)
	}
	if g.Key() != "low=-1 mma=wmma on=true tile=128" {
		t.Errorf("key %s", g.Key())
	}
	for _, text := range []string{"", "wmma", "m16n8k16", `"`, `\`, "<&>", "é", "a\nb", "\x7f", "\xff", "\u2028"} {
		got, err := json.Marshal(String(text))
		if want, _ := json.Marshal(text); err != nil || string(got) != string(want) {
			t.Errorf("%q is written as %s, %v: expected %s", text, got, err, want)
		}
	}
	for _, bad := range []string{`null`, `1.5`, `1e3`, `9223372036854775808`, `[1]`, `{"v":1}`, `nul`, ``} {
		var v Value
		if err := json.Unmarshal([]byte(bad), &v); err == nil {
			t.Errorf("%s is the value %v", bad, v)
		}
	}
}

func TestNewValue(t *testing.T) {
	for _, c := range []struct {
		in   any
		want Value
		ok   bool
	}{
		{1, Int(1), true}, {int64(2), Int(2), true}, {3.0, Int(3), true}, {"x", String("x"), true}, {true, Bool(true), true},
		{1.5, Value{}, false}, {1e300, Value{}, false}, {nil, Value{}, false}, {[]any{1}, Value{}, false},
	} {
		if got, err := NewValue(c.in); got != c.want || (err == nil) != c.ok {
			t.Errorf("%v: got %v, %v", c.in, got, err)
		}
	}
}

func TestParseValueReadsWhatIsPrinted(t *testing.T) {
	for _, v := range []Value{Int(0), Int(-12), Bool(true), Bool(false), String("xor"), String("m16n8k16")} {
		if got := ParseValue(v.String()); got != v {
			t.Errorf("%v (%s) reads as %v (%s)", v, v.Kind(), got, got.Kind())
		}
	}
}

func TestOutcomeNames(t *testing.T) {
	if len(Outcomes()) != int(Lost) {
		t.Errorf("%d outcomes, the last is number %d", len(Outcomes()), Lost)
	}
	for _, o := range append(Outcomes(), Unknown) {
		b, _ := o.MarshalText()
		var back Outcome
		if err := back.UnmarshalText(b); err != nil || back != o {
			t.Errorf("%d: %s reads as %d, %v", o, b, back, err)
		}
	}
	var o Outcome
	if err := o.UnmarshalText([]byte("fine")); err == nil {
		t.Error("an unknown outcome was read")
	}
	for o, want := range map[Outcome]bool{Unknown: false, OK: false, Wrong: true, Duplicate: true, Lost: false} {
		if o.Failed() != want {
			t.Errorf("%s failed: %v", o, o.Failed())
		}
	}
}

func TestCleanDetail(t *testing.T) {
	if got := CleanDetail(" a\tb\x1b[31m\nc\u202e\r "); got != "a b?[31m\nc?" {
		t.Errorf("got %q", got)
	}
	if got := CleanDetail(strings.Repeat("x", MaxDetail+1)); len(got) != MaxDetail || !strings.HasSuffix(got, "x ...") {
		t.Errorf("%d bytes, ends %q", len(got), got[len(got)-6:])
	}
}

func TestDTypes(t *testing.T) {
	for _, c := range []struct {
		d    DType
		bits float64 // of the significand
	}{{FP16, 11}, {BF16, 8}, {FP32, 24}, {E4M3, 4}, {E5M2, 3}} {
		one := 1.0
		for range int(c.bits) {
			one /= 2
		}
		if !c.d.Valid() || c.d.Roundoff() != one || c.d.Size()*8 < int(c.bits) || c.d.Max() <= 0 ||
			c.d.SmallestNormal() <= 0 || c.d.CType() == "" {
			t.Errorf("%s: roundoff %g, want %g", c.d, c.d.Roundoff(), one)
		}
	}
	if _, err := ParseDType("fp8"); err == nil || DType("fp8").Valid() {
		t.Error("fp8 is known")
	}
}

func TestArchDevice(t *testing.T) {
	for arch := range arches {
		d, err := ArchDevice(arch)
		if err != nil || d.Arch != arch || d.MaxThreads != 1024 || d.SmemPerBlock > d.SmemPerSM || d.Kind != "cuda" {
			t.Errorf("%s: %+v, %v", arch, d, err)
		}
	}
	if _, err := ArchDevice("sm_1"); err == nil {
		t.Error("sm_1 is known")
	}
}

// TestKey: the names are in order, whatever the values are.
func TestKey(t *testing.T) {
	g := Genome{"stages": Int(-3), "b": Bool(true), "a": String("cp async"), "b2": Int(0), "": String("")}
	if got := g.Key(); got != "= a=cp async b=true b2=0 stages=-3" {
		t.Errorf("%q", got)
	}
	if got := (Genome{}).Key(); got != "" {
		t.Errorf("%q of none", got)
	}
}

func BenchmarkKey(b *testing.B) {
	g := Genome{}
	for i := range 20 {
		g["gene_"+Int(i).String()] = Int(16 * i)
	}
	b.ReportAllocs()
	for b.Loop() {
		g.Key()
	}
}
