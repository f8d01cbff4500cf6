package ask

import (
	"testing"

	"revopt/internal/fixture"
)

// TestSampled: the last jobs stand for a long log, unless outages count from its first job.
func TestSampled(t *testing.T) {
	const (
		undated = "machine: {down: [{from: 10h, to: 11h}]}\n"
		dated   = "machine: {down: [{from: 2026-01-01T10:00, to: 2026-01-01T11:00}]}\n"
		begins  = "; UnixStartTime: 1767225600"
	)
	for _, x := range []struct {
		name, header, down string
		jobs               float64
		found, want        bool
	}{
		{name: "short", jobs: sampledJobs},
		{name: "long", jobs: sampledJobs + 1, want: true},
		{name: "found without dates", jobs: sampledJobs + 1, found: true},
		{name: "found with dates", header: begins, jobs: sampledJobs + 1, found: true, want: true},
		{name: "stated without dates", header: begins, down: undated, jobs: sampledJobs + 1},
		{name: "stated with dates", header: begins, down: dated, jobs: sampledJobs + 1, want: true},
	} {
		lines := []string{fixture.LoggedJob(0, 0, 60, 1, 1, 1, 1), fixture.LoggedJob(90, 0, 60, 1, 1, 1, 2)}
		if x.header != "" {
			lines = append([]string{x.header}, lines...)
		}
		s := fixture.Logged(t, "}\n"+x.down+"policies: [easy]\npresent: {held: none", lines)
		if got := sampled(s, x.jobs, x.found); got != x.want {
			t.Errorf("%s: got %t, want %t", x.name, got, x.want)
		}
	}
}
