package workload_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"revopt/model"
	"revopt/simulate"
	"revopt/simulate/workload"
)

func distribution(kind model.Kind, mean, sd, min float64) model.Distribution {
	d, err := model.New(kind, mean, sd, min)
	if err != nil {
		panic(err)
	}
	return d
}

// draw returns the first n jobs of the classes.
func draw(t *testing.T, classes []model.Class, replication, n int) []simulate.Job {
	t.Helper()
	w := must(workload.NewClasses(classes, 64, workload.Length{}))
	source := must(w.Jobs(1, replication))
	jobs := make([]simulate.Job, n)
	last := 0.0
	for i := range jobs {
		if ok, err := source.Next(&jobs[i]); !ok || err != nil {
			t.Fatalf("job %d: %t, %v", i, ok, err)
		}
		if jobs[i].Submit < last {
			t.Fatalf("job %d is submitted at %g, after one at %g", i, jobs[i].Submit, last)
		}
		last = jobs[i].Submit
	}
	return jobs
}

func mixed() []model.Class {
	length := distribution(model.Normal, 7200, 2400, 300)
	return []model.Class{
		{Name: "calm", Rate: 0.02, Length: length, Decay: 1, Price: model.Tariff{Fixed: 10, PerSecond: 0.5}, Floor: model.Floor{None: true}},
		{Name: "wide", Rate: 0.01, Length: length, Decay: 9, Price: model.Tariff{PerNodeSecond: 1. / 3600},
			Width: model.Width{Values: []float64{250, 750, 1500}, Weights: []float64{0.5, 0.3, 0.2}},
			Grace: model.Grace{Lengths: 3}, Floor: model.Floor{OfPrice: 0.05}, Expire: model.ExpireZero},
		{Name: "keen", Rate: 0.03, Length: distribution(model.Exponential, 100, 0, 0), Decay: 0.5, Price: model.Tariff{Fixed: 7},
			Grace: model.Grace{Fixed: 50}, Floor: model.Floor{Fixed: 2}, Expire: model.ExpireFloor},
		{Name: "absent", Rate: 0, Length: length, Decay: 1, Floor: model.Floor{None: true}},
	}
}

// TestClassesStatistics compares rates, lengths and widths with what was asked
// for, within 4 standard deviations.
func TestClassesStatistics(t *testing.T) {
	const n = 200_000
	classes := mixed()
	jobs := draw(t, classes, 0, n)
	end := jobs[n-1].Submit
	widths := make(map[int]float64)
	for s, c := range classes {
		var count, sum, gaps, last float64
		for _, j := range jobs {
			if j.Class != s {
				continue
			}
			count++
			sum += j.Work
			gaps += (j.Submit - last) * (j.Submit - last)
			last = j.Submit
			if s == 1 {
				widths[j.Width]++
			}
		}
		if want := c.Rate * end; math.Abs(count-want) > 4*math.Sqrt(want) {
			t.Errorf("class %s: %g jobs in %g s, want about %g", c.Name, count, end, want)
		}
		if c.Rate == 0 {
			continue
		}
		if mean := c.Length.Mean(); math.Abs(sum/count-mean) > 4*model.SD(c.Length)/math.Sqrt(count) {
			t.Errorf("class %s: mean length %g, want about %g", c.Name, sum/count, mean)
		}
		// Exponential gaps: E[gap^2] = 2/rate^2, with variance 20/rate^4.
		if got := gaps / count * c.Rate * c.Rate; math.Abs(got-2) > 4*math.Sqrt(20/count) {
			t.Errorf("class %s: second moment of gaps is %g/rate^2, want 2", c.Name, got)
		}
	}
	total := widths[250] + widths[750] + widths[1500]
	for width, share := range map[int]float64{250: 0.5, 750: 0.3, 1500: 0.2} {
		if got := widths[width] / total; math.Abs(got-share) > 4*math.Sqrt(share*(1-share)/total) {
			t.Errorf("a share of %g is %d wide, want %g", got, width, share)
		}
	}
	if len(widths) != 3 {
		t.Errorf("widths %v", widths)
	}
}

