package subject_test

import (
	"context"
	"os"
	"testing"

	"revopt/internal/fixture"
	"revopt/model/scenario"
	"revopt/simulate/subject"
)

// TestTraceIsReadOnce: the sum of the file of a trace and the trace on machines of other sizes need
// no second reading.
func TestTraceIsReadOnce(t *testing.T) {
	path := fixture.TraceOfGroups(t)
	want, err := subject.FileSum(path)
	if err != nil {
		t.Fatal(err)
	}
	s := fixture.Opened(t, "trace: {file: "+path+", jobs: first:20}\n")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if got := s.TraceFile().SHA256; got != want {
		t.Errorf("the sum of the file is %s, got %q", want, got)
	}
	larger, err := s.With(context.Background(), scenario.Override{Path: "trace.nodes", Value: "24"})
	if err != nil {
		t.Fatal(err)
	}
	if larger.Nodes() != 24 || larger.TraceFile().SHA256 != want {
		t.Errorf("got %d nodes, sum %q", larger.Nodes(), larger.TraceFile().SHA256)
	}
}
