package ask

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/simulate/analytic"
	"revopt/simulate/metric"
	"revopt/simulate/run"
	"revopt/simulate/subject"
	"revopt/simulate/warn"
	"revopt/simulate/workload"
)

// waitOptions say which waits are wanted.
type waitOptions struct {
	Class        string    // the only class wanted; "" is all
	At           []float64 // s: times whose tails are wanted; nil is 0, graces and promised times
	Quantiles    []float64
	Admission    run.Admission   // Admit nil admits all
	Queue        string          // pooled or multiserver; "" is pooled
	Curves       bool            // compute the curves of figures as well
	Simulate     bool            // simulate the same queue
	Length       workload.Length // of a replication; the zero value is 100,000 jobs less 10 % warm-up
	Replications int             // of the simulation
	Workers      int
	Seed         uint64
}

// queueWaits is how long the jobs of each class wait.
type queueWaits struct {
	Load      float64 // offered
	Queue     string  // pooled or multiserver
	Admission string  // of all classes
	Classes   []classWait
	Warnings  []warn.Warning

	pooled       bool   // classes are in pools
	replications int    // of the simulation; 0 where there is none
	arrivals     string // in the simulation, in words; "" where they are Poisson as the formulas assume
}

// classWait is the wait of one class.
type classWait struct {
	Name      string
	Pool      string
	Mean      float64 // s; null where the class is never served
	AtOnce    float64
	Tail      []waitTail
	Quantiles []waitQuantile
	Simulated *metric.Interval // mean

	Curve []waitTail // of the figure
}

// waitTail is the tail of a wait at one time.
type waitTail struct {
	T           float64 // s
	P           float64 // P(W > t)
	Excess      float64 // E[(W - t)^+], s
	PError      float64
	ExcessError float64
	Simulated   *metric.Interval // of p
}

// waitQuantile is the time within which a share of the jobs starts.
type waitQuantile struct {
	Q float64
	T float64 // s; null where it is infinite
}

// waitsIn computes how long jobs wait in the queue of an analysis.
func waitsIn(ctx context.Context, a *analytic.Analysis, o waitOptions) (*queueWaits, error) {
	o.Queue = cmp.Or(o.Queue, model.Pooled.String())
	if o.Admission.Admit == nil {
		o.Admission.Admit = slices.Repeat([]float64{1}, len(a.System.Classes))
	}
	if o.At == nil {
		o.At = waitTimes(a.System.Classes)
	}
	if o.Length == (workload.Length{}) {
		o.Length = workload.Length{Jobs: 100000, WarmupFraction: 0.1}
	}
	w := &queueWaits{Queue: o.Queue, Admission: o.Admission.Name, pooled: a.Pools != nil}
	for _, i := range a.Ignored {
		switch {
		case i.Ignores("expire"):
		case i.Ignores("max_penalty", "slo"): // they concern the optimum, not the waits
			if o.Admission.Name == scenario.AdmitAnalytic {
				w.Warnings = append(w.Warnings, i.About("analytic admission"))
			}
		default:
			w.Warnings = append(w.Warnings, i)
		}
	}
	other := text.Where(a.System.Classes, func(c model.Class) bool { return !c.Arrivals.Poisson() })
	arrivals := func(c model.Class) string { return c.Name + " " + c.Arrivals.String() }
	w.arrivals = strings.Join(text.Each(other, arrivals), ", ")
	if o.Simulate {
		w.replications = o.Replications
	}
	var doubts [][]warn.Warning
	for _, part := range a.Parts() {
		inPart := o
		inPart.Admission.Admit = analytic.InPart(part, o.Admission.Admit)
		load := part.System.Load()
		classes, list, err := partWaits(ctx, part, inPart)
		if err != nil {
			return nil, err
		}
		w.Load += load * (float64(part.Units) / float64(a.Units))
		w.Classes, doubts = append(w.Classes, classes...), append(doubts, list)
	}
	w.Warnings = append(w.Warnings, a.PoolWarnings(doubts)...)
	return w, nil
}

