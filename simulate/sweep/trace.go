package sweep

import (
	"context"
	"fmt"

	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
	"revopt/simulate/workload"
)

// TraceExperiment is a trace under one policy. Two experiments of one scenario
// and seed see the same jobs with the same QoS, whatever their policy. There
// is no warm-up, and a run goes on until the last job has ended.
type TraceExperiment struct {
	Scenario *scenario.Trace
	Workload *workload.Trace // what LoadTrace makes of the scenario; shared by experiments
	Policy   string          // one of TracePolicies
	Options  policy.Settings // of the policy; the missing ones are the defaults
	Seed     uint64
}

// LoadTrace reads the trace of a scenario. What is wrong with its file is a
// *workload.Error.
func LoadTrace(sc *scenario.Trace, seed uint64) (*workload.Trace, error) {
	rule, err := workload.ParseRule(sc.Cleaning)
	if err != nil {
		return nil, err
	}
	return workload.Load(workload.Selection{File: sc.File, Subset: workload.Subset(sc.Jobs), Rule: rule, Nodes: sc.Nodes}, seed)
}

// shape returns how the jobs of a scenario arrive and what their users ask
// for.
func shape(sc *scenario.Trace) workload.Shape {
	s := workload.Shape{Delay: sc.Delay}
	if i := sc.IC; i != nil {
		s.Split = &workload.Split{Optional: workload.Range(i.Optional), Rate: i.Rate}
	}
	if q := sc.QoS; q != nil {
		s.QoS = &workload.QoS{
			HighUrgency: q.HighUrgency,
			Deadline:    workload.Spread(q.Deadline),
			Budget:      workload.Spread(q.Budget),
			Penalty:     workload.Spread(q.Penalty),
			Hard:        [2]float64{workload.LowUrgency: q.HardLow, workload.HighUrgency: q.HardHigh},
			Inaccuracy:  q.Inaccuracy,
			OfUsers:     q.OfUsers,
		}
	}
	return s
}

// Classes returns the names of the classes of a sample.
func (e *TraceExperiment) Classes() []string { return TraceClasses(e.Scenario) }

// TraceClasses returns the names of the classes of a scenario's jobs: the two
// urgencies, or one class where there is no QoS.
func TraceClasses(sc *scenario.Trace) []string {
	if sc.QoS == nil {
		return []string{"all"}
	}
	return workload.Urgencies()
}

// Jobs returns the jobs of one replication. Close them after use.
func (e *TraceExperiment) Jobs(replication int) (*workload.Jobs, error) {
	return e.Workload.Jobs(shape(e.Scenario), e.Seed, replication)
}

// Check reports what would stop a replication before it starts. It needs no
// Workload.
func (e *TraceExperiment) Check() error {
	_, err := e.policy()
	return err
}

// policy makes the policy of one run.
func (e *TraceExperiment) policy() (simulate.Policy, error) {
	spec, err := LookupTracePolicy(e.Policy)
	if err != nil {
		return nil, err
	}
	if needsQoS(e.Policy) && e.Scenario.QoS == nil {
		return nil, fmt.Errorf("sweep: policy %s works by deadlines and budgets: the scenario has no qos", e.Policy)
	}
	p, err := spec.New(e.Options)
	if err != nil {
		return nil, err
	}
	_, shared := p.(simulate.Sharing)
	if _, pieces := p.(simulate.Piecemeal); (!shared || pieces) && e.Scenario.Machines != nil {
		return nil, fmt.Errorf("sweep: policy %s is for machines whose nodes are all alike and without limits", e.Policy)
	}
	return p, nil
}

// site builds the machine of one run.
func (e *TraceExperiment) site() (simulate.Site, error) {
	p, err := e.policy()
	if err != nil {
		return simulate.Site{}, err
	}
	site := simulate.Site{Processors: e.Workload.Nodes(), Policy: p}
	for _, m := range e.Scenario.Machines {
		site.Machines = append(site.Machines, simulate.Machine(m))
	}
	return site, nil
}

// Run simulates one replication. The observers given see it too.
func (e *TraceExperiment) Run(ctx context.Context, replication int, observers ...simulate.Observer) (Sample, error) {
	site, err := e.site()
	if err != nil {
		return Sample{}, err
	}
	jobs, err := e.Jobs(replication)
	if err != nil {
		return Sample{}, err
	}
	defer jobs.Close()
	classes := len(e.Classes())
	tally := metric.NewTally(classes)
	tally.UntilEnd = true
	r, err := simulate.Run(ctx, simulate.Config{
		Source:    jobs,
		Sites:     []simulate.Site{site},
		Observers: append([]simulate.Observer{tally}, observers...),
	})
	if err != nil {
		return Sample{}, err
	}
	s := Sample{Total: tally.Total(), Cut: r.Cut}
	for i := range classes {
		s.Classes = append(s.Classes, tally.Class(i))
	}
	return s, nil
}
