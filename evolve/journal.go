package evolve

import (
	"errors"
	"log/slog"
	"time"

	"darwarp/store"
)

// journal stores and tells what happens, in order: an event that speaks of something stored comes after it is stored.
// While the disk is full everything waits, and the search takes no answers.
type journal struct {
	keep    keeper
	log     *slog.Logger
	figures func(*Event)  // fills in where the search stands
	state   func() []byte // the checkpoint of this moment
	emit    func(Event)
	events  int
	saves   []func() error
	group   *group          // the last of saves, while it may grow
	beside  *group          // the first of saves, while it is stored beside the loop
	full    bool            // the disk is
	key     string          // of what this session's figures stand on
	proofs  map[string]bool // keys of what was stored of that
	retry   time.Duration   // between attempts to store on a full disk
}

func newJournal(keep keeper, log *slog.Logger) *journal {
	return &journal{keep: keep, log: log, proofs: map[string]bool{}, retry: 3 * time.Second}
}

// send tells an event now, or after the verdicts that wait to be stored.
func (j *journal) send(e Event) {
	if j.emit == nil {
		return
	}
	switch j.figures(&e); {
	case j.group != nil:
		j.save(func() error { j.tellNow(e); return nil })
	case j.beside != nil:
		j.beside.later = append(j.beside.later, e)
	default:
		j.tellNow(e)
	}
}

func (j *journal) tellNow(e Event) {
	if j.emit != nil {
		j.events++
		e.Seq = j.events
		j.emit(e)
	}
}

// save appends an operation on the store.
func (j *journal) save(op func() error) {
	j.seal()
	j.saves = append(j.saves, op)
}

// seal ends a group of verdicts: what follows is no part of the state that they are stored with.
func (j *journal) seal() {
	if j.group != nil {
		j.group.state, j.group = j.state(), nil
	}
}

// grouped is how many verdicts wait to be stored, where more may join them; 0 where something else waits, too.
func (j *journal) grouped() int {
	if j.group == nil || len(j.saves) > 1 {
		return 0
	}
	return len(j.group.verdicts)
}

// waits reports whether something could not be stored yet.
func (j *journal) waits() bool { return len(j.saves) > 0 }

// again fires when storing is to be tried again.
func (j *journal) again() <-chan time.Time { return time.After(j.retry) }

// storeBeside begins to store verdicts beside the loop, which proposes meanwhile and waits for them in the next flush.
// It reports false, and does nothing, where something else waits.
func (j *journal) storeBeside() bool {
	g := j.group
	if j.seal(); g == nil || len(j.saves) != 1 || j.full {
		return false
	}
	g.begin(j.keep)
	j.beside = g
	return true
}

// flush does what is to be stored. When it gives an error nothing may follow: with store.ErrNoSpace the operation
// waits.
func (j *journal) flush() error {
	j.seal()
	for len(j.saves) > 0 {
		err := j.saves[0]()
		switch {
		case errors.Is(err, store.ErrNoSpace):
			j.diskFull(err)
			return err
		case err != nil: // what follows would not fit to what is stored
			j.saves = []func() error{func() error { return err }}
			return err
		}
		j.saves = j.saves[1:]
		j.diskFree()
	}
	return nil
}

func (j *journal) diskFull(err error) {
	if j.full {
		return
	}
	j.full = true
	j.log.Warn("disk full: waiting", "err", err)
	j.send(Event{Kind: KindDisk, Note: "disk full: waiting for space"})
}

func (j *journal) diskFree() {
	if j.full {
		j.full = false
		j.send(Event{Kind: KindDisk, Note: "there is space again: going on"})
	}
}

// proof is the key of what this session's figures stand on.
func (j *journal) proof() string { return j.key }

// tell says where an event's figures and a candidate's checkpoint come from.
func (j *journal) tell(figures func(*Event), state func() []byte) {
	j.figures, j.state = figures, state
}

// begin has events handed over.
func (j *journal) begin(emit func(Event)) { j.emit = emit }

// close stores the last checkpoint.
func (j *journal) close() error { return j.keep.PutCheckpoint(j.state()) }
