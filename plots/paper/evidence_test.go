package paper

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/plots"
	"revopt/simulate"
	"revopt/simulate/policy/share"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// evidence is the figures under one reading, from which claims are decided. A figure is
// built when it is first asked for. While a claim is decided it holds what checks need.
type evidence struct {
	ctx   context.Context
	o     Options
	built map[string]plots.Picture

	figure    string  // of the claim
	tolerance float64 // of the claim
	why       string  // of the tolerance
}

// newEvidence returns evidence under a reading. Sweeps that several claims need are run
// once.
func newEvidence(ctx context.Context, o Options, r Reading) *evidence {
	if o.Shared == nil {
		o.Shared = new(Shared)
	}
	o.Reading = r
	return &evidence{ctx: ctx, o: o, built: make(map[string]plots.Picture)}
}

// decide decides a claim. The error is that of a figure that cannot be built.
func (e *evidence) decide(c claim) (v verdict, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("claim %s: %w", c.id, err)
		}
	}()
	defer caught(&err)
	own := *e
	own.figure, own.tolerance, own.why = c.figure, c.tolerance, c.reason
	return checks[c.id](&own), nil
}

// A lack is why a claim cannot be decided.
type lack struct{ err error }

// must returns a value that is needed; its error ends the decision.
func must[T any](v T, err error) T {
	if err != nil {
		panic(lack{err})
	}
	return v
}

// caught is deferred where must may end a computation. It sets the error.
func caught(err *error) {
	switch r := recover().(type) {
	case nil:
	case lack:
		*err = r.err
	default:
		panic(r)
	}
}

// lacking ends a decision; caught returns its error.
func lacking(format string, args ...any) { panic(lack{fmt.Errorf(format, args...)}) }

// open is the check of a claim that the paper leaves open: why says what is missing.
func (e *evidence) open() verdict { return verdict{undetermined, e.why} }

func (e *evidence) picture(id string) plots.Picture {
	if p := e.built[id]; p != nil {
		return p
	}
	result, err := must(Find(id)).build(e.ctx, e.o)
	if err != nil {
		lacking("figure %s: %w", id, err)
	}
	e.built[id] = result.Picture
	return result.Picture
}

// A source is a figure, or the simulation of claims, whose curves are asked for.
type source struct {
	e           *evidence
	id, measure string
}

// in returns another figure than that of the claim.
func (e *evidence) in(id string) source { return source{e: e, id: id} }

// by returns the figure of the claim by another measure.
func (e *evidence) by(measure string) source { return source{e: e, id: e.figure, measure: measure} }

func (e *evidence) curves(names ...string) terms { return e.in(e.figure).curves(names...) }
func (e *evidence) starting(words string) terms  { return e.in(e.figure).starting(words) }
func (e *evidence) all() terms                   { return e.in(e.figure).all() }

// curves returns the curve of each name: the first that is called so, begins so or contains it.
func (s source) curves(names ...string) terms {
	list := s.every(strings.Join(names, "|"))
	return text.Each(names, func(name string) term {
		for _, match := range []func(name, words string) bool{strings.EqualFold, strings.HasPrefix, strings.Contains} {
			k := slices.IndexFunc(list, func(c valueCurve) bool { return match(c.name, name) })
			if k >= 0 {
				return term{name: list[k].name, curve: &list[k]}
			}
		}
		lacking("figure %s has no curve %q", s.id, name)
		return term{}
	})
}

// starting returns the curves whose names begin with words.
func (s source) starting(words string) terms {
	begins := func(c valueCurve) bool { return strings.HasPrefix(c.name, words) }
	chosen := text.Where(s.every(""), begins)
	return text.Each(chosen, func(c valueCurve) term { return term{name: c.name, curve: &c} })
}

func (s source) all() terms { return s.starting("") }

