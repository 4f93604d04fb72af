package background

import (
	"bufio"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"darwarp/cmd/darwarp/internal/console"
)

// TestHangupBeforeTheRun: a terminal that is closed while a search opens does not end it, and is told of in the log.
func TestHangupBeforeTheRun(t *testing.T) {
	other := make(chan os.Signal, 1) // under nohup the signal would be ignored
	signal.Notify(other, syscall.SIGHUP)
	defer signal.Stop(other)
	read, write := io.Pipe()
	terminal := OutliveTerminal(&console.Console{Err: write})
	defer terminal.Release()
	if err := syscall.Kill(os.Getpid(), syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	<-other // it was delivered
	terminal.Log("night.db")
	line, err := bufio.NewReader(read).ReadString('\n')
	if err != nil || !strings.Contains(line, "darwarp watch night.db") {
		t.Errorf("%q, %v", line, err)
	}
}
