package evolve

// source gives what is to be evaluated next; ok is false where it has nothing.
type source func() (t *task, ok bool)

// order asks sources in turn, and takes the first task that there is (after syzkaller's queue.Order). A source that
// never has a task may stand among them for what it does before those that follow are asked.
func order(all ...source) source {
	return func() (*task, bool) {
		for _, next := range all {
			if t, ok := next(); ok {
				return t, true
			}
		}
		return nil, false
	}
}

// backlog is what is to be judged before the operators are asked: what models proposed, and the first points of their
// families.
type backlog struct{ tasks []*task }

func (b *backlog) push(t *task) { b.tasks = append(b.tasks, t) }
func (b *backlog) len() int     { return len(b.tasks) }
func (b *backlog) all() []*task { return b.tasks }

// points adds those of a space.
func (b *backlog) points(out []int, space int) []int { return points(out, b.tasks, space) }

// takeUp goes on with the backlog of an earlier session.
func (b *backlog) takeUp(tasks []*task) { b.tasks = tasks }

func (b *backlog) next() (*task, bool) {
	if len(b.tasks) == 0 {
		return nil, false
	}
	t := b.tasks[0]
	b.tasks = b.tasks[1:]
	return t, true
}
