package scenario

import (
	"slices"

	"revopt/model"
)

// Grid is clusters and the applications, or the batch of jobs, offered to them.
type Grid struct {
	Sites        []model.Site
	Applications *model.Applications // drawn; nil if there is a batch or a list
	Listed       []model.Application // one by one; nil if they are drawn
	Batch        *model.Batch        // nil if there are applications
}

func (s *Scenario) gridTable() table {
	g := s.Grid
	const want = "applications such as {count: 1000, laxity: 0.1, rate: 0.2}"
	drawn := section("applications", want, &g.Applications, applicationsTable)
	listed := g.listedRow()
	applications := drawn
	if g.Listed != nil {
		applications = listed
	}
	applications.read = func(c *cursor) {
		if c.given() && c.n.kind == sequence {
			listed.read(c)
		} else {
			drawn.read(c)
		}
	}
	return table{
		s.nameRow(),
		records("sites", "a list of sites such as [{processors: 32, mips: 500}]",
			"a site such as {processors: 32, mips: 500}", &g.Sites, func(s *model.Site) table {
				return table{number("processors", &s.Processors, siteSize), number("mips", &s.MIPS, siteSpeed)}
			}).then(checkGrid),
		applications,
		section("batch", "a batch such as {jobs: 100, arrivals: [1, 102]}", &g.Batch, batchTable),
		{key: "growth"}, // see gridGrowth
		s.policiesRow(),
		s.Simulation.replicationsOnly(),
	}
}

// checkGrid checks that there are applications or, for one site, a batch.
func checkGrid(sites *cursor) {
	applications, batch := sites.up.get("applications"), sites.up.get("batch")
	switch n := len(sites.n.items); {
	case applications.given() == batch.given():
		sites.fail("expected applications or a batch beside the sites")
	case batch.given() && n > 1:
		batch.fail("expected a batch for one site, got %d sites", n)
	}
}

// gridGrowth brings the applications in faster by a growth.
func (d *decoder) gridGrowth(c *cursor, s *Scenario) {
	if s.Grid.Batch != nil {
		if c.given() {
			c.fail("expected none with a batch, whose jobs are given by their number")
		}
		return
	}
	s.Growth = c.growth()
	if a := s.Grid.Applications; a != nil {
		a.Gap /= 1 + s.Growth
	}
	for i := range s.Grid.Listed {
		s.Grid.Listed[i].At /= 1 + s.Growth
	}
}

var (
	siteSize = quantity{
		want: "a whole number of processors from 1 to 1000000", unit: plain, least: 1, most: 1e6, whole: true,
	}
	siteSpeed = quantity{want: "a speed above 0 in MIPS", unit: plain, most: 1e9, open: true}
	partCount = quantity{want: "a whole number of parts from 1 to 10000", unit: plain, least: 1, most: 1e4, whole: true}
	lengthMI  = quantity{want: "a length above 0 in MI", unit: plain, most: 1e15, open: true}
)

// jobCount is how many applications or jobs there may be: they are drawn ahead.
var jobCount = quantity{want: "a whole number from 1 to 10000000", unit: plain, least: 1, most: 1e7, whole: true}

// applicationsTable lists the fields of the section of that name. The defaults are
// those of Kim, Buyya and Kim (2007), figure 4.
func applicationsTable(a *model.Applications) table {
	return table{
		number("count", &a.Count, jobCount, 1000),
		number("interarrival", &a.Gap, span, 300),
		interval("parts", &a.Parts, partCount, 1, 16),
		interval("mandatory", &a.Mandatory, lengthMI, 600000, 7200000),
		interval("optional", &a.Optional, multiple, 0.5, 4),
		number("reward", &a.Reward, amount, 0.001),
		interval("laxity", &a.Laxity, multiple, 0.1, 0.1),
		choice("execution", &a.Execution, model.Executions()...),
		number("rate", &a.Rate, multiple, 0.2),
		number("spread", &a.Spread, fraction, 0.5),
		budgetRow(&a.Budget),
	}
}

// batchTable lists the fields of the section batch, with defaults of Sherwani et al. (2004).
func batchTable(b *model.Batch) table {
	return table{
		number("jobs", &b.Jobs, jobCount, 100),
		interval("arrivals", &b.Arrivals, duration, 1, 102),
		interval("lengths", &b.Lengths, amount, 1000, 10900),
		interval("deadlines", &b.Deadline, duration, 1, 1200),
		flag("deadlines_from", &b.Clock, "arrival", "start"),
		number("budget", &b.Budget, amount, 1000),
		number("random", &b.Random, fraction, 0.2),
		interval("budgets", &b.Budgets, amount, 1000, 12000),
	}
}

