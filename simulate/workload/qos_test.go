package workload_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"revopt/model"
	"revopt/simulate"
	"revopt/simulate/policy"
	"revopt/simulate/workload"
)

// tableI returns the default settings of Yeo and Buyya (2007), Table I.
func tableI() *model.QoS {
	return &model.QoS{
		HighUrgency: 0.2,
		Deadline:    model.Spread{LowMean: 2, Ratio: 4, SD: 0.25},
		Budget:      model.Spread{LowMean: 2, Ratio: 4, SD: 0.25},
		Penalty:     model.Spread{LowMean: 0.02, Ratio: 4, SD: 0.5},
		Hard:        [2]float64{model.HighUrgency: 1},
	}
}

// generated returns n generated jobs with the given QoS.
func generated(t testing.TB, n int64, q *model.QoS, seed uint64, replication int) []simulate.Job {
	t.Helper()
	trace := must(workload.Load(context.Background(), workload.Selection{File: model.SP2Like, Subset: workload.Subset{First: n}}, seed))
	return drain(t, replay(t, trace, workload.ReplayOptions{QoS: q}, seed, replication))
}

// moments are the mean and standard deviation of numbers.
func moments(x []float64) (mean, sd float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		sd += (v - mean) * (v - mean) / float64(len(x)-1)
	}
	return mean, math.Sqrt(sd)
}

// truncatedMean is the mean of a normal drawn until it exceeds a limit.
func truncatedMean(mean, sd, limit float64) float64 {
	a := (limit - mean) / sd
	return mean + sd*math.Exp(-a*a/2)/math.Sqrt(2*math.Pi)/(math.Erfc(a/math.Sqrt2)/2)
}

// TestQoSMoments: shares and means of 50,000 jobs are those asked for, give or
// take 4.5 standard errors; nothing crosses its limit.
func TestQoSMoments(t *testing.T) {
	const n = 50_000
	deadline, budget, penalty := [2][]float64{}, [2][]float64{}, [2][]float64{}
	for _, j := range generated(t, n, tableI(), 3, 0) {
		q := j.Value
		d, b := q.Due/j.Work, q.Price/j.Work
		if !(q.Due > j.Work) || !(q.Price > j.Work) || q.Decay < 0 || q.Hard != (j.Class == model.HighUrgency) || j.Rank != j.Class || j.Spec.Details.Estimate != j.Work {
			t.Fatalf("job %+v", j)
		}
		deadline[j.Class] = append(deadline[j.Class], d)
		budget[j.Class] = append(budget[j.Class], b)
		penalty[j.Class] = append(penalty[j.Class], q.Decay)
	}
	if got, se := float64(len(budget[1]))/n, math.Sqrt(0.2*0.8/n); math.Abs(got-0.2) > 4.5*se {
		t.Errorf("%g of the jobs are of high urgency, want 0.2", got)
	}
	for _, test := range []struct {
		name            string
		x               []float64
		mean, sd, limit float64
	}{
		{"deadline, low urgency", deadline[0], 8, 2, 1}, {"deadline, high urgency", deadline[1], 2, 0.5, 1},
		{"budget, low urgency", budget[0], 2, 0.5, 1}, {"budget, high urgency", budget[1], 8, 2, 1},
		{"penalty, low urgency", penalty[0], 0.02, 0.01, 0}, {"penalty, high urgency", penalty[1], 0.08, 0.04, 0},
	} {
		mean, sd := moments(test.x)
		want := truncatedMean(test.mean, test.sd, test.limit)
		if se := sd / math.Sqrt(float64(len(test.x))); math.Abs(mean-want) > 4.5*se {
			t.Errorf("%s: mean %g, want %g ± %g", test.name, mean, want, se)
		}
		if sd > test.sd || sd < 0.85*test.sd {
			t.Errorf("%s: standard deviation %g, want a little below %g", test.name, sd, test.sd)
		}
	}
}

