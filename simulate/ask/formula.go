package ask

import (
	"context"
	"math"
	"slices"

	"revopt/model"
	"revopt/model/scenario"
	"revopt/simulate/analytic"
	"revopt/simulate/metric"
	"revopt/simulate/run"
	"revopt/simulate/subject"
	"revopt/simulate/warn"
	"revopt/simulate/workload"
)

// prediction is what the queueing model predicts for the admission of a row.
type prediction struct {
	subject    *subject.Subject
	experiment *run.Experiment
	value      float64        // $/h, NaN where there is none
	busy       float64        // share of the machine that admitted jobs need
	doubts     []warn.Warning // why it may be off, or why there is none
}

// predict evaluates the formula at the admission of the simulation.
func predict(ctx context.Context, models *run.Models, e *run.Experiment) prediction {
	p := prediction{subject: models.Subject, experiment: e, value: math.NaN()}
	a, err := models.Analysis(ctx)
	admission := e.Admission
	switch {
	case err != nil:
		p.doubts = []warn.Warning{warn.New("NO_MODEL", warn.Words("why", err.Error()))}
		return p
	case admission.Rule != nil:
		p.doubts = []warn.Warning{warn.Ignored("the queue that an admission looks at")}
		return p
	}
	q := slices.Repeat([]float64{1}, len(a.System.Classes))
	for i := range q {
		if admission.Admit != nil && a.Customer[i] >= 0 {
			q[i] = admission.Admit[a.Customer[i]]
		}
	}
	sum := 0.0
	for _, part := range a.Parts() {
		hol, err := model.NewHOL(part.System)
		if err != nil {
			p.doubts = []warn.Warning{warn.New("NO_MODEL", warn.Words("why", err.Error()))}
			return p
		}
		p.busy = hol.Utilization(analytic.InPart(part, q))
		revenue := metric.Hour * hol.Revenue(analytic.InPart(part, q))
		sum += revenue
		if math.IsInf(revenue, 0) {
			p.doubts = []warn.Warning{warn.New("NO_STEADY_STATE", warn.Share("busy", p.busy))}
			return p
		}
		p.doubt(part)
	}
	p.value = sum
	return p
}

// doubt lists the reasons why the formula may be off, the most important first.
func (p *prediction) doubt(a *analytic.Analysis) {
	add := func(when bool, w warn.Warning) {
		if when {
			p.doubts = warn.Union(p.doubts, []warn.Warning{w})
		}
	}
	spec := p.experiment.Policy.Spec
	span := a.Span
	if rate := p.subject.Workload.Stream(); rate > 0 {
		span = p.subject.Workload.Size() / rate
	} else if r, ok := p.subject.Workload.(*workload.Replay); ok {
		if drawn, weeks, _ := r.Resampled(); weeks > 0 {
			span = drawn
		}
	}
	if settles := relaxation(a.System, p.busy); p.busy < 1 && span < 10*settles {
		add(true, warn.New("DOUBT_UNSETTLED", warn.Share("busy", p.busy), warn.Time("settles", settles),
			warn.Time("span", span)))
	}
	label := warn.Words("policy", p.experiment.Policy.Label())
	add(spec.Needs.Shared || !spec.Ranked, warn.New("DOUBT_ORDER", label))
	if f := a.Fit; f != nil {
		for _, doubt := range f.Doubts {
			add(true, warn.Sentence("FIT", doubt))
		}
	} else {
		classes := a.System.Classes
		arrivals := analytic.ClassesWhere(classes, func(c model.Class) bool { return !c.Arrivals.Poisson() })
		add(arrivals != nil, warn.Ignored("arrivals", warn.Words("classes", arrivals...)))
		add(a.Waiting != nil, warn.Ignored("waiting"))
		alike := !slices.ContainsFunc(classes, func(c model.Class) bool {
			return !slices.Equal(c.Width.Values, classes[0].Width.Values) || len(c.Width.Values) > 1
		})
		wide := analytic.ClassesWhere(classes, func(c model.Class) bool { return c.Width.Mean() > float64(a.Units)/2 })
		add(wide != nil && !alike, warn.New("DOUBT_WIDE", warn.Words("classes", wide...)))
	}
	for _, d := range a.Ignored {
		for _, field := range []string{"max_penalty", "expire"} {
			add(d.Ignores(field), warn.Ignored(field))
		}
		add(d.Kind == scenario.WarnOutages, warn.Ignored("machine.down"))
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
