package proc

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

// The test binary is its own worker: started with a role, it behaves as that role says.
const roleFlag = "-worker-role="

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && strings.HasPrefix(os.Args[1], roleFlag) {
		os.Exit(play(strings.TrimPrefix(os.Args[1], roleFlag)))
	}
	Vmstat = os.DevNull // see there
	goleak.VerifyTestMain(m)
}

// request and reply are the messages of the fake worker.
type request struct {
	Do   string `json:"do"`
	N    int    `json:"n,omitempty"`
	Data []byte `json:"-"`
}

func (r *request) Blob() *[]byte { return &r.Data }

type reply struct {
	Text string `json:"text"`
	N    int    `json:"n"`
	Data []byte `json:"-"`
}

func (r *reply) Blob() *[]byte { return &r.Data }

// play is the worker's main.
func play(role string) int {
	switch role {
	case "serve":
		return Main(act)
	case "parsing":
		return parsing()
	case "mute": // never says hello
		select {}
	case "broken":
		fmt.Fprintln(os.Stderr, "no such library")
		return ExitInternal
	case "old":
		_ = writeFrame(os.NewFile(fdReplies, ""), envelope{Kind: kindHello, Version: version + 1}, nil)
		select {}
	case "parent":
		return parent()
	}
	return 99
}

// parent starts a worker, tells its id, and waits to be killed.
func parent() int {
	w, err := Start(context.Background(), Spec{Args: []string{roleFlag + "serve"}})
	if err != nil {
		return 1
	}
	fmt.Println(w.PID())
	select {}
}
