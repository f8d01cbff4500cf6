package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"revopt/plots/engine"
)

// replied sends a request to a server and returns its reply.
func replied(t *testing.T, address string, request engine.Request) (reply struct {
	Facts map[string]any
	Error string
}) {
	t.Helper()
	body, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.Post(strings.Replace(address, "/?", "/call?", 1), "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	data, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(data, &reply)
	}
	if err != nil || r.StatusCode != http.StatusOK {
		t.Fatalf("status %d: %s %v", r.StatusCode, data, err)
	}
	return reply
}

// TestServe: a call has the facts of the command line, for a trace in a file too, and cannot make the program
// read another file or start a program.
func TestServe(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, "trace", "generate", "--jobs", "60", "-o", "jobs.swf")
	must(t, "trace", "generate", "--jobs", "50", "-o", "other.swf")
	scenario := `trace: {file: jobs.swf, nodes: 128}
classes: [{name: all, price: {per_unit_hour: 1.5}, decay: {per_hour: 25%}, grace: 10m}]
policies: [easy, 'exec:touch ran']
`
	writeText(t, "mine.yaml", scenario)
	writeText(t, "slurm.conf", "PriorityType=priority/basic\n")
	before := runtime.NumGoroutine()
	ctx, cancel := context.WithCancel(t.Context())
	read, write := io.Pipe()
	ended := make(chan int, 1)
	var stderr bytes.Buffer
	go func() { ended <- run(ctx, []string{"serve", "mine.yaml"}, nil, write, &stderr) }()
	address, err := bufio.NewReader(read).ReadString('\n')
	if err != nil {
		t.Fatal(err, stderr.String())
	}
	address = strings.TrimSpace(address)
	for _, set := range [][]string{nil, {"trace.nodes=64"},
		{"classes.all.price.per_unit_hour=3", "trace.nodes=100"}} {
		args := []string{"solve", "mine.yaml", "--json"}
		for _, s := range set {
			args = append(args, "--set", s)
		}
		var want map[string]any
		if err := json.Unmarshal([]byte(must(t, args...)), &want); err != nil {
			t.Fatal(err)
		}
		if got := replied(t, address, engine.Request{Command: "solve", Name: "mine.yaml", Set: set}); got.Error != "" ||
			!equalFacts(got.Facts, want, 0) {
			t.Errorf("%v: %s\n%v, want\n%v", set, got.Error, got.Facts, want)
		}
	}
	for name, r := range map[string]engine.Request{
		"other trace":        {Set: []string{"trace.file=other.swf"}},
		"trace in a flow":    {Set: []string{"trace={file: other.swf}"}},
		"profile":            {Set: []string{"classes.all.arrivals={profile: other.swf}"}},
		"file by a number":   {Set: []string{"trace.nodes={file: other.swf}"}},
		"policies of files":  {Set: []string{"policies=[{slurm: {conf: slurm.conf}}]"}},
		"outages":            {Set: []string{"machine={down: [{events: other.swf}]}"}},
		"varied file":        {Command: "solve", Vary: "trace.file=other.swf"},
		"settings":           {Command: "simulate", Policies: []string{"slurm:conf=slurm.conf"}},
		"settings in a list": {Command: "simulate", Policies: []string{"easy,slurm:assoc=slurm.conf"}},
		"program":            {Command: "simulate", Policies: []string{"exec:touch ran"}},
		"own program":        {Command: "simulate"},
		"no command":         {Command: "serve"},
	} {
		if r.Command == "" {
			r.Command = "solve"
		}
		if got := replied(t, address, r); got.Error == "" || strings.Contains(got.Error, "\n") {
			t.Errorf("%s: %q, want an error in one line", name, got.Error)
		}
	}
	other := strings.Replace(scenario, "jobs.swf", "other.swf", 1)
	if got := replied(t, address, engine.Request{Command: "describe", Scenario: other}); got.Error != "" {
		t.Error(got.Error)
	} else if info := replied(t, address, engine.Request{Command: "describe"}); !reflect.DeepEqual(got, info) {
		t.Errorf("another scenario is described as %v, want %v", got, info)
	}
	if _, err := os.Stat("ran"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a program ran: %v", err)
	}
	http.DefaultClient.CloseIdleConnections()
	since := time.Now()
	cancel()
	if code := <-ended; code != exitInterrupted || !strings.HasSuffix(stderr.String(), "revopt: interrupted\n") {
		t.Errorf("exit %d, %s", code, stderr.String())
	}
	t.Logf("ends after %s", time.Since(since))
	for end := time.Now().Add(time.Minute); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d goroutines, before %d", runtime.NumGoroutine(), before)
		}
	}
}

// TestServeSignals: the process ends on a signal while it computes, with the exit code of other commands.
func TestServeSignals(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals to send")
	}
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		cmd := exec.Command(os.Args[0], "serve", "nist-cluster")
		cmd.Env = append(os.Environ(), asProgram+"=1")
		stdout, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		defer cmd.Process.Kill()
		address, err := bufio.NewReader(stdout).ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		gone := make(chan error, 1)
		go func() {
			reply, err := http.Post(strings.Replace(strings.TrimSpace(address), "/?", "/call?", 1), "application/json",
				strings.NewReader(`{"command":"solve", "vary": "load=0.05:1.4:x9999"}`))
			if err == nil { // the server may have time to say that it was interrupted
				var said struct{ Error string }
				err = json.NewDecoder(reply.Body).Decode(&said)
				if said.Error != "" {
					err = errors.New(said.Error)
				}
				reply.Body.Close()
			}
			gone <- err
		}()
		select {
		case err := <-gone:
			t.Fatalf("a long call ended: %v", err)
		case <-time.After(300 * time.Millisecond):
		}
		since := time.Now()
		cmd.Process.Signal(signal)
		err = cmd.Wait()
		late := time.Since(since)
		if code := cmd.ProcessState.ExitCode(); code != exitInterrupted {
			t.Errorf("%v: exit %d, %v", signal, code, err)
		}
		t.Logf("%v: ends after %s", signal, late) // within 100 ms on an idle machine
		if <-gone == nil {
			t.Error("the call was answered")
		}
	}
}
