package compile

import (
	"log/slog"
	"os"
	"strings"
	"testing"
)

// TestRecheck: what was kept passes the checks of what is fresh. An entry with a right checksum is not enough.
func TestRecheck(t *testing.T) {
	image, err := os.ReadFile("../cubin/testdata/all.sm_90a.cubin") // with managed memory, and a call of malloc
	if err != nil {
		t.Fatal(err)
	}
	code, _, refusal, err := inspect(image)
	if err != nil || refusal != "" {
		t.Fatal(refusal, err)
	}
	p := &Pool{}
	for name, tt := range map[string]struct {
		out  Output
		want string
	}{
		"as it was":             {Output{Cubin: image, Code: code, State: "kept (64 bytes)"}, ""},
		"a refusal":             {Output{Failure: "error"}, ""},
		"other machine code":    {Output{Cubin: image, Code: strings.Repeat("0", 64), State: "kept"}, "is said to be"},
		"what it keeps is left": {Output{Cubin: image, Code: code}, "keeps memory"},
		"a refusal with code":   {Output{Cubin: image, Code: code, Failure: "error"}, "a refusal with"},
		"no machine code":       {Output{}, "EOF"},
		"half of it":            {Output{Cubin: image[:len(image)/2], Code: code, State: "kept"}, "cubin"},
	} {
		err := p.recheck(&tt.out)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
	c := tempCache(t, slog.New(slog.DiscardHandler))
	c.check = p.recheck
	c.put(key(1), entry) // whose machine code is none
	if _, ok := c.get(key(1)); ok {
		t.Error("the cache does not ask")
	}
	if left := list(c.dir); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// TestRecheckOfObjects: so does what was compiled for the cpu device.
func TestRecheckOfObjects(t *testing.T) {
	path, err := os.Executable() // any ELF file of this machine
	if err != nil {
		t.Fatal(err)
	}
	image, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	code, err := hostCode(image)
	if err != nil {
		t.Fatal(err)
	}
	p := &Pool{cfg: Config{Worker: "cxx"}}
	if err := p.recheck(&Output{Cubin: image, Code: code}); err != nil {
		t.Error(err)
	}
	for name, out := range map[string]Output{"other code": {Cubin: image, Code: strings.Repeat("0", 64)},
		"no object": {Cubin: []byte("text"), Code: code}, "nothing": {}} {
		if p.recheck(&out) == nil {
			t.Errorf("%s is taken", name)
		}
	}
}
