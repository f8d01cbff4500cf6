package ask

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/plots/answer"
	"revopt/simulate/metric"
	"revopt/simulate/quote"
	"revopt/simulate/slurm"
	"revopt/simulate/workload"
)

// Quote asks when jobs that wait, or one more, start and end, and what they should cost.
func Quote(ctx context.Context, q *Question) (answer.Answer, error) {
	found, err := q.forecast(ctx)
	if err != nil {
		return answer.Answer{}, err
	}
	site, err := q.Present(ctx)
	if err != nil {
		return answer.Answer{}, err
	}
	s := offered{found, text.Unit(q.Subject.Unit())}
	a := unanswered(q)
	a.Replications = found.Replications
	a.Headline = s.headline()
	a.Values = append([]answer.Named{count(q.Subject.Nodes()).As("units"),
		word("unit", s.unit), word("policy", found.Policy), seconds(float64(found.Now)).As("now"),
		count(found.Running).As("running"),
		count(found.Waiting).As("waiting"),
		count(found.Learned).As("learned")}, ofTrace(q.Subject)...)
	a.Tables = []answer.Table{s.jobs()}
	a.Warnings = s.strays()
	site.qualify(&a)
	return a, nil
}

// offered are quotes, and the word for a unit of the machine.
type offered struct {
	*quote.Result
	unit string
}

// level returns a time of a quote by its level; a job that may well not be served has none.
func level(times map[string]metric.Number, name string) answer.Value {
	x, known := times[name]
	if !known {
		return answer.Value{}
	}
	return answer.Exactly(answer.Time, float64(x))
}

// price returns what other jobs lose by a job. A price that may as well be 0 is none.
func price(j quote.QuotedJob) answer.Value {
	v := answer.Exactly(answer.Amount, float64(j.Price))
	half := float64(j.PriceHalfWidth)
	if !v.Known() || math.IsNaN(half) || math.Abs(v.Number) <= half {
		return answer.Value{}
	}
	v.Random, v.Low, v.High = true, v.Number-half, v.Number+half
	return v
}

// never says why a job cannot start, "" if it may.
func (s offered) never(j quote.QuotedJob) string {
	switch j.Never {
	case quote.TooWide:
		return fmt.Sprintf("it needs %s, and at most %d can run jobs", text.Plural(j.Width, s.unit), j.Units)
	case quote.NotServed:
		return "the policy gives it up or its customer leaves, in all simulations"
	}
	return j.Never
}

// headline says when a job starts, of several when the first and the last start.
func (s offered) headline() answer.Fact {
	switch len(s.Jobs) {
	case 0:
		return answer.New("NO_JOB")
	case 1:
		return s.alone(s.Jobs[0])
	}
	first, last, starts := math.Inf(1), 0.0, 0
	for _, j := range s.Jobs {
		if v := level(j.Start, "0.5"); v.Known() {
			first, last = math.Min(first, v.Number), math.Max(last, v.Number)
			starts++
		}
	}
	return answer.New("QUOTED", count(len(s.Jobs)).As("jobs"),
		count(starts).As("starts"), seconds(first).As("first"),
		seconds(last).As("last"))
}

// alone says when one job starts.
func (s offered) alone(j quote.QuotedJob) answer.Fact {
	job := word("job", j.ID)
	median := level(j.Start, "0.5")
	switch {
	case j.Never != "":
		return answer.New("NEVER", job, word("why", s.never(j)))
	case !median.Known():
		return answer.New("NEVER", job, word("why", "half of the simulations or more do not serve it"))
	}
	return answer.New("QUOTE", job, median.As("median"), level(j.Start, "0.1").As("low"),
		level(j.Start, "0.9").As("high"), price(j).As("price"))
}

