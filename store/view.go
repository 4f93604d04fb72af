package store

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"
)

// copyWait bounds how long View waits for a live search to hand out a copy.
const copyWait = 2 * time.Minute

// View opens a run for reading only. While a search writes it, its server is asked for a consistent
// copy as of now, which takes room in the temporary folder until Close. A view of a run that nobody
// writes keeps writers out.
// Errors: ErrLocked (a writer that does not serve), ErrNewer, ErrNotOurs, ErrDamaged.
func View(path string) (*Run, error) {
	r, err := open(path, false)
	switch {
	case errors.Is(err, ErrLocked):
		r, err = viewLive(path, err)
	case errors.Is(err, errOlder):
		r, err = viewOlder(path)
	}
	if err != nil {
		return nil, named(path, err)
	}
	r.path = path
	return r, nil
}

func viewLive(path string, locked error) (*Run, error) {
	temp, err := fetchCopy(path)
	if err == nil {
		return openCopy(temp)
	}
	if r, err := open(path, false); err == nil { // the writer has just ended
		return r, nil
	}
	return nil, fmt.Errorf("%w; asked it for a copy: %w", locked, err)
}

// viewOlder migrates a copy: the file itself is only read.
func viewOlder(path string) (*Run, error) {
	db, err := openBolt(path, false)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	f, err := os.CreateTemp("", "darwarp-view-*")
	if err != nil {
		return nil, err
	}
	old := &Run{db: db}
	if err := errors.Join(old.copyTo(f), f.Close()); err != nil {
		os.Remove(f.Name())
		return nil, noSpace(err)
	}
	return openCopy(f.Name())
}

// openCopy opens a temporary file that is to vanish with the handle: its name is removed at once, so
// that nothing stays behind even after a kill.
func openCopy(temp string) (*Run, error) {
	defer os.Remove(temp)
	r, err := open(temp, false)
	if errors.Is(err, errOlder) {
		if err := migrateFile(temp); err != nil {
			return nil, err
		}
		r, err = open(temp, false)
	}
	return r, err
}

// fetchCopy asks a live search for a copy of its run.
func fetchCopy(path string) (temp string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), copyWait)
	defer cancel()
	body, err := ask(ctx, path, "/copy")
	if err != nil {
		return "", err
	}
	defer body.Close()
	f, err := os.CreateTemp("", "darwarp-view-*") // mode 0600
	if err != nil {
		return "", err
	}
	_, err = io.Copy(f, body) // fails on fewer bytes than announced
	if err := errors.Join(err, f.Close()); err != nil {
		os.Remove(f.Name())
		return "", noSpace(err)
	}
	return f.Name(), nil
}

// AskStatus asks a live search how it is, or gives ErrNotServed.
func AskStatus(ctx context.Context, path string) (s Status, err error) {
	body, err := ask(ctx, path, "/status")
	if err != nil {
		return s, named(path, err)
	}
	defer body.Close()
	err = json.NewDecoder(body).Decode(&s)
	return s, named(path, err)
}

// Watch calls fn with each event that a live search publishes, one JSON object without its newline,
// until the search ends (nil), ctx does, or fn fails. The bytes are fn's only during the call. A
// watcher that is too slow is dropped by the search, which looks like its end: AskStatus tells.
func Watch(ctx context.Context, path string, fn func(event []byte) error) error {
	body, err := ask(ctx, path, "/events")
	if err != nil {
		return named(path, err)
	}
	defer body.Close()
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
	return named(path, lines.Err())
}

// ask sends one request over the run's socket. The body must be closed; ctx bounds its reading too.
func ask(ctx context.Context, path, what string) (io.ReadCloser, error) {
	socket, err := SocketPath(path)
	if err != nil {
		return nil, err
	}
	client := http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "unix", socket)
		},
	}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://darwarp"+what, nil)
	if err != nil {
		return nil, err
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, fault{ErrNotServed, err}
	}
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(response.Body, 1<<10)) // best effort: the status says enough
		response.Body.Close()
		return nil, fmt.Errorf("%s: %s: %s", what, response.Status, text)
	}
	return response.Body, nil
}
