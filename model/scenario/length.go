package scenario

import (
	"math"

	"revopt/model"
)

// lengthKey is all that a length distribution depends on. Classes often share
// one, and finding its parameters takes longer than reading the rest.
type lengthKey struct {
	kind          model.Kind
	mean, sd, min float64
}

// length reads the distribution of a job's length.
func (d *decoder) length(c *cursor, known map[lengthKey]model.Distribution) model.Distribution {
	if !c.mapping("a length such as {mean: 4400, sd: 1500}", "dist", "mean", "sd", "min") {
		return nil
	}
	var words []string
	for _, k := range model.Kinds() {
		words = append(words, string(k))
	}
	key := lengthKey{kind: model.Kind(c.get("dist").choice(words...))}
	key.mean = c.get("mean").number(span)
	key.sd = d.spread(c.get("sd"), key)
	least := c.get("min")
	switch {
	case key.kind == model.Normal:
		key.min = least.numberOr(duration, 0)
	case least.given():
		least.fail("expected no min with dist: %s, only a normal has one", key.kind)
	}
	if d.err != nil {
		return nil
	}
	if dist, ok := known[key]; ok {
		return dist
	}
	dist, err := model.New(key.kind, key.mean, key.sd, key.min)
	culprit := blame(c, c.get("sd"), c.get("mean"), c.get("min"), c.get("dist"))
	if err != nil {
		culprit.fail("%v", err)
		return nil
	}
	if mean, second := dist.Mean(), dist.Moment(2); !(mean > 0 && second > 0) || math.IsInf(mean+second, 0) {
		culprit.fail("expected a length whose first two moments are positive finite numbers, got mean %g and sd %g", key.mean, key.sd)
		return nil
	}
	known[key] = dist
	return dist
}

// spread reads the standard deviation, which some families do not leave open.
func (d *decoder) spread(c *cursor, key lengthKey) float64 {
	switch key.kind {
	case model.Exponential:
		if c.given() && c.number(duration) != key.mean {
			c.fail("expected no sd, or the mean of %g, with dist: exponential, got %s", key.mean, c.n.describe())
		}
		return key.mean
	case model.Deterministic:
		if c.given() && c.number(duration) != 0 {
			c.fail("expected no sd, or 0, with dist: deterministic, got %s", c.n.describe())
		}
		return 0
	}
	return c.number(duration)
}
