package fleet

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// network is two network namespaces with a wire between them: the search and a worker are in one, a worker in the
// other. When some verdicts are there nothing comes through the wire for three seconds, and nobody is told.
const network = `set -e
ip link set lo up
unshare -n sleep 300 & other=$!
until [ "$(readlink /proc/$other/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.05; done
trap 'kill $other $near $far $search 2>/dev/null || true' EXIT
ip link add v0 type veth peer name v1 netns $other
ip addr add 10.77.0.1/24 dev v0
ip link set v0 up
nsenter -t $other -n sh -c 'ip addr add 10.77.0.2/24 dev v1; ip link set v1 up'
FLEET_TEST_ROLE=worker "$1" "$2/fleet" near > "$2/near" & near=$!
FLEET_TEST_ROLE=worker nsenter -t $other -n "$1" "$2/fleet" far 10.77.0.1 > "$2/far" & far=$!
FLEET_TEST_ROLE=search "$1" "$2/fleet" 0.0.0.0:0 $(seq 1 2400) > "$2/told" & search=$!
did() { grep -c did "$2/$1" || true; }
until [ "$(did near "$2")" -gt 20 ] && [ "$(did far "$2")" -gt 20 ]; do sleep 0.05; done
ip link set v0 down
sleep 3
did far "$2" > "$2/before"
ip link set v0 up
wait $search
did far "$2" > "$2/after"
`

// TestNetworkCut: a network that is silent for three seconds, and ends no connection, costs no verdict: what the worker
// behind it had goes to another, each candidate is told once, and the worker works on when the network does.
func TestNetworkCut(t *testing.T) {
	if out, err := exec.Command("unshare", "-rn", "sh", "-c", `ip link set lo up && unshare -n sleep 1 & sleep 0.2
		ip link add v0 type veth peer name v1 netns $! && which nsenter`).CombinedOutput(); err != nil {
		t.Skipf("no network namespaces with a wire here: %v %s", err, out)
	}
	dir := t.TempDir()
	cmd := exec.Command("unshare", "-rn", "--kill-child", "sh", "-c", network, "sh", os.Args[0], dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(data))
	}
	told := ledger{}
	for line := range strings.Lines(read("told")) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "told "); ok {
			n, verdict, _ := strings.Cut(rest, " ")
			if told[n]++; verdict != "ok <nil>" || told[n] > 1 {
				t.Errorf("candidate %s: %s, told %d times", n, verdict, told[n])
			}
		}
	}
	if len(told) != 2400 {
		t.Errorf("%d candidates were told", len(told))
	}
	if read("before") == read("after") {
		t.Errorf("the worker behind the wire did %s, and no more when it was up again", read("before"))
	}
	t.Logf("the worker behind the wire did %s before it was up again, and %s in all", read("before"), read("after"))
}

// TestFullDisk: a search whose folder lies on a full disk says so in one line, and begins once there is room: no half
// of a key is left. Streams are in memory, what a worker compiles is not kept where its disk is full
// (TestCacheOnFullDisk of eval/internal/compile), and a search waits with its run's file
// (TestDiskFullPausesAndGoesOn of evolve).
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	out, err := exec.Command("unshare", "-rm", "sh", "-c", `export FLEET_TEST_ROLE=keys
		for size in 4k 8k 12k; do # each file takes 4k: another one is the first without room
			mount -t tmpfs -o size=$size tmpfs "$2" || exit 77
			"$1" "$2/fleet" && exit 3
			mount -o remount,size=1m tmpfs "$2" && "$1" "$2/fleet" && ls "$2/fleet" || exit 4
		done`, "sh", os.Args[0], dir).CombinedOutput()
	var exit *exec.ExitError
	if errors.Is(err, exec.ErrNotFound) || errors.As(err, &exit) && (exit.ExitCode() == 77 || exit.ExitCode() == 1 &&
		strings.Contains(string(out), "unshare")) {
		t.Skipf("no folder can be mounted here: %s", out)
	}
	const there = "no space left on device\ncert.pem\nkey.pem\nowner\ntoken\n"
	if n := strings.Count(string(out), there); err != nil || n != 3 {
		t.Fatalf("%v: %s", err, out)
	}
}