// TestClassesUtility compares what a job carries with the model's utility.
func TestClassesUtility(t *testing.T) {
	classes := mixed()
	for _, j := range draw(t, classes, 0, 2000) {
		u := classes[j.Class].Utility(j.Work, float64(j.Width))
		for _, tau := range []float64{0, 49, 51, 60, 21000, 25000, 40000, 1e6} {
			if got, want := j.Value.At(tau+j.Work), u.At(tau); math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
				t.Fatalf("job %+v is worth %g after %g s, want %g", j, got, tau, want)
			}
		}
		want := [...]float64{math.Inf(1), u.Zero(), u.Corner()}[j.Class]
		if j.Expire != j.Submit+want {
			t.Fatalf("job %+v expires at %g, want %g after submission", j, j.Expire, want)
		}
		// keen 0.5/100, wide 9/7200, calm 1/7200; absent ties with calm.
		if want := [...]int{0, 2, 3}[j.Class]; j.Rank != want {
			t.Fatalf("class %d has rank %d, want %d", j.Class, j.Rank, want)
		}
	}
}

// TestClassStreamsApart: job k of a class is the same whatever the rate of
// other classes, and its length whatever the rate of its own.
func TestClassStreamsApart(t *testing.T) {
	of := func(class int, jobs []simulate.Job) (of []simulate.Job) {
		for _, j := range jobs {
			if j.Class == class {
				of = append(of, j)
			}
		}
		return of
	}
	a := mixed()
	b := mixed()
	b[0].Rate *= 3
	was, is := draw(t, a, 5, 3000), draw(t, b, 5, 3000)
	for s := range 3 {
		x, y := of(s, was), of(s, is)
		for k := range min(len(x), len(y)) {
			if s == 0 {
				y[k].Submit, y[k].Expire = x[k].Submit, x[k].Expire
			}
			if got, want := fmt.Sprint(y[k]), fmt.Sprint(x[k]); got != want {
				t.Fatalf("job %d of class %d: %s, want %s", k, s, got, want)
			}
		}
	}
	if other := draw(t, a, 6, 1)[0]; other.Work == was[0].Work {
		t.Error("another replication has the same jobs")
	}
}

// TestClassStreams draws a class by hand from the streams that its
// documentation names.
func TestClassStreams(t *testing.T) {
	classes := mixed()
	const class, replication = 2, 4
	stream := func(purpose string) *rand.Rand { return simulate.Stream(1, replication, purpose, class) }
	arrivals, lengths, lots := stream("arrivals"), stream("lengths"), stream("admission")
	at := 0.0
	for _, j := range draw(t, classes, replication, 1000) {
		if j.Class != class {
			continue
		}
		at += arrivals.ExpFloat64() / classes[class].Rate
		work, chance := classes[class].Length.Rand(lengths), lots.Float64()
		if math.Abs(j.Submit-at) > 1e-9*at || j.Work != work || j.Chance != chance {
			t.Fatalf("job at %g, work %g, lot %g; want %g, %g, %g", j.Submit, j.Work, j.Chance, at, work, chance)
		}
	}
}

func TestClassesRefused(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*model.Class)
		want   string
	}{
		{"rate", func(c *model.Class) { c.Rate = -1 }, "rate -1"},
		{"width", func(c *model.Class) { c.Width = model.FixedWidth(2.5) }, "width 2.5"},
		{"penalty", func(c *model.Class) { c.Expire = model.ExpireZero; c.Floor.None = true }, "unbounded"},
	} {
		classes := mixed()
		test.change(&classes[0])
		if _, err := workload.NewClasses(classes, 1, workload.Length{}); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got error %v, want one with %q", test.name, err, test.want)
		}
	}
}

func TestClassesWithoutJobs(t *testing.T) {
	w := must(workload.NewClasses(mixed()[3:], 1, workload.Length{}))
	if _, err := w.Jobs(1, 0); err == nil || !strings.Contains(err.Error(), "no jobs arrive") {
		t.Errorf("got %v of a class of rate 0", err)
	}
}
