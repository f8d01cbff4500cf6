package sweep

import (
	"context"

	"revopt/model"
	"revopt/model/scenario"
	"revopt/simulate/metric"
)

// WaitStudy simulates how long jobs wait, without expiry: what model.Waits
// computes.
type WaitStudy struct {
	Scenario     *scenario.Scenario
	Admit        []float64 // nil admits all
	At           []float64 // s: times whose tails are wanted
	Servers      bool      // the scenario's servers, each job on one; else one pooled server
	Replications int
	Workers      int     // 0: one per processor
	Level        float64 // of confidence; 0 is metric.DefaultLevel
	Seed         uint64
}

// WaitTails is the wait of one class in a simulation.
type WaitTails struct {
	Mean         metric.Interval   // s
	Tail, Excess []metric.Interval // P(W > t) and E[(W - t)^+] at each time
}

// Run returns the waits of each class. Jobs are of one node and never expire.
//
// The pooled server runs n times as fast. It is simulated as a server of normal
// speed to which jobs come n times as slowly, in which everything takes n times
// as long.
func (w *WaitStudy) Run(ctx context.Context) ([]WaitTails, error) {
	scn, stretch := w.scenario()
	at := make([]float64, len(w.At))
	for i, t := range w.At {
		at[i] = t * stretch
	}
	e := &Experiment{Scenario: scn, Admit: w.Admit, Seed: w.Seed}
	runs, err := metric.Replicate(ctx, 0, w.Replications, w.Workers, func(ctx context.Context, k int) (*metric.Tails, error) {
		tails := metric.NewTails(len(scn.Classes), at)
		_, err := e.Run(ctx, k, tails)
		return tails, err
	})
	if err != nil {
		return nil, err
	}
	level := Outcome{Level: w.Level}.level()
	waits := make([]WaitTails, len(scn.Classes))
	for class := range waits {
		estimate := func(of func(*metric.Tails) float64) metric.Interval {
			x := make([]float64, len(runs))
			for i, r := range runs {
				x[i] = of(r)
			}
			return metric.Estimate(x, level)
		}
		waits[class].Mean = shrink(estimate(func(t *metric.Tails) float64 { return t.Mean(class) }), stretch)
		for k := range at {
			waits[class].Tail = append(waits[class].Tail, estimate(func(t *metric.Tails) float64 { return t.Tail(class, k) }))
			waits[class].Excess = append(waits[class].Excess, shrink(estimate(func(t *metric.Tails) float64 { return t.Excess(class, k) }), stretch))
		}
	}
	return waits, nil
}

// shrink returns an interval of times that were stretched.
func shrink(i metric.Interval, stretch float64) metric.Interval {
	i.Mean /= stretch
	i.HalfWidth /= stretch
	return i
}

// scenario returns the scenario to simulate and how many times as long
// everything takes in it.
func (w *WaitStudy) scenario() (*scenario.Scenario, float64) {
	scn := *w.Scenario
	scn.Classes = append([]model.Class(nil), scn.Classes...)
	stretch := scn.Parallel
	if w.Servers {
		stretch = 1
	}
	scn.Nodes = int(scn.Parallel / stretch)
	for i := range scn.Classes {
		c := &scn.Classes[i]
		c.Rate /= stretch
		c.Expire = model.ExpireNever
		c.Width = model.FixedWidth(1)
		// Only the order of service is left of the utility.
		c.Price, c.Grace, c.Floor = model.Tariff{}, model.Grace{}, model.Floor{None: true}
	}
	scn.Simulation.Horizon *= stretch
	scn.Simulation.Warmup.Seconds *= stretch
	return &scn, stretch
}
