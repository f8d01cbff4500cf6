package scenario

import "revopt/model"

// Grid is a number of clusters and the applications, or the batch of jobs,
// offered to them.
type Grid struct {
	Sites        []model.Site
	Applications *model.Applications // drawn; nil where there is a batch or a list
	Listed       []model.Application // one by one; nil where they are drawn
	Batch        *model.Batch        // nil where there are applications
}

// gridScenario decodes a scenario with sites.
func (d *decoder) gridScenario(root *cursor, s *Scenario) {
	if !root.mapping("a grid scenario", "name", "sites", "applications", "batch", "growth", "policies", "simulation") {
		return
	}
	g := &Grid{Sites: d.sites(root.get("sites"))}
	s.Grid = g
	applications, batch := root.get("applications"), root.get("batch")
	switch {
	case applications.given() == batch.given():
		root.get("sites").fail("expected applications or a batch beside the sites")
	case batch.given() && len(g.Sites) > 1:
		batch.fail("expected a batch for one site, got %d sites", len(g.Sites))
	case batch.given():
		g.Batch = d.batch(batch)
	case applications.n.kind == sequence:
		g.Listed = d.listed(applications)
	default:
		g.Applications = d.applications(applications)
	}
	s.Simulation = d.replications(root.get("simulation"))
	if d.err == nil {
		d.gridGrowth(root.get("growth"), s)
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
	siteSize  = quantity{want: "a whole number of processors from 1 to 1000000", unit: plain, least: 1, most: 1e6, whole: true}
	siteSpeed = quantity{want: "a speed above 0 in MIPS", unit: plain, most: 1e9, open: true}
	partCount = quantity{want: "a whole number of parts from 1 to 10000", unit: plain, least: 1, most: 1e4, whole: true}
	lengthMI  = quantity{want: "a length above 0 in MI", unit: plain, most: 1e15, open: true}
)

// sites reads the clusters.
func (d *decoder) sites(c *cursor) []model.Site {
	const want = "a list of sites such as [{processors: 32, mips: 500}]"
	var sites []model.Site
	for _, place := range c.list(want) {
		if !place.mapping("a site such as {processors: 32, mips: 500}", "processors", "mips") {
			return nil
		}
		sites = append(sites, model.Site{Processors: int(place.get("processors").number(siteSize)), MIPS: place.get("mips").number(siteSpeed)})
	}
	return sites
}

// jobCount is how many applications or jobs there may be: they are drawn ahead.
var jobCount = quantity{want: "a whole number from 1 to 10000000", unit: plain, least: 1, most: 1e7, whole: true}

// applications reads the section of that name. The defaults are those of Kim,
// Buyya and Kim (2007), figure 4.
func (d *decoder) applications(c *cursor) *model.Applications {
	if !c.mapping("applications such as {count: 1000, laxity: 0.1, rate: 0.2}",
		"count", "interarrival", "parts", "mandatory", "optional", "reward", "laxity", "execution", "rate", "spread", "budget") {
		return nil
	}
	return &model.Applications{
		Count:     int(c.get("count").numberOr(jobCount, 1000)),
		Gap:       c.get("interarrival").numberOr(span, 300),
		Parts:     d.interval(c.get("parts"), partCount, model.Interval{Low: 1, High: 16}),
		Mandatory: d.interval(c.get("mandatory"), lengthMI, model.Interval{Low: 600000, High: 7200000}),
		Optional:  d.interval(c.get("optional"), multiple, model.Interval{Low: 0.5, High: 4}),
		Reward:    c.get("reward").numberOr(amount, 0.001),
		Laxity:    d.interval(c.get("laxity"), multiple, model.Interval{Low: 0.1, High: 0.1}),
		Execution: model.Execution(c.get("execution").choice(model.Executions()...)),
		Rate:      c.get("rate").numberOr(multiple, 0.2),
		Spread:    c.get("spread").numberOr(fraction, 0.5),
		Budget:    d.budgetShape(c.get("budget")),
	}
}

// batch reads the section of that name. The defaults are those of Sherwani et al.
// (2004).
func (d *decoder) batch(c *cursor) *model.Batch {
	if !c.mapping("a batch such as {jobs: 100, arrivals: [1, 102]}", "jobs", "arrivals", "lengths", "deadlines", "budget", "random", "budgets") {
		return nil
	}
	return &model.Batch{
		Jobs:     int(c.get("jobs").numberOr(jobCount, 100)),
		Arrivals: d.interval(c.get("arrivals"), duration, model.Interval{Low: 1, High: 102}),
		Lengths:  d.interval(c.get("lengths"), amount, model.Interval{Low: 1000, High: 10900}),
		Deadline: d.interval(c.get("deadlines"), duration, model.Interval{Low: 1, High: 1200}),
		Budget:   c.get("budget").numberOr(amount, 1000),
		Random:   c.get("random").numberOr(fraction, 0.2),
		Budgets:  d.interval(c.get("budgets"), amount, model.Interval{Low: 1000, High: 12000}),
	}
}

// interval reads a number, or a list of the least and the largest.
func (d *decoder) interval(c *cursor, q quantity, otherwise model.Interval) model.Interval {
	if !c.given() || c.n.kind != sequence {
		if !c.given() {
			c.isNumeric()
			return otherwise
		}
		x := c.number(q)
		return model.Interval{Low: x, High: x}
	}
	ends := c.list("two numbers")
	if len(ends) != 2 {
		c.fail("expected one number or two, the least and the largest, got %d", len(ends))
		return otherwise
	}
	i := model.Interval{Low: ends[0].number(q), High: ends[1].number(q)}
	if i.High < i.Low {
		c.fail("expected the least number before the largest, got %g and %g", i.Low, i.High)
	}
	return i
}

// listed reads applications one by one, in order of submission.
func (d *decoder) listed(c *cursor) []model.Application {
	var list []model.Application
	for _, place := range c.list("a list of applications") {
		if !place.mapping("an application such as {at: 0, mandatory: 1000000, optional: 1000000, deadline: 3000, reward: 1000, slope: 0.0005}",
			"at", "parts", "mandatory", "optional", "deadline", "reward", "slope", "budget") {
			return nil
		}
		a := model.Application{
			At: place.get("at").numberOr(duration, 0), Parts: int(place.get("parts").numberOr(partCount, 1)),
			Mandatory: place.get("mandatory").number(lengthMI), Optional: place.get("optional").numberOr(amount, 0),
			Deadline: place.get("deadline").number(span), Reward: place.get("reward").number(amount), Slope: place.get("slope").numberOr(amount, 0),
			Budget: d.budgetShape(place.get("budget")),
		}
		if n := len(list); n > 0 && a.At < list[n-1].At {
			place.get("at").fail("expected applications in order of submission, got one at %g after one at %g", a.At, list[n-1].At)
		}
		list = append(list, a)
	}
	return list
}

// budgetExponent is that of a concave budget function.
var budgetExponent = quantity{want: "an exponent above 0 and below 1", unit: plain, most: 1, open: true}

// budgetShape reads linear, {concave: k} or {steps: {at: [...], pay: [...]}}.
func (d *decoder) budgetShape(c *cursor) (b model.BudgetShape) {
	const want = "linear, {concave: 0.5} or {steps: {at: [25%, 100%], pay: [40%, 60%]}}"
	if !c.given() || c.n.kind == scalar && c.n.text == "linear" {
		return b
	}
	switch d.variant(c, want, "concave", "steps") {
	case "concave":
		b.Exponent = c.get("concave").number(budgetExponent)
	case "steps":
		if s := c.get("steps"); s.mapping("steps such as {at: [25%, 100%], pay: [40%, 60%]}", "at", "pay") {
			b.Steps = d.budgetSteps(s)
		}
	default:
		c.expected(want)
	}
	return b
}

// budgetSteps reads the steps of a budget function, equal ones where it is not said
// what they pay.
func (d *decoder) budgetSteps(c *cursor) []model.BudgetStep {
	at, pay := c.get("at"), c.get("pay")
	var list []model.BudgetStep
	for _, x := range at.list("a list of shares of the optional length") {
		list = append(list, model.BudgetStep{At: x.number(fraction)})
		if n := len(list); n > 1 && !(list[n-1].At > list[n-2].At) {
			x.fail("expected shares in ascending order, got %g after %g", list[n-1].At, list[n-2].At)
		}
	}
	shares := make([]float64, len(list))
	for i := range shares {
		shares[i] = 1 / float64(len(list))
	}
	if pay.given() {
		shares = shares[:0]
		for _, x := range pay.list("a list of shares of the budget") {
			shares = append(shares, x.number(fraction))
		}
		if len(shares) != len(list) {
			pay.fail("expected %d shares of the budget, one for each step, got %d", len(list), len(shares))
			return nil
		}
		if sum, ok := normalize(shares); !ok {
			pay.fail("expected shares of the budget that sum to 1, got a sum of %g", sum)
		}
	}
	for i := range list {
		list[i].Pay = shares[i]
	}
	return list
}
