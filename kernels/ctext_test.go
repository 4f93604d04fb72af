package kernels

import "testing"

func TestCText(t *testing.T) {
	scope := Scope{"m": 0, "tile": 0, "mode": "", "fast": false, "device": Device{}}
	known := Env{"tile": 64, "mode": "wide", "fast": true, "device": Device{SMs: 132}}
	for text, want := range map[string]string{
		"ceil_div(m, tile)":                "ceil_div(d.m, 64LL)",
		"m / 2 % 3":                        "mod(div(d.m, 2LL), 3LL)",
		"min(m, tile, device.sms)":         "least({d.m, 64LL, 132LL})",
		"mode == 'wide' and not fast":      `((std::string_view("wide") == std::string_view("wide")) && (!true))`,
		"m in [1, 2] ? 1 : abs(-m)":        "((false || d.m == 1LL || d.m == 2LL) ? 1LL : abs((-d.m)))",
		"fast ? m * 4 : round_up(m, tile)": "(true ? (d.m * 4LL) : round_up(d.m, 64LL))",
	} {
		e, err := CompileAny(text, scope)
		if err != nil {
			t.Fatal(err)
		}
		got, err := e.CText(known)
		if err != nil || got != want {
			t.Errorf("%s: %s, %v: expected %s", text, got, err, want)
		}
	}
	e, err := CompileInt("device.sms + m", scope)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.CText(Env{}); err == nil {
		t.Error("a device that is not known was written")
	}
}
