package policy_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"revopt/simulate"
	"revopt/simulate/policy"
)

// lots is a source of n jobs of two classes in turn, each with a lot.
type lots struct {
	rnd *rand.Rand
	n   int
}

func (s *lots) Next(j *simulate.Job) (bool, error) {
	if s.n == 0 {
		return false, nil
	}
	s.n--
	j.Class, j.Width, j.Expire, j.Chance = s.n%2, 1, math.Inf(1), s.rnd.Float64()
	return true, nil
}

// admitted is an observer of who is admitted, and of the reasons why not.
type admitted struct {
	count   [2]int
	jobs    map[int64]bool
	reasons map[simulate.Reason]int
}

func (a *admitted) Observe(e simulate.Event) {
	switch e.Kind {
	case simulate.Admitted:
		a.count[e.Job.Class]++
		a.jobs[e.Job.ID] = true
	case simulate.Rejected:
		a.reasons[e.Reason]++
	}
}

func admit(t *testing.T, p simulate.Policy, q ...float64) *admitted {
	t.Helper()
	p, err := policy.WithAdmission(p, q)
	if err != nil {
		t.Fatal(err)
	}
	got := &admitted{jobs: make(map[int64]bool), reasons: make(map[simulate.Reason]int)}
	_, err = simulate.Run(context.Background(), simulate.Config{
		Source:    &lots{rand.New(rand.NewPCG(1, 1)), 20_000},
		Sites:     []simulate.Site{{Processors: 1, Policy: p}},
		Observers: []simulate.Observer{got},
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestAdmission: of 10,000 jobs of each class the right share is admitted,
// give or take 4 sd of 50, and the jobs admitted at a lower probability are
// among those admitted at a higher.
func TestAdmission(t *testing.T) {
	few := admit(t, policy.NewHOL(false), 0.3, 1)
	if math.Abs(float64(few.count[0])-3000) > 200 || few.count[1] != 10_000 {
		t.Errorf("admitted %v, want about 3000 and 10000", few.count)
	}
	if few.reasons[simulate.Admission] != 10_000-few.count[0] || len(few.reasons) != 1 {
		t.Errorf("rejected for %v", few.reasons)
	}
	more := admit(t, policy.NewHOL(false), 0.6, 0)
	if math.Abs(float64(more.count[0])-6000) > 200 || more.count[1] != 0 {
		t.Errorf("admitted %v, want about 6000 and 0", more.count)
	}
	for id := range few.jobs {
		if id%2 == 1 && !more.jobs[id] { // class 0: the jobs count down
			t.Fatalf("job %d is admitted at 0.3 and not at 0.6", id)
		}
	}
}

// untimed is a policy without timers.
type untimed struct{}

func (untimed) Arrive(c *simulate.Cluster, j *simulate.Job) { c.Start(j) }
func (untimed) Schedule(*simulate.Cluster)                  {}

// TestAdmissionKeepsKind: admission control sets timers, and is told of
// completions, if and only if the policy behind it does and is.
func TestAdmissionKeepsKind(t *testing.T) {
	for _, test := range []struct {
		policy           simulate.Policy
		timed, finishing bool
	}{
		{policy.NewHOL(false), true, false}, {untimed{}, false, false},
		{policy.NewFCFSBF(), true, true}, {policy.NewConservative(policy.Terms{}), false, true},
	} {
		p, err := policy.WithAdmission(test.policy, []float64{1})
		if err != nil {
			t.Fatal(err)
		}
		if _, got := p.(simulate.Timed); got != test.timed {
			t.Errorf("%T behind admission: timed is %t", test.policy, got)
		}
		if _, got := p.(simulate.Finisher); got != test.finishing {
			t.Errorf("%T behind admission: finishing is %t", test.policy, got)
		}
	}
}

func TestAdmissionRefused(t *testing.T) {
	for _, q := range []float64{-0.1, 1.1, math.NaN()} {
		if _, err := policy.WithAdmission(untimed{}, []float64{1, q}); err == nil {
			t.Errorf("probability %g was accepted", q)
		}
	}
}
