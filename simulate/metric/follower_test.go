package metric_test

import (
	"context"
	"fmt"
	"testing"

	"revopt/model"
	"revopt/simulate"
	"revopt/simulate/agent"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
	"revopt/simulate/workload"
)

// eventful hides the methods of a follower, so that it is told by events.
type eventful struct{ simulate.Observer }

// TestFollower: a tally that is told by its methods adds up to what one that sees events does, in a run in
// which jobs start, complete, give up and are refused by an admission and a policy.
func TestFollower(t *testing.T) {
	length, err := model.New(model.Exponential, 100, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	class := func(rate float64, widths ...float64) model.Class {
		return model.Class{
			Rate: rate, Length: length, Price: model.Tariff{PerNodeSecond: 1}, Decay: 0.5, Dated: true,
			Width: model.Width{Values: widths, Weights: []float64{0.7, 0.3}},
			Grace: model.Grace{Lengths: 2}, Floor: model.Floor{OfPrice: 0.1}, Expire: model.ExpireZero,
		}
	}
	w, err := workload.NewClasses([]model.Class{class(0.02, 1, 3), class(0.03, 2, 9)}, 4, workload.Length{Jobs: 3000})
	if err != nil {
		t.Fatal(err)
	}
	source, err := w.Jobs(1, 0)
	if err != nil {
		t.Fatal(err)
	}
	var tallies [2]*metric.Tally
	for i := range tallies {
		tallies[i] = metric.NewTally(2)
		tallies[i].Within = []float64{50, 0}
	}
	if _, err := simulate.Run(context.Background(), simulate.Config{
		Source: source, Sites: []simulate.Site{{Processors: 4, Policy: policy.NewHOL(false)}},
		Admission: agent.Lottery{1, 0.9}, Charging: simulate.ByValue, Window: w.Window(),
		Observers: []simulate.Observer{tallies[0], eventful{tallies[1]}},
	}); err != nil {
		t.Fatal(err)
	}
	total := tallies[0].Total()
	if total.Completed == 0 || total.Expired == 0 || total.Reasons[simulate.Refused] == 0 ||
		total.Reasons[simulate.Resources] == 0 {
		t.Errorf("the run is too simple: %+v", total)
	}
	if got, want := fmt.Sprint(tallies[0].Part()), fmt.Sprint(tallies[1].Part()); got != want { // NaN are equal
		t.Errorf("by methods %s, by events %s", got, want)
	}
}
