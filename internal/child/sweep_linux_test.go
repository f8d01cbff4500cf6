package child

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestSweep: a process that has left the group of the program, and its session, ends with it,
// whether the program ends by itself or is killed.
func TestSweep(t *testing.T) {
	const length = "86411.25"
	running := func() bool {
		files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
		for _, file := range files {
			if b, _ := os.ReadFile(file); bytes.HasPrefix(b, []byte("sleep\x00"+length)) {
				return true
			}
		}
		return false
	}
	for _, end := range []string{"read bye", "sleep 9"} {
		script := "setsid sh -c 'trap \"\" TERM HUP; sleep " + length + "' </dev/null >/dev/null 2>&1 &\n" +
			"read ask; echo; " + end
		p, err := Start([]string{"sh", "-c", script}, 5*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Ask([]byte("ask\n")); err != nil {
			t.Fatal(err)
		}
		for until := time.Now().Add(5 * time.Second); !running(); time.Sleep(time.Millisecond) {
			if time.Now().After(until) {
				t.Skip("there is no setsid")
			}
		}
		p.Close([]byte("bye\n"), 100*time.Millisecond)
		time.Sleep(10 * time.Millisecond) // to die
		if running() {
			t.Errorf("%s: a process is left", end)
		}
	}
}
