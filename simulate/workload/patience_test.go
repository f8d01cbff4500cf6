package workload

import (
	"math"
	"testing"

	"revopt/model"
	"revopt/simulate"
	"revopt/simulate/policy"
)

// TestPatience: in a queue of two servers with exponential lengths and patience, the share of
// jobs that leave is that of the birth and death process (Erlang A). Jobs that leave cost
// nothing, whatever the largest penalty, and all else of the jobs is as without patience.
func TestPatience(t *testing.T) {
	const rate, mean, patience, servers = 0.025, 100.0, 50.0, 2
	length, err := model.New(model.Exponential, mean, mean, 0)
	if err != nil {
		t.Fatal(err)
	}
	class := model.Class{Name: "a", Rate: rate, Length: length, Width: model.FixedWidth(1),
		Price: model.Tariff{Fixed: 5}, Decay: 0.01, Floor: model.Floor{Fixed: 7}, Patience: patience}
	sum, leaving, p := 0.0, 0.0, 1.0
	for n := 0; n < 200; n++ { // p is the chance of n jobs, times a constant
		waiting := math.Max(float64(n-servers), 0)
		sum, leaving = sum+p, leaving+p*waiting/patience
		p *= rate / (math.Min(float64(n+1), servers)/mean + math.Max(float64(n+1-servers), 0)/patience)
	}
	want := leaving / (rate * sum)

	var shares []float64
	for replication := range 8 {
		w, err := NewClasses([]model.Class{class}, servers, Length{Jobs: 10000})
		if err != nil {
			t.Fatal(err)
		}
		source, err := w.Jobs(1, replication)
		if err != nil {
			t.Fatal(err)
		}
		class.Patience = 0
		calm, _ := NewClasses([]model.Class{class}, servers, Length{Jobs: 10000})
		class.Patience = patience
		same, _ := calm.Jobs(1, replication)
		var a, b simulate.Job
		for range 100 {
			source.Next(&a)
			same.Next(&b)
			if a.Patience <= 0 || a.Expire != a.Submit+a.Patience || b.Patience != 0 {
				t.Fatalf("patience %g, leaves at %g", a.Patience, a.Expire)
			}
			if a.Patience, a.Expire, b.Expire = 0, 0, 0; a.Submit != b.Submit || a.Work != b.Work || a.Value != b.Value {
				t.Fatalf("with patience %+v, without %+v", a, b)
			}
		}
		audit, cost := new(simulate.Audit), 0.0
		source, _ = w.Jobs(1, replication)
		count := watch(func(e simulate.Event) {
			if e.Kind == simulate.Expired {
				cost += math.Abs(e.Job.Revenue)
			}
		})
		_, err = simulate.Run(t.Context(), simulate.Config{
			Source: source, Sites: []simulate.Site{{Processors: servers, Policy: policy.NewFCFS(false)}},
			Window: w.Window(), Charging: simulate.ByValue, Observers: []simulate.Observer{audit, count},
		})
		if err != nil || audit.Err() != nil || cost != 0 {
			t.Fatalf("%v, audit %v, cost %g", err, audit.Err(), cost)
		}
		shares = append(shares, float64(audit.Count(simulate.Expired))/float64(audit.Count(simulate.Submitted)))
	}
	var got, square float64
	for _, x := range shares {
		got += x / float64(len(shares))
	}
	for _, x := range shares {
		square += (x - got) * (x - got)
	}
	if e := math.Sqrt(square / 7 / 8); math.Abs(got-want) > 4*e || e > 0.01 {
		t.Errorf("%.4f ± %.4f of the jobs leave, want %.4f", got, e, want)
	}
}

// watch is a function as an observer.
type watch func(simulate.Event)

func (f watch) Observe(e simulate.Event) { f(e) }
