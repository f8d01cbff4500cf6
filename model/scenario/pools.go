package scenario

import (
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/model"
)

// Pool is a part of the machine and the policy that runs it.
type Pool struct {
	model.Pool
	Policy *Policy // nil: every policy that is asked for
}

// maxPools bounds the pools of a machine: each has a row in every table.
const maxPools = 1000

// poolsRow is the list of pools. Their policies are read with those of the scenario.
func (s *Scenario) poolsRow() row {
	const want = "a list of pools such as [{name: cpu, units: 512, unit: core}, {name: gpu, units: 64, unit: gpu}]"
	r := row{key: "pools"}
	r.read = func(c *cursor) {
		stated := c.d.stated()
		for _, place := range c.list(want) {
			p, ok := stated.pool(place, s)
			if !ok && !s.poolTable(&p).read(place, "a pool such as {name: gpu, units: 64, unit: gpu}") {
				return
			}
			c.d.keepPool(place, p, s)
			s.Pools = append(s.Pools, p)
		}
	}
	r.write = func(e *encoder) string {
		var list strings.Builder
		for _, p := range s.Pools {
			list.WriteString("\n  - " + s.poolTable(&p).flow(e))
		}
		return list.String()
	}
	return r.reading(func(c *cursor, read func(*cursor)) {
		if n := len(c.n.items); n > maxPools {
			c.fail("expected at most %d pools, got %d", maxPools, n)
		} else if read(c); c.d.err == nil {
			s.checkPools(c)
		}
	}).ifGiven(true)
}

func (s *Scenario) poolTable(p *Pool) table {
	const unitWant = "a word for one unit such as core, node or gpu"
	policy := s.policyRow(&p.Policy)
	policy.read = nil // see policiesRow
	return table{
		name("name", &p.Name, "the name of the pool").then(func(c *cursor) {
			if strings.ContainsAny(p.Name, ".,*=") {
				c.fail("expected a name without the characters . , * and =, got %s", quote(p.Name))
			}
		}),
		number("units", &p.Units, nodeCount),
		name("unit", &p.Unit, unitWant).then(func(c *cursor) {
			if !text.IsWord(p.Unit) {
				c.expected(unitWant)
			}
		}).otherwise(func() { p.Unit = "node" }).when(p.Unit != "node"),
		selectorRow("the jobs of a pool such as {partition: [gpu]}", &p.Of, jobsTable).then(func(c *cursor) {
			if p.Of != nil && s.Trace == nil {
				c.fail("expected with a trace only: a job class names its pool")
			} else if p.Of != nil {
				p.Of.Share = 1
			}
		}),
		policy,
		section("overflow", "an overflow such as {to: gpu, after: 2h}", &p.Overflow, func(o *model.Overflow) table {
			return table{name("to", &o.To, "the name of another pool"), number("after", &o.After, duration)}
		}),
	}
}

func (s *Scenario) checkPools(c *cursor) {
	for i, place := range c.list("") {
		p, to := s.Pools[i], place.get("overflow").get("to")
		switch {
		case s.pool(p.Name) < i:
			place.get("name").fail("expected a name of its own for every pool, got %s twice", quote(p.Name))
		case s.Trace != nil && p.Of == nil && i < len(s.Pools)-1:
			place.get("of").fail("missing, expected the jobs of the pool such as {partition: [gpu]}: " +
				"only the last pool may take all that are left")
		case p.Overflow != nil && p.Overflow.To == p.Name:
			to.fail("expected another pool, got %s itself", quote(p.Name))
		case p.Overflow != nil && s.pool(p.Overflow.To) < 0:
			to.unknownPool(p.Overflow.To, s.Pools)
		case p.Overflow != nil && s.Pools[s.pool(p.Overflow.To)].Unit != p.Unit:
			to.fail("expected a pool with the unit %s, because jobs keep their width, got %s with the unit %s",
				quote(p.Unit), quote(p.Overflow.To), quote(s.Pools[s.pool(p.Overflow.To)].Unit))
		}
	}
	if n := s.units(); n > int(nodeCount.most) {
		c.fail("expected at most %.0f units in all pools together, got %d", nodeCount.most, n)
	} else if s.Trace != nil {
		s.Trace.Nodes = n
	}
}

// pool returns the index of the pool of a name, -1 if there is none.
func (s *Scenario) pool(name string) int {
	return slices.IndexFunc(s.Pools, func(p Pool) bool { return p.Name == name })
}

func (s *Scenario) units() int {
	return text.Sum(s.Pools, func(p Pool) int { return p.Units })
}

