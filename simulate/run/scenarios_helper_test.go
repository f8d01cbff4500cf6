package run

import (
	"math/rand/v2"
	"strings"
	"testing"

	"revopt/internal/fixture"
	"revopt/model"
	"revopt/simulate/policy"
	"revopt/simulate/subject"
)

// oneExponential is a queue of one server.
const oneExponential = "name: one\nload: 0.5\nserver: {parallel: 1}\nclasses:\n" +
	"  - {name: a, share: 1, length: {dist: exponential, mean: 100}, price: 5, decay: 0.001}\n" +
	"simulation: {jobs: 2000, replications: 5}\n"

// offering has classes whose prices and work vary in different ways, and in which
// a late job loses nothing: all that is offered is earned.
const offering = `
server: {nodes: 40}
load: 0.7
simulation: {jobs: 1500, warmup: 10%, replications: 5}
classes:
  - {name: flat, share: 0.5, length: {mean: 100, sd: 30, min: 10}, price: 3}
  - {name: hourly, share: 0.3, length: {dist: lognormal, mean: 50, sd: 60},
     width: {values: [1, 4, 9], weights: [0.5, 0.3, 0.2]}, price: {per_hour: 40}}
  - {name: wide, share: 0.2, length: {dist: exponential, mean: 20}, width: {values: [2, 8], weights: [0.6, 0.4]},
     price: {per_unit_hour: 90}}
`

// oneUnitPools are two pools of one unit.
const oneUnitPools = "pools: [{name: a, units: 1, of: {partition: a}, overflow: {to: b, after: 60}},\n" +
	"  {name: b, units: 1}]\n"

// workloads are one of every kind, by what their jobs and machines have.
func workloads(t *testing.T) map[string]*subject.Subject {
	unlike := "trace: {file: sp2-like, jobs: last:60}\nnodes: [{count: 64, speed: 168}, {count: 64, speed: " +
		"84}]\nqos: {}\n"
	grid := "sites: [{processors: 2, mips: 10}, {processors: 3, mips: 20}]\napplications: {count: 5}\n"
	undated := strings.Replace(fixture.Customers(t), "grace: 5m, decay: 0.01", "decay: 0", 1)
	return map[string]*subject.Subject{
		"classes":               fixture.Opened(t, fixture.Constant),
		"classes, deadlines":    fixture.Opened(t, strings.Replace(fixture.Constant, "decay: 1", "decay: 1, deadline: 25", 1)),
		"classes, grace":        fixture.Opened(t, strings.Replace(fixture.Constant, "decay: 1", "decay: 1, grace: {lengths: 2}", 1)),
		"trace":                 fixture.Opened(t, "trace: {file: sp2-like, jobs: last:60}\n"),
		"trace, qos":            fixture.Opened(t, fixture.SmallTrace),
		"trace, parts":          fixture.Opened(t, fixture.SmallTrace+"ic: {rate: 0.2}\n"),
		"trace, customers":      fixture.Opened(t, fixture.Customers(t)),
		"trace, no deadline":    fixture.Opened(t, undated),
		"trace, unlike nodes":   fixture.Opened(t, unlike),
		"grid":                  fixture.Opened(t, grid),
		"batch":                 fixture.Opened(t, "sites: [{processors: 4, mips: 89}]\nbatch: {jobs: 9}\n"),
		"grid of a single site": fixture.Opened(t, "sites: [{processors: 4, mips: 89}]\napplications: {count: 5}\n"),
	}
}

// randomClass returns a customer with a price, a decay, a floor and an expiry of
// all kinds, with or without a deadline.
func randomClass(rnd *rand.Rand, name string, dated bool) model.Class {
	c := model.Class{
		Name:  name,
		Price: model.Tariff{Fixed: 100 * rnd.Float64(), PerSecond: rnd.Float64(), PerNodeSecond: float64(rnd.IntN(3))},
		Decay: 10 * rnd.Float64() * rnd.Float64(), Expire: model.ExpireNever, Dated: dated,
		Floor: model.Floor{None: true},
	}
	if rnd.IntN(3) == 0 {
		c.Decay = 0
	}
	if rnd.IntN(3) == 0 {
		c.DecayOfPrice = 0.01 * rnd.Float64()
	}
	switch {
	case dated && rnd.IntN(2) == 0:
		c.Deadline = model.Grace{Fixed: 20 * rnd.Float64(), Lengths: 0.5 + 3*rnd.Float64()} // some too short
	case dated:
		c.Grace = model.Grace{Fixed: 10 * rnd.Float64(), Lengths: 3 * rnd.Float64()}
	case rnd.IntN(2) == 0:
		c.Grace.Lengths = 3 * rnd.Float64()
	}
	if dated {
		c.Hard = []float64{0, 0.5, 1}[rnd.IntN(3)]
	}
	if rnd.IntN(3) > 0 {
		c.Floor = model.Floor{Fixed: 60*rnd.Float64() - 10, OfPrice: 0.1 * rnd.Float64()}
		c.Expire = []model.Expiry{model.ExpireNever, model.ExpireFloor, model.ExpireZero}[rnd.IntN(3)]
	}
	return c
}

// someOptions chooses among the options of a policy.
func someOptions(rnd *rand.Rand, spec policy.Spec) subject.Policy {
	p := subject.PolicyOf(spec)
	for _, o := range spec.Options {
		if !o.Number && rnd.IntN(3) == 0 {
			p.Settings[o.Name] = o.Values[rnd.IntN(len(o.Values))]
		}
	}
	return p
}