// every returns all curves in the units that the axes print. A row of the given name decides which
// simulations are needed.
func (s source) every(name string) []valueCurve {
	e := s.e
	planned := plannedFigure(s.id)
	if planned == nil {
		fig := panelsOf(e.picture(s.id))[0]
		return inUnits(text.Each(fig.Series, drawnCurve), fig.X, fig.Y, fig.VLines)
	}
	o, p := e.o, planned.plan(e.o)
	begins := func(r row) bool { return name != "" && strings.HasPrefix(r.name, name) }
	k := slices.IndexFunc(p.rows, begins)
	formula := k >= 0 && p.rows[k].admission != nil && p.rows[k].admission.Name == scenario.AdmitAnalytic
	if !formula {
		o = e.simulatedAs(p.scenario)
		p = planned.plan(o)
	}
	if (k < 0 || !p.rows[k].searched()) && !p.known(o) {
		p = p.cheap()
	}
	t := must(p.run(e.ctx, o))
	if s.measure == "" || s.measure == planned.measure {
		return inUnits(text.Each(planned.curves(t, planned.measure), simulatedCurve), planned.x, planned.y, nil)
	}
	return inUnits(text.Each(planned.curves(t, s.measure), simulatedCurve), planned.x, measureAxes[s.measure], nil)
}

// simulatedAs returns the options under which simulations of a scenario are the same and
// shared: a reading of the formulas alone leaves jobs as they are.
func (e *evidence) simulatedAs(name string) Options {
	o := e.o
	changesJobs := func(v scenario.Override) bool {
		return v.Path != "phi" && v.Path != "server.residual" && v.Path != "server.grace"
	}
	if set := o.Reading.overrides(name); len(set) > 0 && !slices.ContainsFunc(set, changesJobs) {
		o.Reading = Reading{}
	}
	return o
}

// panelsOf returns the axes of a picture.
func panelsOf(p plots.Picture) []plots.Figure {
	switch p := p.(type) {
	case plots.Figure:
		return []plots.Figure{p}
	case plots.Sheet:
		return p.Panels
	}
	return nil
}

// known reports whether a plan was run before.
func (p plan) known(o Options) bool { return o.Shared.known(p.key(o)) != nil }

// searched reports whether the admission is found by a search on the simulator.
func (r row) searched() bool {
	return r.admission != nil && r.admission.Name == scenario.AdmitSimulated
}

// cheap returns the plan without searches and without other options than those of the first row.
func (p plan) cheap() plan {
	if slices.ContainsFunc(p.rows, row.searched) {
		first := p.rows[0].options
		p.rows = slices.DeleteFunc(slices.Clone(p.rows), func(r row) bool {
			return r.searched() || !maps.Equal(r.options, first)
		})
	}
	return p
}

// plannedFigure returns the simulation of a figure or of claims; nil where there is none.
func plannedFigure(id string) *simulated {
	switch id {
	case "low-loads":
		return &simulated{
			plan: lowLoads, x: loadAxis, y: measureAxes["revenue_per_job"], measure: "revenue_per_job",
		}
	case "half-node":
		return &simulated{plan: libraHalf, measure: "jobs_completed"}
	case "easy":
		return &simulated{plan: easyPlan, y: plots.Axis{Percent: true}, measure: "job_qos_satisfaction"}
	}
	return must(Find(id)).simulated
}

// lowLoads is the experiment behind a claim on loads that figure 17 of the NIST paper does not draw.
func lowLoads(o Options) plan {
	loads := []float64{0.5, 0.75, 0.9}
	return admissionPlan("nist-cluster", loads, o.replications(20, 8), searchEffort(o)).cheap()
}

// libraHalf is three jobs on one node that need half of it each.
func libraHalf(Options) plan {
	work := fmt.Sprint(7200 * workload.PaperMIPS)
	return plan{
		scenario: "libra-2004", path: "sites.0.processors", values: []float64{1}, replications: 2,
		set: []scenario.Override{
			scenario.Set("batch.jobs", 3), {Path: "batch.arrivals", Value: "[0, 1e-6]"},
			{Path: "batch.lengths", Value: "[" + work + ", " + work + "]"},
			{Path: "batch.deadlines", Value: "[14400, 14400]"},
			scenario.Set("batch.budget", 1e9), scenario.Set("batch.random", 0),
		},
		rows: []row{{name: "Libra", policy: "libra", options: map[string]string{"spare": "none"}}},
	}
}

// easyPlan is EASY, which lets no job leave, beside FCFS-BF at the settings of Table I of Yeo and Buyya (2007).
func easyPlan(o Options) plan {
	p := tracePlan(o, "sp2-like", o.replications(10, 3), compared("easy", "fcfs-bf"))
	p.values = []float64{0.5}
	return p
}

