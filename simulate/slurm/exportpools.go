package slurm

import (
	"slices"

	"revopt/model"
	"revopt/model/scenario"
	"revopt/simulate/workload"
)

// divide makes a customer of the jobs of each customer in each pool, which Slurm knows by
// the selectors of both. The pool of a job class is the partition of that name. Jobs of a
// customer in a pool where the workload has none of them are let in.
func (x *Export) divide(doc *scenario.Document, sc *scenario.Scenario, p *workload.Pools) error {
	if x.Options.By == "partition" && sc.Trace == nil {
		const message = "expected --by account or --by qos: partitions are the pools"
		return &scenario.Error{File: doc.File(), Message: message}
	}
	whole := x.Customers
	x.Customers = nil
	for i, c := range whole {
		for k, pool := range p.List {
			of := pool.Of
			if sc.Trace == nil {
				of = &model.Selector{Partitions: []model.Party{{Name: pool.Name}}, Share: 1}
			}
			if what, why := invisible(of); what != "" {
				return doc.Blame(why, "pools", pool.Name)
			}
			s, ok := both(c.Of, of)
			if !ok {
				continue
			}
			if s != nil && s.Width != nil && !slices.Contains([]string{"node", "core", "cpu", "processor"}, pool.Unit) {
				why := "the script counts cores or nodes: expected no width in `of` of the pool or of " + c.Name
				return doc.Blame(why, "pools", pool.Name, "unit")
			}
			x.Customers = append(x.Customers, Customer{
				Name: c.Name + " in " + pool.Name, Of: s, Pool: pool.Name, Admit: 1, Priority: 100,
				section: slices.Index(p.Sections, workload.Section{Customer: i, Pool: k}),
			})
		}
	}
	x.Warnings = append(x.Warnings, Warning{"pools", "priorities are those within a pool, and Slurm has one default" +
		" QOS for an account: users ask for the QOS of another pool with sbatch --qos"})
	if slices.ContainsFunc(p.List, func(pool model.Pool) bool { return pool.Overflow != nil }) {
		x.Warnings = append(x.Warnings, Warning{"pools", "Slurm moves no waiting job to another pool:" +
			" in place of overflow, users list both partitions"})
	}
	return nil
}

// both returns a selector of the jobs that two selectors take, and false if there are
// none. The share is that of the first.
func both(a, b *model.Selector) (*model.Selector, bool) {
	if a == nil || b == nil {
		if a == nil {
			a = b
		}
		return a, true
	}
	s := *a
	for _, list := range []struct {
		to   *[]model.Party
		more []model.Party
	}{{&s.Accounts, b.Accounts}, {&s.Partitions, b.Partitions}, {&s.Queues, b.Queues}, {&s.Users, b.Users}} {
		if len(*list.to) == 0 {
			*list.to = list.more
		} else if len(list.more) > 0 {
			other := func(p model.Party) bool { return !slices.Contains(list.more, p) }
			if *list.to = slices.DeleteFunc(slices.Clone(*list.to), other); len(*list.to) == 0 {
				return nil, false
			}
		}
	}
	for _, r := range []struct {
		to   **model.Range
		more *model.Range
	}{{&s.Width, b.Width}, {&s.Estimate, b.Estimate}} {
		if *r.to == nil {
			*r.to = r.more
		} else if r.more != nil {
			*r.to = &model.Range{Least: max((*r.to).Least, r.more.Least), Most: min((*r.to).Most, r.more.Most)}
		}
	}
	return &s, true
}