// interval is a number, or the least and the largest; the default is low to high.
func interval(key string, x *model.Interval, q quantity, low, high float64) row {
	read := func(c *cursor) {
		switch {
		case !c.given():
			c.isNumeric()
			*x = model.Interval{Low: low, High: high}
		case c.n.kind != sequence:
			n := c.number(q)
			*x = model.Interval{Low: n, High: n}
		default:
			ends := c.list("two numbers")
			if len(ends) != 2 {
				c.fail("expected one number or two, the least and the largest, got %d", len(ends))
				return
			}
			*x = model.Interval{Low: ends[0].number(q), High: ends[1].number(q)}
			if x.High < x.Low {
				c.fail("expected the least number before the largest, got %g and %g", x.Low, x.High)
			}
		}
	}
	write := func(*encoder) string { return numbers([]float64{x.Low, x.High}) }
	return row{key: key, read: read, write: write}.when(*x != model.Interval{Low: low, High: high})
}

// listedRow is the applications one by one, in order of submission.
func (g *Grid) listedRow() row {
	const item = "an application such as {at: 0, mandatory: 1000000, optional: 1000000, deadline: 3000, " +
		"reward: 1000, slope: 0.0005}"
	return records("applications", "a list of applications", item, &g.Listed, func(a *model.Application) table {
		return table{
			number("at", &a.At, duration, 0).then(func(c *cursor) {
				if n := len(g.Listed); n > 0 && a.At < g.Listed[n-1].At {
					c.fail("expected applications in order of submission, got one at %g after one at %g", a.At,
						g.Listed[n-1].At)
				}
			}),
			number("parts", &a.Parts, partCount, 1),
			number("mandatory", &a.Mandatory, lengthMI),
			number("optional", &a.Optional, amount, 0),
			number("deadline", &a.Deadline, span),
			number("reward", &a.Reward, amount),
			number("slope", &a.Slope, amount, 0),
			budgetRow(&a.Budget),
		}
	})
}

// budgetExponent is that of a concave budget function.
var budgetExponent = quantity{want: "an exponent above 0 and below 1", unit: plain, most: 1, open: true}

// budgetRow is linear, {concave: k} or {steps: {at: [...], pay: [...]}}.
func budgetRow(b *model.BudgetShape) row {
	return variant("budget", "linear, {concave: 0.5} or {steps: {at: [25%, 100%], pay: [40%, 60%]}}", row{},
		number("concave", &b.Exponent, budgetExponent, 0), stepsRow(&b.Steps)).
		reading(func(c *cursor, read func(*cursor)) {
			if c.n.plainText() != "linear" {
				read(c)
			}
		}).ifGiven(true)
}

// stepsRow is the steps of a budget function. They pay the same if pay is absent.
func stepsRow(steps *[]model.BudgetStep) row {
	var at, pay []float64
	for _, s := range *steps {
		at, pay = append(at, s.At), append(pay, s.Pay)
	}
	return mapped("steps", "steps such as {at: [25%, 100%], pay: [40%, 60%]}", table{
		numberList("at", "a list of shares of the optional length", &at, fraction),
		numberList("pay", "a list of shares of the budget", &pay, fraction).ifGiven(true),
	}).then(func(c *cursor) {
		if pay == nil {
			pay = slices.Repeat([]float64{1 / float64(len(at))}, len(at))
		}
		checkSteps(c, at, pay)
		for i := range at {
			*steps = append(*steps, model.BudgetStep{At: at[i], Pay: pay[min(i, len(pay)-1)]})
		}
	}).when(*steps != nil)
}

func checkSteps(c *cursor, at, pay []float64) {
	for i := 1; i < len(at); i++ {
		if !(at[i] > at[i-1]) {
			c.get("at").list("")[i].fail("expected shares in ascending order, got %g after %g", at[i], at[i-1])
		}
	}
	if place := c.get("pay"); len(pay) != len(at) {
		place.fail("expected %d shares of the budget, one for each step, got %d", len(at), len(pay))
	} else if sum, ok := normalize(pay); place.given() && !ok {
		place.fail("expected shares of the budget that sum to 1, got a sum of %g", sum)
	}
}
