package scenario

import "slices"

// metrics reads the names of figures of merit.
func (d *decoder) metrics(c *cursor, known []string) []string {
	if !c.given() || d.err != nil {
		return nil
	}
	var names []string
	for _, item := range c.list("a list of figures of merit such as [revenue_per_second, utilization]") {
		name := item.choice(known...)
		if slices.Contains(names, name) {
			item.fail("expected every figure once, got %s twice", quote(name))
		}
		names = append(names, name)
	}
	return names
}

// seeds reads how many replications there are, or how precise they must be.
func (d *decoder) seeds(c *cursor, s *Sweep, known []string) {
	switch {
	case !c.given() || d.err != nil:
	case c.n.kind == mapping:
		s.Precision = d.precision(c, s, known)
	default:
		s.Replications = int(c.number(count))
	}
}

// precision reads when the replications of a point are enough. The figure must
// be one of those that the sweep measures.
func (d *decoder) precision(c *cursor, s *Sweep, known []string) *SweepPrecision {
	if !c.mapping("a number, or a precision such as {precision: 1%, most: 200}", "precision", "metric", "least", "most") {
		return nil
	}
	p := &SweepPrecision{
		Relative: c.get("precision").number(openFraction),
		Least:    int(c.get("least").numberOr(sampleSize, 0)),
		Most:     int(c.get("most").numberOr(sampleSize, 0)),
	}
	if p.Least > 0 && p.Most > 0 && p.Least > p.Most {
		c.get("most").fail("expected at least as many as least, %d, got %d", p.Least, p.Most)
	}
	if s.Metrics != nil {
		known = s.Metrics
	}
	if metric := c.get("metric"); metric.given() {
		p.Metric = metric.choice(known...)
	}
	return p
}

// sampleSize is how many replications an interval may be of.
var sampleSize = quantity{want: "a whole number from 2 to 1000000", unit: plain, least: 2, most: 1e6, whole: true}
