package policy_test

import (
	"context"
	"math"
	"testing"

	"revopt/model"
	"revopt/simulate"
	"revopt/simulate/policy/policytest"
	"revopt/simulate/workload"
)

// TestHOLCluster runs the cluster of section VI of Marbukh and Mills at a load of 3: no
// job starts while one of a more urgent class waits, and a job leaves the queue when
// nothing is left of its price, for 5 % of it.
func TestHOLCluster(t *testing.T) {
	length := policytest.Must(model.New(model.Normal, 7200, 2400, 300))
	var classes []model.Class
	rates, decays := []float64{1, 1, 5, 5}, []float64{0.1, 1, 0.5, 5} // $ per node and hour, $/s
	for i, share := range []float64{0.64, 0.16, 0.16, 0.04} {
		classes = append(classes, model.Class{
			Rate: 3 * share * 10 / 7200, Length: length, Width: model.FixedWidth(500), Decay: decays[i],
			Price: model.Tariff{PerNodeSecond: rates[i] / 3600}, Grace: model.Grace{Lengths: 3},
			Floor: model.Floor{OfPrice: 0.05}, Expire: model.ExpireZero,
		})
	}
	w := policytest.Must(workload.NewClasses(classes, 5000, workload.Length{Jobs: 3000}))
	source := policytest.Must(w.Jobs(1, 0))
	sites := w.Sites()
	sites[0].Policy = policytest.ByName(t, "hol", nil)
	watch := &holWatch{t: t, rates: rates, decays: decays}
	for rank, i := range model.ServiceOrder(classes) {
		watch.rank[i] = rank
	}
	audit := new(simulate.Audit)
	if _, err := simulate.Run(context.Background(), simulate.Config{
		Source: source, Sites: workload.Clusters(sites), Charging: w.Charging(), Window: w.Window(), Observers: []simulate.Observer{audit, watch},
	}); err != nil || audit.Err() != nil {
		t.Fatal(err, audit.Err())
	}
	if watch.started == 0 || watch.expired == 0 {
		t.Errorf("%d jobs start, %d expire", watch.started, watch.expired)
	}
}

// A holWatch checks the order of starts, and what expired jobs pay and when.
type holWatch struct {
	t                *testing.T
	rates, decays    []float64
	rank, waiting    [4]int // by class; by rank, the least urgent first
	started, expired int
}

func (w *holWatch) Observe(e simulate.Event) {
	switch j := e.Job; e.Kind {
	case simulate.Admitted:
		w.waiting[w.rank[j.Class]]++
	case simulate.Started:
		w.started++
		w.waiting[w.rank[j.Class]]--
		for _, n := range w.waiting[w.rank[j.Class]+1:] {
			if n > 0 {
				w.t.Errorf("job %d of class %d starts while %d of a more urgent class wait", j.ID, j.Class, n)
			}
		}
	case simulate.Expired:
		w.expired++
		w.waiting[w.rank[j.Class]]--
		price := j.Work / 3600 * 500 * w.rates[j.Class]
		lasts := 3*j.Work + price/w.decays[j.Class]
		if math.Abs((e.Time-j.Submit)/lasts-1) > 1e-9 || math.Abs(j.Revenue/(0.05*price)+1) > 1e-9 {
			w.t.Errorf("job %d leaves after %g s, want %g, for %g, want %g", j.ID, e.Time-j.Submit, lasts, j.Revenue, -0.05*price)
		}
	}
}
