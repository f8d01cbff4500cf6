package workload

import (
	"fmt"
	"math"
	"slices"

	"revopt/simulate"
)

// Batch is a workload of Sherwani et al. (2004), section "Performance
// evaluation": a number of jobs whose arrivals, lengths and deadlines are drawn
// evenly.
type Batch struct {
	Jobs     int
	Arrivals Range   // s
	Lengths  Range   // MI
	Deadline Range   // s after arrival
	Budget   float64 // $, of most jobs
	Random   float64 // share of the jobs whose budget is drawn from Budgets
	Budgets  Range   // $
	MIPS     float64 // of a node; the paper does not say
}

// PaperMIPS is the speed of a node that explains Table 1 of Sherwani et al.
// (2004).
const PaperMIPS = 89

// BatchWorkload is a batch of jobs on a site of identical processors.
type BatchWorkload struct {
	gridBase
	batch Batch
}

// NewBatch returns the workload of a batch on a site of so many processors.
func NewBatch(processors int, b Batch) (*BatchWorkload, error) {
	if err := b.check(); err != nil {
		return nil, err
	}
	// The jobs state seconds on a node of the site.
	sites := []GridSite{{Processors: processors}}
	work := float64(b.Jobs) * (b.Lengths.Low + b.Lengths.High) / 2 / b.MIPS
	load := work / ((b.Arrivals.High - b.Arrivals.Low) * float64(processors))
	return &BatchWorkload{gridBase{sites, simulate.Has{Deadlines: true, Alike: true, Sites: 1}, b.Jobs, load}, b}, nil
}

// Random implements Workload.
func (b *BatchWorkload) Random() bool { return true }

// Drained implements Workload.
func (b *BatchWorkload) Drained(int) Workload { return b }

// Jobs implements Workload.
func (b *BatchWorkload) Jobs(seed uint64, replication int) (simulate.Source, error) {
	jobs, err := b.batch.Source(seed, replication)
	if err != nil {
		return nil, err
	}
	return b.source(jobs, seed, replication), nil
}

// batch is the jobs of a batch in order of arrival.
type batch struct {
	jobs []simulate.Job
}

// check returns what is wrong with the parameters.
func (b Batch) check() error {
	switch {
	case b.Jobs < 1 || !b.Arrivals.valid(0) || !b.Lengths.valid(0) || !b.Deadline.valid(0) || !b.Budgets.valid(0):
		return fmt.Errorf("workload: batch of %d jobs, arrivals %v, lengths %v, deadlines %v, budgets %v", b.Jobs, b.Arrivals, b.Lengths, b.Deadline, b.Budgets)
	case !(b.MIPS > 0) || math.IsInf(b.MIPS, 1) || !(b.Budget >= 0) || !(b.Random >= 0 && b.Random <= 1):
		return fmt.Errorf("workload: batch for nodes of %g MIPS, budget %g, random for %g", b.MIPS, b.Budget, b.Random)
	}
	return nil
}

// Source returns the jobs of one replication. Each has one processor, its work
// and estimate are its length over the speed of a node.
func (b Batch) Source(seed uint64, replication int) (simulate.Source, error) {
	if err := b.check(); err != nil {
		return nil, err
	}
	arrivals := simulate.Stream(seed, replication, "arrivals", 0)
	lengths := simulate.Stream(seed, replication, "lengths", 0)
	deadlines := simulate.Stream(seed, replication, "deadlines", 0)
	budgets := simulate.Stream(seed, replication, "budgets", 0)
	s := &batch{}
	for range b.Jobs {
		j := simulate.Job{Width: 1, Submit: b.Arrivals.at(arrivals.Float64()), Work: b.Lengths.at(lengths.Float64()) / b.MIPS}
		j.Spec.Details.Estimate = j.Work
		lot, budget := budgets.Float64(), b.Budgets.at(budgets.Float64())
		if lot >= b.Random {
			budget = b.Budget
		}
		j.Value = simulate.ByDeadline(budget, b.Deadline.at(deadlines.Float64()), 0, true)
		s.jobs = append(s.jobs, j)
	}
	slices.SortStableFunc(s.jobs, func(a, b simulate.Job) int {
		if a.Submit < b.Submit {
			return -1
		}
		if a.Submit > b.Submit {
			return 1
		}
		return 0
	})
	return s, nil
}

// Next implements simulate.Source.
func (b *batch) Next(j *simulate.Job) (bool, error) {
	if len(b.jobs) == 0 {
		return false, nil
	}
	next := &b.jobs[0]
	b.jobs = b.jobs[1:]
	j.Submit, j.Work, j.Width, j.Value, j.Spec = next.Submit, next.Work, next.Width, next.Value, next.Spec
	return true, nil
}
