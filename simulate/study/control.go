package study

import (
	"context"
	"errors"
	"math"
	"slices"

	"revopt/model"
	"revopt/model/scenario"
	"revopt/optimize"
	"revopt/simulate"
	"revopt/simulate/metric"
)

// The kinds of admission that look at the queue.
const (
	ControlState     = "state"     // the best of all, as a table of decisions
	ControlThreshold = "threshold" // the best limits on the jobs that wait, by customer
)

// ControlAnswer is an admission that looks at the queue, and its gain over the
// best static one.
type ControlAnswer struct {
	Kind                   string           `json:"kind"`
	RevenuePerSecond       Number           `json:"revenue_per_second"`
	UpperBoundPerSecond    Number           `json:"upper_bound_per_second"` // null where nothing is proven
	StaticRevenuePerSecond Number           `json:"static_revenue_per_second"`
	Gain                   Number           `json:"gain"` // over static admission, as a share of it
	Thresholds             []ClassThreshold `json:"thresholds"`
	States                 int              `json:"states"`
}

// ClassThreshold says when a class is refused: while so many jobs, of all
// classes together, wait.
type ClassThreshold struct {
	Name    string  `json:"name"`
	Admit   *Number `json:"admit,omitempty"`  // probability below the limit; of a threshold rule
	Waiting *int    `json:"waiting"`          // least number at which it is refused; null: never
	Surely  *int    `json:"surely,omitempty"` // of a table of decisions: from here on it is refused in every state
}

// control returns the queue that an analysis is of.
func (a *Analysis) control() optimize.ControlSettings {
	s := optimize.ControlSettings{Waiting: -1, Servers: a.System.Residual == model.Multiserver}
	if a.Waiting != nil {
		s.Waiting = *a.Waiting
	}
	return s
}

// SolveControl finds the admission that earns most of those that look at the
// queue: all of them for ControlState, with a proof, or those by thresholds. A
// system whose state is not small is an *optimize.NoControlError.
func SolveControl(ctx context.Context, a *Analysis, kind string, gap float64) (*ControlAnswer, error) {
	settings := a.control()
	settings.Gap = gap
	if kind == ControlThreshold {
		r, err := optimize.Thresholds(ctx, a.System, settings)
		if err != nil {
			return nil, err
		}
		c := &ControlAnswer{Kind: kind, RevenuePerSecond: Number(r.Revenue), UpperBoundPerSecond: Number(math.Inf(1)), StaticRevenuePerSecond: Number(r.Static)}
		for i, class := range a.System.Classes {
			admit := Number(r.Share[i])
			c.Thresholds = append(c.Thresholds, ClassThreshold{Name: class.Name, Admit: &admit, Waiting: limit(r.Waiting[i])})
		}
		c.Gain = c.RevenuePerSecond/c.StaticRevenuePerSecond - 1
		return c, nil
	}
	r, err := optimize.Control(ctx, a.System, settings)
	if err != nil {
		return nil, err
	}
	c := &ControlAnswer{
		Kind: kind, RevenuePerSecond: Number(r.Revenue), UpperBoundPerSecond: Number(r.UpperBound), StaticRevenuePerSecond: Number(r.Static),
		Gain: Number(r.Revenue/r.Static - 1), States: r.States,
	}
	for i, class := range a.System.Classes {
		c.Thresholds = append(c.Thresholds, ClassThreshold{Name: class.Name, Waiting: limit(r.Thresholds[i].Some), Surely: limit(r.Thresholds[i].All)})
	}
	return c, nil
}

// limit returns a limit, nil where there is none.
func limit(waiting int) *int {
	if waiting < 0 {
		return nil
	}
	return &waiting
}

// tableRule lets a table of decisions admit jobs at a single site.
func tableRule(table *optimize.ControlTable, classes int) simulate.Admission {
	return simulate.AdmitFunc(func(j *simulate.Job, sites []*simulate.Cluster) bool {
		waiting, running := make([]int, classes), make([]int, classes)
		for class := range waiting {
			waiting[class], running[class] = sites[0].WaitingOf(class), sites[0].Running(class)
		}
		return table.Admit(j.Class, waiting, running)
	})
}

