package whatif

import (
	"context"
	"math"
	"slices"

	"revopt/model"
	"revopt/model/scenario"
	"revopt/simulate/analytic"
	"revopt/simulate/fit"
	"revopt/simulate/metric"
	"revopt/simulate/warn"
	"revopt/simulate/workload"
)

// FormulaPair is what the queueing model predicts; null if it has no number.
type FormulaPair struct {
	Before metric.Number `json:"before"`
	After  metric.Number `json:"after"`
	Reason *warn.Warning `json:"reason,omitempty"` // that there is none
}

// Difference returns after less before, NaN where there is no formula.
func (p *FormulaPair) Difference() float64 {
	if p == nil {
		return math.NaN()
	}
	return float64(p.After - p.Before)
}

// predict evaluates the formula at the admission of the simulation.
func (s *state) predict(ctx context.Context) {
	s.formula = math.NaN()
	a, err := s.models.Analysis(ctx)
	switch {
	case ctx.Err() != nil:
		s.reason = &warn.Warning{Text: "the run was interrupted"}
		return
	case err != nil:
		s.reason = &warn.Warning{Text: err.Error()}
		return
	}
	admission := s.experiment.Admission
	if admission.Rule != nil {
		s.reason = &warn.Warning{Kind: warn.NoFormulaRule}
		return
	}
	q := slices.Repeat([]float64{1}, len(a.System.Classes))
	for i := range q {
		if admission.Admit != nil && a.Customer[i] >= 0 {
			q[i] = admission.Admit[a.Customer[i]]
		}
	}
	var sum float64
	for _, part := range a.Parts() {
		hol, err := model.NewHOL(part.System)
		if err != nil {
			s.reason = &warn.Warning{Text: err.Error()}
			return
		}
		s.busy = hol.Utilization(analytic.InPart(part, q))
		revenue := metric.Hour * hol.Revenue(analytic.InPart(part, q))
		sum += revenue
		if math.IsInf(revenue, 0) {
			s.reason = &warn.Warning{Kind: warn.NoFormulaSteady, Numbers: []float64{s.busy}}
		}
		s.doubt(part)
	}
	if s.reason == nil {
		s.formula = sum
	}
}

// doubt lists the reasons why the formula may be off, the most important first.
func (s *state) doubt(a *analytic.Analysis) {
	add := func(when bool, kind string, names []string, numbers ...float64) {
		if when {
			s.doubts = warn.Union(s.doubts, []warn.Warning{{Kind: kind, Names: names, Numbers: numbers}})
		}
	}
	label := []string{s.experiment.Policy.Label()}
	spec := s.experiment.Policy.Spec
	span := a.Span
	if rate := s.subject.Workload.Stream(); rate > 0 {
		span = s.subject.Workload.Size() / rate
	} else if r, ok := s.subject.Workload.(*workload.Replay); ok {
		if drawn, weeks, _ := r.Resampled(); weeks > 0 {
			span = drawn
		}
	}
	if settles := relaxation(a.System, s.busy); s.busy < 1 && span < 10*settles {
		add(true, warn.DoubtUnsettled, nil, s.busy, settles, span)
	}
	add(spec.Needs.Shared, warn.DoubtShared, label)
	add(!spec.Ranked, warn.DoubtOrder, label)
	if f := a.Fit; f != nil {
		for _, d := range f.Warnings {
			switch d.Kind {
			case fit.NotPoisson, fit.FewJobs, fit.HeavyTail, fit.HardDeadlines, fit.UnlikeNodes:
				add(true, warn.DoubtFit, []string{d.String()})
			case fit.Fragments:
				add(true, warn.DoubtWideWork, nil, d.Value)
			}
		}
	} else {
		classes := a.System.Classes
		arrivals := analytic.ClassesWhere(classes, func(c model.Class) bool { return !c.Arrivals.Poisson() })
		add(arrivals != nil, warn.DoubtArrivals, arrivals)
		add(a.Waiting != nil, warn.DoubtWaiting, nil)
		alike := !slices.ContainsFunc(classes, func(c model.Class) bool {
			return !slices.Equal(c.Width.Values, classes[0].Width.Values) || len(c.Width.Values) > 1
		})
		wide := analytic.ClassesWhere(classes, func(c model.Class) bool { return c.Width.Mean() > float64(a.Units)/2 })
		add(wide != nil && !alike, warn.DoubtWide, wide)
	}
	for _, d := range a.Ignored {
		add(d.Kind == warn.Floor, warn.DoubtFloor, nil)
		add(d.Kind == warn.Expiry, warn.DoubtExpiry, nil)
		add(d.Kind == string(scenario.WarnOutages), warn.DoubtOutages, nil)
	}
}

// relaxation returns the time in which a queue forgets its start, s: that of
// M/M/1 with the pooled mean service time b, b / (1 - sqrt(busy))^2.
func relaxation(sys model.System, busy float64) float64 {
	var rate, work float64
	for _, c := range sys.Classes {
		rate += c.Rate
		work += c.Rate * c.Length.Mean() / sys.Parallel
	}
	return work / rate / math.Pow(1-math.Sqrt(busy), 2)
}
