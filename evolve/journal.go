package evolve

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"darwarp/kernels"
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

// flush does what is to be stored. When it gives an error nothing may follow: with store.ErrNoSpace the operation waits.
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

// candidate stores a candidate with the state after it.
func (j *journal) candidate(c kernels.Candidate) {
	state := j.state()
	j.save(func() error {
		if err := j.keep.Put(&c, state); err != nil {
			return err
		}
		j.send(Event{Kind: KindResult, Candidate: &c, ID: c.ID, Family: c.Variant.Family, Score: c.Score})
		return nil
	})
}

// duel tells a duel, and stores it unless it is stored already.
func (j *journal) duel(challenger kernels.ID, d kernels.Duel, stored bool) {
	if !stored {
		j.save(func() error { return j.keep.PutDuel(d) })
	}
	j.save(func() error {
		j.send(Event{Kind: KindDuel, ID: challenger, Duel: &d, Note: string(d.Verdict)})
		return nil
	})
}

// champion stores a new champion.
func (j *journal) champion(m *member, why string) {
	j.save(func() error {
		if id, ok := j.keep.Champion(); !ok || id != m.id {
			if err := j.keep.SetChampion(m.id, why); err != nil {
				return err
			}
		}
		j.send(Event{Kind: KindChampion, ID: m.id, Score: m.score, Note: why})
		return nil
	})
}

// hasChampion is false where a run was killed between its first verdict and the coronation.
func (j *journal) hasChampion() bool { _, ok := j.keep.Champion(); return ok }

// family stores a language model's family, with the state in which its default waits.
func (j *journal) family(files map[string][]byte, e Event) {
	state := j.state()
	j.save(func() error {
		if err := j.keep.Grow(files, state); err != nil {
			return err
		}
		j.send(e)
		return nil
	})
}

// exchange stores what a language model was asked, and tells it without the texts.
func (j *journal) exchange(e kernels.Exchange) {
	j.save(func() error {
		if err := j.keep.PutExchange(e); err != nil {
			return err
		}
		short := e
		short.Asked, short.Reply = nil, ""
		j.send(Event{Kind: KindAdvice, Exchange: &short, Note: adviceNote(&short)})
		return nil
	})
}

func adviceNote(e *kernels.Exchange) string {
	switch {
	case e.Failed != "":
		return e.Arm + " failed: " + e.Failed
	case e.Refused != "" && len(e.Proposed) == 0:
		return e.Arm + " refused: " + e.Refused
	}
	if e.Family != "" {
		return fmt.Sprintf("%s proposed family %s", e.Arm, e.Family)
	}
	return fmt.Sprintf("%s proposed %d", e.Arm, len(e.Proposed))
}

// command stores that a command was done, tells it, and answers.
func (j *journal) command(put func(k keeper, state []byte) error, e Event, answer func()) {
	state := j.state()
	j.save(func() error {
		if err := put(j.keep, state); err != nil {
			return err
		}
		if e.Note != "" {
			j.send(e)
		}
		answer()
		return nil
	})
}

// provenance stores what this session's figures stand on.
func (j *journal) provenance(p kernels.Provenance) (err error) {
	j.key, err = j.keep.PutProvenance(p)
	return err
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
