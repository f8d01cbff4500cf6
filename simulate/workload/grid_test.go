package workload

import (
	"math"
	"testing"

	"revopt/model"
	"revopt/simulate"
)

// TestSplitKeepsWorkAndBudget: a job done whole is the job that it was.
func TestSplitKeepsWorkAndBudget(t *testing.T) {
	s := must(newSplitter(model.Split{Optional: model.Interval{Low: 0.5, High: 4}, Rate: 0.2}, 1, 0))
	for k := range 100 {
		j := simulate.Job{Work: 100 + float64(k)*500, Width: 1 + k%7}
		j.Value.Price = 3 * j.Work
		s.split(&j)
		i := j.Spec.Imprecise
		if f := i.Optional / i.Mandatory; f < 0.5 || f > 4 {
			t.Errorf("job %d: optional part %g times the mandatory one", k, f)
		}
		if math.Abs(i.Mandatory+i.Optional-j.Work) > 1e-9*j.Work {
			t.Errorf("job %d: %g and %g of %g", k, i.Mandatory, i.Optional, j.Work)
		}
		if got := float64(j.Width) * i.Worth(i.Optional); math.Abs(got-3*j.Work) > 1e-9*got || !(i.Rate() > 0) {
			t.Errorf("job %d: pays %g of %g", k, got, 3*j.Work)
		}
	}
	for _, bad := range []model.Split{{Optional: model.Interval{Low: 2, High: 1}}, {Rate: -1}, {Rate: math.NaN()}} {
		if _, err := newSplitter(bad, 1, 0); err == nil {
			t.Errorf("%+v is not refused", bad)
		}
	}
}

// paperApplications returns the parameters of Kim, Buyya and Kim (2007), figure
// 4, with a laxity of 10 % and a mean rate of 0.2.
func paperApplications() model.Applications {
	return model.Applications{
		Count: 1000, Gap: 300, Parts: model.Interval{Low: 1, High: 16}, Mandatory: model.Interval{Low: 600000, High: 7200000}, Optional: model.Interval{Low: 0.5, High: 4},
		Reward: 0.001, Laxity: model.Interval{Low: 0.1, High: 0.1}, Rate: 0.2, Spread: 0.5,
	}
}

func TestApplications(t *testing.T) {
	a := paperApplications()
	a.Laxity = model.Interval{Low: 0.2, High: 0.2}
	var sites []model.Site
	for _, mips := range []float64{500, 750, 1000, 1000, 1250, 1500} {
		sites = append(sites, model.Site{Processors: 24, MIPS: mips})
	}
	grid := must(NewGrid(sites, a))
	source := must(grid.Jobs(1, 0))
	var j simulate.Job
	var last, rate float64
	n := 0
	for ; ; n++ {
		ok := must(source.Next(&j))
		if !ok {
			break
		}
		i := j.Spec.Imprecise
		mean := (i.Mandatory + i.Optional) * (1./500 + 1./750 + 2./1000 + 1./1250 + 1./1500) / 6
		if d := j.Value.Due; math.Abs(d-1.2*mean) > 1e-9*d {
			t.Errorf("deadline %g, want %g", d, 1.2*mean)
		}
		if j.Width < 1 || j.Width > 16 || i.Mandatory < 600000 || i.Mandatory > 7200000 || i.Optional < 0.5*i.Mandatory || i.Optional > 4*i.Mandatory {
			t.Errorf("%d parts, %+v", j.Width, i)
		}
		slope := i.Rate() / i.Optional * rateUnit / i.Reward
		if slope < 0.1-1e-9 || slope > 0.3+1e-9 || math.Abs(i.Reward-0.001*i.Mandatory) > 1e-9 {
			t.Errorf("rate %g, reward %g", slope, i.Reward)
		}
		rate += slope
		last = j.Submit
	}
	if n != 1000 || math.Abs(last/300/1000-1) > 0.1 || math.Abs(rate/1000-0.2) > 0.01 {
		t.Errorf("%d applications until %g, mean rate %g", n, last, rate/1000)
	}
}

// firstBatch returns the first batch of the paper, 100 jobs.
func firstBatch() model.Batch {
	return model.Batch{
		Jobs: 100, Arrivals: model.Interval{Low: 1, High: 102}, Lengths: model.Interval{Low: 1000, High: 10900}, Deadline: model.Interval{Low: 1, High: 1200},
		Budget: 1000, Random: 0.2, Budgets: model.Interval{Low: 1000, High: 12000},
	}
}

func TestBatches(t *testing.T) {
	for _, jobs := range []int{100, 200} {
		b := firstBatch()
		b.Jobs = jobs
		batch := must(NewBatch(model.Site{Processors: 10, MIPS: PaperMIPS}, b))
		source := must(batch.Jobs(1, 0))
		n, fixed := 0, 0
		last := 0.0
		for j := (simulate.Job{}); ; n++ {
			if ok, _ := source.Next(&j); !ok {
				break
			}
			if j.Submit < last || j.Submit > b.Arrivals.High || j.Work < 1000./89 || j.Work > 10900./89 || j.Value.Due > 1200 {
				t.Errorf("job %+v", j)
			}
			if j.Value.Price == 1000 {
				fixed++
			}
			last = j.Submit
		}
		if n != b.Jobs || math.Abs(float64(fixed)/float64(n)-0.8) > 0.1 {
			t.Errorf("%d jobs, %d with the usual budget", n, fixed)
		}
	}
}

// TestExecution: the mean execution time of a MI on the sites of Kim, Buyya and Kim
// (2007), by hand, and deadlines by it.
func TestExecution(t *testing.T) {
	sites := []model.Site{{Processors: 32, MIPS: 500}, {Processors: 16, MIPS: 750}, {Processors: 16, MIPS: 1000}, {Processors: 24, MIPS: 1000}, {Processors: 32, MIPS: 1250}, {Processors: 24, MIPS: 1500}}
	const bySite = (0.002 + 0.001/0.75 + 0.001 + 0.001 + 0.0008 + 0.001/1.5) / 6
	for e, want := range map[model.Execution]float64{
		"": bySite, model.OverSites: bySite, model.OfMandatory: bySite, model.AtMeanSpeed: 0.001,
		model.OverProcessors: (0.064 + 0.016/0.75 + 0.016 + 0.024 + 0.0256 + 0.016) / 144,
	} {
		if got := e.Mean(sites); math.Abs(got-want) > 1e-15 {
			t.Errorf("%q: %.10g s, want %.10g", e, got, want)
		}
		a := model.Applications{Count: 1, Gap: 1, Parts: model.Interval{Low: 1, High: 1}, Mandatory: model.Interval{Low: 100, High: 100}, Optional: model.Interval{Low: 2, High: 2}, Laxity: model.Interval{Low: 0.5, High: 0.5}, Execution: e}
		g := must(NewGrid(sites, a))
		source, err := g.Jobs(1, 0)
		var j simulate.Job
		if ok, err2 := source.Next(&j); !ok || err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		length := 300.0
		if e == model.OfMandatory {
			length = 100
		}
		if got := j.Value.Due; math.Abs(got-1.5*length*want) > 1e-12 {
			t.Errorf("%q: deadline %g s, want %g", e, got, 1.5*length*want)
		}
	}
}

// must returns v, and panics if there is an error.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
