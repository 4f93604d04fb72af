package cubin_test

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"darwarp/eval/internal/cubin"
)

func TestInspect(t *testing.T) {
	want := cubin.Program{
		Variables: []cubin.Variable{
			{Name: "$str", Bytes: 4, Initialised: true},
			{Name: "folded", Bytes: 4},
			{Name: "kept", Bytes: 64},
			{Name: "shared_with_host", Bytes: 4, Managed: true},
			{Name: "start", Bytes: 4, Initialised: true},
			{Name: "steps", Bytes: 16, Initialised: true, Constant: true},
			{Name: "table", Bytes: 2048, Initialised: true},
		},
		Calls: []string{"malloc", "vprintf"},
	}
	for _, arch := range []string{"sm_80", "sm_90a"} {
		image, err := os.ReadFile("testdata/all." + arch + ".cubin")
		if err != nil {
			t.Fatal(err)
		}
		if got, err := cubin.Inspect(image); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v\nexpected %+v", arch, got, err, want)
		}
	}
}

func TestReadable(t *testing.T) {
	for name, want := range map[string]string{
		"kept":                         "kept",
		"_ZL5scale":                    "scale",
		"_ZN1n5scaleE":                 "n::scale",
		"_ZN1S1tE":                     "S::t",
		"_ZZZ1kENKUlvE_clEvE4kept":     "kept",
		"_ZZ1kE4FEED":                  "FEED",
		"_ZTV1B":                       "B",
		"$__hidden__31$1":              "hidden",
		"$__hidden__33":                "hidden",
		"$__$str__31$1":                "$str",
		"$str$1":                       "$str$1",
		"__cudart_i2opi_f":             "__cudart_i2opi_f",
		"_Z99999999999999999999broken": "_Z99999999999999999999broken",
		"_Z9short":                     "_Z9short",
		"_ZN27_INTERNAL_00000000_4_k_cu_k1n29_GLOBAL__N__00000000_4_k_cu_k4keptE": "n::kept",
	} {
		if got := cubin.Readable(name); got != want {
			t.Errorf("%s: %q, expected %q", name, got, want)
		}
	}
}

// FuzzInspect starts with real compiler output: this test, which is an ELF file, and the cubins of testdata.
func FuzzInspect(f *testing.F) {
	f.Add([]byte("not an ELF file"))
	f.Add([]byte("\x7fELF\x02\x01\x01"))
	seeds, err := filepath.Glob("testdata/*.cubin")
	if err != nil || len(seeds) == 0 {
		f.Fatalf("no cubins in testdata: %v", err)
	}
	for _, path := range seeds {
		image, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(image)
	}
	const symbol = 24 // bytes of one in the table
	f.Fuzz(func(t *testing.T, image []byte) {
		p, err := cubin.Inspect(image)
		if n := len(p.Variables) + len(p.Calls); err == nil && n > len(image)/symbol+1 {
			t.Errorf("%d symbols in %d bytes", n, len(image))
		}
	})
}
