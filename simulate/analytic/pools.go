package analytic

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"

	"revopt/internal/text"
	"revopt/model"
	"revopt/simulate/subject"
	"revopt/simulate/warn"
)

func (a *Analysis) Head() subject.PoolHead {
	return subject.PoolHead{Name: a.Pool, Unit: a.UnitName, Units: a.Units}
}

// analyzePools returns an analysis of each pool in which jobs may arrive. The classes of
// all are in the order of the workload's customers.
func analyzePools(ctx context.Context, s *subject.Subject, seed uint64, replication int) (*Analysis, error) {
	demands := func(c model.Class) bool { return c.Demand != nil }
	if s.Trace != nil && slices.ContainsFunc(s.Scenario.Classes, demands) {
		return nil, s.Document.Blame("demands on a trace have no formula beside pools", "pools")
	}
	subjects, err := s.Pools()
	if err != nil {
		return nil, err
	}
	a := &Analysis{File: s.Document.File(), Units: s.Nodes(), UnitName: s.Unit()}
	type place struct{ customer, pool, class int }
	var places []place
	common := warn.Scenario(s.Scenario, true) // about all pools
	for i, subject := range subjects {
		pool := s.Scenario.Pools[i]
		if pool.Overflow != nil {
			common = append(common, warn.Ignored("overflow", warn.Words("pools", pool.Name)))
		}
		names := subject.Names()
		customers := make([]int, len(names)) // among those of the machine
		for k, section := range s.Workload.Pools().Sections {
			if n := slices.Index(names, s.Workload.Customers()[k].Name); section.Pool == i && n >= 0 {
				customers[n] = k
			}
		}
		if len(names) == 0 {
			common = append(common, warn.Ignored("pool "+pool.Name+", to which no jobs come"))
			continue
		}
		part, err := Analyze(ctx, subject, seed, replication)
		if err != nil {
			return nil, err
		}
		part.Pool = pool.Name
		part.Units = pool.Units
		part.UnitName = pool.Unit
		by := part.by
		part.by = func(r model.Residual) model.System {
			sys := by(r)
			sys.Classes = slices.Clone(sys.Classes)
			for k := range sys.Classes {
				sys.Classes[k].Pool = pool.Name
			}
			return sys
		}
		part.System = part.by(part.System.Residual)
		for k, c := range part.Customer {
			places = append(places, place{customer: customers[c], pool: len(a.Pools), class: k})
		}
		a.Pools = append(a.Pools, part)
	}
	slices.SortStableFunc(places, func(x, y place) int { return cmp.Compare(x.customer, y.customer) })
	for n, at := range places {
		part := a.Pools[at.pool]
		part.places[at.class] = n
		a.Customer, a.Tariffs = append(a.Customer, at.customer), append(a.Tariffs, part.Tariffs[at.class])
	}
	if len(places) == 0 {
		return nil, s.Misfit("expected jobs in a pool, got none")
	}
	for _, part := range a.Pools {
		part.Ignored = slices.Concat(common, part.Ignored)
	}
	a.gather()
	a.Fit = a.Pools[0].Fit
	a.Ignored = a.PoolWarnings(text.Each(a.Pools, func(part *Analysis) []warn.Warning { return part.Ignored }))
	return a, nil
}

// gather gives a machine with pools the classes of its pools.
func (a *Analysis) gather() {
	if a.Pools == nil {
		return
	}
	a.System.Residual = a.Pools[0].System.Residual
	a.System.Classes = make([]model.Class, len(a.Customer))
	for _, part := range a.Pools {
		for k, place := range part.places {
			a.System.Classes[place] = part.System.Classes[k]
		}
	}
}

// Parts returns the analyses of the pools, or the analysis itself without pools.
func (a *Analysis) Parts() []*Analysis {
	if a.Pools == nil {
		return []*Analysis{a}
	}
	return a.Pools
}

// OverParts computes something of each part. Errors name their pool.
func OverParts[T any](a *Analysis, f func(part *Analysis) (T, error)) ([]T, error) {
	var list []T
	for _, part := range a.Parts() {
		x, err := f(part)
		if err != nil && part.Pool != "" {
			err = fmt.Errorf("pool %s: %w", part.Pool, err)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, x)
	}
	return list, nil
}

// Gather returns values of all classes from those of the classes of each part.
func Gather[T any](a *Analysis, parts [][]T) []T {
	all := make([]T, len(a.System.Classes))
	for i, part := range a.Parts() {
		for k, place := range part.places {
			all[place] = parts[i][k]
		}
	}
	return all
}

// InPart returns the values of the classes of a part among those of all classes.
func InPart(part *Analysis, all []float64) []float64 {
	return text.Each(part.places, func(place int) float64 { return all[place] })
}

// PoolWarnings returns the warnings about the parts. Those that are not about all pools name theirs.
func (a *Analysis) PoolWarnings(lists [][]warn.Warning) []warn.Warning {
	all := []warn.Warning{}
	for i, list := range lists {
		for _, w := range list {
			same := func(old warn.Warning) bool { return reflect.DeepEqual(old, w) }
			lacks := func(other []warn.Warning) bool { return !slices.ContainsFunc(other, same) }
			switch {
			case slices.ContainsFunc(lists, lacks):
				all = append(all, w.About("pool "+a.Pools[i].Pool))
			case lacks(all):
				all = append(all, w)
			}
		}
	}
	return all
}

// Sum returns the solution of all parts together.
func (a *Analysis) Sum(parts []*Solution) *Solution {
	if a.Pools == nil {
		return parts[0]
	}
	s := &Solution{Method: parts[0].Method, Certified: true}
	for i, p := range parts {
		part := float64(a.Pools[i].Units) / float64(a.Units)
		s.RevenuePerSecond += p.RevenuePerSecond
		s.UpperBoundPerSecond += p.UpperBoundPerSecond
		s.Load += part * p.Load
		s.Utilization += part * p.Utilization
		s.Certified = s.Certified && p.Certified
		s.Tied = s.Tied || p.Tied
		s.binds = s.binds || p.binds
	}
	switch bound := s.UpperBoundPerSecond; {
	case !s.Proven():
		s.RelativeGap = bound
	case bound > s.RevenuePerSecond:
		s.RelativeGap = (bound - s.RevenuePerSecond) / bound
	}
	s.Classes = Gather(a, text.Each(parts, func(p *Solution) []ClassSolution { return p.Classes }))
	s.MeanDelay = s.DelayOfAdmitted()
	return s
}
