package workload

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"revopt/model"
	"revopt/simulate"
)

// PaperMIPS is the speed of a node that explains Table 1 of Sherwani et al.
// (2004).
const PaperMIPS = 89

// Batch is a batch of jobs on a site of identical processors.
type Batch struct {
	gridBase
	batch model.Batch
	mips  float64
}

// NewBatch returns the workload of a batch on a site.
func NewBatch(site model.Site, b model.Batch) (*Batch, error) {
	switch {
	case b.Jobs < 1 || !b.Arrivals.Valid(0) || !b.Lengths.Valid(0) || !b.Deadline.Valid(0) || !b.Budgets.Valid(0):
		return nil, fmt.Errorf("workload: batch of %d jobs, arrivals %v, lengths %v, deadlines %v, budgets %v",
			b.Jobs, b.Arrivals, b.Lengths, b.Deadline, b.Budgets)
	case !(site.MIPS > 0) || math.IsInf(site.MIPS, 1) || !(b.Budget >= 0) || !(b.Random >= 0 && b.Random <= 1):
		return nil, fmt.Errorf("workload: batch for nodes of %g MIPS, budget %g, random for %g",
			site.MIPS, b.Budget, b.Random)
	}
	work := float64(b.Jobs) * (b.Lengths.Low + b.Lengths.High) / 2 / site.MIPS
	load := work / ((b.Arrivals.High - b.Arrivals.Low) * float64(site.Processors))
	// The jobs state seconds on a node of the site.
	sites := []model.Site{{Processors: site.Processors}}
	has := simulate.Has{Deadlines: true, Alike: true, Sites: 1, Exact: true}
	return &Batch{gridBase{sites, has, b.Jobs, load}, b, site.MIPS}, nil
}

// Random and Drained implement Workload.
func (b *Batch) Random() bool         { return true }
func (b *Batch) Drained(int) Workload { return b }

// Jobs implements Workload. Each job has one processor, its work and estimate are
// its length over the speed of a node.
func (b *Batch) Jobs(seed uint64, replication int) (simulate.Source, error) {
	arrivals := simulate.Stream(seed, replication, "arrivals", 0)
	lengths := simulate.Stream(seed, replication, "lengths", 0)
	deadlines := simulate.Stream(seed, replication, "deadlines", 0)
	budgets := simulate.Stream(seed, replication, "budgets", 0)
	jobs := make([]simulate.Job, b.batch.Jobs)
	for i := range jobs {
		j := &jobs[i]
		j.Width, j.Submit = 1, b.batch.Arrivals.At(arrivals.Float64())
		j.Work = b.batch.Lengths.At(lengths.Float64()) / b.mips
		j.Spec.Details.Estimate, j.Spec.Details.Exact = j.Work, true
		lot, budget := budgets.Float64(), b.batch.Budgets.At(budgets.Float64())
		if lot >= b.batch.Random {
			budget = b.batch.Budget
		}
		due := b.batch.Deadline.At(deadlines.Float64())
		if b.batch.Clock {
			due = max(0, due-j.Submit)
		}
		j.Value = simulate.ByDeadline(budget, due, 0, true)
	}
	slices.SortStableFunc(jobs, func(a, b simulate.Job) int { return cmp.Compare(a.Submit, b.Submit) })
	return b.source(simulate.Slice(jobs), seed, replication), nil
}
