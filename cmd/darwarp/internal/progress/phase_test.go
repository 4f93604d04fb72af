package progress

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

func TestPhases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var said []string
		p := &Phases{Say: func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) }}
		p.Begin("a")
		time.Sleep(26 * time.Second)
		p.Begin("b")
		time.Sleep(4 * time.Second)
		p.Begin("c")
		time.Sleep(6 * time.Second)
		p.End()
		p.End()
		time.Sleep(time.Hour)
		want := []string{"a ...", "a: 5.0s so far ...", "a: 15s so far ...", "a: 25s so far ...", "b ...", "c ...",
			"c: 5.0s so far ..."}
		if !slices.Equal(said, want) {
			t.Errorf("%q, want %q", said, want)
		}
	})
}
