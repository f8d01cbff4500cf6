package subject

import (
	"context"
	"os"
	"testing"

	"revopt/model/scenario"
)

// TestTraceIsReadOnce: the sum of the file of a trace and the trace on machines of other sizes need
// no second reading.
func TestTraceIsReadOnce(t *testing.T) {
	path := traceOfGroups(t)
	want, err := FileSum(path)
	if err != nil {
		t.Fatal(err)
	}
	s := opened(t, "trace: {file: "+path+", jobs: first:20}\n")
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
