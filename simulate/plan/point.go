package plan

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"revopt/model/scenario"
	"revopt/simulate/analytic"
	"revopt/simulate/run"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// point is a point of a plan, ready to run.
type point struct {
	plan      *Plan
	recorded  *subject.Subject // as the scenario says
	priced    *subject.Subject // at the prices that earn most by the model; nil where no row asks for them
	subject   *subject.Subject // that rows without chosen prices run on, resampled where the plan says so
	workload  workload.Workload
	providers []run.Provider
	policies  []subject.Policy  // by row
	pooled    []*subject.Policy // by pool, see Experiment
	models    *run.Admissions

	mu     sync.Mutex
	chains map[int][]run.Provider // with their admissions, by row
}

// open chooses prices and draws jobs where the plan says so.
func (at *point) open(ctx context.Context, index int) (err error) {
	p := at.plan
	rows := p.RowsAt(index)
	model := func(row int) bool { return p.Rows[row].Admission.Name == scenario.AdmitPrices }
	all := !slices.ContainsFunc(rows, func(row int) bool { return !model(row) })
	if slices.ContainsFunc(rows, model) {
		at.priced, err = analytic.Priced(ctx, at.recorded)
		if err == nil {
			err = at.priced.Check()
		}
		if err == nil {
			at.priced, err = at.priced.Resample(ctx, p.Resample)
		}
		if err != nil {
			return err
		}
		if p.Bounds != nil && !all {
			return at.recorded.Document.Blame("prices cannot be combined with other admissions where bounds are wanted",
				"classes")
		}
	}
	at.subject = at.priced
	if !all {
		at.subject, err = at.recorded.Resample(ctx, p.Resample)
		if err != nil {
			return err
		}
	}
	at.workload = at.observed(at.subject)
	if p.Objective() != "" {
		if m := machineOf(at.workload); m.Speed != 1 || m.Capacity != float64(m.Nodes) {
			return at.recorded.Misfit("expected units of speed 1: bounds on waits need jobs of one length on all units")
		}
	} else if r, ok := at.subject.Workload.(*workload.Replay); ok && p.CompareBy == "" &&
		(p.Bounds != nil && !p.Bounds.None || p.Changes != nil) && !r.Pays() {
		return at.recorded.Misfit("expected jobs with prices: without budgets there is no value to bound " +
			"(give qos, or classes with prices)")
	}
	at.models = &run.Admissions{Subject: at.subject, Seed: p.Seed}
	return nil
}

// observed returns the workload of a subject as replications run it.
func (at *point) observed(s *subject.Subject) workload.Workload {
	b := at.plan.Bounds
	switch {
	case b == nil || b.Quick:
		return s.Workload
	case b.Whole && s.Workload.Stream() > 0:
		return s.Workload.Drained(int(s.Workload.Size() + 0.5))
	}
	return s.Workload.Drained(b.Jobs)
}

// experiment returns a row with an admission, at the stated prices or those of the model.
func (at *point) experiment(row int, a run.Gate) *run.Experiment {
	e := &run.Experiment{
		Workload: at.workload, Policy: at.policies[row], Pooled: at.pooled, Providers: at.providers,
		Seed: at.plan.Seed, Plain: at.plan.Plain,
	}
	if a.Name == scenario.AdmitPrices && at.priced != nil {
		return at.selling(e, a, at.priced)
	}
	given := at.plan.Rows[row]
	stated := given.Admission.Admit != nil || given.Admits != nil
	a.Admit = fitShares(a.Admit, stated, e.Workload)
	e.Admission = a
	return e
}

// fitShares fits the admitted shares of a row to the customers of the workload at a point. The last customer may be
// that of the jobs which no listed customer takes. Points differ in whether there are such jobs:
//   - shares that a user states may lack it; its jobs are then admitted;
//   - shares that were found for the whole plan may have it where the point does not.
func fitShares(shares []float64, stated bool, w workload.Workload) []float64 {
	customers := len(w.Customers())
	if p := w.Pools(); p != nil && stated {
		shares = run.InSections(p, shares)
	}
	if shares != nil && len(shares) == customers-1 {
		return append(slices.Clone(shares), 1)
	}
	if !stated {
		return shares[:min(customers, len(shares))]
	}
	return shares
}

// selling lets an experiment run on a subject whose prices were chosen.
func (at *point) selling(e *run.Experiment, a run.Gate, s *subject.Subject) *run.Experiment {
	e.Workload = at.observed(s)
	a.Admit, a.Prices = s.Shares, s.Asked()
	e.Admission = a
	return e
}

// resolve is experiment with the admissions of the providers after the server.
func (at *point) resolve(ctx context.Context, row int, a run.Gate) (*run.Experiment, error) {
	e := at.experiment(row, a)
	if e.Providers == nil {
		return e, nil
	}
	at.mu.Lock()
	defer at.mu.Unlock()
	if at.chains[row] == nil {
		solutions, err := analytic.SolveChain(ctx, at.subject, e.Lots())
		if err != nil {
			return nil, err
		}
		chain := slices.Clone(e.Providers)
		for i := range chain {
			if a := &chain[i].Admission; a.Name == scenario.AdmitAnalytic {
				a.Admit = solutions[i].Admit()
			}
		}
		at.chains[row] = chain
	}
	e.Providers = at.chains[row]
	return e, nil
}

// subjectOf returns the subject that a row with the given admission runs on.
func (at *point) subjectOf(a run.Gate) *subject.Subject {
	if a.Name == scenario.AdmitPrices {
		return at.priced
	}
	return at.subject
}

func (at *point) find(ctx context.Context, row int, given Row, workers int,
	progress run.Progress) (run.Gate, error) {
	a := run.Gate{Name: given.Admission.Name}
	e := at.experiment(row, a)
	effort := cmp.Or(given.Search, &scenario.SearchEffort{})
	if b := at.plan.Bounds; b != nil && !b.Quick {
		jobs := b.Jobs
		if b.Whole {
			jobs = int(at.subject.Workload.Size() + 0.5)
		}
		e.Workload = searchLength(at.subject.Workload, jobs)
	}
	return at.models.Compute(ctx, e, effort, workers, progress)
}

// searchLength returns a workload as long as that of a validation, with a warm-up.
func searchLength(w workload.Workload, jobs int) workload.Workload {
	c, ok := w.(*workload.Classes)
	if !ok {
		return w
	}
	l := c.Length()
	l.Horizon, l.Jobs = 0, workload.DrainedJobs
	if jobs > 0 {
		l.Jobs = int64(jobs)
	}
	return c.WithLength(l)
}
