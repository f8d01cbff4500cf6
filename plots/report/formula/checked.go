package formula

import (
	"fmt"
	"math"
	"slices"

	"revopt/internal/text"
	"revopt/model"
	"revopt/plots/wording"
	"revopt/simulate/analytic"
	"revopt/simulate/metric"
	"revopt/simulate/study"
	"revopt/simulate/study/solve"
)

// Check shows what a simulation says of an answer.
type Check struct {
	*solve.Checked
	Promise  metric.Number  // $/s, by the formula
	Residual model.Residual // of the formula
	Trace    bool           // the jobs are those of a trace
}

// Check returns the check of the answer, nil if there is none.
func (a Answer) Check() *Check {
	if a.Checked == nil {
		return nil
	}
	c := &Check{a.Checked, a.RevenuePerSecond, a.System.Residual, a.Fitted}
	if a.Control != nil && c.Kind == a.Control.Kind {
		c.Promise = a.Control.RevenuePerSecond
	}
	return c
}

// money says what the advice and admitting all earn.
func (c *Check) money() string {
	which := ""
	if c.Kind == analytic.ControlThreshold || c.Kind == analytic.ControlState { // the table is of the static admission
		which = c.advice() + " deliver "
	}
	return fmt.Sprintf("Checked by simulation: %s%s $/h%s%s.", which, perHour(c.Admission), c.promised(), c.compared())
}

// why says why the advice does not stand.
func (c *Check) why() string {
	if c.Residual == model.Printed && c.Instead != nil {
		return "the paper's delay formula overstates waits"
	}
	return "the waits and losses of the formula are not those under " + text.OneLine(c.Policy)
}

// Caution says that an export of the advice is not to be installed, and what to export instead; "" if it stands.
func (c *Check) Caution() string {
	if c == nil || c.Checked == nil || c.Stands {
		return ""
	}
	return "Do not install " + c.advice() + ": " + c.why() + ". " + c.money() +
		" Export with --admission all, which admits all jobs."
}

// Words are the sentences of the check: the money first, then what to do where the advice does not stand.
func (c *Check) Words() []string {
	words := []string{c.money()}
	if c.Stands && c.Instead != nil {
		return append(words, fmt.Sprintf("The admission of --residual %s delivers more: %s $/h.", c.Instead.Residual,
			perHour(c.Instead.Admission)))
	}
	if c.Stands {
		return words
	}
	words = append(words, "Do not use "+c.advice()+": "+c.why()+".")
	switch i := c.Instead; {
	case i == nil:
		return append(words, "Admit all jobs.")
	case i.All:
		return append(words, "With --residual "+i.Residual+" the formula admits all jobs, too.")
	default:
		return append(words, fmt.Sprintf("The admission of --residual %s delivers %s $/h.", i.Residual,
			perHour(i.Admission)))
	}
}

// advice names what was checked.
func (c *Check) advice() string {
	switch c.Kind {
	case "prices":
		return "these prices"
	case analytic.ControlThreshold:
		return "the limits below"
	case analytic.ControlState:
		return "the decisions below"
	}
	return "this admission"
}

// promised says what the formula promises, if that is outside the interval.
func (c *Check) promised() string {
	half := float64(c.Admission.HalfWidth)
	if math.IsInf(half, 0) { // of a single replication
		half = 0.001 * math.Abs(float64(c.Promise))
	}
	if !c.Stands || math.Abs(float64(c.Promise-c.Admission.Mean)) <= half {
		return ""
	}
	return " under " + text.OneLine(c.Policy) + ", where the formula says " + wording.PerHour(c.Promise)
}

// compared says what admitting all jobs earns beside the advice.
func (c *Check) compared() string {
	other := "; admitting all "
	if c.Kind == "prices" {
		other = "; admitting all at the stated prices "
	}
	switch {
	case c.Endless:
		return other + "overloads the machine, and losses grow as long as jobs arrive"
	case c.Gain.Mean == 0:
		return ""
	}
	words := other + "delivers " + perHour(c.All)
	if c.Stands && c.Replications > 1 && math.Abs(float64(c.Gain.Mean)) <= float64(c.Gain.HalfWidth) {
		words += ", the same within chance"
	}
	return words
}

// Size says how the check was made and what its intervals cover, without a full stop.
func (c *Check) Size() string {
	if c.Replications == 1 {
		return fmt.Sprintf("under %s, %s jobs; nothing is random", text.OneLine(c.Policy), text.Whole(float64(c.Jobs)))
	}
	return fmt.Sprintf("under %s, %d replications of %s jobs, the same for both; ± is 95 %% confidence; %s",
		text.OneLine(c.Policy), c.Replications, text.Whole(math.Round(float64(c.Jobs))), wording.CoverWords(c.Drawn))
}

// perHour formats an amount per second with its interval as one per hour.
func perHour(m study.Estimate) string {
	mean := float64(m.Mean) * metric.Hour
	return text.Estimate(mean, float64(m.HalfWidth)*metric.Hour, text.Digits(mean, 4))
}

// checked reports whether the advice of the curve was simulated.
func (cv Curve) checked() bool {
	return slices.ContainsFunc(cv.Points, func(p solve.CurvePoint) bool { return p.Checked != nil })
}

// checkWords says where the advice of the curve stands.
func (cv Curve) checkWords() string {
	if !cv.checked() {
		return ""
	}
	var bad []string
	for _, p := range cv.Points {
		if p.Checked != nil && !p.Checked.Stands {
			bad = append(bad, text.Plain(float64(p.Value)))
		}
	}
	under := text.OneLine(cv.Points[0].Checked.Policy)
	switch n := len(cv.Points); {
	case len(bad) == 0:
		return "Checked by simulation under " + under + ": the advice stands at all values."
	case len(bad) == n:
		return "Checked by simulation under " + under +
			": do not use these admissions; admitting all is better at all values."
	case len(bad) > mostNamed:
		return fmt.Sprintf("Checked by simulation under %s: do not use the admission at %d of %d values, from %s to %s, "+
			"where admitting all is better.", under, len(bad), n, bad[0], bad[len(bad)-1])
	default:
		return fmt.Sprintf("Checked by simulation under %s: do not use the admission at %s, where admitting all is better.",
			under, wording.Enumerate(bad))
	}
}

// checkedCell is what an admission, or admitting all, earns in a simulation.
func checkedCell(c *solve.Checked, advice bool) string {
	switch {
	case c == nil:
		return "-"
	case advice:
		return perHour(c.Admission)
	case c.Endless:
		return "overload"
	}
	return perHour(c.All)
}

// checkedNumbers are those of a check for programs, of the whole machine alone: pool "".
func checkedNumbers(c *solve.Checked, pool string) []metric.Number {
	if c == nil || pool != "" {
		return slices.Repeat([]metric.Number{metric.Number(math.NaN())}, 3)
	}
	return []metric.Number{c.Admission.Mean, c.All.Mean, metric.Number(metric.Indicator(c.Stands))}
}
