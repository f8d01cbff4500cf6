package scenario

// IC says how the jobs of a trace are split into a mandatory and an optional
// part, for the schemes of imprecise computation.
type IC struct {
	Optional Interval // the optional part as a multiple of the mandatory one
	Rate     float64  // mean slope of the optional budget, as a share of the mandatory one per million MI
}

// imprecise reads the section ic, which needs deadlines and budgets.
func (d *decoder) imprecise(c *cursor, qos bool) *IC {
	if !c.given() || d.err != nil {
		return nil
	}
	if !c.mapping("a mapping such as {optional: [0.5, 4], rate: 0.2}", "optional", "rate") {
		return nil
	}
	if !qos {
		c.fail("expected a section qos beside ic: parts are paid by the budget, by the deadline")
		return nil
	}
	return &IC{
		Optional: d.interval(c.get("optional"), multiple, Interval{0.5, 4}),
		Rate:     c.get("rate").numberOr(multiple, 0.2),
	}
}