func partWaits(ctx context.Context, a *analytic.Analysis, o waitOptions) (list []classWait,
	doubts []warn.Warning, err error) {
	multiserver := model.WaitOptions{Multiserver: o.Queue == model.Multiserver.String()}
	waits, err := model.NewWaits(a.System, o.Admission.Admit, multiserver)
	if err != nil {
		return nil, nil, err
	}
	var wanted []int
	for i, c := range a.System.Classes {
		if o.Class != "" && o.Class != c.Name {
			continue
		}
		wanted = append(wanted, i)
		one, err := waitOf(ctx, waits, c.Name, i, o)
		if err != nil {
			return nil, nil, err
		}
		one.Pool = c.Pool
		list = append(list, one)
	}
	doubts = waitDoubts(a.System.Classes, waits, o.Queue)
	if o.Simulate && list != nil {
		more, err := o.simulate(ctx, a, list, wanted)
		return list, append(doubts, more...), err
	}
	return list, doubts, nil
}

// waitTimes are those that the classes speak of.
func waitTimes(classes []model.Class) []float64 {
	times := []float64{0}
	for _, c := range classes {
		if c.MeanDecay() > 0 {
			times = append(times, c.MeanGrace())
		}
		if c.SLO != nil {
			times = append(times, c.SLO.Within)
		}
	}
	slices.Sort(times)
	times = slices.Compact(times)
	const most = 4
	return times[:min(len(times), most)]
}

// Faintest is the tail at which the curves of figures end.
const Faintest = 1e-3

func waitOf(ctx context.Context, waits *model.Waits, name string, i int, o waitOptions) (classWait, error) {
	c := classWait{Name: name, Mean: waits.Mean(i), AtOnce: waits.Atom(i),
		Tail: []waitTail{}}
	for _, t := range o.At {
		if ctx.Err() != nil {
			return c, ctx.Err()
		}
		c.Tail = append(c.Tail, tailAt(waits, i, t))
	}
	for _, q := range o.Quantiles {
		t, err := waits.Quantile(i, q)
		if err != nil {
			return c, fmt.Errorf("class %s: %w", c.Name, err)
		}
		c.Quantiles = append(c.Quantiles, waitQuantile{q, t})
	}
	end, err := waits.Quantile(i, 1-Faintest)
	if !o.Curves || err != nil || math.IsInf(end, 1) || end == 0 {
		return c, nil // not asked for, never served, or next to no job waits
	}
	const points = 48
	for n := range points {
		if ctx.Err() != nil {
			return c, ctx.Err()
		}
		c.Curve = append(c.Curve, tailAt(waits, i, end*float64(n)/(points-1)))
	}
	return c, nil
}

func tailAt(waits *model.Waits, class int, t float64) waitTail {
	p, x, perr, xerr := waits.TailExcess(class, t)
	return waitTail{T: t, P: p, Excess: x, PError: perr,
		ExcessError: xerr}
}

func waitDoubts(classes []model.Class, waits *model.Waits, queue string) []warn.Warning {
	var list []warn.Warning
	endless := text.Where(text.Numbers(len(classes)), func(i int) bool { return math.IsInf(waits.Mean(i), 1) })
	never := text.Each(endless, func(i int) string { return classes[i].Name })
	warn.AddIf(&list, never != nil, warn.New("ENDLESS_WAIT", warn.Words("classes", never...)))
	warn.AddIf(&list, queue == model.Multiserver.String(),
		warn.New("APPROXIMATE", warn.Words("tails", "exponential lengths of one mean")))
	return append(list, analytic.IgnoredOf("expire", classes, analytic.Expires)...)
}

// simulate adds what a simulation of the same queue gives.
func (o waitOptions) simulate(ctx context.Context, a *analytic.Analysis, list []classWait,
	wanted []int) ([]warn.Warning, error) {
	curves := text.Join(list, func(c classWait) []waitTail { return c.Curve })
	at := slices.Concat(o.At, text.Each(curves, func(t waitTail) float64 { return t.T }))
	waits := WaitStudy{
		System: a.System, Admit: o.Admission.Admit, At: at, Servers: o.Queue == model.Multiserver.String(),
		Length: o.Length, Replications: o.Replications, Workers: o.Workers, Seed: o.Seed,
	}
	simulated, err := waits.Run(ctx)
	if err != nil {
		return nil, err
	}
	next := len(o.At)
	for k, i := range wanted {
		c := &list[k]
		c.Simulated = &simulated[i].Mean
		for n := range c.Tail {
			c.Tail[n].Simulated = &simulated[i].Tail[n]
		}
		for n := range c.Curve {
			c.Curve[n].Simulated = &simulated[i].Tail[next+n]
		}
		next += len(c.Curve)
	}
	return waits.doubts, nil
}

