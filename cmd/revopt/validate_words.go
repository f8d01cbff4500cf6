package main

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"revopt/simulate/sweep"
)

// describe names the scenario and its machine.
func (r *validateReport) describe() {
	v := r.run
	switch {
	case v.traced != nil:
		jobs := v.trace
		delay, clean := number(v.traced.Delay), newCleaningReport(jobs.Cleaning())
		r.Scenario, r.Trace, r.Subset, r.DelayFactor, r.Nodes = v.traced.Name, v.traced.File, jobs.Subset().String(), &delay, jobs.Nodes()
		r.Cleaning = &clean
	case v.grid != nil:
		r.Scenario = v.grid.Name
		for _, s := range v.grid.Sites {
			r.Nodes += s.Processors
		}
	default:
		load := number(v.classed.Load)
		r.Scenario, r.Load, r.Nodes = v.classed.Name, &load, v.classed.Nodes
	}
}

// what says in a few words what was offered to what.
func (r *validateReport) what() string {
	v := r.run
	jobs := plural(int(math.Round(float64(r.Jobs))), "job")
	switch {
	case v.traced != nil:
		return fmt.Sprintf("%s of %s on %s, arrival delay factor %s", jobs, filepath.Base(r.Trace), plural(r.Nodes, "node"), plain(float64(*r.DelayFactor)))
	case v.grid != nil:
		return fmt.Sprintf("%s on %s with %s", jobs, plural(len(v.grid.Sites), "site"), plural(r.Nodes, "processor"))
	}
	return fmt.Sprintf("%s at load %s on %s", jobs, plain(float64(*r.Load)), plural(r.Nodes, "node"))
}

// remarks say what a reader of the table should know besides.
func (r *validateReport) remarks(p *sweep.ValidatedPoint) []string {
	v := r.run
	var list []string
	for i, b := range p.Bounds {
		if b.MeanOnly {
			rate := p.BoundPerSecond(i).Mean
			r.SteadyState = &steadyState{b.Name, number(rate)}
			list = append(list, fmt.Sprintf("In the long run no policy earns more than %s $/h on such a stream of jobs (%s); a short replication may.", grouped(3600*rate), b.Name))
		}
	}
	if v.traced != nil && len(v.own.models[0]) > 0 {
		list = append(list, "The model predicts what is earned while jobs arrive; policies also earn from the last arrival until the last job has ended.")
	}
	if v.classed != nil && v.jobs == 0 {
		sim := v.classed.Simulation
		if own := math.Max(float64(sim.Jobs), sim.Horizon*arrivals(v.classed)); own > 1.01*sweep.DrainedJobs {
			list = append(list, fmt.Sprintf("The scenario's own replications have about %s jobs; here they are cut to about %s, so that the bound is found in seconds. --jobs changes that.",
				separated(own, 0), separated(sweep.DrainedJobs, 0)))
		}
	}
	if w := v.along.work; w != nil && w.Replications < r.Replications {
		list = append(list, fmt.Sprintf("The figures are of the first %s.", plural(w.Replications, "replication")))
	}
	list = append(list, v.admissionWords()...)
	return append(list, leftOutWords(v.leftOut)...)
}

// leftOutWords says which policies do not apply, those of one reason together.
func leftOutWords(list []sweep.LeftOut) []string {
	var reasons []string
	names := map[string][]string{}
	for _, l := range list {
		reason, _, _ := strings.Cut(l.Reason, ", got ")
		reasons = union(reasons, []string{reason})
		names[reason] = append(names[reason], l.Policy)
	}
	for i, reason := range reasons {
		reasons[i] = fmt.Sprintf("Left out: %s (%s).", strings.Join(names[reason], ", "), reason)
	}
	return reasons
}