// unknownPool keeps the error that there is no pool of a name.
func (c *cursor) unknownPool(name string, pools []Pool) {
	names := text.Each(pools, func(p Pool) string { return p.Name })
	c.fail("unknown pool %s, expected %s%s", quote(name), text.OneOf(text.Few(names)), text.DidYouMean(name, names))
}

// besidePools refuses the fields that describe a machine that is not divided.
func besidePools(root *cursor) {
	trace, server := root.get("trace"), root.get("server")
	for _, c := range []*cursor{root.get("sites"), root.get("providers"), root.get("nodes"), trace.get("nodes"),
		trace.get("unit"), server.get("nodes"), server.get("parallel")} {
		if c.given() && root.get("pools").given() {
			c.fail("expected none beside pools, which make up the machine")
		}
	}
}

// poolRow is the pool of a job class. Its units bound the width of the jobs.
func (s *Scenario) poolRow(class *model.Class, machine *server) row {
	return name("pool", &class.Pool, "the pool that the jobs run in").reading(func(c *cursor, read func(*cursor)) {
		switch {
		case !c.given() && (s.Pools == nil || s.Trace != nil):
		case s.Trace != nil:
			c.fail("expected none in a class of a trace, whose jobs may run in every pool: " +
				"`of` of a pool says which it takes")
		case s.Pools == nil:
			c.fail("expected pools in the scenario beside it")
		default:
			read(c)
			if i := s.pool(class.Pool); i >= 0 {
				machine.slots, machine.unit = float64(s.Pools[i].Units), s.Pools[i].Unit
			} else {
				c.unknownPool(class.Pool, s.Pools)
			}
		}
	}).when(class.Pool != "")
}

// byPool lets a mapping with a value for each pool stand for the value of a field. The
// values of pools are of another kind than those of a mapping that the field itself may
// be. The mapping is written if the pools differ.
func byPool(r row, values kind, class *model.Class, pools []Pool, differ bool,
	one func(key string, t *model.Terms) row) row {
	if pools == nil {
		return r
	}
	fields := func() (t table) {
		for i, p := range pools {
			t = append(t, one(p.Name, &class.Terms[i]))
		}
		return t
	}
	if differ {
		r.write = fields().flow
	}
	return r.reading(func(c *cursor, read func(*cursor)) {
		if c.n == nil || !slices.ContainsFunc(c.n.fields, func(f field) bool { return f.value.kind == values }) {
			read(c)
			return
		}
		for _, f := range c.n.fields {
			if !slices.ContainsFunc(pools, func(p Pool) bool { return p.Name == f.key }) {
				c.keyOf(f).unknownPool(f.key, pools)
			}
		}
		if class.Terms == nil {
			class.Terms = make([]model.Terms, len(pools))
		}
		fields().fields(c)
	})
}

// settleTerms completes the terms of a class with what it states for all pools.
func settleTerms(class *model.Class) {
	for i := range class.Terms {
		t := &class.Terms[i]
		t.PerNodeSecond += class.Price.PerNodeSecond
		if class.SLO != nil {
			t.SLO = class.SLO
		}
	}
	if !pricesDiffer(class) && !promisesDiffer(class) {
		class.Terms = nil
	}
}

func pricesDiffer(class *model.Class) bool {
	price := class.Price.PerNodeSecond
	return slices.ContainsFunc(class.Terms, func(t model.Terms) bool { return t.PerNodeSecond != price })
}

func promisesDiffer(class *model.Class) bool {
	return slices.ContainsFunc(class.Terms, func(t model.Terms) bool { return t.SLO != class.SLO })
}

// InPool returns the scenario of one pool alone, given by its index: of job classes those
// of the pool, of a trace all customers with their prices and promises there. Warnings are
// left to the whole.
func (s *Scenario) InPool(i int) *Scenario {
	part, pool := *s, s.Pools[i]
	part.Pools, part.Down, part.Limits = nil, nil, nil
	part.Warnings, part.Unlimited = nil, nil
	part.Nodes = pool.Units
	part.Classes = nil
	for _, class := range s.Classes {
		if class.Pool == pool.Name || s.Trace != nil {
			class.Pool = ""
			part.Classes = append(part.Classes, class.In(i))
		}
	}
	if pool.Policy != nil {
		part.Policies = []Policy{*pool.Policy}
	}
	units := float64(pool.Units)
	switch {
	case s.Trace != nil:
		trace := *s.Trace
		trace.Nodes, trace.Unit, part.Trace = pool.Units, pool.Unit, &trace
	case part.Classes == nil:
		part.Parallel, part.Load = units, 0
	default:
		part.Parallel, part.Load = units/model.MeanWidth(part.Classes), new(server).work(part.Classes)/units
	}
	return &part
}
