package child

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
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
		for until := time.Now().Add(time.Minute); !running(); time.Sleep(time.Millisecond) {
			if time.Now().After(until) {
				t.Skip("there is no setsid")
			}
		}
		p.Close([]byte("bye\n"), 100*time.Millisecond)
		for until := time.Now().Add(time.Minute); running(); time.Sleep(time.Millisecond) { // it may take long to die
			if time.Now().After(until) {
				t.Fatalf("%s: a process is left", end)
			}
		}
	}
}

// TestEndsWithParent: a program ends when its parent is killed, although the threads of the parent come
// and go.
func TestEndsWithParent(t *testing.T) {
	const role = "REVOPT_TEST_PARENT"
	if os.Getenv(role) != "" {
		p, err := Start([]string{"sh", "-c", "echo $$; exec sleep 86411.5"}, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		for range 4 { // these threads end
			go runtime.LockOSThread()
		}
		line, err := p.Ask([]byte("\n"))
		if err != nil {
			t.Fatal(err)
		}
		os.Stdout.Write(append(line, '\n'))
		select {}
	}
	parent := exec.Command(os.Args[0], "-test.run=^TestEndsWithParent$")
	parent.Env = append(os.Environ(), role+"=1")
	out, err := parent.StdoutPipe()
	if err == nil {
		err = parent.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	pid, bad := strconv.Atoi(strings.TrimSpace(line))
	time.Sleep(50 * time.Millisecond)
	early := syscall.Kill(pid, 0)
	parent.Process.Kill()
	parent.Wait()
	if err != nil || bad != nil || early != nil {
		t.Fatal(line, err, bad, early)
	}
	for until := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil || bytes.Contains(stat, []byte(") Z ")) {
			return
		}
		if time.Now().After(until) {
			syscall.Kill(pid, syscall.SIGKILL)
			t.Fatal("the program lives on")
		}
	}
}
