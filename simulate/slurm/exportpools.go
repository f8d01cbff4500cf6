package slurm

import (
	"cmp"
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
			selector := pool.Of
			if sc.Trace == nil {
				selector = &model.Selector{Partitions: []model.Party{{Name: pool.Name}}, Share: 1}
			}
			if what, why := invisible(selector); what != "" {
				return doc.Blame(why, "pools", pool.Name)
			}
			s, ok := both(c.Of, selector)
			if !ok {
				continue
			}
			if s != nil && s.Width != nil && !slices.Contains([]string{"node", "core", "cpu", "processor"}, pool.Unit) {
				why := "the script counts cores or nodes: expected no width in `of` of the pool or of " + c.Name
				return doc.Blame(why, "pools", pool.Name, "unit")
			}
			x.Customers = append(x.Customers, Customer{
				Name: c.Name + " in " + pool.Name, Of: s, Pool: pool.Name, Admit: 1,
				section: slices.Index(p.Sections, workload.Section{Customer: i, Pool: k}),
			})
		}
	}
	if x.Options.Ordered {
		x.Warn("pools", "priorities are those within a pool, and Slurm has one default QOS for an account: users ask for the "+
			"QOS of another pool with sbatch --qos")
	}
	if slices.ContainsFunc(p.List, func(pool model.Pool) bool { return pool.Overflow != nil }) {
		x.Warn("pools", "Slurm moves no waiting job to another pool: in place of overflow, users list both partitions")
	}
	return nil
}

// both returns a selector of the jobs that two selectors take, false if there are none.
func both(a, b *model.Selector) (*model.Selector, bool) {
	if a == nil || b == nil {
		return cmp.Or(a, b), true
	}
	s, some := *a, true
	named := func(x, y []model.Party) []model.Party {
		if len(x) == 0 || len(y) == 0 {
			return append(x, y...)
		}
		x = slices.DeleteFunc(slices.Clone(x), func(p model.Party) bool { return !slices.Contains(y, p) })
		some = some && len(x) > 0
		return x
	}
	within := func(x, y *model.Range) *model.Range {
		if x == nil || y == nil {
			return cmp.Or(x, y)
		}
		return &model.Range{Least: max(x.Least, y.Least), Most: min(x.Most, y.Most)}
	}
	s.Accounts, s.Partitions = named(a.Accounts, b.Accounts), named(a.Partitions, b.Partitions)
	s.Queues, s.Users = named(a.Queues, b.Queues), named(a.Users, b.Users)
	s.Width, s.Estimate = within(a.Width, b.Width), within(a.Estimate, b.Estimate)
	return &s, some
}
