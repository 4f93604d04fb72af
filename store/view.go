package store

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// copyWait bounds how long View waits for a live search to hand out a copy.
const copyWait = 2 * time.Minute

// copyGrowth bounds how much larger than its file the copy of a live run may be, in bytes. Tests lower it.
var copyGrowth int64 = 1 << 30

// View opens a run for reading only. While a search writes it, its server is asked for a consistent
// copy as of now, which takes room in the temporary folder until Close. A view of a run that nobody
// writes keeps writers out.
// Errors: ErrLocked (a writer that does not serve), ErrNewer, ErrNotOurs, ErrDamaged, ErrDenied.
func View(path string) (*Run, error) {
	r, err := open(path, false)
	switch {
	case errors.Is(err, ErrLocked):
		r, err = viewLive(path, err)
	case errors.Is(err, errOlder):
		r, err = viewOlder(path)
	}
	if errors.Is(err, ErrDamaged) && hasSnapshot(path) {
		return nil, fmt.Errorf("%s: %w: a snapshot is beside it: darwarp search --resume %s takes it and goes on", path, err,
			path)
	}
	if err != nil {
		return nil, named(path, err)
	}
	r.path = path
	return r, nil
}

func viewLive(path string, locked error) (*Run, error) {
	temp, _, err := fetchCopy(context.Background(), path)
	if err == nil {
		return openCopy(temp)
	}
	if r, err := open(path, false); err == nil { // the writer has just ended
		return r, nil
	}
	if errors.Is(err, ErrNotServed) && errors.Is(err, fs.ErrNotExist) { // another command than a search has it
		return nil, unserved{locked}
	}
	return nil, fmt.Errorf("%w; asked it for a copy: %w", locked, err)
}

// unserved is ErrLocked by a process that answers nobody, which is ErrNotServed as well.
type unserved struct{ error }

func (u unserved) Unwrap() error        { return u.error }
func (u unserved) Is(target error) bool { return target == ErrNotServed }

// viewOlder migrates a copy: the file itself is only read.
func viewOlder(path string) (*Run, error) {
	db, err := openBolt(path, false)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	old := &Run{db: db}
	temp, err := spill("", scratches, func(f *os.File) error { return old.copyTo(f) })
	if err != nil {
		return nil, err
	}
	return openCopy(temp)
}

// openCopy opens a copy that is to vanish with the run's handle: its name is removed at once, so that nothing stays
// behind even after a kill.
func openCopy(temp *scratch) (*Run, error) {
	defer temp.drop()
	return openCurrent(temp.path)
}

// openCurrent opens a copy of a run for reading, after it was brought up to date.
func openCurrent(path string) (*Run, error) {
	r, err := open(path, false)
	if errors.Is(err, errOlder) {
		if err := migrateFile(path); err != nil {
			return nil, err
		}
		r, err = open(path, false)
	}
	return r, err
}

// fetchCopy asks a live search for a copy of its run, and how many events were told before it.
func fetchCopy(ctx context.Context, path string) (temp *scratch, told int, err error) {
	ctx, cancel := context.WithTimeout(ctx, copyWait)
	defer cancel()
	most := copyGrowth
	if info, err := os.Stat(path); err == nil {
		most += info.Size()
	}
	temp, err = spill("", scratches, func(f *os.File) error {
		reply, err := ask(ctx, path, http.MethodGet, "/copy", nil)
		if err != nil {
			return err
		}
		defer reply.Body.Close()
		told = eventNumber(reply)
		n, err := io.Copy(f, io.LimitReader(reply.Body, most+1)) // fails on fewer bytes than announced
		if err == nil && n > most {
			err = fmt.Errorf("a copy of more than %d bytes, far larger than the run", most)
		}
		return err
	})
	return temp, told, err
}

// eventNumber is the header that says how many events were told before, 0 from a search of an older version.
func eventNumber(reply *http.Response) int {
	n, err := strconv.Atoi(reply.Header.Get(eventHeader))
	if err != nil {
		return 0
	}
	return n
}

// AskStatus asks a live search how it is, or gives ErrNotServed.
func AskStatus(ctx context.Context, path string) (s Status, err error) {
	reply, err := ask(ctx, path, http.MethodGet, "/status", nil)
	if err != nil {
		return s, named(path, err)
	}
	defer reply.Body.Close()
	err = json.NewDecoder(io.LimitReader(reply.Body, maxStatus)).Decode(&s)
	if err == nil {
		err = s.Admit()
	}
	if err != nil {
		return Status{}, named(path, err)
	}
	return s, nil
}

// Watch calls fn with each event that a live search publishes, one JSON object without its newline,
// until the search ends (nil), ctx does, or fn fails. The bytes are fn's only during the call. A
// watcher that is too slow is dropped by the search, which looks like its end: AskStatus tells.
func Watch(ctx context.Context, path string, fn func(event []byte) error) error {
	reply, err := ask(ctx, path, http.MethodGet, "/events", nil)
	if err != nil {
		return named(path, err)
	}
	defer reply.Body.Close()
	return follow(ctx, path, reply.Body, fn)
}

func follow(ctx context.Context, path string, body io.Reader, fn func(event []byte) error) error {
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, maxEvent)
	for lines.Scan() {
		if err := fn(lines.Bytes()); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	err := lines.Err()
	if errors.Is(err, bufio.ErrTooLong) {
		err = fmt.Errorf("an event of more than %d bytes", maxEvent)
	}
	return named(path, err)
}

// Tell hands a command, a JSON object, to a live search and waits until it is done. The error of a
// command that is refused is the search's own line; ErrNotServed means that none answers.
func Tell(ctx context.Context, path string, command []byte) error {
	reply, err := ask(ctx, path, http.MethodPost, "/steer", bytes.NewReader(command))
	var refused *refusal
	if errors.As(err, &refused) && refused.code == http.StatusBadRequest {
		return errors.New(refused.text)
	}
	if err != nil {
		return named(path, err)
	}
	return reply.Body.Close()
}

// refusal is an answer other than 200.
type refusal struct {
	code int
	text string
}

func (r *refusal) Error() string {
	return fmt.Sprintf("%d %s: %s", r.code, http.StatusText(r.code), r.text)
}

// ask sends one request over the run's socket. The reply's body must be closed; ctx bounds its reading too.
func ask(ctx context.Context, path, method, what string, body io.Reader) (*http.Response, error) {
	client := http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext:       func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx, path) },
	}}
	request, err := http.NewRequestWithContext(ctx, method, "http://darwarp"+what, body)
	if err != nil {
		return nil, err
	}
	reply, err := client.Do(request)
	if err != nil {
		return nil, fault{ErrNotServed, err}
	}
	if reply.StatusCode != http.StatusOK {
		defer reply.Body.Close()
		text, _ := io.ReadAll(io.LimitReader(reply.Body, 4<<10)) // best effort: the status says enough
		return nil, fmt.Errorf("%s: %w", what, &refusal{reply.StatusCode, strings.TrimSpace(string(text))})
	}
	return reply, nil
}
