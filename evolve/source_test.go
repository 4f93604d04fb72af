package evolve

import (
	"slices"
	"testing"
)

// TestOrder: the first source that has something is asked, those before it are asked each time, and those after it are
// not.
func TestOrder(t *testing.T) {
	var asked []string
	give := func(name string, tasks ...*task) source {
		left := backlog{tasks}
		return func() (*task, bool) {
			asked = append(asked, name)
			return left.next()
		}
	}
	first, second := &task{Index: 1}, &task{Index: 2}
	next := order(give("none"), order(give("one", first), give("two", second)), give("last"))
	for _, tt := range []struct {
		want  *task
		asked []string
	}{
		{first, []string{"none", "one"}},
		{second, []string{"none", "one", "two"}},
		{nil, []string{"none", "one", "two", "last"}},
	} {
		asked = nil
		got, ok := next()
		if got != tt.want || ok != (tt.want != nil) || !slices.Equal(asked, tt.asked) {
			t.Errorf("got %+v of %v, want %+v of %v", got, asked, tt.want, tt.asked)
		}
	}
}

func TestBacklog(t *testing.T) {
	var b backlog
	b.takeUp([]*task{{Index: 1}})
	b.push(&task{Index: 2})
	if b.len() != 2 || len(b.all()) != 2 {
		t.Errorf("%d wait", b.len())
	}
	for want := 1; want <= 2; want++ {
		if got, ok := b.next(); !ok || got.Index != want {
			t.Errorf("%+v, %v: want %d", got, ok, want)
		}
	}
	if _, ok := b.next(); ok {
		t.Error("an empty backlog has a task")
	}
}