// TestQoSKinds: draws of every family are those of the family above the limit: the
// share above any number is P(X > x)/P(X > limit), and draws by inversion fall with
// their share.
func TestQoSKinds(t *testing.T) {
	for _, kind := range append(model.Kinds(), model.Uniform) {
		for _, c := range []struct{ mean, sd, limit float64 }{{2, 1.25, 1}, {8, 1.25, 1}, {0.02, 1.25, 0}, {2, 0.25, 1}} {
			s := model.Spread{SD: c.sd, Kind: kind}
			draws, err := s.Draws(c.mean, c.limit)
			if kind == model.HyperExponential && c.sd < 1 {
				if err == nil {
					t.Errorf("%s of sd %g is drawn", kind, c.sd)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			beyond := func(x float64) float64 { // P(X > x)
				sd := c.sd * c.mean
				switch kind {
				case model.Normal:
					return math.Erfc((x-c.mean)/(sd*math.Sqrt2)) / 2
				case model.Uniform:
					return min(1, max(0, (c.mean+math.Sqrt(3)*sd-x)/(2*math.Sqrt(3)*sd)))
				}
				d := must(model.New(kind, c.mean, sd, 0))
				return 1 - d.CDF(x)
			}
			last := math.Inf(1)
			for _, u := range []float64{1e-16, 1e-6, 0.1, 0.5, 0.9, 1 - 1e-9} {
				x := draws(u)
				if want := u * beyond(c.limit); !(x <= last) || !(x > c.limit) || kind != model.Deterministic && math.Abs(beyond(x)-want) > 1e-9 {
					t.Errorf("%s %+v: %g lies below a share of %g, want %g", kind, c, x, beyond(x), want)
				}
				last = x
			}
		}
	}
}

// TestQoSCurves: f(R) and g(R) are powers of the run time, a share of the jobs of
// each class has hard deadlines, and estimates are off at random or either way, while
// all else stays as drawn.
func TestQoSCurves(t *testing.T) {
	const n = 20_000
	plain, q := generated(t, n, tableI(), 3, 0), tableI()
	q.Budget.Curve, q.Budget.Scale, q.Penalty.Curve = -0.5, 100, 1
	q.Inaccuracy, q.Over, q.Hard = 0.2, 0.25, [2]float64{0.3, 0.3}
	over, hard, all := 0, [2]float64{}, [2]float64{}
	for i, j := range generated(t, n, q, 3, 0) {
		p := plain[i]
		b, g, accuracy := p.Value.Price*math.Sqrt(100/p.Work), p.Value.Decay*p.Work/3600, j.Spec.Details.Estimate/j.Work
		if math.Abs(j.Value.Price-b) > 1e-9*b || math.Abs(j.Value.Decay-g) > 1e-9*g || j.Value.Due != p.Value.Due {
			t.Fatalf("got %+v, want price %g and decay %g of %+v", j.Value, b, g, p.Value)
		}
		all[j.Class]++
		if j.Value.Hard {
			hard[j.Class]++
		}
		if accuracy > 1 {
			over++
			accuracy = 2 - accuracy
		}
		if math.Abs(accuracy-0.8) > 1e-12 {
			t.Fatalf("estimate %g of %g s", j.Spec.Details.Estimate, j.Work)
		}
	}
	if se := math.Sqrt(0.25 * 0.75 * n); math.Abs(float64(over)-0.25*n) > 4.5*se {
		t.Errorf("%d of %d are over-estimated, want a quarter", over, n)
	}
	for class := range all {
		if got, se := hard[class]/all[class], math.Sqrt(0.3*0.7/all[class]); math.Abs(got-0.3) > 4.5*se {
			t.Errorf("class %d: %g of the deadlines are hard, want 0.3", class, got)
		}
	}
	q.Over, q.Scatter = 0, 0.3
	var ratios []float64
	for _, j := range generated(t, n, q, 3, 0) {
		ratios = append(ratios, j.Spec.Details.Estimate/j.Work)
	}
	mean, sd := moments(ratios)
	if want := truncatedMean(0.8, 0.3, 0); math.Abs(mean-want) > 4.5*sd/math.Sqrt(n) {
		t.Errorf("estimates are %g of the run times on average, want %g", mean, want)
	}
}

// TestCommonNumbers: a change of one quantity leaves the draws of the others,
// and the luck of its own, as they are; another replication draws anew.
func TestCommonNumbers(t *testing.T) {
	base := generated(t, 2000, tableI(), 1, 0)
	for _, test := range []struct {
		name   string
		change func(q *model.QoS)
		same   func(a, b simulate.Value) bool
	}{
		{"budget", func(q *model.QoS) { q.Budget.Ratio = 9 }, func(a, b simulate.Value) bool {
			return a.Due == b.Due && a.Decay == b.Decay && a.Hard == b.Hard && a.Price <= b.Price
		}},
		{"deadline", func(q *model.QoS) { q.Deadline.LowMean = 3 }, func(a, b simulate.Value) bool {
			return a.Price == b.Price && a.Decay == b.Decay && a.Hard == b.Hard && a.Due < b.Due
		}},
		{"penalty", func(q *model.QoS) { q.Penalty.LowMean = 0.04 }, func(a, b simulate.Value) bool {
			return a.Price == b.Price && a.Due == b.Due && math.Abs(b.Decay-2*a.Decay) <= 1e-12
		}},
		{"hard", func(q *model.QoS) { q.Hard = [2]float64{1, 1} }, func(a, b simulate.Value) bool {
			return a.Price == b.Price && a.Due == b.Due && a.Decay == b.Decay && b.Hard
		}},
		{"urgency", func(q *model.QoS) { q.HighUrgency = 1 }, func(a, b simulate.Value) bool { return b.Due <= a.Due && b.Price >= a.Price }},
	} {
		q := tableI()
		test.change(q)
		for i, j := range generated(t, 2000, q, 1, 0) {
			if !test.same(base[i].Value, j.Value) || j.Submit != base[i].Submit || j.Work != base[i].Work {
				t.Fatalf("%s: job %d was %+v and became %+v", test.name, i, base[i].Value, j.Value)
			}
		}
	}
	other := generated(t, 2000, tableI(), 1, 1)
	if other[7].Value == base[7].Value {
		t.Error("two replications have the same jobs")
	}
}

// counter counts rejections by reason.
type counter map[simulate.Reason]int

func (c counter) Observe(e simulate.Event) {
	if e.Kind == simulate.Rejected {
		c[e.Reason]++
	}
}

// TestVoid: under the rule reject, jobs that never ran are submitted and
// rejected at once with a reason of their own, under any policy; jobs wider
// than the machine are rejected for want of resources under every rule.
func TestVoid(t *testing.T) {
	for _, test := range []struct {
		rule workload.Rule
		want string
	}{
		{workload.Keep, "map[resources:1]"}, {workload.Reject, "map[resources:1 never ran:5]"}, {workload.Drop, "map[resources:1]"},
	} {
		trace := must(workload.Load(context.Background(), workload.Selection{File: odd(t), Rule: test.rule}, 1))
		jobs := replay(t, trace, workload.ReplayOptions{}, 1, 0)
		count := counter{}
		audit := new(simulate.Audit)
		if _, err := simulate.Run(context.Background(), simulate.Config{
			Source: jobs, Sites: []simulate.Site{{Processors: trace.Nodes(), Policy: policy.NewFCFS(false)}}, Observers: []simulate.Observer{count, audit},
		}); err != nil || audit.Err() != nil {
			t.Fatal(err, audit.Err())
		}
		if got := fmt.Sprint(count); got != test.want {
			t.Errorf("%v: got %s, want %s", test.rule, got, test.want)
		}
	}
}
