package ask

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"revopt/model/scenario"
	"revopt/simulate/policy"
	"revopt/simulate/slurm/steer"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// Steered asks what a steered cluster has delivered.
type Steered struct {
	Journal  string
	Scenario string        // a path or name; "": that of the journal
	Log      string        // a file of sacct; "": none
	Specs    []policy.Spec // that may be named
}

// open reads a journal, its scenario and the log.
func (a Steered) open(ctx context.Context) (*steered, error) {
	records, err := steer.ReadJournal(a.Journal)
	if err != nil {
		return nil, err
	}
	q := &steered{Journal: a.Journal, Records: records}
	var start *steer.Start
	for _, r := range records {
		if r.Start != nil {
			start = r.Start
		}
	}
	if start == nil {
		return nil, &workload.Error{File: a.Journal, Message: "expected a journal in which a run of steer starts"}
	}
	if a.Log != "" {
		q.Log, err = readSacct(a.Log, time.UTC)
		if err == nil {
			err = q.checkLog(a.Log)
		}
		if err != nil {
			return nil, err
		}
	}
	doc, err := scenario.Open(a.scenario(start))
	if err != nil {
		return nil, err
	}
	q.Subject, err = subject.Open(ctx, doc, 1, a.Specs)
	if err != nil {
		return nil, err
	}
	q.Policy = start.Policy
	return q, nil
}

// scenario returns the scenario that is asked for, else that of a journal: as it was named, or beside the journal.
func (a Steered) scenario(start *steer.Start) string {
	if a.Scenario != "" {
		return a.Scenario
	}
	beside := filepath.Join(filepath.Dir(a.Journal), filepath.Base(start.Scenario))
	_, missing := os.Stat(start.Scenario)
	_, absent := os.Stat(beside)
	if missing != nil && absent == nil {
		return beside
	}
	return start.Scenario
}
