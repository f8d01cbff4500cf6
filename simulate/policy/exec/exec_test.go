//go:build unix

package exec_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"revopt/simulate"
	"revopt/simulate/policy"
	"revopt/simulate/policy/exec"
)

// few are jobs on 4 units for the program of testdata/child.sh. There are 11 messages: hello,
// then the arrivals of jobs 0 to 4 at 1, 2, 4, 6 and 8 s, those of 2 to 4 each followed by an end,
// then the ends of 0 and 1.
func few() []simulate.Job {
	return []simulate.Job{
		{Submit: 1, Work: 19, Width: 1}, {Submit: 2, Work: 1, Width: 4},
		{Submit: 4, Work: 1, Width: 2}, {Submit: 6, Work: 1, Width: 2}, {Submit: 8, Work: 1, Width: 2},
	}
}

type listed []simulate.Job

func (l *listed) Next(j *simulate.Job) (bool, error) {
	if len(*l) == 0 {
		return false, nil
	}
	*j = (*l)[0]
	*l = (*l)[1:]
	return true, nil
}

// runExec runs few with the program, which writes its process ID to a file, and checks that
// the program and all that it started are gone.
func runExec(t *testing.T, timeout time.Duration, words ...string) error {
	t.Helper()
	pids := filepath.Join(t.TempDir(), "pid")
	words = append(append([]string{"/bin/sh", "testdata/child.sh"}, words...), pids)
	for i, w := range words {
		words[i] = strconv.Quote(w)
	}
	spec := exec.Spec(exec.Options{Timeout: timeout})
	settings := policy.Settings{"command": strings.Join(words, " "), "estimates": "exact", "k": "2"}
	policies, _, err := spec.Make(settings, policy.Sites(4))
	if err != nil {
		t.Fatal(err)
	}
	own := policies[0]
	jobs := listed(few())
	_, err = simulate.Run(context.Background(), simulate.Config{
		Source: &jobs, Sites: []simulate.Site{{Processors: 4, Policy: own}},
	})
	if end := own.(io.Closer).Close(); err == nil {
		err = end
	}
	text, _ := os.ReadFile(pids)
	pid, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	for wait := time.Millisecond; pid > 0 && alive(pid); wait *= 2 {
		if time.Sleep(wait); wait > time.Second {
			t.Errorf("%v: the process group %d is still there", words, pid)
			break
		}
	}
	return err
}

// alive reports whether a process of a group runs. Dead ones may be there until init takes
// note of them.
func alive(group int) bool {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	if len(stats) == 0 {
		return syscall.Kill(-group, 0) == nil
	}
	for _, file := range stats {
		stat, _ := os.ReadFile(file)
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:])) // state, parent, group
		if len(fields) > 2 && fields[0] != "Z" && fields[2] == strconv.Itoa(group) {
			return true
		}
	}
	return false
}

// fault is something that a program does wrong, and words of the error.
type fault struct{ act, want string }

// replyFaults are replies that are wrong at every message.
func replyFaults() []fault {
	return []fault{
		{"hello", "expected a JSON object"}, {"", "expected a JSON object"}, {"null", "expected a JSON object"},
		{"[]", "expected a JSON object"}, {"17", "expected a JSON object"}, {`"start"`, "expected a JSON object"},
		{"{", "unexpected end"}, {`{"hello":2}}`, "invalid character"}, {`{"hello":2} x`, "invalid character"},
		{"{'start':[2]}", "invalid character"}, {`{"start":[NaN],"fields":[NaN]}`, "invalid character"},
		{`{"hello":2,"wake":1e999}`, "1e999"}, {`{"hello":2,"wake":-5}`, "wake at -5 s, which is not after now"},
		{`{"hello":2,"wake":0}`, "wake at 0 s"}, {`{"hello":2,"wake":"soon"}`, "string"},
		{`{"hello":2,"wake":[]}`, "array"},
		{`{"hello":2,"wake":Infinity}`, "invalid character"}, {"binary", "expected a JSON object"},
		{"twice", "more than one line"}, {"thrice", "more than one line"}, {"deep", "exceeded max depth"},
		{"endless", "longer than 16 MiB"}, {"gigabyte", "longer than 16 MiB"}, {"zeros", "longer than 16 MiB"},
		{"exit", "the program ended with exit status 0"}, {"fail", "exit status 3: ValueError: bad  luck"},
		{"kill", "signal: killed"}, {"fork", "the program ended with exit status 0"}, {"forkmany", "exit status 1"},
		{"mute", "closed its input or output"}, {"flood", "exit status 1: lost in the flood"},
	}
}

