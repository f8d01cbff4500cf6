package fit_test

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"revopt/model"
	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/fit"
	"revopt/simulate/workload"
)

// jobList is jobs as a source.
type jobList []simulate.Job

func (l *jobList) Next(j *simulate.Job) (bool, error) {
	if len(*l) == 0 {
		return false, nil
	}
	*j, *l = (*l)[0], (*l)[1:]
	return true, nil
}

func fitJobs(t testing.TB, jobs []simulate.Job, nodes int, o fit.Options) *fit.Result {
	t.Helper()
	list := jobList(jobs)
	f, err := fit.Jobs(context.Background(), &list, nodes, o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// decoded reads the scenario that a fit writes.
func decoded(t testing.TB, f *fit.Result) *scenario.Scenario {
	t.Helper()
	var b bytes.Buffer
	if err := f.WriteYAML(&b, "a head", "with\na line break"); err != nil {
		t.Fatal(err)
	}
	text := b.Bytes()
	doc, err := scenario.Parse("fit.yaml", text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	sc, err := doc.Scenario(nil)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return sc
}

func distribution(kind model.Kind, mean, sd, min float64) model.Distribution {
	d, err := model.New(kind, mean, sd, min)
	if err != nil {
		panic(err)
	}
	return d
}

// draw returns the first n jobs of the classes.
func draw(t testing.TB, classes []model.Class, n int) []simulate.Job {
	t.Helper()
	w, err := workload.NewClasses(classes, 64, workload.Length{})
	if err != nil {
		t.Fatal(err)
	}
	source, err := w.Drained(n).Jobs(1, 0)
	if err != nil {
		t.Fatal(err)
	}
	jobs := make([]simulate.Job, n)
	for i := range jobs {
		if ok, err := source.Next(&jobs[i]); !ok || err != nil {
			t.Fatal(ok, err)
		}
	}
	return jobs
}

// within checks a number within a relative tolerance.
func within(t testing.TB, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*math.Abs(want)) {
		t.Errorf("%s: got %.12g, want %.12g within %g", what, got, want, tolerance)
	}
}

// known are classes of every family, tariff, grace, floor and expiry.
func known() []model.Class {
	widths := model.Width{Values: []float64{1, 4, 16}, Weights: []float64{0.5, 0.3, 0.2}}
	return []model.Class{
		{Name: "a", Rate: 0.02, Length: distribution(model.Normal, 7200, 2400, 0), Width: widths, Decay: 1,
			Price: model.Tariff{PerSecond: 2}, Grace: model.Grace{Lengths: 3}, Floor: model.Floor{None: true}},
		{Name: "b", Rate: 0.01, Length: distribution(model.LogNormal, 500, 700, 0), Width: model.FixedWidth(8), Decay: 9,
			Price: model.Tariff{Fixed: 70}, Grace: model.Grace{Fixed: 50}, Floor: model.Floor{Fixed: 2}, Expire: model.ExpireFloor},
		{Name: "c", Rate: 0.03, Length: distribution(model.HyperExponential, 100, 300, 0), Width: widths, Decay: 0.5,
			Price: model.Tariff{PerNodeSecond: 0.25}, Floor: model.Floor{OfPrice: 0.05}, Expire: model.ExpireZero},
	}
}

// TestKnown: classes are found again in jobs that were drawn from them.
func TestKnown(t *testing.T) {
	const n = 60_000
	classes := known()
	f := fitJobs(t, draw(t, classes, n), 64, fit.Options{Customers: classes, Own: true})
	if len(f.Classes) != 3 || math.Abs(f.Gaps.SCV()-1) > 0.05 {
		t.Fatalf("got %d classes, gaps %+v", len(f.Classes), f.Gaps)
	}
	for i, want := range classes {
		got := f.Classes[i]
		jobs := float64(got.Jobs)
		if got.Model.Name != want.Name || !got.Model.Arrivals.Poisson() {
			t.Errorf("class %d: got %s, %v", i, got.Model.Name, got.Model.Arrivals)
		}
		// Five standard errors; those of squares need the fourth moment.
		mean, m2, m4 := want.Length.Mean(), want.Length.Moment(2), want.Length.Moment(4)
		within(t, want.Name+" rate", got.Model.Rate, want.Rate, 5/math.Sqrt(jobs))
		within(t, want.Name+" run time", got.Length.Mean, mean, 5*model.SD(want.Length)/mean/math.Sqrt(jobs))
		within(t, want.Name+" square", got.Length.Mean*got.Length.Mean*(1+got.Length.SCV()), m2, 5*math.Sqrt(m4-m2*m2)/m2/math.Sqrt(jobs))
		within(t, want.Name+" mean length", got.Model.Length.Mean(), mean, 0.06)
		within(t, want.Name+" width", got.Model.Width.Mean(), want.Width.Mean(), 0.06)
		within(t, want.Name+" decay", got.Model.Decay, want.Decay, 1e-9)
		within(t, want.Name+" price per second", got.Model.Price.PerSecond, want.Price.PerSecond, 0.01)
		within(t, want.Name+" price per node second", got.Model.Price.PerNodeSecond, want.Price.PerNodeSecond, 1e-9)
		within(t, want.Name+" price", got.Model.Price.Fixed, want.Price.Fixed, 1e-9)
		within(t, want.Name+" grace", got.Model.Grace.Fixed, want.Grace.Fixed, 1e-9)
		within(t, want.Name+" lengths of grace", got.Model.Grace.Lengths, want.Grace.Lengths, 0.01)
		within(t, want.Name+" floor of price", got.Model.Floor.OfPrice, want.Floor.OfPrice, 1e-9)
		if got.Model.Floor.None != want.Floor.None || got.Model.Floor.Fixed != want.Floor.Fixed || got.Model.Expire != want.Expire {
			t.Errorf("%s: got floor %+v, expire %v, want %+v, %v", want.Name, got.Model.Floor, got.Model.Expire, want.Floor, want.Expire)
		}
	}
	if got := decoded(t, f); len(got.Classes) != 3 || got.Classes[2].Expire != model.ExpireZero || got.Residual != model.Multiserver {
		t.Errorf("decoded %+v", got)
	}
}

// correlated returns jobs of which the wide ones run longer, with deadlines and
// budgets, hard by lot.
func correlated(n int, rnd *rand.Rand) []simulate.Job {
	jobs := make([]simulate.Job, n)
	at := 0.0
	for i := range jobs {
		j := &jobs[i]
		at += rnd.ExpFloat64() * 300
		j.Submit, j.Width = at, 1+int(60*rnd.Float64()*rnd.Float64())
		j.Work = float64(j.Width) * (1 + 20*rnd.ExpFloat64())
		j.Class = rnd.IntN(2)
		due, price, decay := j.Work*(1+3*rnd.Float64()), j.Work*(2+rnd.Float64()), rnd.Float64()
		j.Value = simulate.ByDeadline(price, due, decay, rnd.Float64() < 0.3)
	}
	return jobs
}

// TestPreserves: the scenario as read offers the load of the trace, class by
// class, and pays and waits as much on average.
func TestPreserves(t *testing.T) {
	for seed := range uint64(2) {
		jobs := correlated(3000, rand.New(rand.NewPCG(seed, 1)))
		var work, budget, slack float64
		for _, j := range jobs {
			work += j.Work * float64(j.Width)
			budget += j.Value.Price
			slack += j.Value.Due - j.Work
		}
		span := jobs[len(jobs)-1].Submit - jobs[0].Submit
		for _, own := range []bool{false, true} {
			f := fitJobs(t, jobs, 64, fit.Options{Own: own, Seed: seed})
			sc := decoded(t, f)
			within(t, "load", sc.Load, work/(64*span), 1e-9)
			within(t, "parallel", sc.Parallel, f.Parallel, 1e-9)
			within(t, "load of the system", f.System(f.Residual).Load(), sc.Load, 1e-9)
			var price, grace, jobCount float64
			for i, c := range sc.Classes {
				price += c.Rate * c.MeanPrice()
				grace += c.Rate * c.MeanGrace()
				got := f.Classes[i]
				jobCount += float64(got.Jobs)
				within(t, "load of a class", c.Rate*c.Length.Mean()*c.Width.Mean()/64, got.Load, 1e-9)
				within(t, "mean length", c.Length.Mean(), got.Model.Length.Mean(), 1e-9)
				if !own {
					within(t, "utilization of a class", c.Rate*c.Length.Mean()/sc.Parallel, got.Load, 1e-9)
				}
				var square float64
				for k, v := range c.Width.Values {
					square += c.Width.Weights[k] * v * v
				}
				within(t, "square of work", c.Length.Moment(2)*square, got.Work.Mean*got.Work.Mean*(1+got.Work.SCV()), 1e-6)
			}
			within(t, "price", price, budget/span, 1e-9)
			within(t, "grace", grace, slack/span, 1e-9)
			if jobCount != 3000 {
				t.Errorf("%g jobs in classes", jobCount)
			}
		}
	}
}

// TestValue works a hard and a soft deadline by hand.
func TestValue(t *testing.T) {
	job := func(at, work, deadline, budget, penalty float64, hard bool) simulate.Job {
		j := simulate.Job{Submit: at, Work: work, Width: 2}
		j.Value = simulate.ByDeadline(budget, deadline, penalty, hard)
		return j
	}
	jobs := []simulate.Job{
		job(0, 100, 300, 400, 1, true), job(10, 50, 150, 200, 1, true),
		job(20, 100, 200, 70, 3, false), job(30, 10, 110, 70, 5, false), job(40, 20, 60, 70, 1, false),
	}
	f := fitJobs(t, jobs, 4, fit.Options{Customers: []model.Class{{Name: "low"}}})
	if len(f.Classes) != 2 || f.Classes[0].Model.Name != "low-soft" || f.Classes[1].Model.Name != "low-hard" {
		t.Fatalf("got %+v", f.Classes)
	}
	// Soft: price 70, rate 3, slack 100, 100, 40. Hard: budget 300 on average,
	// 4 $/s; slack 150 on average, twice the length.
	soft, hard := f.Classes[0].Model, f.Classes[1].Model
	if soft.Price.Fixed != 70 || soft.Decay != 3 || soft.Grace.Fixed != 80 || !soft.Floor.None || soft.Expire != model.ExpireNever {
		t.Errorf("soft: %+v", soft)
	}
	within(t, "price", hard.Price.PerSecond, 4, 1e-9)
	within(t, "grace", hard.Grace.Lengths, 2, 1e-9)
	within(t, "decay", hard.Decay, 300./150, 1e-9)
	if hard.Floor != (model.Floor{}) || hard.Expire != model.ExpireZero || !slices.ContainsFunc(f.Doubts, func(doubt string) bool {
		return strings.HasPrefix(doubt, "hard deadlines of low-hard: ")
	}) {
		t.Errorf("hard: %+v, doubts %q", hard, f.Doubts)
	}
}

// TestOdd: jobs that are hardly a trace still make a scenario that can be read.
func TestOdd(t *testing.T) {
	job := func(at, work float64, width int) simulate.Job {
		return simulate.Job{Submit: at, Work: work, Width: width, Value: simulate.Value{Price: 1, Due: work, Floor: math.Inf(1)}, Expire: math.Inf(1)}
	}
	free := job(3, 2, 2)
	free.Value.Price = 0
	for name, jobs := range map[string][]simulate.Job{
		"two jobs":      {job(0, 1, 1), job(1, 1, 1)},
		"equal jobs":    {job(0, 7, 3), job(1, 7, 3), job(1, 7, 3), job(2, 7, 3)},
		"one can run":   {job(0, 7, 3), job(1, 0, 3), job(2, 7, 9)},
		"tiny and huge": {job(0, 1e-9, 1), job(1, 1e12, 8), job(2, 1, 1)},
		"all at once":   {job(0, 1, 1), job(0, 2, 1), job(0, 3, 1), job(1e9, 1, 1)},
		"free":          {job(0, 1, 1), free},
		"opposed":       {job(0, 64, 1), job(1, 32, 2), job(2, 8, 8)},
	} {
		for _, own := range []bool{false, true} {
			f := fitJobs(t, jobs, 8, fit.Options{Own: own})
			within(t, name+" load", decoded(t, f).Load, f.Load, 1e-9)
		}
	}
}

// TestCustomer: every class knows whose jobs it has, the promise of a customer
// goes over to both its parts, and a hard job that costs its floor once late
// falls to that.
func TestCustomer(t *testing.T) {
	promise := &model.SLO{Within: 600, Level: 0.9}
	customers := []model.Class{{Name: "a", SLO: promise}, {Name: "b"}}
	job := func(at float64, customer int, hard bool) simulate.Job {
		j := simulate.Job{Submit: at, Work: 100, Width: 2, Class: customer, Value: simulate.ByDeadline(400, 300, 1, hard)}
		j.Value.Floor = 20
		return j
	}
	jobs := []simulate.Job{job(0, 0, true), job(10, 0, false), job(20, 1, false), job(30, 1, false)}
	f := fitJobs(t, jobs, 4, fit.Options{Customers: customers})
	if len(f.Classes) != 3 {
		t.Fatalf("%d classes", len(f.Classes))
	}
	for i, want := range []struct {
		name     string
		customer int
		slo      *model.SLO
	}{{"a-soft", 0, promise}, {"a-hard", 0, promise}, {"b", 1, nil}} {
		if c := f.Classes[i]; c.Model.Name != want.name || c.Customer != want.customer || c.Model.SLO != want.slo || !c.Model.Dated {
			t.Errorf("class %d: %+v, want %+v", i, c, want)
		}
	}
	// 200 s of slack, in which the value falls from 400 to -20.
	hard := f.Classes[1].Model
	within(t, "decay", hard.Decay, 420./200, 1e-9)
	if hard.Floor != (model.Floor{Fixed: 20}) || hard.Expire != model.ExpireFloor {
		t.Errorf("hard: %+v", hard)
	}
	sc := decoded(t, f)
	if sc.Classes[0].SLO == nil || *sc.Classes[0].SLO != *promise || sc.Classes[2].SLO != nil {
		t.Errorf("promises are read as %+v, %+v", sc.Classes[0].SLO, sc.Classes[2].SLO)
	}
}

// TestCanceled: a fit ends with its context.
func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	list := jobList(correlated(10, rand.New(rand.NewPCG(1, 1))))
	if _, err := fit.Jobs(ctx, &list, 64, fit.Options{}); err != context.Canceled {
		t.Errorf("got %v", err)
	}
}

// TestGaps: classes whose gaps are not exponential arrive as renewals, if there are enough jobs to tell.
func TestGaps(t *testing.T) {
	class := model.Class{Name: "a", Rate: 0.001, Length: distribution(model.Exponential, 3600, 3600, 0), Width: model.FixedWidth(2),
		Arrivals: model.Arrivals{Kind: model.ArriveRenewal, CV: 3}}
	jobs := draw(t, []model.Class{class}, 20_000)
	got := fitJobs(t, jobs, 64, fit.Options{Own: true}).Classes[0].Model.Arrivals
	if got.Kind != model.ArriveRenewal || math.Abs(got.CV-3) > 0.3 {
		t.Errorf("got %v", got)
	}
	if got := fitJobs(t, jobs, 64, fit.Options{}).Classes[0].Model.Arrivals; !got.Poisson() {
		t.Errorf("for the formulas: %v", got)
	}
	if got := fitJobs(t, jobs[:5], 64, fit.Options{Own: true}).Classes[0].Model.Arrivals; !got.Poisson() {
		t.Errorf("5 jobs: %v", got)
	}
}
