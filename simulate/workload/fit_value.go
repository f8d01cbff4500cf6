package workload

import (
	"math"

	"revopt/model"
)

// value sets what the jobs of a class pay, what delay costs them and when they
// give up, after its length and widths are set.
//
// Prices, graces and floors are fixed or scale with the job as they do in the
// trace: whichever leaves the smaller coefficient of variation. Their means are
// those of the trace.
//
// A soft deadline loses its penalty rate for every second after the slack, as
// the model has it. A hard one loses its whole budget at once, which the model
// cannot say: the value falls in a straight line from the budget at the
// deadline to nothing after fall mean slacks, decay = E[budget] / (fall
// E[slack]), and the job then leaves at no cost.
func (c *FittedClass) value(s *fitSample, fall float64) {
	const hour = 3600
	mean := c.Equivalent.Mean
	work := mean * c.Model.Width.Mean()
	price := c.Budget.Mean
	switch byLength, byWork := ratioSCV(s.price, s.jobs, (*fitJob).seconds), ratioSCV(s.price, s.jobs, (*fitJob).work); {
	case price > 0 && byWork < byLength && byWork < c.Budget.SCV():
		c.Model.Price.PerNodeSecond = digits(price/work*hour) / hour
	case price > 0 && byLength < c.Budget.SCV():
		c.Model.Price.PerSecond = digits(price/mean*hour) / hour
	default:
		c.Model.Price.Fixed = digits(price)
	}
	if slack := c.Slack.Mean; slack > 0 && ratioSCV(s.slack, s.jobs, (*fitJob).seconds) < c.Slack.SCV() {
		c.Model.Grace.Lengths = digits(slack / mean)
	} else {
		c.Model.Grace.Fixed = digits(slack)
	}
	if c.Hard {
		c.hardValue(fall)
		return
	}
	for i := range s.jobs {
		c.Model.Decay += s.jobs[i].decay / float64(len(s.jobs))
	}
	c.Model.Decay = digits(c.Model.Decay)
	c.softFloor(s)
}

func (j *fitJob) seconds() float64 { return j.length }

// hardValue sets what delay costs where deadlines are hard. Without slack the
// value falls within fall mean lengths.
func (c *FittedClass) hardValue(fall float64) {
	within := c.Slack.Mean
	if within == 0 {
		within = c.Length.Mean
	}
	c.Model.Decay = digits(c.Budget.Mean / (fall * within))
	c.Model.Floor, c.Model.Expire = model.Floor{}, model.ExpireZero
}

// softFloor sets the largest penalty and the rule of expiry: those of the jobs
// where they have any.
func (c *FittedClass) softFloor(s *fitSample) {
	var rules [3]int
	floors := make([]float64, len(s.jobs))
	for i := range s.jobs {
		floors[i] = s.jobs[i].floor
		rules[s.jobs[i].expire]++
	}
	m := momentsOf(floors)
	if math.IsInf(m.Mean, 0) || math.IsNaN(m.Mean) {
		c.Model.Floor.None = true
		return
	}
	if m.Mean > 0 && ratioSCV(floors, s.jobs, func(j *fitJob) float64 { return j.price }) < m.SCV() {
		c.Model.Floor.OfPrice = digits(m.Mean / c.Budget.Mean)
	} else {
		c.Model.Floor.Fixed = digits(m.Mean)
	}
	for rule, n := range rules {
		if n > rules[c.Model.Expire] {
			c.Model.Expire = model.Expiry(rule)
		}
	}
}

// ratioSCV returns the squared coefficient of variation of a quantity over
// another, +Inf where it has none.
func ratioSCV(values []float64, jobs []fitJob, over func(*fitJob) float64) float64 {
	ratios := make([]float64, len(values))
	for i, x := range values {
		ratios[i] = x / over(&jobs[i])
	}
	if scv := momentsOf(ratios).SCV(); !math.IsNaN(scv) {
		return scv
	}
	return math.Inf(1)
}
