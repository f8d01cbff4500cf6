package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"revopt/simulate"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
)

// customers are three classes with deadlines; %s is where a trace picks their
// jobs out.
const customers = `
  - {name: industry, %sprice: {per_unit_hour: 2.5}, decay: {per_hour: 10%%}, deadline: {lengths: 3}, max_penalty: {of_price: 0.2}, expire: floor, slo: {within: 10m, level: 90%%}}
  - {name: science, %sprice: {per_hour: 3}, decay: 0.002, grace: 1h, max_penalty: 5, expire: floor}
  - {name: students, %sprice: 1, decay: 0.001, deadline: 4h, hard: true, expire: floor}
`

// classFile is the customers as job classes.
func classFile() string {
	return "name: campus\nserver: {nodes: 32}\nload: 0.9\nsimulation: {jobs: 200, replications: 2}\nclasses:" +
		fmt.Sprintf(customers,
			"share: 0.2, length: {mean: 40m, sd: 20m}, width: 8, ", "share: 0.3, length: {mean: 1h, sd: 30m}, width: {values: [1, 4], weights: [0.5, 0.5]}, ", "share: 0.5, length: {mean: 10m, sd: 5m}, ")
}

// traceFile is the customers laid over the trace jobs.swf, by the names of
// groups.
func traceFile() string {
	return "name: campus\ntrace: {file: jobs.swf}\nsimulation: {replications: 2}\nclasses:" + fmt.Sprintf(customers,
		"of: {group: [industry]}, ", "of: {group: [science]}, ", "of: {group: [students]}, ")
}

// inCampus makes the class file and its jobs as a trace in a directory of their
// own.
func inCampus(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	writeText(t, "classes.yaml", classFile())
	writeText(t, "trace.yaml", traceFile())
	writeText(t, "parts.yaml", traceFile()+"ic: {optional: [0.5, 4], rate: 0.2}\n")
	must(t, "trace", "generate", "classes.yaml", "--jobs", "200", "-o", "jobs.swf")
}

// TestTraceAdmission admits by customer on a trace, in all ways.
func TestTraceAdmission(t *testing.T) {
	inCampus(t)
	a := told(t, shellWords("simulate trace.yaml --policy easy,hol --admission all,analytic,simulated --admission students=0 --admission 0.5,1,0.25")...)
	if n := len(texts(t, a, "policies", "admission")); n != 10 {
		t.Fatalf("%d rows", n)
	}
	for i, name := range texts(t, a, "customers", "admission") {
		refused := number(t, a, "customers", i, "rejected_admission") > 0
		class := i % 3
		want := name == "students=0" && class == 2 || name == "0.5,1,0.25" && class != 1
		if name != "analytic" && name != "simulated" && refused != want {
			t.Errorf("%v: class %d refuses: %v", name, class, refused)
		}
		if promised := value(t, a, "customers", i, "promise_kept").Known(); promised != (class == 0) {
			t.Errorf("%v: class %d promises: %v", name, class, promised)
		}
	}
	for line := range strings.Lines(must(t,
		shellWords("simulate trace.yaml --policy easy,libra+$,conservative --admission all,analytic")...)) {
		if n := len([]rune(strings.TrimRight(line, "\n"))); n > 100 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

// TestExitCodes reports errors of every sort.
func TestExitCodes(t *testing.T) {
	for _, tt := range []struct {
		err  error
		code int
		says string
	}{
		{errors.New("no"), exitFailed, "revopt: no\n"},
		{usagef("bad"), exitUsage, "revopt: bad\n"},
		{&policy.NeedError{Policy: "libra", Need: "deadlines"}, exitUsage, "revopt: policy libra needs deadlines\n"},
		{&shortError{"the proof did not close"}, exitShort, "revopt: the proof did not close\n"},
		{fmt.Errorf("sweep: 3 of 4: %w", &simulate.PanicError{Value: "index out of range"}), exitFault,
			"revopt: a bug: index out of range; please report it"},
		{fmt.Errorf("simulate: %w", context.Canceled), exitInterrupted, "revopt: simulate: interrupted\n"},
		{errors.Join(&shortError{"short"}, usagef("bad")), exitUsage, "revopt: short; bad\n"},
	} {
		var stderr bytes.Buffer
		p := &program{stdout: bufio.NewWriter(&bytes.Buffer{}), stderr: &stderr}
		if code := p.report(tt.err); code != tt.code || !strings.HasPrefix(stderr.String(), tt.says) ||
			strings.Count(stderr.String(), "\n") != 1 {
			t.Errorf("%v: exit %d, %q", tt.err, code, stderr.String())
		}
	}
}

// TestForeign takes the frames of a policy out of a stack.
func TestForeign(t *testing.T) {
	const stack = "goroutine 1 [running]:\nruntime/debug.Stack()\n\t/go/stack.go:26\npanic({0x1, 0x2})\n\t/go/panic.go:9\n" +
		"main.(*mine).Schedule(0x3)\n\t/mine/main.go:7 +0x1\nexample.com/mine/sort.By(0x1)\n\t/mine/sort/by.go:8\n" +
		"revopt/simulate.(*kernel).decide(0x4)\n\t/revopt/kernel.go:9\nmain.main()\n\t/mine/main.go:3\n"
	const want = "main.(*mine).Schedule(0x3)\n\t/mine/main.go:7 +0x1\nexample.com/mine/sort.By(0x1)\n\t/mine/sort/by.go:8\n"
	if got := foreign(stack, "example.com/mine"); got != want {
		t.Errorf("%q", got)
	}
	if got := foreign(strings.ReplaceAll(stack, "main.(*mine)", "revopt/x"), ""); got != "" {
		t.Errorf("%q", got)
	}
}

// TestPanic lets code panic in the program's own goroutine, in one that it waits
// for, and in a replication: the stack leads to boom.
func TestPanic(t *testing.T) {
	t.Setenv("GOTRACEBACK", "all")
	boom := func() (int, error) { panic("boom") }
	for _, f := range []func() (int, error){
		boom,
		func() (int, error) { return await(t.Context(), boom) },
		func() (int, error) {
			_, err := metric.Replicate(t.Context(), 0, 4, 2, func(context.Context, int) (int, error) { return boom() })
			return 0, err
		},
	} {
		_, err := simulate.Guard(f)
		var stderr bytes.Buffer
		p := &program{stdout: bufio.NewWriter(&bytes.Buffer{}), stderr: &stderr}
		if code := p.report(err); code != exitFault ||
			!strings.HasPrefix(stderr.String(), "revopt: a bug: boom; please report it") ||
			!strings.Contains(stderr.String(), "TestPanic.func1(") {
			t.Errorf("exit %d, %q", code, stderr.String())
		}
	}
}
