package steer

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/run"
	"revopt/simulate/subject"
)

// TestReservations: whether a cluster has reservations follows from bf_min_prio_reserve and priorities of the queue,
// and whether a simulation can have them too from the policy. The other SchedulerParameters do the opposite.
func TestReservations(t *testing.T) {
	const threshold = ",bf_min_prio_reserve="
	for _, c := range []struct {
		params, policy string
		limit          float64 // on waiting, s
		cluster, met   bool
		other          string
	}{
		{"(null)", "value-bf", 0, true, true, "bf_min_prio_reserve=4000000000"},
		{"bf_interval=9", "value-bf", 0, true, true, "bf_interval=9" + threshold + "4000000000"},
		{"bf_interval=9", "value-bf", 60, true, true, "bf_interval=9" + threshold + "1000000000"},
		{"bf_interval=9" + threshold + "4000000000", "value-bf", 0, false, true, "bf_interval=9"},
		{"bf_interval=9" + threshold + "100", "value-bf", 0, true, true, "bf_interval=9" + threshold + "4000000000"},
		{"bf_interval=9" + threshold + "100", "value-bf", 60, false, true, "bf_interval=9"},
		{"bf_interval=9", "hol:backfill=true", 0, true, false, "bf_interval=9" + threshold + "4000000000"},
		{"bf_interval=9" + threshold + "4000000000", "hol:backfill=true", 0, false, true, "bf_interval=9"},
		{"bf_interval=9" + threshold + "4000000000", "sjf-bf", 0, false, false, "bf_interval=9"},
		{"bf_interval=9", "sjf-bf", 0, true, true, "bf_interval=9" + threshold + "4000000000"},
		// The first of several counts, in any case, by its leading digits, up to 2^32 - 1.
		{"bf_min_prio_reserve=100" + threshold + "4000000000", "value-bf", 0, true, true, threshold[1:] + "4000000000"},
		{"BF_Min_Prio_Reserve=4000000000", "value-bf", 0, false, true, ""},
		{"bf_min_prio_reserve=4000000000k", "value-bf", 0, false, true, ""},
		{"bf_min_prio_reserve=4294967296", "value-bf", 0, true, true, threshold[1:] + "4000000000"},
		{"bf_min_prio_reserve=-4000000000", "value-bf", 0, true, true, threshold[1:] + "4000000000"},
		{"bf_min_prio_reserve", "value-bf", 0, true, true, threshold[1:] + "4000000000"},
	} {
		f := randomQueue(rand.New(rand.NewPCG(1, 1)), 30)
		f.params = c.params
		s := newSteerer(t, f, Settings{LongestWait: c.limit}, c.policy)
		if r := s.Reservations; r.Cluster != c.cluster || r.Met != c.met || r.Other != c.other {
			t.Errorf("%+v: %+v", c, r)
		}
	}
}

// TestBelow: jobs that are all below the threshold of reservations stay below it, however many they are.
func TestBelow(t *testing.T) {
	f := randomQueue(rand.New(rand.NewPCG(2, 2)), 300)
	f.params = "bf_min_prio_reserve=6000"
	s := newSteerer(t, f, Settings{})
	s.Orderer.past = s.Orderer.past[:50] // for speed
	begin(t, s, journalFile(t))
	p, err := s.Step(t.Context())
	if err != nil || p.After.Agree != p.After.Pairs || p.Waiting < 100 {
		t.Fatalf("%+v, %v", p, err)
	}
	for _, w := range p.queue {
		if w.priority >= s.Site.Threshold {
			t.Errorf("job %d has priority %d", w.number, w.priority)
		}
	}
}

// earned sums what jobs pay at their ends.
type earned struct {
	sum         float64
	first, last float64 // submissions
}

func (e *earned) Observe(x simulate.Event) {
	if x.Job == nil {
		return
	}
	e.first, e.last = math.Min(e.first, x.Job.Submit), math.Max(e.last, x.Job.Submit)
	if x.Kind == simulate.Completed {
		e.sum += x.Job.Value.At(x.Time - x.Job.Submit)
	}
}

// TestAdvise computes an advice a second time, by runs of its own: the values of all rules, the best static one, what
// steering adds to it, and whether that is enough.
func TestAdvise(t *testing.T) {
	const params = "bf_interval=1,bf_resolution=1"
	for _, params := range []string{params, params + ",bf_min_prio_reserve=4000000000"} {
		f := randomQueue(rand.New(rand.NewPCG(1, 1)), 1)
		f.params = params
		s := newSteerer(t, f, Settings{})
		on, err := s.Orderer.Subject.With(t.Context(), scenario.Set("simulation.jobs", 100),
			scenario.Override{Path: "simulation.warmup", Value: "0%"})
		if err != nil {
			t.Fatal(err)
		}
		usual, err := subject.NewPolicy(nil, "slurm", nil)
		if err != nil {
			t.Fatal(err)
		}
		today := s.Site.Today(on, usual)
		l, err := run.NewLab(t.Context(), on.Document, run.Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		a, err := s.Advise(t.Context(), l, today, today)
		if err != nil {
			t.Fatal(err)
		}
		values := map[string][]float64{}
		for _, row := range a.Rows {
			p, err := subject.ParsePolicy(nil, strings.Split(row.Label, ":"))
			if err != nil {
				t.Fatal(err)
			}
			e := &run.Experiment{Workload: on.Workload, Policy: p, Seed: run.DerivedSeed(1, "advice")}
			for k := range AdviceReplications {
				sum := &earned{first: math.Inf(1)}
				if _, err := e.Run(t.Context(), k, sum); err != nil {
					t.Fatal(err)
				}
				values[row.Label] = append(values[row.Label], sum.sum/(sum.last-sum.first))
			}
			if mean, half := interval(values[row.Label]); math.Abs(mean-float64(row.Value.Mean)) > half/2 {
				t.Errorf("%s: %g, expected %g ± %g", row.Label, row.Value.Mean, mean, half)
			}
			if row.Kind != RuleSteered && row.Value.Mean > a.Best().Value.Mean {
				t.Errorf("%s is better than %s", row.Label, a.Static)
			}
		}
		added := make([]float64, AdviceReplications)
		for k := range added {
			added[k] = values[a.Row(RuleSteered).Label][k] - values[a.Static][k]
		}
		mean, half := interval(added)
		share := float64(a.Gain.Mean) / float64(a.Best().Value.Mean)
		if math.Abs(mean-float64(a.Gain.Mean)) > half || math.Abs(share-float64(a.Share)) > 1e-9 ||
			a.Steer != (share >= 0.02 && a.Gain.Mean > a.Gain.HalfWidth) {
			t.Errorf("%+v, expected %g ± %g", a, mean, half)
		}
		none := strings.Contains(a.Row(RuleSteered).Label, "reservations=0")
		if none == s.Reservations.Cluster || !strings.Contains(a.Row(RuleToday).Label, "bf_interval=1") || a.Row(RuleQOS) == nil {
			t.Errorf("%+v", a.Rows)
		}
	}
}

// interval returns the mean of values and half of its 95 % interval, about.
func interval(x []float64) (mean, half float64) {
	n := float64(len(x))
	for _, v := range x {
		mean += v / n
	}
	for _, v := range x {
		half += (v - mean) * (v - mean) / (n - 1)
	}
	return mean, 2.2 * math.Sqrt(half/n)
}