// WaitStudy simulates how long jobs wait without expiry, as model.Waits computes it.
type WaitStudy struct {
	System       model.System
	Admit        []float64 // nil admits all
	At           []float64 // s: times whose tails are wanted
	Servers      bool      // the system's servers, each job on one; else one pooled server
	Length       workload.Length
	Replications int
	Workers      int     // 0: one per processor
	Level        float64 // of confidence; 0 is metric.DefaultLevel
	Seed         uint64

	doubts []warn.Warning // of Run
}

// WaitTails is the wait of one class in a simulation.
type WaitTails struct {
	Mean         metric.Interval   // s
	Tail, Excess []metric.Interval // P(W > t) and E[(W - t)^+] at each time
}

// Run returns the waits of each class. Jobs are of one node and never expire. The
// pooled server is one node on which a job takes the n-th part of its length.
func (w *WaitStudy) Run(ctx context.Context) ([]WaitTails, error) {
	classes, nodes := w.classes()
	jobs, err := workload.NewClasses(classes, nodes, w.Length)
	if err != nil {
		return nil, err
	}
	hol, err := subject.NewPolicy(subject.Standard(), "hol", nil)
	if err != nil {
		return nil, err
	}
	e := &run.Experiment{Workload: jobs, Policy: hol, Admission: run.Gate{Admit: w.Admit},
		Seed: w.Seed}
	if err := e.AffordRuns(ctx, w.Replications, w.Workers); err != nil {
		return nil, err
	}
	samples := make([]run.Sample, w.Replications)
	runs, err := metric.Replicate(ctx, 0, w.Replications, w.Workers,
		func(ctx context.Context, k int) (tails *metric.Tails, err error) {
			tails = metric.NewTails(len(classes), w.At)
			samples[k], err = e.Run(ctx, k, tails)
			return tails, err
		})
	if err != nil {
		return nil, err
	}
	level := cmp.Or(w.Level, metric.DefaultLevel)
	if jobs, yes := run.NewRuns(e, samples).Skewed(e); yes {
		w.doubts = []warn.Warning{skewedRows(1, 1, level, math.Ceil(jobs))}
	}
	waits := make([]WaitTails, len(classes))
	for class := range waits {
		estimate := func(number func(*metric.Tails) float64) metric.Interval {
			return metric.Estimate(text.Each(runs, number), level)
		}
		waits[class].Mean = estimate(func(t *metric.Tails) float64 { return t.Mean(class) })
		for k := range w.At {
			tail := estimate(func(t *metric.Tails) float64 { return t.Tail(class, k) })
			excess := estimate(func(t *metric.Tails) float64 { return t.Excess(class, k) })
			waits[class].Tail = append(waits[class].Tail, tail)
			waits[class].Excess = append(waits[class].Excess, excess)
		}
	}
	return waits, nil
}

// classes returns the classes to simulate, and on how many nodes.
func (w *WaitStudy) classes() ([]model.Class, int) {
	classes := slices.Clone(w.System.Classes)
	for i := range classes {
		c := &classes[i]
		// Only the order of service is left of the utility.
		c.Decay, c.DecayOfPrice = c.MeanDecay(), 0
		c.Price = model.Tariff{}
		c.Grace = model.Grace{}
		c.Deadline = model.Grace{}
		c.Hard = 0
		c.Floor = model.Floor{None: true}
		c.Expire, c.Patience = model.ExpireNever, 0
		c.Width = model.FixedWidth(1)
		if !w.Servers {
			c.Length = shorter{c.Length, w.System.Parallel}
		}
	}
	if w.Servers {
		return classes, int(math.Round(w.System.Parallel))
	}
	return classes, 1
}

// shorter is a length on a server that is so many times as fast.
type shorter struct {
	model.Distribution
	speed float64
}

// Mean and Rand implement model.Distribution.
func (s shorter) Mean() float64 { return s.Distribution.Mean() / s.speed }

func (s shorter) Rand(r *rand.Rand) float64 { return s.Distribution.Rand(r) / s.speed }
