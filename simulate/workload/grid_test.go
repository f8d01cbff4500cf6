package workload

import (
	"math"
	"testing"

	"revopt/simulate"
)

// TestSplitKeepsWorkAndBudget: a job done whole is the job that it was.
func TestSplitKeepsWorkAndBudget(t *testing.T) {
	s, err := newSplitter(Split{Optional: Range{0.5, 4}, Rate: 0.2}, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
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
	for _, bad := range []Split{{Optional: Range{2, 1}}, {Rate: -1}, {Rate: math.NaN()}} {
		if _, err := newSplitter(bad, 1, 0); err == nil {
			t.Errorf("%+v is not refused", bad)
		}
	}
}

// paperApplications returns the parameters of Kim, Buyya and Kim (2007), figure
// 4, with a laxity of 10 % and a mean rate of 0.2.
func paperApplications() Applications {
	return Applications{
		Count: 1000, Gap: 300, Parts: Range{1, 16}, Mandatory: Range{600000, 7200000}, Optional: Range{0.5, 4},
		Reward: 0.001, Laxity: Range{0.1, 0.1}, Rate: 0.2, Spread: 0.5,
		MIPS: []float64{500, 750, 1000, 1000, 1250, 1500},
	}
}

func TestApplications(t *testing.T) {
	a := paperApplications()
	a.Laxity = Range{0.2, 0.2}
	source, err := a.Source(1, 0)
	if err != nil {
		t.Fatal(err)
	}
	var j simulate.Job
	var last, rate float64
	n := 0
	for ; ; n++ {
		ok, err := source.Next(&j)
		if err != nil {
			t.Fatal(err)
		}
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
		slope := i.Rate() / i.Optional * RateUnit / i.Reward
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
func firstBatch() Batch {
	return Batch{
		Jobs: 100, Arrivals: Range{1, 102}, Lengths: Range{1000, 10900}, Deadline: Range{1, 1200},
		Budget: 1000, Random: 0.2, Budgets: Range{1000, 12000}, MIPS: PaperMIPS,
	}
}

// secondBatch returns the second batch of the paper, 200 jobs. The paper has a
// budget of 1000 for "80 %" of them and a random one for "the other 40 %"; it
// is 20 % here, and no matter: no job is too expensive for 1000.
func secondBatch() Batch {
	b := firstBatch()
	b.Jobs, b.Arrivals = 200, Range{1, 208}
	return b
}

func TestBatches(t *testing.T) {
	for _, b := range []Batch{firstBatch(), secondBatch()} {
		source, err := b.Source(1, 0)
		if err != nil {
			t.Fatal(err)
		}
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