// input returns a number that a paper states of a scenario.
func (e *evidence) input(name, what string) terms {
	numbers := e.jobNumbers
	switch {
	case name == "pricing":
		numbers = exampleNumbers
	case strings.HasPrefix(name, "nist-"):
		numbers = classNumbers
	}
	x, ok := numbers(name)[what]
	if !ok {
		lacking("no input %q of %s", what, name)
	}
	v := exact(x)
	if name == "sp2-sla" && e.o.Trace == "" {
		v.low, v.high = math.Inf(-1), math.Inf(1) // the jobs are generated: the trace may have other ones
	}
	return terms{{name: what, value: v}}
}

// exampleNumbers are those of section V of Yeo and Buyya (2007): 90 of 100 units an hour
// are taken and 10 asked for, with deadlines of 2 and 5 h.
func exampleNumbers(string) map[string]float64 {
	p := share.Pricing{Beta: 1}
	return map[string]float64{"2 h": p.Rate(1, 200, 100), "5 h": p.Rate(1, 500, 400)}
}

// classNumbers returns the numbers of a scenario of job classes.
func classNumbers(name string) map[string]float64 {
	f := open(name)
	s, sys := must(f.scenario()), must(f.system())
	numbers := map[string]float64{"servers": sys.Parallel, "nodes": float64(s.Nodes)}
	rate := text.Sum(sys.Classes, func(c model.Class) float64 { return c.Rate })
	for i, c := range sys.Classes {
		mean, square := c.Length.Mean(), c.Length.Moment(2)
		numbers["price"] += c.Rate / rate * c.MeanPrice()
		for what, x := range map[string]float64{
			"share": c.Rate / rate, "price": c.MeanPrice(), "decay": c.Decay, "grace": c.MeanGrace(),
			"grace in lengths": c.MeanGrace() / mean, "penalty": s.Classes[i].Floor.OfPrice,
			"width": s.Classes[i].Width.Mean(), "length": mean, "square": square,
			"deviation": math.Sqrt(square - mean*mean), "least": c.Length.Quantile(0),
		} {
			numbers[c.Name+" "+what] = x
		}
	}
	return numbers
}

// jobNumbers returns the sites of a scenario, and statistics of the jobs of its first
// replication, without a delay factor where the jobs are of a trace.
func (e *evidence) jobNumbers(name string) map[string]float64 {
	f := e.o.open(name)
	numbers := make(map[string]float64)
	if grid := must(f.scenario()).Grid; grid != nil {
		for i, s := range grid.Sites {
			numbers["processors"] += float64(s.Processors)
			numbers["processors of "+strconv.Itoa(i+1)] = float64(s.Processors)
			numbers["MIPS of "+strconv.Itoa(i+1)] = s.MIPS
		}
	} else {
		f = f.with(append(traced(e.o.Trace), scenario.Set(delayFactor, 1))...)
	}
	jobs := e.jobs(f)
	var work, width, gaps, squares, last float64
	for _, j := range jobs {
		gap := j.Submit - last
		last = j.Submit
		work += j.Work
		width += float64(j.Width)
		gaps += gap
		squares += gap * gap
	}
	n := float64(len(jobs))
	numbers["runtime"], numbers["width"], numbers["interval"] = work/n, width/n, gaps/n
	numbers["interval within"] = (last - jobs[0].Submit) / (n - 1)
	numbers["variation"] = math.Sqrt(squares/n-gaps*gaps/n/n) / (gaps / n)
	return numbers
}

// jobs returns the jobs of the first replication of a scenario.
func (e *evidence) jobs(f builtin) []simulate.Job {
	subject := must(subject.Open(e.ctx, must(f.doc.With(f.overrides...)), e.o.Seed, nil))
	source := must(subject.Workload.Jobs(e.o.Seed, 0))
	var jobs []simulate.Job
	for {
		var j simulate.Job
		more, err := source.Next(&j)
		if !more {
			if closer, ok := source.(io.Closer); ok {
				err = errors.Join(err, closer.Close())
			}
			return must(jobs, err)
		}
		jobs = append(jobs, j)
	}
}