// actFaults are wrong replies to a message other than hello.
func actFaults() []fault {
	return []fault{
		{`{"start":[77]}`, "start of job 77, which does not wait"}, {`{"start":[-1]}`, "start of job -1"},
		{`{"start":[0]}`, "start of job 0, which does not wait"},
		{`{"start":[2,2]}`, "start of job 2, which does not wait"},
		{`{"start":[1]}`, "start of job 1, which needs 4 units, 3 are free"},
		{`{"start":[9223372036854775808]}`, "9223372036854775808"}, {`{"start":[1e30]}`, "1e30"},
		{`{"start":[2.5]}`, "2.5"}, {`{"start":["2"]}`, "string"},
		{`{"start":2}`, `"start": expected a list of ids, as [17], got number`},
		{`{"start":{"2":1}}`, "object"},
		{`{"start":[null]}`, "start of null, expected a list of ids, as [17]"},
		{`{"reject":[{"id":77}]}`, "rejection of job 77"},
		{`{"reject":[{}]}`, "without an id"},
		{`{"reject":[{"id":0}]}`, "rejection of job 0"}, {`{"reject":[{"id":1},{"id":1}]}`, "rejection of job 1"},
		{`{"start":[2],"reject":[{"id":2}]}`, "job 2"}, {`{"reject":[{"id":1,"why":3}]}`, "number"},
		{"many", "start of job 7, which does not wait"}, {"deepkeys", "invalid character"},
		{`{"wake":1}`, "wake at 1 s, which is not after now"},
		{`{"suspend":[77]}`, "suspension of job 77, which does not run"},
		{`{"suspend":[1]}`, "suspension of job 1, which does not run"},
		{`{"suspend":[0,0]}`, "suspension of job 0, which "}, {`{"suspend":[0],"start":[0]}`, " of job 0, which "},
		{`{"suspend":[0],"reject":[{"id":0}]}`, "of job 0, which does not "},
		{`{"suspend":[null]}`, "suspension of null, expected a list of ids, as [12]"},
		{`{"suspend":0}`, `"suspend": expected a list of ids, as [12], got number`}, {`{"suspend":["0"]}`, "string"},
		{`{"suspend":[0.5]}`, "0.5"}, {`{"suspend":[{"id":0}]}`, "object"},
	}
}

// helloFaults are wrong replies to hello.
func helloFaults() []fault {
	return []fault{
		{`{}`, "expected version 2, got 0"}, {`{"hello":1}`, "version 1 of the protocol was removed in 0.6"}, {`{"hello":3}`, "expected version 2, got 3"},
		{`{"hello":"1"}`, "string"}, {`{"hello":2,"options":["j"]}`, `the program has no option "k", but j`},
		{`{"hello":2,"options":[]}`, `the program has no option "k", but none`},
		{`{"hello":2,"options":"k"}`, `"options": expected a list of names, as ["k"], got string`},
		{`{"hello":2,"fields":["widht"]}`, `unknown field "widht"`}, {`{"hello":2,"fields":"width"}`, "string"},
		{`{"hello":2,"wants":["arrives"]}`, `unknown kind of event "arrives"`}, {`{"hello":2,"wants":[1]}`, "number"},
		{`{"hello":2,"wants":["arrive"],"wake":9}`, "wake without tick"},
		{`{"hello":2,"fields":["submit","submit"]}`, `"submit" is twice`},
		{`{"hello":2,"wants":["value","tick","value"]}`, `"value" is twice`},
		{`{"hello":2,"wants":[]}`, "5 jobs wait at 8 s and nothing is left to happen"},
	}
}

func checkFault(t *testing.T, f fault, moment int, timeout time.Duration) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := runExec(t, timeout, f.act, strconv.Itoa(moment))
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 200<<20 {
		t.Errorf("%s at message %d: %d MB are allocated", f.act, moment, used>>20)
	}
	where := fmt.Sprintf("message %d at ", moment)
	if moment == 0 {
		where = "hello at 1 s: "
	}
	switch {
	case err == nil:
		t.Errorf("%s at message %d: no error", f.act, moment)
	case strings.Contains(err.Error(), "\n") || len(err.Error()) > 600:
		t.Errorf("%s at message %d: not one line: %s", f.act, moment, err)
	case !strings.Contains(err.Error(), f.want) || !strings.HasPrefix(err.Error(), "exec: ") ||
		!strings.Contains(err.Error(), where) && !strings.Contains(f.want, "no reply") &&
			!strings.Contains(f.want, "nothing is left"):
		t.Errorf("%s at message %d: got %q, want %q in it", f.act, moment, err, f.want)
	}
}

// TestExec: a program that does nothing wrong runs all jobs.
func TestExec(t *testing.T) {
	if err := runExec(t, time.Minute, "none", "-1"); err != nil {
		t.Error(err)
	}
}

// TestHostilePrograms: whatever a program does, the run ends with one line, and nothing is left.
func TestHostilePrograms(t *testing.T) {
	for i, f := range replyFaults() {
		if i%3 == 0 || f.act == "fork" || f.act == "gigabyte" {
			checkFault(t, f, i%3, time.Minute)
		}
	}
	for i, f := range actFaults() {
		if i < 8 && i != 3 || strings.Contains(f.act, "suspend") && i%2 == 0 {
			checkFault(t, f, 2, time.Minute)
		}
	}
	checkFault(t, helloFaults()[0], 0, time.Minute)
	checkFault(t, helloFaults()[3], 0, time.Minute)
	checkFault(t, helloFaults()[13], 0, time.Minute)
	checkFault(t, fault{`{"suspend":[0]}`, "2 jobs wait at 9 s and nothing is left to happen"}, 2, time.Minute)
	checkFault(t, fault{"forksilent", "no reply within 100ms"}, 0, 100*time.Millisecond)
}
