package fit

import (
	"cmp"
	"math"

	"revopt/model"
)

// value sets the price, the cost of delay and the expiry of a class, after its
// length and widths.
//
// Prices, graces and floors are fixed or scale with the job, as in the trace: the
// form with the smaller coefficient of variation is taken. Their means are those of
// the trace.
//
// A soft deadline loses its penalty rate for every second after the slack, as in
// the model. A hard deadline loses the whole budget at once, which the model cannot
// express: the value falls in a straight line from the budget at the deadline to
// minus the floor after the mean slack, decay = (E[budget] + E[floor]) / E[slack],
// and then the job leaves at that cost.
func (c *Class) value(jobs []job, prices, slacks []float64) {
	const hour = 3600
	mean := c.Drawn.Mean
	work := mean * c.Model.Width.Mean()
	price := c.Budget.Mean
	byLength, byWork := ratioSCV(prices, jobs, (*job).seconds), ratioSCV(prices, jobs, (*job).work)
	switch {
	case price > 0 && byWork < byLength && byWork < c.Budget.SCV():
		c.Model.Price.PerNodeSecond = digits(price/work*hour) / hour
	case price > 0 && byLength < c.Budget.SCV():
		c.Model.Price.PerSecond = digits(price/mean*hour) / hour
	default:
		c.Model.Price.Fixed = digits(price)
	}
	if slack := c.Slack.Mean; slack > 0 && ratioSCV(slacks, jobs, (*job).seconds) < c.Slack.SCV() {
		c.Model.Grace.Lengths = digits(slack / mean)
	} else {
		c.Model.Grace.Fixed = digits(slack)
	}
	c.Model.Dated = c.Model.Grace != model.Grace{}
	c.floor(jobs)
	if c.Hard {
		c.hardValue()
		return
	}
	for i := range jobs {
		c.Model.Decay += jobs[i].decay / float64(len(jobs))
	}
	c.Model.Decay = digits(c.Model.Decay)
	c.expiry(jobs)
}

func (j *job) seconds() float64 { return j.length }

// hardValue sets the cost of delay for hard deadlines.
func (c *Class) hardValue() {
	within := cmp.Or(c.Slack.Mean, c.Length.Mean)
	c.Model.Expire = model.ExpireZero
	if c.Model.Floor != (model.Floor{}) {
		c.Model.Expire = model.ExpireFloor
	}
	penalty := c.Model.Floor.Of(c.Budget.Mean)
	c.Model.Decay = digits((c.Budget.Mean + penalty) / within)
}

// floor sets the largest penalty.
func (c *Class) floor(jobs []job) {
	floors := make([]float64, len(jobs))
	for i := range jobs {
		floors[i] = jobs[i].floor
	}
	m := momentsOf(floors)
	switch {
	case math.IsInf(m.Mean, 0) || math.IsNaN(m.Mean):
		c.Model.Floor.None = true
	case m.Mean > 0 && ratioSCV(floors, jobs, func(j *job) float64 { return j.price }) < m.SCV():
		c.Model.Floor.OfPrice = digits(m.Mean / c.Budget.Mean)
	default:
		c.Model.Floor.Fixed = digits(m.Mean)
	}
}

// expiry sets the rule by which most jobs give up.
func (c *Class) expiry(jobs []job) {
	if c.Model.Floor.None {
		return
	}
	var rules [3]int
	for i := range jobs {
		rules[jobs[i].expire]++
	}
	for rule, n := range rules {
		if n > rules[c.Model.Expire] {
			c.Model.Expire = model.Expiry(rule)
		}
	}
}

// ratioSCV returns the squared coefficient of variation of a ratio, +Inf without one.
func ratioSCV(values []float64, jobs []job, over func(*job) float64) float64 {
	ratios := make([]float64, len(values))
	for i, x := range values {
		ratios[i] = x / over(&jobs[i])
	}
	if scv := momentsOf(ratios).SCV(); !math.IsNaN(scv) {
		return scv
	}
	return math.Inf(1)
}
