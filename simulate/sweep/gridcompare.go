package sweep

import (
	"context"
	"fmt"
	"strings"

	"revopt/model/scenario"
	"revopt/simulate/policy"
	"revopt/simulate/workload"
)

// NewGridExperiment returns a grid scenario under one policy.
func NewGridExperiment(g *scenario.Grid, name string, options policy.Settings, seed uint64) *GridExperiment {
	e := &GridExperiment{Policy: name, Options: options, Seed: seed}
	if b := g.Batch; b != nil {
		// The jobs of a batch state seconds on a node of the site.
		e.Sites = []GridSite{{Processors: g.Sites[0].Processors}}
		e.Workload = workload.Batch{
			Jobs: b.Jobs, Arrivals: workload.Range(b.Arrivals), Lengths: workload.Range(b.Lengths), Deadline: workload.Range(b.Deadlines),
			Budget: b.Budget, Random: b.Random, Budgets: workload.Range(b.Budgets), MIPS: g.Sites[0].MIPS,
		}
		return e
	}
	if g.Listed != nil {
		for _, s := range g.Sites {
			e.Sites = append(e.Sites, GridSite(s))
		}
		e.Workload = listed(g.Listed)
		return e
	}
	a := g.Applications
	w := workload.Applications{
		Count: a.Count, Gap: a.Interarrival, Parts: workload.Range(a.Parts), Mandatory: workload.Range(a.Mandatory),
		Optional: workload.Range(a.Optional), Reward: a.Reward, Laxity: workload.Range(a.Laxity), Rate: a.Rate, Spread: a.Spread,
	}
	for _, s := range g.Sites {
		e.Sites = append(e.Sites, GridSite(s))
		w.MIPS = append(w.MIPS, s.MIPS)
	}
	e.Workload = w
	return e
}

// LookupGridPolicy returns a policy for grids by its name: those for traces,
// of which only the schemes for imprecise jobs serve applications.
func LookupGridPolicy(g *scenario.Grid, name string) (policy.Spec, error) {
	spec, err := LookupTracePolicy(name)
	if err != nil {
		return spec, err
	}
	if _, ok := policy.LookupScheme(name); !ok && g.Batch == nil {
		return spec, fmt.Errorf("sweep: expected a policy for applications (%s), got %q", strings.Join(policy.Schemes(), ", "), name)
	}
	return spec, nil
}

// GridComparison is experiments on one grid side by side. Its fields are those
// of Comparison.
type GridComparison struct {
	Experiments  []*GridExperiment
	Replications int
	Stop         *Stop
	Workers      int
	Level        float64
	Progress     func(finished int)
}

// Run simulates, as that of Comparison.
func (c *GridComparison) Run(ctx context.Context) (Compared, error) {
	a := &abreast{replications: c.Replications, stop: c.Stop, workers: c.Workers, level: c.Level, progress: c.Progress}
	for _, e := range c.Experiments {
		a.runners = append(a.runners, e)
	}
	for _, e := range c.Experiments {
		if err := e.Check(); err != nil {
			return Compared{Outcomes: a.transpose(nil)}, err
		}
	}
	return a.run(ctx)
}
