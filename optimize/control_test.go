package optimize_test

import (
	"context"
	"testing"
	"time"

	"revopt/model"
	"revopt/optimize"
)

func exponential(mean float64) model.Distribution {
	d, err := model.New(model.Exponential, mean, 0, 0)
	if err != nil {
		panic(err)
	}
	return d
}

// markovFour is nist-four with exponential lengths, pooled.
func markovFour(load float64) model.System {
	sys := fourClasses(load)
	sys.Residual = model.Pooled
	for i := range sys.Classes {
		sys.Classes[i].Length = exponential(4400)
		sys.Classes[i].Floor.None = true
	}
	return sys
}

// TestControlTable holds static and state-dependent optimum against an
// independent value iteration.
func TestControlTable(t *testing.T) {
	for _, c := range []struct{ load, static, state float64 }{
		{0.95, 371127, 374745}, {1, 381170, 388605}, {1.2, 421226, 435487}, {2, 576054, 593641},
	} {
		start := time.Now()
		r, err := optimize.Control(context.Background(), markovFour(c.load), optimize.ControlSettings{Waiting: -1, Gap: 1e-6})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("load %g: static %.2f state %.2f..%.2f gap %.2g states %d limits %v switches %v, %v", c.load, r.Static*3600, r.Revenue*3600, r.UpperBound*3600, r.Gap, r.States, r.Limits(), r.Thresholds, time.Since(start))
	}
}
