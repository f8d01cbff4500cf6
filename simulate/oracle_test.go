package simulate_test

import (
	"context"
	"fmt"
	"testing"

	"revopt/model"
	"revopt/simulate"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
)

// oracle is a queue whose figures are known exactly.
type oracle struct {
	name    string
	classes []model.Class
	servers int
	policy  func() simulate.Policy
	sharing simulate.Sharing
	want    []float64 // by class: mean wait, or time in system under a sharing
}

// length returns a distribution, of mean 1 unless said.
func length(kind model.Kind, mean, sd float64) model.Distribution {
	return must(model.New(kind, mean, sd, 0))
}

func single(load float64, servers int, d model.Distribution) []model.Class {
	return []model.Class{{Rate: load * float64(servers) / d.Mean(), Length: d, Floor: model.Floor{None: true}}}
}

// pollaczek returns the mean wait of M/G/1: lambda E[B^2] / (2 (1 - rho)).
func pollaczek(c model.Class) float64 {
	return c.Rate * c.Length.Moment(2) / 2 / (1 - c.Rate*c.Length.Mean())
}

// erlangC returns the mean wait of M/M/n with mean service 1: the probability
// of waiting over n (1 - rho), by the recurrence of Erlang B.
func erlangC(load float64, n int) float64 {
	a := load * float64(n)
	b := 1.0
	for k := 1; k <= n; k++ {
		b = a * b / (float64(k) + a*b)
	}
	return b / (1 - load*(1-b)) / (float64(n) * (1 - load))
}

// kleinrock returns the mean waits of M/G/1 with non-preemptive priorities,
// W_s = T0 / ((1 - sigma_s)(1 - sigma_{s+1})), for classes of rising urgency
// (Kleinrock II, 3.39).
func kleinrock(classes []model.Class) []float64 {
	var t0 float64
	for _, c := range classes {
		t0 += c.Rate * c.Length.Moment(2) / 2
	}
	w := make([]float64, len(classes))
	above := 0.0
	for s := len(classes) - 1; s >= 0; s-- {
		with := above + classes[s].Rate*classes[s].Length.Mean()
		w[s] = t0 / ((1 - above) * (1 - with))
		above = with
	}
	return w
}

func fcfs() simulate.Policy { return policy.NewFCFS(false) }
func hol() simulate.Policy  { return policy.NewHOL(false) }
func now() simulate.Policy  { return new(everywhere) }

// prioritized returns classes of rising urgency and unlike lengths.
func prioritized(load float64, lengths ...model.Distribution) []model.Class {
	classes := make([]model.Class, len(lengths))
	for s, d := range lengths {
		classes[s] = model.Class{
			Name: fmt.Sprint(s), Rate: load / float64(len(lengths)) / d.Mean(), Length: d,
			Decay: float64(s+1) * d.Mean(), Floor: model.Floor{None: true},
		}
	}
	return classes
}

// oracles returns the queues with known answers at the given load.
func oracles(load float64) []oracle {
	exponential := length(model.Exponential, 1, 0)
	deterministic := length(model.Deterministic, 1, 0)
	hyper := length(model.HyperExponential, 1, 1.2)
	short, long := length(model.Gamma, 0.5, 0.25), length(model.Gamma, 1, 0.4)
	m, d, g := single(load, 1, exponential), single(load, 1, deterministic), single(load, 1, hyper)
	two := prioritized(load, exponential, short)
	three := prioritized(load, deterministic, short, long)
	four := prioritized(load, short, long, deterministic, short)
	sojourn := []float64{1 / (1 - load)}
	return []oracle{
		{"M/M/1", m, 1, fcfs, nil, []float64{pollaczek(m[0])}},
		{"M/D/1", d, 1, fcfs, nil, []float64{pollaczek(d[0])}},
		{"M/G/1", g, 1, fcfs, nil, []float64{pollaczek(g[0])}},
		{"M/M/3", single(load, 3, exponential), 3, fcfs, nil, []float64{erlangC(load, 3)}},
		{"M/G/1 HOL 2", two, 1, hol, nil, kleinrock(two)},
		{"M/G/1 HOL 3", three, 1, hol, nil, kleinrock(three)},
		{"M/G/1 HOL 4", four, 1, hol, nil, kleinrock(four)},
		{"M/M/1 PS", m, 1, now, equal{}, sojourn},
		{"M/D/1 PS", d, 1, now, equal{}, sojourn},
	}
}

// system is an observer of the measured jobs' time in the system, and of the
// mean number in the system while the window is open.
type system struct {
	inside, last, area float64
	opened, number     float64
	jobs, time         []float64 // by class
}

