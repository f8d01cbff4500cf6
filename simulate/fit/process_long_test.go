//go:build long

package fit_test

import (
	"math"
	"testing"

	"revopt/model"
	"revopt/simulate/fit"
	"revopt/simulate/workload"
)

// TestArrivalsKnown: the arrival process of jobs that were drawn from one is found
// again, or one that varies as much by hour, day and week.
func TestArrivalsKnown(t *testing.T) {
	hours := make([]float64, 24)
	for i := range hours {
		hours[i] = 1.1 + math.Cos(2*math.Pi*float64(i-14)/24)
	}
	for name, want := range map[string]model.Arrivals{
		"poisson":      {},
		"renewal":      {Kind: model.ArriveRenewal, CV: 6},
		"bursts":       {Kind: model.ArriveBursts, On: 20000, Off: 60000, Ratio: 20},
		"profile":      {Kind: model.ArriveProfile, Hours: hours},
		"paced bursts": {Kind: model.ArriveBursts, On: 20000, Off: 60000, Ratio: 20, Hours: hours},
	} {
		class := model.Class{Name: "a", Rate: 0.001, Length: distribution(model.Exponential, 3600, 3600, 0), Width: model.FixedWidth(2), Arrivals: want}
		f := fitJobs(t, draw(t, []model.Class{class}, 60_000), 64, fit.Options{Arrivals: true})
		got := f.Classes[0].Model.Arrivals
		if name == "renewal" { // bursts with the same indices are as good
			if d := f.Classes[0].Processes[0].Distance; got.Poisson() || got.Hours != nil || d > 0.3 {
				t.Errorf("%s: got %v at a distance of %g", name, got, d)
			}
			continue
		}
		if got.Kind != want.Kind || (got.Hours == nil) != (want.Hours == nil) {
			t.Errorf("%s: got %v", name, got)
			continue
		}
		if want.Kind == model.ArriveBursts {
			// A and c of the index of dispersion; how bursts and pauses share them is free.
			height := func(a model.Arrivals) (height, c float64) {
				p := a.On / (a.On + a.Off)
				c = 1/a.On + 1/a.Off
				d := (a.Ratio - 1) / (1 + p*(a.Ratio-1)) // (r1 - r2) / r
				return 2 * p * (1 - p) * d * d * class.Rate / c, c
			}
			h, c := height(got)
			wantH, wantC := height(want)
			within(t, name+" height", h, wantH, 0.4)
			within(t, name+" rate", c, wantC, 0.4)
		}
		if got.Hours != nil {
			var sum, x, y, xx, yy, xy float64
			n := float64(len(got.Hours))
			for i, h := range got.Hours {
				w := hours[i%24]
				sum, x, y, xx, yy, xy = sum+h, x+h/n, y+w/n, xx+h*h/n, yy+w*w/n, xy+h*w/n
			}
			if r := (xy - x*y) / math.Sqrt((xx-x*x)*(yy-y*y)); r < 0.9 {
				t.Errorf("%s: hours correlate by %g", name, r)
			}
		}
		if _, err := workload.NewClasses([]model.Class{f.Classes[0].Model}, 64, workload.Length{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		decoded(t, f)
	}
}
