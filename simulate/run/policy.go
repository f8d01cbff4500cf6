package run

import (
	"cmp"
	"context"
	"strings"

	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/analytic"
	"revopt/simulate/metric"
	"revopt/simulate/subject"
)

// Experiment returns what a case of a policy simulates. Its admission is found first if it has to be.
func (l *Lab) Experiment(ctx context.Context, c Case) (*Experiment, error) {
	c = c.At(0)
	return l.experiments.Get(c.Row(), keptPoints*16, func() (*Experiment, error) {
		at, err := l.point(ctx, c)
		if err != nil {
			return nil, err
		}
		e, err := l.experiment(at, c)
		if err != nil {
			return nil, err
		}
		e.Admission, err = l.admission(ctx, c, at, e)
		if err != nil {
			return nil, err
		}
		e.Providers, err = at.chain(ctx, e)
		if err != nil {
			return nil, err
		}
		return e, e.Check()
	})
}

// policyOf returns the policy of a case, or that behind the admission that it finds.
func (l *Lab) policyOf(at *point, c Case) (subject.Policy, error) {
	label := c.Do.Policy
	if c.Do.Find != nil {
		label = cmp.Or(c.Do.Find.Policy, at.subject.Usual)
	}
	if p, known := l.policies.Load(label); known { // that a case was made of
		return p.(subject.Policy), nil
	}
	return subject.ParsePolicy(l.Specs(), strings.Split(label, ":"))
}

// experiment returns the policy of a case, with all jobs admitted.
func (l *Lab) experiment(at *point, c Case) (*Experiment, error) {
	chosen, err := l.policyOf(at, c)
	if err != nil {
		return nil, err
	}
	return &Experiment{
		Workload: at.workload, Policy: chosen, Pooled: at.pooled, Providers: at.providers, Seed: c.Seed,
	}, nil
}

// chain returns the further providers of an experiment with their admissions; nil where there is but one provider.
func (at *point) chain(ctx context.Context, e *Experiment) ([]Provider, error) {
	if at.providers == nil {
		return nil, nil
	}
	solutions, err := analytic.SolveChain(ctx, at.subject, e.Admission.Admit)
	if err != nil {
		return nil, err
	}
	var list []Provider
	for i, p := range at.providers {
		if p.Admission.Name == scenario.AdmitAnalytic {
			p.Admission.Admit = solutions[i].Admit()
		}
		list = append(list, p)
	}
	return list, nil
}

// simulate runs the policy of a case. The observers see it too.
func (l *Lab) simulate(ctx context.Context, c Case, observers ...simulate.Observer) (Record, error) {
	e, err := l.Experiment(ctx, c)
	if err != nil {
		return Record{}, err
	}
	var waits *waitObserver
	if c.Detail.Waits {
		waits = l.groups.Observer(placesIn(l.groups, e.Workload))
		observers = append(observers, waits)
	}
	s, err := e.Run(ctx, c.Replication, observers...)
	if err != nil {
		return Record{}, err
	}
	r := l.layout.record(s, e, c.Detail)
	r.addWaits(l.groups.Groups(), waits)
	return r, nil
}

// record returns the numbers of a replication, of all jobs and of the groups that are asked for.
func (l *layout) record(s Sample, e *Experiment, d Detail) Record {
	r := Record{map[string]Columns{All: l.columns(s.Total)}}
	r.addFacts(s)
	if d.Customers {
		for i, section := range subject.Sections(e.Workload) {
			r.Groups[sectionName(section)] = l.columns(s.Customers[i])
		}
		r.addProviders(l, s, e)
	}
	return r
}

// addFacts adds what no measure is.
func (r *Record) addFacts(s Sample) {
	r.set(All, ColumnRevenueTotal, s.Total.Revenue)
	r.set(All, ColumnSpan, s.Total.Span)
	r.set(All, ColumnObserved, s.Total.Seconds)
	r.set(All, ColumnLoad, s.Load)
	r.set(All, ColumnSplit, metric.Indicator(s.Total.Preemptions+s.Total.Stretched > 0))
	r.set(All, ColumnCut, metric.Indicator(s.Cut))
}

// addProviders adds the columns of each provider, where there are several.
func (r *Record) addProviders(of *layout, s Sample, e *Experiment) {
	for i, sum := range s.Providers {
		name := scenario.ServerName
		if i > 0 {
			name = e.Providers[i-1].Name
		}
		r.Groups[AtProvider(name)] = of.columns(sum)
	}
}