func (s *system) Observe(e simulate.Event) {
	s.area += s.inside * (e.Time - s.last)
	s.last = e.Time
	switch e.Kind {
	case simulate.Opened:
		s.opened, s.area = e.Time, 0
	case simulate.Closed:
		s.number = s.area / (e.Time - s.opened)
	case simulate.Submitted:
		s.inside++
	case simulate.Completed:
		s.inside--
		if e.Job.Measured {
			s.jobs[e.Job.Class]++
			s.time[e.Job.Class] += e.Time - e.Job.Submit
		}
	}
}

// outcome is a replication of an oracle: the figures that are known, and the
// two sides of Little's law.
type outcome struct {
	figures       []float64
	number, delay float64 // L, and lambda T
}

// oracleSeed fixes the luck of the oracles: one interval of a thousand misses
// the truth. With seed 20 that is the lowest class of HOL 4 at load 0.7 (3.3
// sd), while 1800 further replications agree with the formula to 0.05 %.
const oracleSeed = 21

// replicate simulates an oracle once, under audit.
func (o oracle) replicate(ctx context.Context, jobs int64, replication int) (outcome, error) {
	source, err := drawn(o.classes, oracleSeed, replication)
	if err != nil {
		return outcome{}, err
	}
	n := len(o.classes)
	audit, tally := new(simulate.Audit), metric.NewTally(n)
	inside := &system{jobs: make([]float64, n), time: make([]float64, n)}
	_, err = simulate.Run(ctx, simulate.Config{
		Source:    source,
		Sites:     []simulate.Site{{Processors: o.servers, Policy: o.policy(), Sharing: o.sharing}},
		Window:    simulate.Window{WarmupJobs: jobs / 10, Jobs: jobs},
		Observers: []simulate.Observer{audit, tally, inside},
	})
	if err == nil {
		err = audit.Err()
	}
	out := outcome{number: inside.number}
	for s := range n {
		out.delay += inside.time[s] / tally.Total().Seconds
		sum := tally.Class(s)
		figure := sum.Wait / float64(sum.Started)
		if o.sharing != nil {
			figure = inside.time[s] / inside.jobs[s]
		}
		out.figures = append(out.figures, figure)
	}
	return out, err
}

// check compares the simulation with the formula and with Little's law, at
// 99.9 % confidence and the given relative precision.
func (o oracle) check(t *testing.T, precision float64, jobs int64) {
	const level = 0.999
	const most = 1280 // replications
	var results []outcome
	column := func(of func(outcome) float64) []float64 {
		x := make([]float64, len(results))
		for i, r := range results {
			x[i] = of(r)
		}
		return x
	}
	narrow := func() bool {
		for class := range o.want {
			x := column(func(r outcome) float64 { return r.figures[class] })
			if !(metric.Estimate(x, metric.LookLevel(level, len(x))).Relative() <= precision) {
				return false
			}
		}
		return true
	}
	for n := 10; n == 10 || n <= most && !narrow(); n *= 2 {
		more, err := metric.Replicate(context.Background(), len(results), n, 0,
			func(ctx context.Context, replication int) (outcome, error) {
				return o.replicate(ctx, jobs, replication)
			})
		if err != nil {
			t.Fatal(err)
		}
		results = append(results, more...)
	}
	if !narrow() {
		t.Errorf("%d replications of %d jobs are not precise to %g", len(results), jobs, precision)
	}
	for s, want := range o.want {
		got := metric.Estimate(column(func(r outcome) float64 { return r.figures[s] }), level)
		t.Logf("class %d: %.5g +- %.2g %% (%d x %d jobs), exact %.5g", s, got.Mean, 100*got.Relative(), got.N, jobs, want)
		if !got.Contains(want) {
			t.Errorf("class %d: got %g +- %g, want %g", s, got.Mean, got.HalfWidth, want)
		}
	}
	number := column(func(r outcome) float64 { return r.number })
	little := metric.Difference(number, column(func(r outcome) float64 { return r.delay }), level)
	if mean := metric.Estimate(number, level).Mean; !little.Contains(0) || little.HalfWidth > precision*mean {
		t.Errorf("Little's law: L - lambda T is %g +- %g of %g", little.Mean, little.HalfWidth, mean)
	}
}

// TestOracles is precise to 3 % at a load of 0.5. The tag long has a load of 0.9, and
// three and four classes.
func TestOracles(t *testing.T) {
	for _, o := range oracles(0.5) {
		if o.name == "M/G/1 HOL 3" || o.name == "M/G/1 HOL 4" { // TestOraclesLong has them
			continue
		}
		t.Run(o.name, func(t *testing.T) { o.check(t, 0.03, 20_000) })
	}
}