// searchThresholds looks for the limits on waiting jobs, and the probabilities
// below them, with which an experiment earns most on the simulator. It begins
// with the best static admission of a search, so that it finds nothing worse but
// by chance.
//
// A limit K is searched as the share k in K = scale k/(1 - k), where 1 is no
// limit, so that Maximize walks from few to all.
func searchThresholds(ctx context.Context, e *Experiment, effort scenario.SearchEffort, starts [][]float64, workers int, progress func()) (simulate.Thresholds, error) {
	static, err := Search(ctx, e, effort, starts, workers, progress)
	if err != nil {
		return simulate.Thresholds{}, err
	}
	if effort.Jobs == 0 {
		effort.Jobs = searchJobs
	}
	n := len(static.Admit)
	scale := 4.0
	for _, site := range e.Workload.Sites() {
		scale = math.Max(scale, math.Sqrt(float64(site.Processors)))
	}
	rule := func(x []float64) simulate.Thresholds {
		t := simulate.Thresholds{Share: slices.Clone(x[:n]), Waiting: make([]int, n)}
		for i, k := range x[n:] {
			t.Waiting[i] = -1
			if k < 1 {
				t.Waiting[i] = int(math.Round(scale * k / (1 - k)))
			}
		}
		return t
	}
	short, seed := shortened(e.Workload, effort.Jobs), derived(e.Seed, "search")
	revenue := func(ctx context.Context, x []float64, replication int) (float64, error) {
		try := *e
		try.Workload, try.Seed, try.Plain, try.Admission = short, seed, true, Admission{Rule: rule(x)}
		sample, err := try.Run(ctx, replication)
		if err == nil && progress != nil {
			progress()
		}
		if short.Stream() == 0 {
			return sample.Total.Revenue, err
		}
		return metric.RevenuePerSecond().Of(sample.Total), err
	}
	open := append(slices.Clone(static.Admit), slices.Repeat([]float64{1}, n)...)
	begin := [][]float64{open, slices.Repeat([]float64{1}, 2*n)}
	// A limit pays where it takes the place of a lottery, which no single step
	// can do: the classes of which static admission refuses some, or the ones it
	// refuses in part, are let in up to a limit.
	for _, least := range []float64{-1, 0} {
		for waiting := 1.0; waiting <= 1024; waiting *= 2 {
			x := slices.Clone(open)
			for i, q := range static.Admit {
				if q < 1 && q > least {
					x[i], x[n+i] = 1, waiting/(scale+waiting)
				}
			}
			if !slices.Equal(x, open) {
				begin = append(begin, x)
			}
		}
	}
	found, err := Maximize(ctx, revenue, SearchSettings{Starts: begin, Replications: effort.Replications, LastStep: effort.Step, Workers: workers})
	if err != nil {
		return simulate.Thresholds{}, err
	}
	return rule(found.Admit), nil
}

// Rule computes the admission of an experiment that looks at the queue: the table
// of decisions of the model, or thresholds. These are the model's where it has
// any, else searched on the simulator; searched says so.
func (m *Admissions) Rule(ctx context.Context, e *Experiment, kind string, workers int, progress func()) (rule simulate.Admission, searched bool, err error) {
	a, err := m.Analysis(ctx)
	exact := err == nil && a.Fit == nil
	var none *optimize.NoControlError
	switch {
	case kind == ControlState && err != nil:
		return nil, false, err
	case kind == ControlState && !exact:
		return nil, false, &optimize.NoControlError{Reason: "is a fit to a trace, whose jobs do not say in which of its classes they are"}
	case kind == ControlState:
		r, err := optimize.Control(ctx, a.System, a.control())
		if err != nil {
			return nil, false, err
		}
		return tableRule(r.Table, len(a.System.Classes)), false, nil
	case exact && e.Policy.Spec.Ranked:
		r, err := optimize.Thresholds(ctx, a.System, a.control())
		if err == nil {
			return simulate.Thresholds{Share: r.Share, Waiting: r.Waiting}, false, nil
		}
		if !errors.As(err, &none) {
			return nil, false, err
		}
	}
	starts, err := m.Starts(ctx)
	if err != nil {
		return nil, false, err
	}
	found, err := searchThresholds(ctx, e, scenario.SearchEffort{}, starts, workers, progress)
	return found, true, err
}
