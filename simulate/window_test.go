package simulate_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"revopt/simulate"
	"revopt/simulate/policy"
)

// frame is an observer of the window and of who is measured.
type frame struct {
	opened, closed, ended float64
	measured              []int64
}

func (f *frame) Observe(e simulate.Event) {
	switch e.Kind {
	case simulate.Opened:
		f.opened = e.Time
	case simulate.Closed:
		f.closed = e.Time
	case simulate.Ended:
		f.ended = e.Time
	case simulate.Submitted:
		if e.Job.Measured {
			f.measured = append(f.measured, e.Job.ID)
		}
	}
}

// TestWindow: jobs of 1 s come every second from 1 to 10 and are served at
// once, but for job 3 (at 4), which takes 3 s and makes the others wait 2 s.
func TestWindow(t *testing.T) {
	for _, test := range []struct {
		name                  string
		window                simulate.Window
		opened, closed, ended float64
		first, last           int64 // measured
		result                simulate.Result
	}{
		{"everything", simulate.Window{}, 0, 10, 13, 0, 9,
			simulate.Result{Time: 13, Submitted: 10}},
		{"jobs", simulate.Window{Jobs: 5}, 0, 5, 8, 0, 4,
			simulate.Result{Time: 8, Submitted: 8, Unfinished: 3}},
		{"jobs, drained", simulate.Window{Jobs: 5, Drain: true}, 0, 5, 8, 0, 4,
			simulate.Result{Time: 8, Submitted: 5}},
		{"warm-up by jobs", simulate.Window{WarmupJobs: 2, Jobs: 5}, 2, 5, 8, 2, 4,
			simulate.Result{Time: 8, Submitted: 8, Unfinished: 3}},
		{"horizon", simulate.Window{Horizon: 5.5}, 0, 5.5, 8, 0, 4,
			simulate.Result{Time: 8, Submitted: 8, Unfinished: 3}},
		{"horizon, drained", simulate.Window{Horizon: 5.5, Drain: true}, 0, 5.5, 8, 0, 4,
			simulate.Result{Time: 8, Submitted: 5}},
		{"warm-up by time", simulate.Window{WarmupTime: 2.5, Horizon: 5}, 2.5, 5, 8, 2, 4,
			simulate.Result{Time: 8, Submitted: 8, Unfinished: 3}},
		{"a job at the opening is measured", simulate.Window{WarmupTime: 3, Horizon: 5}, 3, 5, 8, 2, 4,
			simulate.Result{Time: 8, Submitted: 8, Unfinished: 3}},
		{"the later warm-up counts", simulate.Window{WarmupJobs: 4, WarmupTime: 2.5, Jobs: 5}, 4, 5, 8, 4, 4,
			simulate.Result{Time: 8, Submitted: 8, Unfinished: 3}},
		{"horizon after the last job", simulate.Window{Horizon: 20}, 0, 20, 20, 0, 9,
			simulate.Result{Time: 20, Submitted: 10}},
	} {
		t.Run(test.name, func(t *testing.T) {
			jobs := make([]simulate.Job, 10)
			for i := range jobs {
				jobs[i] = job(float64(i+1), 1, 1)
			}
			jobs[3].Work = 3
			got := new(frame)
			result := run(t, simulate.Config{
				Source:    &list{jobs: jobs},
				Sites:     []simulate.Site{{Processors: 1, Policy: policy.NewFCFS(false)}},
				Window:    test.window,
				Observers: []simulate.Observer{got},
			})
			if got.opened != test.opened || got.closed != test.closed || got.ended != test.ended {
				t.Errorf("open from %g to %g, run to %g; want %g, %g, %g", got.opened, got.closed, got.ended, test.opened, test.closed, test.ended)
			}
			var want []int64
			for id := test.first; id <= test.last; id++ {
				want = append(want, id)
			}
			if !slices.Equal(got.measured, want) {
				t.Errorf("measured %v, want %v", got.measured, want)
			}
			if result != test.result {
				t.Errorf("result %+v, want %+v", result, test.result)
			}
		})
	}
}

// endless is a source of one job in front, then one low-ranked, then
// high-ranked ones without end, at twice the rate that can be served.
type endless struct{ n int }

func (s *endless) Next(j *simulate.Job) (bool, error) {
	given := job(float64(s.n)/2, 1, 1)
	j.Submit, j.Work, j.Width, j.Expire = given.Submit, given.Work, given.Width, given.Expire
	if s.n > 1 {
		j.Rank = 1
	}
	s.n++
	return true, nil
}

