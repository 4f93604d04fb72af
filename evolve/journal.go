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
	full    bool          // the disk is
	key     string        // of what this session's figures stand on
	retry   time.Duration // between attempts to store on a full disk
}

func newJournal(keep keeper, log *slog.Logger) *journal {
	return &journal{keep: keep, log: log, retry: 3 * time.Second}
}

// send tells an event now.
func (j *journal) send(e Event) {
	if j.emit == nil {
		return
	}
	j.events++
	e.Seq = j.events
	j.figures(&e)
	j.emit(e)
}

// save appends an operation on the store.
func (j *journal) save(op func() error) { j.saves = append(j.saves, op) }

// waits reports whether something could not be stored yet.
func (j *journal) waits() bool { return len(j.saves) > 0 }

// again fires when storing is to be tried again.
func (j *journal) again() <-chan time.Time { return time.After(j.retry) }

// flush does what is to be stored. When it gives an error nothing may follow: with store.ErrNoSpace the operation
// waits.
func (j *journal) flush() error {
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
