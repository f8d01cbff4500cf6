package simulate_test

import (
	"cmp"
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"revopt/simulate"
	"revopt/simulate/policy"
)

// greedy starts every job at once.
type greedy struct{}

func (greedy) Arrive(c *simulate.Cluster, j *simulate.Job) { c.Start(j) }
func (greedy) Schedule(*simulate.Cluster)                  {}

// copying yields whole jobs, and panics at the end of the list unless it is bounded.
type copying struct {
	jobs    []simulate.Job
	next    int
	bounded bool
}

func (c *copying) Next(j *simulate.Job) (bool, error) {
	if c.bounded && c.next == len(c.jobs) {
		return false, nil
	}
	*j = c.jobs[c.next]
	c.next++
	return true, nil
}

// observing is an observer.
type observing func(simulate.Event)

func (f observing) Observe(e simulate.Event) { f(e) }

// TestPanics: a panic is an error that names policy, job and time and leads to its line.
func TestPanics(t *testing.T) {
	fragile := observing(func(e simulate.Event) {
		if e.Kind == simulate.Completed {
			panic("no end")
		}
	})
	jobs := []simulate.Job{job(0, 10, 1), job(2, 10, 3), job(3, 1, 1)}
	for _, tt := range []struct {
		source simulate.Source
		policy simulate.Policy
		says   string
		frame  string
	}{
		{&list{jobs: jobs}, greedy{}, "policy simulate_test.greedy, job 1, at 2 s: panic: simulate: start without free processors: job 1 is 3 wide, 2 of 3 are free", "greedy.Arrive"},
		{&copying{jobs: jobs}, policy.NewHOL(false), "policy *policy.hol, job 3, at 3 s: panic: runtime error: index out of range [3] with length 3", "copying).Next"},
		{&list{jobs: jobs[:1]}, policy.NewHOL(false), "policy *policy.hol, job 0, at 10 s: panic: no end", "observing.Observe"},
	} {
		_, err := simulate.Run(context.Background(), simulate.Config{Source: tt.source,
			Sites: []simulate.Site{{Processors: 3, Policy: tt.policy}}, Observers: []simulate.Observer{fragile}})
		var fault *simulate.PanicError
		if !errors.As(err, &fault) || err.Error() != tt.says || !strings.Contains(string(fault.Stack), tt.frame) {
			t.Errorf("got %v, want %s in %s", err, tt.says, tt.frame)
		}
	}
}

// TestWholeJobs: whole jobs, as an observer of another run copies them, make the same
// run as jobs of which the source fills the upper part.
func TestWholeJobs(t *testing.T) {
	var jobs, seen []simulate.Job
	for i := range 300 {
		j := job(float64(i), float64(i*7%11+1), 1)
		if i%3 == 0 {
			j.Expire = j.Submit + float64(i%5+1)
		}
		jobs = append(jobs, j)
	}
	logs := [2]logbook{}
	for i, source := range []simulate.Source{&list{jobs: jobs}, &copying{bounded: true}} {
		if i == 1 {
			source.(*copying).jobs = seen
		}
		run(t, simulate.Config{Source: source, Sites: []simulate.Site{{Processors: 5, Policy: policy.NewHOL(false)}},
			Observers: []simulate.Observer{&logs[i], observing(func(e simulate.Event) {
				if e.Kind == simulate.Completed || e.Kind == simulate.Expired {
					seen = append(seen, *e.Job)
				}
			})}})
		slices.SortFunc(seen, func(a, b simulate.Job) int { return cmp.Compare(a.ID, b.ID) })
	}
	if !reflect.DeepEqual(logs[0], logs[1]) || len(seen) != 2*len(jobs) {
		t.Errorf("%d and %d transitions, %d jobs", len(logs[0].lines), len(logs[1].lines), len(seen))
	}
}