// TestStarvedJobEndsRun: the low-ranked job would wait for ever, so arrivals
// are cut off when as many have come after the close as before it.
func TestStarvedJobEndsRun(t *testing.T) {
	got := run(t, simulate.Config{
		Source: new(endless),
		Sites:  []simulate.Site{{Processors: 1, Policy: policy.NewHOL(false)}},
		Window: simulate.Window{Jobs: 50},
	})
	// The starved job is the last of 100 of 1 s each.
	if want := (simulate.Result{Time: 100, Submitted: 100, Cut: true}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// idle is a policy that never starts anything.
type idle struct{}

func (idle) Arrive(*simulate.Cluster, *simulate.Job) {}
func (idle) Schedule(*simulate.Cluster)              {}

// broken is a source that fails.
type broken struct{}

func (broken) Next(*simulate.Job) (bool, error) { return false, errors.New("unreadable") }

func TestRunErrors(t *testing.T) {
	one := []simulate.Site{{Processors: 1, Policy: policy.NewFCFS(false)}}
	jobs := func(jobs ...simulate.Job) simulate.Source { return &list{jobs: jobs} }
	for _, test := range []struct {
		name string
		cfg  simulate.Config
		want string
	}{
		{"no source", simulate.Config{Sites: one}, "no source"},
		{"no site", simulate.Config{Source: jobs()}, "no site"},
		{"no processors", simulate.Config{Source: jobs(), Sites: []simulate.Site{{Policy: idle{}}}}, "0 processors"},
		{"no policy", simulate.Config{Source: jobs(), Sites: []simulate.Site{{Processors: 1}}}, "policy <nil>"},
		{"source fails at once", simulate.Config{Source: broken{}, Sites: one}, "unreadable"},
		{"order", simulate.Config{Source: jobs(job(2, 1, 1), job(1, 1, 1)), Sites: one}, "job 1 is submitted at 1, after one at 2"},
		{"negative time", simulate.Config{Source: jobs(job(-1, 1, 1)), Sites: one}, "submitted at -1"},
		{"width", simulate.Config{Source: jobs(job(0, 1, 0)), Sites: one}, "width 0"},
		{"work", simulate.Config{Source: jobs(job(0, -1, 1)), Sites: one}, "work -1"},
		{"nobody serves", simulate.Config{Source: jobs(job(0, 1, 1)), Sites: []simulate.Site{{Processors: 1, Policy: idle{}}}}, "1 jobs wait"},
		{"warm-up of all jobs", simulate.Config{Source: jobs(), Sites: one, Window: simulate.Window{WarmupJobs: 5, Jobs: 5}}, "leaves none of 5"},
		{"warm-up of all time", simulate.Config{Source: jobs(), Sites: one, Window: simulate.Window{WarmupTime: 5, Horizon: 5}}, "leaves none of 5 s"},
		{"negative limit", simulate.Config{Source: jobs(), Sites: one, Window: simulate.Window{Jobs: -1}}, "negative"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := simulate.Run(context.Background(), test.cfg)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got error %v, want one with %q", err, test.want)
			}
		})
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := simulate.Run(ctx, simulate.Config{
		Source: new(endless),
		Sites:  []simulate.Site{{Processors: 1, Policy: policy.NewHOL(false)}},
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want %v", err, context.Canceled)
	}
}

// parity is a broker that sends odd classes to the second site and refuses
// class 2.
type parity struct{}

func (parity) Route(j *simulate.Job, sites []*simulate.Cluster) (*simulate.Cluster, simulate.Reason) {
	if j.Class == 2 {
		return nil, simulate.Unrouted
	}
	return sites[j.Class%2], simulate.NoReason
}

func (parity) Next(*simulate.Job, *simulate.Cluster, []*simulate.Cluster) *simulate.Cluster {
	return nil
}

func TestRouter(t *testing.T) {
	jobs := make([]simulate.Job, 6)
	for i := range jobs {
		jobs[i] = job(0, 1, 1)
		jobs[i].Class = i % 3
	}
	got := make(fates)
	run(t, simulate.Config{
		Source: &list{jobs: jobs},
		Sites: []simulate.Site{
			{Processors: 1, Policy: policy.NewFCFS(false)},
			{Processors: 2, Policy: policy.NewFCFS(false)},
		},
		Router:    parity{},
		Observers: []simulate.Observer{got},
	})
	if len(got) != len(jobs) {
		t.Errorf("%d of %d jobs ended", len(got), len(jobs))
	}
	for id, want := range []float64{1, 1, 0, 2, 1, 0} {
		if got[int64(id)].finish != want {
			t.Errorf("job %d left at %g, want %g", id, got[int64(id)].finish, want)
		}
	}
}
