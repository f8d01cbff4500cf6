package scenario

import "revopt/model"

// QoS says how deadlines, budgets and penalties are drawn for the jobs of a
// trace.
type QoS struct {
	HighUrgency float64 // share of jobs
	Deadline    Spread  // over the run time
	Budget      Spread  // $ per second of run time
	Penalty     Spread  // $ per second of delay
	HardLow     float64 // share of the jobs of low urgency whose deadline is hard
	HardHigh    float64 // and of high urgency
	Inaccuracy  float64 // estimates fall short of run times by this share
	OfUsers     bool    // estimates are those of the trace's users instead
}

// Spread is a quantity that differs between the two classes of urgency and,
// normally distributed, within each.
type Spread struct {
	LowMean float64 // mean in the class in which it is small
	Ratio   float64 // the mean of the other class over LowMean
	SD      float64 // standard deviation over mean, in either class
}

// The defaults are those of Yeo and Buyya (2007), Table I.
const (
	defaultHighUrgency = 0.2
	defaultLowMean     = 2
	defaultRatio       = 4
	defaultSpread      = 0.25
)

var underestimate = quantity{want: "a fraction of at least 0 and below 1 such as 0.2 or 20%", unit: percent, most: 1}

// qos reads the section of that name.
func (d *decoder) qos(c *cursor) *QoS {
	if !c.given() || d.err != nil {
		return nil
	}
	if !c.mapping("a mapping such as {high_urgency: 0.2, deadline: {low_mean: 2, ratio: 4}}",
		"high_urgency", "deadline", "budget", "penalty", "hard", "inaccuracy", "estimates") {
		return nil
	}
	q := &QoS{
		HighUrgency: c.get("high_urgency").numberOr(fraction, defaultHighUrgency),
		Deadline:    d.contrast(c.get("deadline"), defaultLowMean, 1),
		Budget:      d.contrast(c.get("budget"), defaultLowMean, 1),
		Penalty:     d.contrast(c.get("penalty"), 0, 0),
		Inaccuracy:  c.get("inaccuracy").numberOr(underestimate, 0),
	}
	if q.Inaccuracy == 1 {
		c.get("inaccuracy").expected(underestimate.want)
	}
	q.OfUsers = c.get("estimates").choice("exact", "users") == "users"
	if q.OfUsers && q.Inaccuracy > 0 {
		c.get("inaccuracy").fail("expected none where estimates are those of the users")
	}
	q.HardLow, q.HardHigh = d.hard(c.get("hard"))
	return q
}

// contrast reads the two means of a quantity that must exceed a limit.
func (d *decoder) contrast(c *cursor, lowMean, limit float64) Spread {
	if c.given() && !c.mapping("a mapping such as {low_mean: 2, ratio: 4, sd: 0.25}", "low_mean", "ratio", "sd") {
		return Spread{}
	}
	s := Spread{
		LowMean: c.get("low_mean").numberOr(amount, lowMean),
		Ratio:   c.get("ratio").numberOr(amount, defaultRatio),
		SD:      c.get("sd").numberOr(multiple, defaultSpread),
	}
	if d.err != nil {
		return s
	}
	place := blame(c, c.get("low_mean"), c.get("ratio"), c.get("sd"))
	if s.LowMean > maxTime || s.LowMean*s.Ratio*(1+s.SD) > maxTime {
		place.fail("expected means of at most 2^53, got %g and %g", s.LowMean, s.LowMean*s.Ratio)
		return s
	}
	for _, mean := range []float64{s.LowMean, s.LowMean * s.Ratio} {
		if !model.Drawable(mean, s.SD*mean, limit) {
			place.fail("expected a mean of which draws exceed %g now and then, got mean %g and sd %g", limit, mean, s.SD*mean)
		}
	}
	return s
}

// hard reads whose deadlines are hard: high, all, none or a share of all jobs.
func (d *decoder) hard(c *cursor) (low, high float64) {
	if !c.given() {
		return 0, 1
	}
	if c.n.kind == scalar {
		switch c.n.text {
		case "high":
			return 0, 1
		case "all":
			return 1, 1
		case "none":
			return 0, 0
		}
	}
	share := fraction
	share.want = "high, all, none, or the share of jobs with hard deadlines such as 0.2 or 20%"
	p := c.number(share)
	return p, p
}
