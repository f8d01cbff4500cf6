package steered

import (
	"context"
	"math"
	"slices"
	"strconv"

	"revopt/simulate"
	"revopt/simulate/bound"
	"revopt/simulate/experiment"
	"revopt/simulate/metric"
	"revopt/simulate/served"
	"revopt/simulate/slurm"
	"revopt/simulate/slurm/queued"
	"revopt/simulate/slurm/steer"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// Question asks what steering has earned.
type Question struct {
	Subject *subject.Subject
	Journal string
	Records []steer.Record
	Log     map[int64]Run // of sacct, by the number of a job; nil: starts and ends are those that passes saw

	Today  subject.Policy  // the rule before steering
	Static *subject.Policy // the best settings that stay; nil: not known
	Policy subject.Policy  // that steered
	Level  float64
}

// The rows of a result.
const (
	Happened = "happened"
	Today    = "today"
	Static   = "static"
	Steered  = "policy"
	Bound    = "bound"
)

// fewest is the least number of periods from which an interval is made.
const fewest = 5

const (
	day   = 86400.0
	weeks = 8 // from so many on they are the periods
)

// Result is what steering has earned.
type Result struct {
	Scenario string  `json:"scenario"`
	Policy   string  `json:"policy"`
	Journal  string  `json:"journal"`
	From     float64 `json:"from"` // the first submission, Unix seconds
	To       float64 `json:"to"`   // the last
	Jobs     int     `json:"jobs"` // that are priced
	Left     Left    `json:"left_out"`
	Logged   bool    `json:"logged"` // starts and ends are those of sacct
	Passes   Passes  `json:"passes"`
	Rows     []Row   `json:"rows"`
	Earned   Earned  `json:"earned"`         // over today's rule
	Over     *Earned `json:"over,omitempty"` // over the static one
	Model    Model   `json:"model"`          // how well the simulator does
	Unit     string  `json:"unit"`           // of widths
	NoBound  string  `json:"no_bound,omitempty"`
}

// Earned is how much more was delivered than a rule would have, by the simulator.
type Earned struct {
	Over      string        `json:"over"`
	PerHour   metric.Number `json:"per_hour"` // $
	Share     metric.Number `json:"share"`    // of what the rule delivers
	HalfWidth metric.Number `json:"half_width"`
	Level     float64       `json:"level"`
	Periods   int           `json:"periods"`
	Period    string        `json:"period"` // day or week
	Enough    bool          `json:"enough"` // periods for an interval
}

// Model compares what happened with the simulation of the same policy on the same jobs.
type Model struct {
	PerHour metric.Number `json:"per_hour"` // simulated less real, $
	Share   metric.Number `json:"share"`    // of the real one
}

// Row is a schedule of the jobs: what happened, or that of a rule.
type Row struct {
	Name    string        `json:"name"` // one of the constants
	Label   string        `json:"label,omitempty"`
	PerHour metric.Number `json:"value_per_hour"`
	Waits   []Waits       `json:"waits,omitempty"`
}

// Waits are those of a group of jobs, s.
type Waits struct {
	served.Group
	Jobs    int           `json:"jobs"`
	Mean    metric.Number `json:"mean_wait"`
	Longest metric.Number `json:"wait_max"`
	PerHour metric.Number `json:"value_per_hour"`
	NotRun  int           `json:"not_run,omitempty"`
}

// Run returns the result. A journal without jobs that ran is an error of its file.
func (q *Question) Run(ctx context.Context) (*Result, error) {
	list, left := ranOf(q.Records, q.Log)
	r := &Result{
		Scenario: q.Subject.Scenario.Name, Policy: q.Policy.Label(), Journal: q.Journal, Jobs: len(list), Left: left,
		Passes: passesOf(q.Records), Unit: q.Subject.Unit(), Logged: q.Log != nil,
	}
	if len(list) < 2 || list[len(list)-1].Submit <= list[0].Submit {
		return nil, &workload.Error{File: q.Journal, Message: "expected a journal with jobs that have run to their end, " +
			"submitted at several times"}
	}
	r.From, r.To = list[0].Submit, list[len(list)-1].Submit
	jobs, err := q.jobs(list)
	if err != nil {
		return nil, err
	}
	s := &schedules{Question: q, jobs: jobs, from: r.From, hours: (r.To - r.From) / 3600}
	s.units = q.units()
	happened := make([]float64, len(list))
	for i := range list {
		happened[i] = list[i].Start - r.From
	}
	real := s.add(r, Happened, "", happened)
	rules := []struct {
		name   string
		policy *subject.Policy
	}{{Today, &q.Today}, {Static, q.Static}, {Steered, &q.Policy}}
	for _, rule := range rules {
		if rule.policy == nil {
			continue
		}
		starts, err := s.simulate(ctx, *rule.policy)
		if err != nil {
			return nil, err
		}
		values := s.add(r, rule.name, rule.policy.Label(), starts)
		switch rule.name {
		case Today:
			r.Earned = s.earned(real, values, rule.policy.Label())
		case Static:
			over := s.earned(real, values, rule.policy.Label())
			r.Over = &over
		case Steered:
			gap := total(values) - total(real)
			r.Model = Model{metric.Number(gap / s.hours), metric.Number(gap / total(real))}
		}
	}
	return r, s.bound(ctx, r)
}

// units returns the units of the machine as the journal has them, 0 with pools.
func (q *Question) units() (units int) {
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
func (q *Question) jobs(list []ran) ([]queued.Job, error) {
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

// schedules price schedules of the same jobs.
type schedules struct {
	*Question
	jobs  []queued.Job
	units int
	from  float64 // Unix seconds
	hours float64 // of arrivals
}

func (s *schedules) workload() *history {
	h := &history{Workload: s.Subject.Workload, units: s.units}
	for _, j := range s.jobs {
		h.jobs = append(h.jobs, j.Job)
	}
	return h
}

// simulate returns the starts of the jobs under a policy, NaN of those that do not run.
func (s *schedules) simulate(ctx context.Context, p subject.Policy) ([]float64, error) {
	starts := make(starting, len(s.jobs))
	for i := range starts {
		starts[i] = math.NaN()
	}
	e := &experiment.Experiment{Workload: s.workload(), Policy: p, Seed: 1}
	_, err := e.Run(ctx, 0, starts)
	return starts, err
}

// starting observes the starts of jobs, by number.
type starting []float64

// Observe implements simulate.Observer.
func (s starting) Observe(e simulate.Event) {
	if e.Kind == simulate.Started && e.Job != nil {
		s[e.Job.ID] = e.Time
	}
}

// add prices a schedule, adds its row and returns the value of each job.
func (s *schedules) add(r *Result, name, label string, starts []float64) []float64 {
	values := make([]float64, len(s.jobs))
	for i := range s.jobs {
		j := &s.jobs[i]
		if !math.IsNaN(starts[i]) {
			values[i] = j.Value.At(starts[i] - j.Submit + j.Work)
		}
	}
	row := Row{Name: name, Label: label, PerHour: metric.Number(total(values) / s.hours)}
	customers := s.Subject.Workload.Customers()
	machine := served.Machine{Units: s.units, Unit: r.Unit}
	var groups []served.Group
	for _, c := range customers {
		g := served.Group{Kind: served.Customer, Name: c.Name}
		if !slices.Contains(groups, g) {
			groups = append(groups, g)
		}
	}
	for _, g := range append(groups, machine.Groups()...) {
		w := Waits{Group: g}
		sum, worth := 0.0, 0.0
		for i := range s.jobs {
			j := &s.jobs[i]
			if g.Kind == served.Customer && (j.Stray || customers[j.Class].Name != g.Name) ||
				g.Kind == served.Width && (j.Width < g.From || j.Width > g.To) {
				continue
			}
			w.Jobs++
			worth += values[i]
			if math.IsNaN(starts[i]) {
				w.NotRun++
				continue
			}
			wait := max(starts[i]-j.Submit, 0)
			sum += wait
			w.Longest = max(w.Longest, metric.Number(wait))
		}
		w.Mean, w.PerHour = metric.Number(sum/float64(w.Jobs-w.NotRun)), metric.Number(worth/s.hours)
		if w.Jobs > 0 {
			row.Waits = append(row.Waits, w)
		}
	}
	r.Rows = append(r.Rows, row)
	return values
}

// earned compares what happened with a rule, by weeks, or by days if there are few weeks. Jobs belong to the
// period of their submission.
func (s *schedules) earned(real, rule []float64, label string) Earned {
	e := Earned{Over: label, Level: s.Level, Period: "day"}
	length := day
	if s.hours >= weeks*7*24 {
		e.Period, length = "week", 7*day
	}
	gains := map[int]float64{}
	first := math.Floor(s.from / length)
	for i := range s.jobs {
		gains[int(math.Floor((s.from+s.jobs[i].Submit)/length)-first)] += real[i] - rule[i]
	}
	gain := total(real) - total(rule)
	e.PerHour, e.Share = metric.Number(gain/s.hours), metric.Number(gain/total(rule))
	e.Periods, e.HalfWidth = int(math.Floor((s.from+3600*s.hours)/length)-first)+1, metric.Number(math.NaN())
	e.Enough = e.Periods >= fewest
	if e.Enough {
		list := make([]float64, e.Periods)
		for i, x := range gains {
			list[i] = x
		}
		e.HalfWidth = metric.Number(metric.Estimate(list, s.Level).HalfWidth * float64(e.Periods) / s.hours)
	}
	return e
}

// bound adds what no schedule of whole jobs could exceed.
func (s *schedules) bound(ctx context.Context, r *Result) error {
	if s.units == 0 {
		r.NoBound = "pools"
		return nil
	}
	h := s.workload()
	source, _ := h.Jobs(0, 0)
	jobs, err := bound.Collect(ctx, source, len(h.jobs), bound.Whole)
	if err != nil {
		return err
	}
	best, err := bound.Clairvoyant(ctx, jobs, bound.Uniform(s.units), bound.Options{})
	if err != nil {
		return err
	}
	r.Rows = append(r.Rows, Row{Name: Bound, PerHour: metric.Number(best.Bound / s.hours)})
	return nil
}

func total(x []float64) (sum float64) {
	for _, v := range x {
		sum += v
	}
	return sum
}