// jobs is the table of the quotes.
func (s offered) jobs() answer.Table {
	t := answer.Table{Name: "jobs", Columns: []answer.Column{
		{Name: "job", Unit: answer.Text, Means: "its name in the queue"},
		{Name: "customer", Unit: answer.Text, Means: "name of its class"},
		{Name: "qos", Unit: answer.Text, Means: "that it has"},
		{Name: "width", Title: s.unit + "s", Unit: answer.Count, Means: "units that it needs"}}}
	for _, of := range []string{"start", "end"} {
		for _, share := range []string{"50", "10", "90"} {
			title := share + " %"
			if share == "50" {
				title = of
			}
			t.Columns = append(t.Columns, answer.Column{Name: of + "_" + share, Title: title, Unit: answer.Time,
				Means: "time from now within which it does so with a chance of " + share + " %"})
		}
	}
	t.Columns = append(t.Columns,
		answer.Column{Name: "deadline", Unit: answer.Share, Means: "chance to meet it"},
		answer.Column{Name: "promise", Unit: answer.Share, Means: "chance to keep it"},
		answer.Column{Name: "price", Title: "price $", Unit: answer.Amount, Means: "that other jobs lose by it"},
		answer.Column{Name: "never", Unit: answer.Text, Means: "why it cannot start"})
	for _, j := range s.Jobs {
		row := []answer.Value{answer.Word(j.ID), answer.Word(j.Class), answer.Maybe(j.QOS),
			answer.Exactly(answer.Count, float64(j.Width))}
		for _, times := range []map[string]metric.Number{j.Start, j.End} {
			row = append(row, level(times, "0.5"), level(times, "0.1"), level(times, "0.9"))
		}
		row = append(row, answer.Exactly(answer.Share, float64(j.Deadline)),
			answer.Exactly(answer.Share, float64(j.Promise)), price(j),
			answer.Maybe(s.never(j)))
		t.Rows = append(t.Rows, row)
	}
	return t
}

// strays are warnings about jobs that no customer takes, or whose account none has.
func (s offered) strays() []answer.Fact {
	var unpaid, unknown []string
	for _, j := range s.Jobs {
		name := j.ID
		if j.Account != "" {
			name += " (account " + text.OneLine(j.Account) + ")"
		}
		switch {
		case j.NoCustomer:
			unpaid = append(unpaid, name)
		case j.Account != "":
			unknown = append(unknown, name)
		}
	}
	var list []answer.Fact
	if unpaid != nil {
		list = append(list, answer.New("NO_CUSTOMER", word("jobs", strings.Join(unpaid, ", "))))
	}
	if unknown != nil {
		list = append(list, answer.New("UNKNOWN_ACCOUNT", word("jobs", strings.Join(unknown, ", "))))
	}
	return list
}

// quotedRuns is the number of simulations of a quote.
const quotedRuns = 100

// forecast simulates the starts of the jobs that are quoted.
func (q *Question) forecast(ctx context.Context) (*quote.Result, error) {
	j := q.Job
	question := quote.Quote{
		Subject: q.Subject, Seed: q.Seed, Replications: cmp.Or(q.Replications.Int(), quotedRuns),
		At: j.At, Width: j.Width, Estimate: j.Estimate, Class: j.Class, Pool: j.Pool, QOS: j.QOS,
	}
	policies, err := q.Subject.Policies()
	if err != nil {
		return nil, err
	}
	if len(q.Policies) > 0 {
		policies, err = ParsePolicies(q.Specs, q.Policies...)
		if err != nil {
			return nil, err
		}
	}
	question.Policy = policies[0]
	if q.Squeue != "" {
		if err := q.readState(&question); err != nil {
			return nil, err
		}
	}
	return question.Run(ctx)
}

// readState reads the queue and the nodes of a cluster as they are now. They count nodes and CPUs, so that
// the jobs of other units have no widths.
func (q *Question) readState(question *quote.Quote) error {
	zone, err := slurm.ParseZone(q.TimeZone)
	if err != nil {
		return Usagef("--time-zone: %v", err)
	}
	unit := q.Subject.Unit()
	if !slices.Contains([]string{"", "node", "core", "cpu", "processor"}, unit) {
		return q.Subject.Misfit("quote: expected a scenario in nodes or cores with --squeue, got one in " +
			text.Unit(unit) + "s; use --at")
	}
	question.QueueFile = q.Squeue
	question.Queue, question.Now, err = slurm.ReadQueue(q.Squeue, zone)
	if err != nil {
		return err
	}
	if question.Queue == nil {
		question.Queue = []slurm.QueuedJob{} // an empty queue is a state
	}
	if q.Sinfo == "" {
		return nil
	}
	if q.Subject.Workload.Pools() != nil {
		return q.Subject.Misfit("quote: expected no --sinfo, as the scenario has pools and sinfo does not say which " +
			"nodes are theirs")
	}
	nodes, err := slurm.ReadNodes(q.Sinfo)
	switch {
	case err != nil:
		return err
	case unit == "node":
		question.Machine = &quote.Machine{Up: nodes.Up, All: nodes.All}
	case !nodes.Counted:
		return &workload.Error{File: q.Sinfo, Message: "expected a column CPUS (sinfo -N -o '%N|%T|%c'), as the " +
			"scenario counts " + text.Unit(unit) + "s"}
	default:
		question.Machine = &quote.Machine{Up: nodes.UpCPUs, All: nodes.AllCPUs}
	}
	return nil
}
