package scenario

// Grid is a number of clusters and the applications, or the batch of jobs,
// offered to them.
type Grid struct {
	Sites        []Site
	Applications *Applications // drawn; nil where there is a batch or a list
	Listed       []Application // one by one; nil where they are drawn
	Batch        *Batch        // nil where there are applications

}

// Site is a cluster of a grid.
type Site struct {
	Processors int
	MIPS       float64 // of each
}

// Interval is where a number is drawn from, evenly.
type Interval struct{ Low, High float64 }

// Applications says how applications with a mandatory and an optional part are
// drawn. The defaults are those of Kim, Buyya and Kim (2007), figure 4.
type Applications struct {
	Count        int
	Interarrival float64  // s, mean
	Parts        Interval // whole numbers
	Mandatory    Interval // MI
	Optional     Interval // as a multiple of the mandatory length
	Reward       float64  // $ per MI of the mandatory length
	Laxity       Interval // by how much the deadline exceeds the mean execution time
	Rate         float64  // mean slope of the optional budget, as a share of the mandatory one per million MI
	Spread       float64  // of the rate, as a share of it to both sides
}

// Batch says how a batch of jobs of one processor is drawn. The defaults are
// those of Sherwani et al. (2004).
type Batch struct {
	Jobs      int
	Arrivals  Interval // s
	Lengths   Interval // MI
	Deadlines Interval // s after arrival
	Budget    float64  // $
	Random    float64  // share of the jobs whose budget is drawn from Budgets
	Budgets   Interval // $
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
		a.Interarrival /= 1 + s.Growth
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
func (d *decoder) sites(c *cursor) []Site {
	const want = "a list of sites such as [{processors: 32, mips: 500}]"
	var sites []Site
	for _, place := range c.list(want) {
		if !place.mapping("a site such as {processors: 32, mips: 500}", "processors", "mips") {
			return nil
		}
		sites = append(sites, Site{int(place.get("processors").number(siteSize)), place.get("mips").number(siteSpeed)})
	}
	return sites
}

// jobCount is how many applications or jobs there may be: they are drawn ahead.
var jobCount = quantity{want: "a whole number from 1 to 10000000", unit: plain, least: 1, most: 1e7, whole: true}

// applications reads the section of that name.
func (d *decoder) applications(c *cursor) *Applications {
	if !c.mapping("applications such as {count: 1000, laxity: 0.1, rate: 0.2}",
		"count", "interarrival", "parts", "mandatory", "optional", "reward", "laxity", "rate", "spread") {
		return nil
	}
	return &Applications{
		Count:        int(c.get("count").numberOr(jobCount, 1000)),
		Interarrival: c.get("interarrival").numberOr(span, 300),
		Parts:        d.interval(c.get("parts"), partCount, Interval{1, 16}),
		Mandatory:    d.interval(c.get("mandatory"), lengthMI, Interval{600000, 7200000}),
		Optional:     d.interval(c.get("optional"), multiple, Interval{0.5, 4}),
		Reward:       c.get("reward").numberOr(amount, 0.001),
		Laxity:       d.interval(c.get("laxity"), multiple, Interval{0.1, 0.1}),
		Rate:         c.get("rate").numberOr(multiple, 0.2),
		Spread:       c.get("spread").numberOr(fraction, 0.5),
	}
}

// batch reads the section of that name.
func (d *decoder) batch(c *cursor) *Batch {
	if !c.mapping("a batch such as {jobs: 100, arrivals: [1, 102]}", "jobs", "arrivals", "lengths", "deadlines", "budget", "random", "budgets") {
		return nil
	}
	return &Batch{
		Jobs:      int(c.get("jobs").numberOr(jobCount, 100)),
		Arrivals:  d.interval(c.get("arrivals"), duration, Interval{1, 102}),
		Lengths:   d.interval(c.get("lengths"), amount, Interval{1000, 10900}),
		Deadlines: d.interval(c.get("deadlines"), duration, Interval{1, 1200}),
		Budget:    c.get("budget").numberOr(amount, 1000),
		Random:    c.get("random").numberOr(fraction, 0.2),
		Budgets:   d.interval(c.get("budgets"), amount, Interval{1000, 12000}),
	}
}

// interval reads a number, or a list of the least and the largest.
func (d *decoder) interval(c *cursor, q quantity, otherwise Interval) Interval {
	if !c.given() || c.n.kind != sequence {
		if !c.given() {
			c.isNumeric()
			return otherwise
		}
		x := c.number(q)
		return Interval{x, x}
	}
	ends := c.list("two numbers")
	if len(ends) != 2 {
		c.fail("expected one number or two, the least and the largest, got %d", len(ends))
		return otherwise
	}
	i := Interval{ends[0].number(q), ends[1].number(q)}
	if i.High < i.Low {
		c.fail("expected the least number before the largest, got %g and %g", i.Low, i.High)
	}
	return i
}

// Application is an application that a grid scenario lists.
type Application struct {
	At        float64 // time of submission, s
	Parts     int
	Mandatory float64 // MI of each part
	Optional  float64 // MI of each part
	Deadline  float64 // s after submission
	Reward    float64 // $ for the mandatory length of a part
	Slope     float64 // $ per MI of the optional length
}

// listed reads applications one by one, in order of submission.
func (d *decoder) listed(c *cursor) []Application {
	var list []Application
	for _, place := range c.list("a list of applications") {
		if !place.mapping("an application such as {at: 0, mandatory: 1000000, optional: 1000000, deadline: 3000, reward: 1000, slope: 0.0005}",
			"at", "parts", "mandatory", "optional", "deadline", "reward", "slope") {
			return nil
		}
		a := Application{
			At: place.get("at").numberOr(duration, 0), Parts: int(place.get("parts").numberOr(partCount, 1)),
			Mandatory: place.get("mandatory").number(lengthMI), Optional: place.get("optional").numberOr(amount, 0),
			Deadline: place.get("deadline").number(span), Reward: place.get("reward").number(amount), Slope: place.get("slope").numberOr(amount, 0),
		}
		if n := len(list); n > 0 && a.At < list[n-1].At {
			place.get("at").fail("expected applications in order of submission, got one at %g after one at %g", a.At, list[n-1].At)
		}
		list = append(list, a)
	}
	return list
}
