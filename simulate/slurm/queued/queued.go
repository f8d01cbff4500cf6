package queued

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/simulate"
	"revopt/simulate/slurm"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// Queue is a queue of Slurm, and the scenario whose customers have its jobs.
type Queue struct {
	Command string // that asks, for messages
	Subject *subject.Subject
	Seed    uint64
	File    string  // that has the queue
	Now     float64 // Unix seconds
	At      float64 // the same moment on the clock of the jobs that Jobs returns, s

	// Class and Pool are those of a job that names its customer.
	Class, Pool string

	// Lenient lets a job that belongs nowhere be a stray. Otherwise it is an error.
	Lenient bool

	numbers map[string]int              // of users, accounts, partitions and QOS, by kind and name
	names   map[string]map[int32]string // the same the other way round
}

// Number returns the number of a user, account, partition or queue, which is a QOS: that of the trace, else a negative
// one. No name has number 0.
func (q *Queue) Number(kind, name string) int {
	names := q.Names()
	key := kind + " " + name
	if _, known := q.numbers[key]; !known && name != "" {
		n := -1 - len(q.numbers)
		q.numbers[key] = n
		if names[kind] == nil {
			names[kind] = map[int32]string{}
		}
		names[kind][int32(n)] = name
	}
	return q.numbers[key]
}

// Names returns the names of numbers by kind, as a policy may know them. Later calls of Number add to them.
func (q *Queue) Names() map[string]map[int32]string {
	if q.names != nil {
		return q.names
	}
	q.numbers, q.names = map[string]int{}, map[string]map[int32]string{}
	if r, laid := q.Subject.Workload.(*workload.Replay); laid {
		for kind, names := range r.Trace().Names() {
			q.names[kind] = maps.Clone(names)
			for n, name := range names {
				q.numbers[kind+" "+name] = int(n)
			}
		}
	}
	return q.names
}

// Job is a job of the queue as a job of the scenario.
type Job struct {
	simulate.Job
	Queued   slurm.QueuedJob
	Stray    bool // no customer takes it: it pays nothing
	Unknown  bool // its account is of no customer, and a customer that takes all others has it
	Homeless bool // no pool takes it
	Unsized  bool // its row does not say how many units it wants
}

// Jobs returns the jobs of a queue, in order of submission. Planned returns the run time that a job is planned with, s.
func (q *Queue) Jobs(queue []slurm.QueuedJob, planned func(*simulate.Job) float64) ([]Job, error) {
	w := q.Subject.Workload
	r, laid := w.(*workload.Replay)
	came := func(x slurm.QueuedJob) float64 { return max(q.Now-cmp.Or(x.Submit, q.Now), 0) } // s ago
	queue = slices.Clone(queue)
	slices.SortStableFunc(queue, func(a, b slurm.QueuedJob) int { return cmp.Compare(came(b), came(a)) })
	var jobs []simulate.Job
	var parties []string
	for _, x := range queue {
		j := simulate.Job{Submit: q.At - came(x), Width: x.CPUs}
		column, unit := "CPUS", q.Subject.Unit()
		if unit == "node" {
			j.Width, column = x.Nodes, "NODES"
		}
		if j.Width == 0 && !q.Lenient {
			return nil, &workload.Error{File: q.File, Line: x.Line, Message: fmt.Sprintf(
				"%s: expected a number above 0, as the scenario counts %ss, got nothing", column, text.Unit(unit))}
		}
		j.Spec.Details = simulate.Details{
			Estimate: x.Limit, User: q.Number("user", x.User), Account: q.Number("account", x.Account),
			Partition: q.Number("partition", x.Partition), Queue: q.Number("queue", x.QOS),
		}
		j.Work = planned(&j)
		j.Spec.Recorded.Ran = x.Running
		if x.Running {
			j.Spec.Recorded.At = q.At - max(q.Now-x.Start, 0)
		}
		jobs = append(jobs, j)
		parties = append(parties, strings.Join([]string{x.Account, x.QOS, x.Partition, x.User}, " "))
	}
	list, err := q.Classify(jobs, parties)
	for i := range list {
		list[i].Queued = queue[i]
		list[i].Unsized = list[i].Width == 0
		list[i].Unknown = laid && jobs[i].Spec.Details.Account < 0 && r.TakesAll(list[i].Class)
	}
	return list, err
}

// Classify gives jobs to customers: that of the name if there is one, else by the selectors of a trace. The
// parties of a job, by spaces, may be names of classes.
func (q *Queue) Classify(jobs []simulate.Job, parties []string) ([]Job, error) {
	w := q.Subject.Workload
	r, laid := w.(*workload.Replay)
	var wanted []workload.Section
	var strays []int
	var err error
	if laid {
		wanted, strays, err = r.Own(jobs, q.Seed)
		if err != nil {
			return nil, err
		}
	}
	list := make([]Job, len(jobs))
	for i := range jobs {
		list[i].Job = jobs[i]
	}
	for _, i := range strays {
		if q.Class == "" || parties[i] != q.Class { // the customer is not named
			list[i].Stray = true
			list[i].Value, list[i].Tariff = simulate.Value{}, nil
		}
	}
	customers, p := w.Customers(), w.Pools()
	for i := range list {
		var classes []int
		named := q.Class != "" && parties[i] == q.Class
		for k, c := range customers {
			if slices.Contains(strings.Fields(parties[i]), c.Name) &&
				(!named || q.Pool == "" || p.Run().Site[k] == slices.Index(p.Names(), q.Pool)) {
				classes = append(classes, k)
			}
		}
		if !laid && !named && len(classes) == 0 && len(customers) == 1 {
			classes = []int{0}
		}
		switch {
		case q.Lenient && (laid && p != nil && !p.Has(wanted[i]) || !laid && len(classes) == 0):
			list[i].Stray = true
			continue
		case !named && laid && p != nil && !p.Has(wanted[i]) && wanted[i].Pool >= 0:
			return nil, q.Subject.Misfit(fmt.Sprintf(
				"%s: expected in pool %s jobs of customers that have some there in the trace, got one of %s",
				q.Command, p.Names()[wanted[i].Pool], text.Quote([]byte(parties[i]))))
		case !named && laid:
			list[i].Homeless = p != nil && wanted[i].Pool < 0
			continue
		case len(classes) == 0:
			return nil, q.Subject.Misfit(fmt.Sprintf("%s: expected a class of %s, got %s", q.Command,
				text.OneOf(slices.Compact(subject.ClassNames(customers))), text.Quote([]byte(parties[i]))))
		case named && len(classes) > 1:
			return nil, q.Subject.Misfit(q.Command + ": expected a job with a pool of " + text.OneOf(p.Names()))
		}
		list[i].Class = classes[0]
		if ranked, ok := w.(interface{ Ranks() []int }); ok {
			list[i].Rank = ranked.Ranks()[classes[0]]
		}
		workload.Revalue(w, &list[i].Job)
	}
	return list, nil
}
