package scenario

// Simulation says how long to simulate and how often.
type Simulation struct {
	Jobs         int     // jobs per replication; 0 where Horizon says how long
	Horizon      float64 // s per replication; 0 where Jobs says how long
	Warmup       Warmup
	Replications int
}

// Warmup is the beginning of a replication that is left out of its statistics:
// a fraction of its jobs or time, or a number of seconds. One of the two is 0.
type Warmup struct {
	Fraction float64
	Seconds  float64
}

// The defaults of a simulation.
const (
	defaultJobs         = 100000
	defaultWarmup       = 0.1
	defaultReplications = 10
)

func (d *decoder) simulation(c *cursor) Simulation {
	s := Simulation{Jobs: defaultJobs, Warmup: Warmup{Fraction: defaultWarmup}, Replications: defaultReplications}
	if c.given() && !c.mapping("a mapping such as {jobs: 100000, warmup: 10%, replications: 10}",
		"jobs", "horizon", "warmup", "replications") {
		return s
	}
	d.runLength(&s, c.get("jobs"), c.get("horizon"))
	d.warmup(&s, c.get("warmup"))
	s.Replications = int(c.get("replications").numberOr(count, defaultReplications))
	return s
}

// runLength reads jobs or horizon. Where both are given the overridden one
// counts.
func (d *decoder) runLength(s *Simulation, jobs, horizon *cursor) {
	switch {
	case jobs.given() && horizon.given() && jobs.overridden() == horizon.overridden():
		horizon.fail("expected jobs or horizon, got both")
	case horizon.given() && !jobs.overridden():
		s.Jobs, s.Horizon = 0, horizon.number(span)
	default:
		s.Jobs = int(jobs.numberOr(count, defaultJobs))
	}
}

// warmup reads a percentage or a time. A plain number below 1 could be meant
// as either.
func (d *decoder) warmup(s *Simulation, c *cursor) {
	const want = "a percentage below 100% such as 10%, or a time such as 600 or 2h"
	c.isNumeric()
	if !c.given() {
		return
	}
	if share, ok := fraction.parse(c.n.text); ok && c.n.text[len(c.n.text)-1] == '%' {
		if c.n.quoted || share < 0 || share >= 1 {
			c.expected(want)
		}
		s.Warmup = Warmup{Fraction: share}
		return
	}
	q := duration
	q.want = want
	time := c.number(q)
	_, unit := splitNumber(c.n.text)
	switch {
	case unit == "" && time > 0 && time < 1:
		c.fail("expected %s, got %s: write a percent sign or a unit", want, c.n.text)
	case s.Horizon > 0 && time >= s.Horizon:
		c.fail("expected a warm-up shorter than the horizon of %g s, got %s", s.Horizon, c.n.text)
	}
	s.Warmup = Warmup{Seconds: time}
}
