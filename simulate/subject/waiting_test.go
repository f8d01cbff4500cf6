package subject_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"revopt/internal/fixture"
	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/subject"
	"revopt/simulate/waits"
)

// TestHeldByCanceled: on 4 nodes job 3 waits for job 2, which is canceled 900 s after its submission, and then 100 s for
// nothing. A simulation does not know job 2, so all 990 s are held. Job 4 waits for job 1, which it knows: of its 210 s
// only the 20 s that nothing explains are held. The first 10 s are unknown, as the runs are that long.
func TestHeldByCanceled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.swf")
	lines := "; MaxProcs: 4\n; MaxNodes: 4\n" +
		"1 0 200 10 1 -1 -1 1 10 -1 1 1 1 1 1 1 -1 -1\n" +
		"2 20 900 -1 -1 -1 -1 1 10 -1 5 1 1 1 1 1 -1 -1\n" +
		"3 30 990 10 1 -1 -1 1 10 -1 1 1 1 1 1 1 2 -1\n" +
		"4 40 210 10 1 -1 -1 1 10 -1 1 1 1 1 1 1 1 20\n"
	if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	s := fixture.Opened(t, "trace: {file: "+path+", cleaning: drop}\nclasses: [{name: all, price: 1}]\n")
	log, err := s.Waiting(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	parts := log.Decompose(1)
	for i, want := range []float64{0, 0, 890, 190} {
		if got := parts.Jobs[i][waits.NotEligible]; got != want {
			t.Errorf("job %d was not eligible for %g s, want %g", i+1, got, want)
		}
	}
	held := log.Held(parts)
	for place, want := range []float64{190, 990, 20} {
		if got := held(place); got != want {
			t.Errorf("the job of place %d is held for %g s, want %g", place, got, want)
		}
	}
}

// TestPapersHoldNothing: on an empty machine a job waited 900 s, which nothing explains. A scenario of its log holds it for
// so long. The scenarios of papers take the jobs of a log, at any speed, and never what held them.
func TestPapersHoldNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.swf")
	lines := "; MaxProcs: 128\n; MaxNodes: 128\n" +
		"1 0 900 100 1 -1 -1 1 200 -1 1 1 1 1 1 1 -1 -1\n" +
		"2 5000 900 100 1 -1 -1 1 200 -1 1 1 1 1 1 1 -1 -1\n"
	if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	held := func(doc *scenario.Document, err error) bool {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		o := subject.Opener{Seed: 1}
		s, err := o.Open(t.Context(), doc)
		if err != nil {
			t.Fatal(err)
		}
		source, err := s.Workload.Jobs(1, 0)
		if err != nil {
			t.Fatal(err)
		}
		var job simulate.Job
		if _, err := source.Next(&job); err != nil {
			t.Fatal(err)
		}
		return job.Eligible > 0
	}
	log := fixture.Parsed(t, "trace: {file: "+path+", nodes: 128}\nclasses: [{name: all, price: 1}]\n")
	if !held(log, nil) {
		t.Error("the jobs of the log are not held")
	}
	for _, name := range []string{"sp2-like", "sp2-sla"} {
		paper, err := scenario.Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, factor := range []float64{0.5, 1, 2} {
			if held(paper.With(scenario.Override{Path: "trace.file", Value: path}, scenario.Override{Path: "trace.jobs", Value: "all"},
				scenario.Set("trace.arrival_delay_factor", factor))) {
				t.Errorf("%s at the factor %g holds jobs", name, factor)
			}
		}
	}
}
