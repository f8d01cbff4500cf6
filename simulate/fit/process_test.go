package fit_test

import (
	"testing"

	"revopt/model"
	"revopt/simulate/fit"
)

// TestArrivalsTogether: two classes that give way to each other, so that there is always as
// much of both, are no bursts as far as all work goes.
func TestArrivalsTogether(t *testing.T) {
	class := model.Class{Name: "a", Rate: 0.002, Length: distribution(model.Exponential, 3600, 3600, 0), Width: model.FixedWidth(2)}
	jobs := draw(t, []model.Class{class}, 40_000)
	for i := range jobs {
		jobs[i].Spec.Details.Queue = 1 + int(jobs[i].Submit/(4*86400))%2
	}
	f := fitJobs(t, jobs, 64, fit.Options{By: fit.ByQueue, Arrivals: true})
	for _, c := range f.Classes {
		if a := c.Model.Arrivals; !a.Poisson() && !(a.Kind == model.ArriveRenewal && a.CV > 0.5 && a.CV < 2) {
			t.Errorf("%s: %v", c.Model.Name, a)
		}
	}
	if jobs := fitJobs(t, jobs[:50], 64, fit.Options{Arrivals: true}); !jobs.Classes[0].Model.Arrivals.Poisson() {
		t.Errorf("50 jobs: %v", jobs.Classes[0].Model.Arrivals)
	}
}
