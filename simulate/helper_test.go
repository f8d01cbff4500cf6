package simulate_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"revopt/model"
	"revopt/simulate"
	"revopt/simulate/workload"
)

// drawn returns the jobs of classes in a replication, without end.
func drawn(classes []model.Class, seed uint64, replication int) (simulate.Source, error) {
	w, err := workload.NewClasses(classes, 1, workload.Length{})
	if err != nil {
		return nil, err
	}
	return w.Jobs(seed, replication)
}

// list is a source of given jobs.
type list struct {
	jobs []simulate.Job
	next int
}

func (l *list) Next(j *simulate.Job) (bool, error) {
	if l.next == len(l.jobs) {
		return false, nil
	}
	given := l.jobs[l.next]
	l.next++
	j.Class, j.Submit, j.Work, j.Width, j.Rank = given.Class, given.Submit, given.Work, given.Width, given.Rank
	j.Value, j.Expire, j.Chance, j.Spec = given.Value, given.Expire, given.Chance, given.Spec
	return true, nil
}

// job returns a job that never expires.
func job(submit, work float64, width int) simulate.Job {
	return simulate.Job{Submit: submit, Work: work, Width: width, Expire: math.Inf(1)}
}

// worth returns a value as a function of the wait of a job of the given length:
// it falls at the given rate after the grace, to minus the floor.
func worth(price, decay, grace, floor, length float64) simulate.Value {
	return simulate.Value{Price: price, Due: grace + length, Decay: decay, Floor: floor}
}

// logbook is an observer that notes transitions as "kind id" and calls of a
// test's policy among them.
type logbook struct {
	at    []float64
	lines []string
}

func (l *logbook) note(at float64, format string, args ...any) {
	l.at = append(l.at, at)
	l.lines = append(l.lines, fmt.Sprintf(format, args...))
}

func (l *logbook) Observe(e simulate.Event) {
	if e.Job != nil {
		l.note(e.Time, "%v %d", e.Kind, e.Job.ID)
	}
}

// during returns the lines noted at one instant.
func (l *logbook) during(at float64) []string {
	var lines []string
	for i, t := range l.at {
		if math.Abs(t-at) <= 1e-12*at {
			lines = append(lines, l.lines[i])
		}
	}
	return lines
}

// run simulates under audit and fails the test on any error.
func run(tb testing.TB, cfg simulate.Config) simulate.Result {
	tb.Helper()
	audit := new(simulate.Audit)
	cfg.Observers = append([]simulate.Observer{audit}, cfg.Observers...)
	result := must(simulate.Run(context.Background(), cfg))
	if audit.Err() != nil {
		tb.Fatal(audit.Err())
	}
	if audit.Count(simulate.Submitted) != result.Submitted || audit.Unfinished() != result.Unfinished {
		tb.Fatalf("the audit counts %d jobs, %d unfinished; the kernel says %+v", audit.Count(simulate.Submitted), audit.Unfinished(), result)
	}
	return result
}

// must returns v, and panics if there is an error.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
