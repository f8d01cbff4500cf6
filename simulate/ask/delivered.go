package ask

import (
	"context"
	"math"
	"slices"
	"strconv"

	"revopt/internal/text"
	"revopt/simulate"
	"revopt/simulate/bound"
	"revopt/simulate/run"
	"revopt/simulate/slurm"
	"revopt/simulate/slurm/queued"
	"revopt/simulate/slurm/steer"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// steered is a journal with what it is of.
type steered struct {
	Subject *subject.Subject
	Journal string
	Records []steer.Record
	Log     map[int64]jobRun // of sacct, by the number of a job; nil: starts and ends are those that passes saw
	Policy  string           // label of the policy that steered
}

// delivery is what a steered cluster has delivered. It claims no gain unless steering was switched on and off: the journal
// does not say what the jobs would have paid under another rule.
type delivery struct {
	Scenario string
	Policy   string
	Journal  string
	From     float64 // the first submission, Unix seconds
	To       float64 // the last
	Jobs     int     // that are priced
	Left     leftJobs
	Guessed  int // jobs whose ends are not those of sacct
	Passes   passes
	PerHour  float64
	AtOnce   float64 // what the jobs pay if each starts when it is submitted
	Share    float64 // value over that
	Bound    float64 // no schedule of whole jobs exceeds it; null if it is not known
	Waits    []groupWaits
	Unit     string    // of widths
	Measured *measured // nil: nothing was switched
}

// groupWaits are those of a group of jobs, s.
type groupWaits struct {
	run.JobGroup
	Jobs    int
	Mean    float64
	Longest float64
	PerHour float64
	Share   float64 // of what they pay if they start at once
}

// priced is a job with what it paid and what it pays if it starts at once, $.
type priced struct {
	queued.Job
	wait, paid, atOnce float64
}

// price returns what was delivered. A journal without jobs that ran is an error of its file.
func (q *steered) price(ctx context.Context) (*delivery, error) {
	all := jobsOf(q.Records, q.Log)
	list, left := ranOf(all)
	r := &delivery{
		Scenario: q.Subject.Scenario.Name, Policy: q.Policy, Journal: q.Journal, Jobs: len(list), Left: left,
		Passes: passesOf(q.Records), Unit: q.Subject.Unit(),
		Guessed: text.Count(list, func(x ran) bool { run, logged := q.Log[x.Job]; return !logged || !run.ended() }),
	}
	if len(list) < 2 || list[len(list)-1].Submit <= list[0].Submit {
		return nil, &workload.Error{File: q.Journal, Message: "expected a journal with jobs that have run to their end, " +
			"submitted at several times"}
	}
	r.From, r.To = list[0].Submit, list[len(list)-1].Submit
	hours := (r.To - r.From) / 3600
	jobs, err := q.jobs(list)
	if err != nil {
		return nil, err
	}
	prices := make([]priced, len(jobs))
	for i, j := range jobs {
		wait := list[i].Start - list[i].Submit
		prices[i] = priced{j, max(wait, 0), j.Value.At(wait + j.Work), j.Value.At(j.Work)}
	}
	whole := sum(prices, hours)
	r.PerHour, r.Share = whole.PerHour, whole.Share
	r.AtOnce = text.Sum(prices, func(p priced) float64 { return p.atOnce }) / hours
	r.Waits = q.waits(prices, hours)
	r.Measured, err = q.measure(all)
	if err != nil {
		return nil, err
	}
	return r, q.bound(ctx, r, jobs, hours)
}

// sum returns the waits and the value of a group of jobs.
func sum(list []priced, hours float64) (w groupWaits) {
	w.Jobs = len(list)
	paid := text.Sum(list, func(p priced) float64 { return p.paid })
	w.PerHour = paid / hours
	w.Share = paid / text.Sum(list, func(p priced) float64 { return p.atOnce })
	w.Mean = text.Sum(list, func(p priced) float64 { return p.wait }) / float64(len(list))
	for _, p := range list {
		w.Longest = max(w.Longest, p.wait)
	}
	return w
}

// waits returns those of customers and widths that have jobs.
func (q *steered) waits(all []priced, hours float64) (list []groupWaits) {
	for _, g := range q.groups() {
		members := text.Where(all, func(p priced) bool { return q.within(g, p.Job) })
		if len(members) > 0 {
			w := sum(members, hours)
			w.JobGroup = g
			list = append(list, w)
		}
	}
	return list
}

// groups returns the customers and the groups of width.
func (q *steered) groups() []run.JobGroup {
	return groupsOf(q.Subject, q.units())
}

// groupsOf returns the customers of a scenario and the groups of width of a machine.
func groupsOf(s *subject.Subject, units int) (groups []run.JobGroup) {
	for _, c := range s.Workload.Customers() {
		g := run.JobGroup{Kind: run.ByCustomer, Name: c.Name}
		if !slices.Contains(groups, g) {
			groups = append(groups, g)
		}
	}
	machine := run.Widths{Units: units, Unit: s.Unit()}
	return append(groups, machine.Groups()...)
}

// within reports whether a job is of a group.
func (q *steered) within(g run.JobGroup, j queued.Job) bool {
	if g.Kind == run.ByCustomer {
		return !j.Stray && q.Subject.Workload.Customers()[j.Class].Name == g.Name
	}
	return j.Width >= g.From && j.Width <= g.To
}

// units returns the units of the machine as the journal has them, 0 with pools.
func (q *steered) units() (units int) {
	if len(q.Subject.Workload.Sites()) > 1 {
		return 0
	}
	for _, r := range q.Records {
		if r.Start != nil {
			units = max(units, r.Start.Units)
		}
	}
	return units
}

// jobs returns the jobs with their customers and values, in the order of the list.
func (q *steered) jobs(list []ran) ([]queued.Job, error) {
	now := list[len(list)-1].Submit
	reader := &queued.Queue{Command: "steer report", Subject: q.Subject, File: q.Journal, Now: now,
		At: now - list[0].Submit}
	jobs := make([]queued.Job, len(list))
	var known []slurm.QueuedJob
	var places []int
	lengths := make([]float64, 0, len(list))
	for i, x := range list {
		j := slurm.QueuedJob{
			ID: strconv.FormatInt(x.Job, 10), User: x.User, Account: x.Account, Partition: x.Partition, QOS: x.QOS,
			Nodes: x.Width, CPUs: x.Width, Submit: x.Submit, Limit: x.Limit,
		}
		length := max(x.End-x.Start, 1)
		if x.Customer == "" { // it pays nothing, and takes its units all the same
			jobs[i].Job = simulate.Job{Submit: x.Submit - list[0].Submit, Width: x.Width, Work: length}
			jobs[i].Spec.Details.Estimate = x.Limit
			jobs[i].Queued, jobs[i].Stray = j, true
			continue
		}
		known, places, lengths = append(known, j), append(places, i), append(lengths, length)
	}
	next := 0
	some, err := reader.Jobs(known, func(*simulate.Job) float64 { next++; return lengths[next-1] })
	if err != nil {
		return nil, err
	}
	for k, j := range some {
		jobs[places[k]] = j
	}
	for i := range jobs {
		jobs[i].ID = int64(i)
		if jobs[i].Spec.Details.Estimate == 0 {
			jobs[i].Spec.Details.Estimate = jobs[i].Work
		}
	}
	return jobs, nil
}

// bound sets what no schedule of whole jobs could exceed, unless the units are not known.
func (q *steered) bound(ctx context.Context, r *delivery, jobs []queued.Job, hours float64) error {
	r.Bound = math.NaN()
	if q.units() == 0 {
		return nil
	}
	list := make([]bound.Job, len(jobs))
	for i := range jobs {
		list[i] = bound.Whole(&jobs[i].Job)
	}
	best, err := bound.Clairvoyant(ctx, list, bound.Uniform(q.units()), bound.Options{})
	r.Bound = best.Bound / hours
	return err
}