// warnings says what a reader of the results should beware of.
func (r *validateReport) warnings(p *sweep.ValidatedPoint) []string {
	list := []string{}
	if r.Replications == 1 {
		list = append(list, "one replication has no confidence interval, use --replications")
	}
	if q := r.Precision; q != nil && !q.Met {
		list = append(list, fmt.Sprintf("%d replications do not make the interval of %s as narrow as %s of its mean", r.Replications, q.Metric, percent(float64(q.Relative))))
	}
	for i, b := range p.Bounds {
		if gap := b.WidestGap(); gap > 0.01 {
			list = append(list, fmt.Sprintf("the %s bound may be up to %s above the optimum of its own problem: efficiencies are understated by as much", p.Bounds[i].Name, percent(gap)))
		}
	}
	if sc := r.run.traced; sc != nil {
		list = append(list, append(machineWarnings(sc, r.run.trace), lenienceWarnings(sc)...)...)
	}
	if sc := r.run.classed; sc != nil {
		for _, w := range ignored(sc) {
			list = append(list, "model bounds: "+w)
		}
	}
	return append(list, r.run.doubts...)
}

// briefly is the warnings for a terminal: of the many about a fitted model the
// first stands for all.
func (r *validateReport) briefly() []string {
	doubts := len(r.run.doubts)
	if doubts < 2 {
		return r.Warnings
	}
	list := r.Warnings[:len(r.Warnings)-doubts+1]
	return append(slices.Clone(list), fmt.Sprintf("model bound: --json and --html say %s why it may be far off", plural(doubts-1, "more reason")))
}

// setPoints estimates the points along the axis, the scenario's own among them.
func (r *validateReport) setPoints() {
	v := r.run
	if v.axis == nil || v.along.work != nil && v.along.found == nil {
		return
	}
	r.Vary = v.axis.path
	// All points show the same replications: others have other jobs, and a
	// curve would bend where only their number changes.
	n := v.own.found.Points[0].Replications()
	if v.along.found != nil {
		n = min(n, v.along.found.Points[0].Replications())
	}
	add := func(s *stage, i int, x float64) {
		p := firstOf(s.found.Points[i], n)
		point := validatePoint{Value: number(x), Replications: p.Replications(), Bounds: r.bounds(p, s.models[i])}
		for _, c := range r.order {
			point.Policies = append(point.Policies, validatePointShare{
				s.found.Contenders[c].Label(), newEstimate(p.Efficiency(c)), newEstimate(p.ChargedEfficiency(c)), newEstimate(p.Delivered(c)),
				money(p, c, float64(r.Level)),
			})
		}
		r.Points = append(r.Points, point)
	}
	next := 0
	for _, x := range v.axis.values {
		if x == v.value {
			add(&v.own, 0, x)
			continue
		}
		add(&v.along, next, x)
		next++
	}
}

// firstOf returns a point with its first n replications only.
func firstOf(p sweep.ValidatedPoint, n int) *sweep.ValidatedPoint {
	p.Rows, p.Bounds, p.Jobs = slices.Clone(p.Rows), slices.Clone(p.Bounds), p.Jobs[:n]
	for i := range p.Rows {
		row := &p.Rows[i]
		row.Samples, row.Charged, row.Delivered = row.Samples[:n], row.Charged[:n], row.Delivered[:n]
	}
	for i := range p.Bounds {
		b := &p.Bounds[i]
		b.Total = b.Total[:n]
		if b.Gap != nil {
			b.Gap = b.Gap[:n]
		}
		if b.PerSecond != nil {
			b.PerSecond = b.PerSecond[:n]
		}
	}
	if p.Seconds != nil {
		p.Seconds = p.Seconds[:n]
	}
	return &p
}

// admissionWords says whom the admissions that were computed let in, those that
// are the same for several policies once.
func (v *validation) admissionWords() []string {
	var list []string
	for _, c := range v.own.found.Contenders {
		if c.Admission != admitAnalytic && c.Admission != admitSimulated {
			continue
		}
		name := c.Label()
		if c.Admission == admitAnalytic { // it does not depend on the policy
			name = c.Admission
		}
		var shares []string
		for i, q := range v.admission(c) {
			shares = append(shares, v.classed.Classes[i].Name+" "+percent(q))
		}
		list = union(list, []string{fmt.Sprintf("Admitted, %s: %s.", name, strings.Join(shares, ", "))})
	}
	return list
}
