package sweep

import (
	"context"
	"fmt"

	"revopt/simulate"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
)

// GridSite is a cluster of a grid.
type GridSite struct {
	Processors int
	MIPS       float64 // of each; 0 where jobs state seconds
}

// Sourcer yields the jobs of a replication.
type Sourcer interface {
	Source(seed uint64, replication int) (simulate.Source, error)
}

// GridExperiment is a workload offered to a grid of sites under one policy: a
// scheme for imprecise jobs or, on a single site, any other. Experiments of one
// workload and seed see the same jobs. A run goes on until the last has ended.
type GridExperiment struct {
	Sites    []GridSite
	Workload Sourcer
	Policy   string
	Options  policy.Settings // of the policy; the missing ones are the defaults
	Seed     uint64
}

// Check reports what would stop a replication before it starts.
func (e *GridExperiment) Check() error {
	if _, err := e.config(); err != nil {
		return err
	}
	_, err := e.Workload.Source(e.Seed, 0)
	return err
}

// config builds the sites of one run and their broker.
func (e *GridExperiment) config() (simulate.Config, error) {
	var cfg simulate.Config
	policies, err := e.policies(&cfg)
	if err != nil {
		return cfg, err
	}
	for i, s := range e.Sites {
		site := simulate.Site{Processors: s.Processors, Policy: policies[i]}
		if s.MIPS > 0 {
			site.Machines = make([]simulate.Machine, s.Processors)
			for k := range site.Machines {
				site.Machines[k].Speed = s.MIPS
			}
		}
		cfg.Sites = append(cfg.Sites, site)
	}
	return cfg, nil
}

// policies returns the policy of each site and sets the broker.
func (e *GridExperiment) policies(cfg *simulate.Config) ([]simulate.Policy, error) {
	if scheme, ok := policy.LookupScheme(e.Policy); ok && len(e.Sites) > 0 {
		policies, broker := policy.NewImpreciseGrid(scheme, len(e.Sites))
		cfg.Broker = broker
		return policies, nil
	}
	if len(e.Sites) != 1 {
		return nil, fmt.Errorf("sweep: policy %s is for one site, the grid has %d", e.Policy, len(e.Sites))
	}
	spec, err := LookupTracePolicy(e.Policy)
	if err != nil {
		return nil, err
	}
	p, err := spec.New(e.Options)
	return []simulate.Policy{p}, err
}

// Run simulates one replication. The observers given see it too.
func (e *GridExperiment) Run(ctx context.Context, replication int, observers ...simulate.Observer) (Sample, error) {
	cfg, err := e.config()
	if err != nil {
		return Sample{}, err
	}
	if cfg.Source, err = e.Workload.Source(e.Seed, replication); err != nil {
		return Sample{}, err
	}
	tally := metric.NewTally(1)
	tally.UntilEnd = true
	cfg.Observers = append([]simulate.Observer{tally}, observers...)
	r, err := simulate.Run(ctx, cfg)
	if err != nil {
		return Sample{}, err
	}
	return Sample{Total: tally.Total(), Classes: []metric.Sum{tally.Class(0)}, Cut: r.Cut}, nil
}
