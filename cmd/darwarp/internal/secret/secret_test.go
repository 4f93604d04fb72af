package secret

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestMain lets this binary be the process whose environment is looked at.
func TestMain(m *testing.M) {
	if os.Getenv("SECRET_TEST_CHILD") == "" {
		os.Exit(m.Run())
	}
	if os.Getenv("SECRET_TEST_CHILD") == "hidden" { // as the supervisor is
		if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
			panic(err)
		}
	}
	taken := Take("A_KEY")
	if again := Take("A_KEY"); len(again) > 0 {
		panic(again)
	}
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0); err != nil { // to look
		panic(err)
	}
	shown, err := os.ReadFile("/proc/self/environ")
	if err != nil {
		panic(err)
	}
	child, err := exec.Command("env").Output()
	if err != nil {
		panic(err)
	}
	fmt.Printf("taken %s\n%s\n%s\n%s\n", taken.Getenv("A_KEY"), shown, child, strings.Join(os.Environ(), "\n"))
	os.Exit(0)
}

// TestTake looks at all that other processes see of an environment.
func TestTake(t *testing.T) {
	for _, how := range []string{"plain", "hidden"} {
		cmd := exec.Command("/proc/self/exe")
		if os.Getuid() == 0 { // who may do more than others
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		}
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "A_KEY=canary-one", "FIRST=stays-here", "other_token=canary-two",
			"EMPTY_SECRET=", "A_PASSWORD_FILE=canary-three", "SECRET_TEST_CHILD=" + how, "LAST=stays-there"}
		out, err := cmd.CombinedOutput()
		text := string(out)
		if err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		if strings.Count(text, "canary") != 1 || !strings.Contains(text, "taken canary-one\n") {
			t.Errorf("%s: a secret is left: %q", how, text)
		}
		for _, stays := range []string{"FIRST=stays-here", "LAST=stays-there"} {
			if strings.Count(text, stays) != 3 {
				t.Errorf("%s: %s is not left three times: %q", how, stays, text)
			}
		}
	}
}
