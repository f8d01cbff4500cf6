package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"revopt/model/scenario"
	"revopt/plots/engine"
	"revopt/simulate/subject"
)

// newEngine returns the engine of pages as this program has it.
func newEngine() *engine.Engine {
	return &engine.Engine{Policies: subject.Standard(), Version: build().Version}
}

// replyTo returns the reply to a request as a page reads it.
func replyTo(t *testing.T, call func(request []byte) []byte, r engine.Request) (reply struct {
	Facts          any
	Command, Error string
}) {
	t.Helper()
	request, err := json.Marshal(r)
	if err == nil {
		err = json.Unmarshal(call(request), &reply)
	}
	if err != nil {
		t.Fatal(err)
	}
	return reply
}

// equalFacts compares two objects of JSON, but not the command line and the build that made them.
func equalFacts(x, y any, most float64) bool {
	for _, object := range []any{x, y} {
		if fields, ok := object.(map[string]any); ok {
			delete(fields, "line")
			delete(fields, "commit")
		}
	}
	return alike(x, y, most)
}

// alike compares values of JSON. Numbers may differ by a share, and by as much if they are small.
func alike(x, y any, most float64) bool {
	switch x := x.(type) {
	case float64:
		y, ok := y.(float64)
		return ok && math.Abs(x-y) <= most*math.Max(1, math.Abs(x))
	case []any:
		y, ok := y.([]any)
		return ok && slices.EqualFunc(x, y, func(x, y any) bool { return alike(x, y, most) })
	case map[string]any:
		y, ok := y.(map[string]any)
		return ok && maps.EqualFunc(x, y, func(x, y any) bool { return alike(x, y, most) })
	}
	return x == y
}

// sameFacts compares the facts of a reply with those that its own command line prints.
func sameFacts(t *testing.T, call func(request []byte) []byte, r engine.Request, most float64) {
	t.Helper()
	reply := replyTo(t, call, r)
	words := shellWords(reply.Command)
	if reply.Error != "" || len(words) < 3 {
		t.Errorf("%+v: %q, command %q", r, reply.Error, reply.Command)
		return
	}
	var want any
	if err := json.Unmarshal([]byte(must(t, append(words[1:], "--json")...)), &want); err != nil {
		t.Fatal(err)
	}
	if !equalFacts(want, reply.Facts, most) {
		t.Errorf("%s --json prints other facts than the engine has", reply.Command)
	}
}

// TestEngineOpener: calls that share a trace read it once, and one that is canceled ends no other.
func TestEngineOpener(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, "trace", "generate", "--jobs", "3000", "-o", "jobs.swf")
	doc, err := scenario.Parse("mine.yaml", []byte("trace: {file: jobs.swf, nodes: 128}\n"+
		"classes: [{name: all, price: {per_unit_hour: 1.5}, decay: {per_hour: 25%}, grace: 10m}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	e := newEngine()
	e.Document, e.Opener = doc, &subject.Opener{Seed: 1, Policies: e.Policies, Kept: 4}
	r := engine.Request{Command: "solve"}
	var calls sync.WaitGroup
	for i := range 20 {
		ctx, cancel := context.WithCancel(t.Context())
		calls.Go(func() {
			if reply := e.Answer(ctx, r); i%2 > 0 && reply.Error != "" {
				t.Error(reply.Error)
			}
		})
		if i%2 == 0 {
			time.AfterFunc(time.Duration(i)*time.Millisecond/4, cancel) // while one of them reads
		}
		defer cancel()
	}
	calls.Wait()
	writeText(t, "jobs.swf", "no trace\n")
	if reply := e.Answer(t.Context(), r); reply.Error != "" {
		t.Error(reply.Error)
	}
}

// TestEngineErrors: whatever is wrong with a request is said on one line.
func TestEngineErrors(t *testing.T) {
	const hostile = "name: </script><script>alert(1)</script>\nserver: {parallel: 2"
	for _, r := range []engine.Request{
		{Command: "solve", Scenario: hostile}, {Command: "solve", Scenario: "a: b\nc: &x [*x, *x]"},
		{Command: "</script>"},
		{Command: "solve", Scenario: "nist-four", Set: []string{"load=1e300"}}, {Command: "solve", Scenario: "none"},
		{Command: "solve", Scenario: "nist-four", Residual: "no"},
		{Command: "simulate", Scenario: "nist-four", Policies: []string{"no"}},
		{Command: "solve", Scenario: "nist-four", Vary: "load"},
		{Command: "simulate", Scenario: "nist-four", Replications: "-1"},
		{Command: "gantt", Scenario: "nist-four", Jobs: "1000"},
		{Command: "solve", Scenario: "trace: {file: /etc/passwd}"}, {Command: "solve", Waits: true, Scenario: "ic-grid"},
	} {
		reply := newEngine().Answer(context.Background(), r)
		if reply.Error == "" || strings.ContainsAny(reply.Error, "\n\x00") ||
			strings.Contains(reply.Error, "runtime error") {
			t.Errorf("%+v: error %q", r, reply.Error)
		}
	}
	for _, body := range []string{"", "{", `{"laod": 1}`, `{"command": 1}`} {
		reply := newEngine().Call(context.Background(), []byte(body))
		if !bytes.Contains(reply, []byte(`{"error":"request: `)) {
			t.Errorf("%.20q: %s", body, reply)
		}
	}
}

// TestDescribe: every built-in scenario is described, and its controls hold their values.
func TestDescribe(t *testing.T) {
	for _, info := range scenario.Builtins() {
		reply := newEngine().Answer(context.Background(), engine.Request{Command: "describe", Scenario: info.Name})
		d, ok := reply.Facts.(*engine.Description)
		if !ok || d.Title != info.Summary || len(d.Controls) == 0 || len(d.Policies) == 0 {
			t.Fatalf("%s: %+v", info.Name, reply)
		}
		if want := info.Name != "ic-grid" && info.Name != "libra-2004"; d.Model != want {
			t.Errorf("%s: model %v", info.Name, d.Model)
		}
		for _, c := range d.Controls {
			if !(c.Min <= c.Value && c.Value <= c.Max && c.Step > 0 && c.Weight >= 0) {
				t.Errorf("%s: %+v", info.Name, c)
			}
		}
	}
}
