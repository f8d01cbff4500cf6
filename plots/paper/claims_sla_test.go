package paper

// slaChecks decide the claims of Yeo and Buyya (2005).
var slaChecks = map[string]check{
	"sla-trace": func(e *evidence) verdict {
		return all(
			e.input("sp2-sla", "interval within").over(number(2276)).near(1, e.tolerance),
			e.input("sp2-sla", "runtime").over(number(10610)).near(1, e.tolerance),
			e.input("sp2-sla", "width").near(18, 0.5),
		)
	},
	"sla-02a-falls": improvementFalls,
	"sla-02b-falls": improvementFalls,
	"sla-02a-hard":  meansDescend("20 %", "50 %", "80 %"),
	"sla-02b-hard":  meansDescend("20 %", "50 %", "80 %"),
	"sla-02a-twenty": func(e *evidence) verdict {
		return e.curves("20 %").mean().paired(e.curves("80 %").mean()).near(20, e.tolerance)
	},
	"sla-02b-ten": func(e *evidence) verdict {
		return e.curves("20 %").mean().paired(e.curves("80 %").mean()).near(10, e.tolerance)
	},
	"sla-03a-short":    moreInHeavyLoad("factor 1"),
	"sla-03b-short":    moreInHeavyLoad("factor 1"),
	"sla-03a-long":     lowerWithLongDeadlines,
	"sla-03b-long":     lowerWithLongDeadlines,
	"sla-03a-constant": moreConstant,
	"sla-03b-constant": moreConstant,

	"sla-04a-budget":     meansDescend("factor 3", "factor 2", "factor 1"),
	"sla-04b-budget":     meansDescend("factor 3", "factor 2", "factor 1"),
	"sla-04b-diminishes": moreInHeavyLoad("factor 1", "factor 2", "factor 3"),
	"sla-05a-penalty":    meansDescend("factor 1", "factor 2", "factor 3"),
	"sla-05b-penalty":    meansDescend("factor 1", "factor 2", "factor 3"),
	"sla-better": func(e *evidence) verdict {
		var list []verdict
		for _, id := range []string{
			"sla-02a", "sla-02b", "sla-03a", "sla-03b", "sla-04a", "sla-04b", "sla-05a", "sla-05b",
		} {
			list = append(list, e.in(id).all().mean().above(number(0)))
		}
		return all(list...)
	},
}

// improvementFalls: the improvement with 20 % hard deadlines falls as the delay factor rises.
func improvementFalls(e *evidence) verdict {
	c := e.curves("20 %")
	return all(c.first().pairedAbove(c.last()), c.upTo(0.02).mean().pairedAbove(c.beyond(0.025).mean()))
}

// meansDescend: the mean improvement of each curve is above that of the next.
func meansDescend(names ...string) check {
	return func(e *evidence) verdict {
		var list []terms
		for _, name := range names {
			list = append(list, e.curves(name).mean())
		}
		return pairedDescend(list...)
	}
}

// moreInHeavyLoad: the improvement of curves is larger up to a delay factor of 0.025 than beyond.
func moreInHeavyLoad(names ...string) check {
	return func(e *evidence) verdict {
		var list []verdict
		for _, name := range names {
			c := e.curves(name)
			list = append(list, c.upTo(0.025).mean().pairedAbove(c.beyond(0.026).mean()))
		}
		return all(list...)
	}
}

// lowerWithLongDeadlines: the improvement is lower with deadline factors of 2 and 3.
func lowerWithLongDeadlines(e *evidence) verdict {
	return e.curves("factor 1").mean().pairedAbove(e.curves("factor 2", "factor 3").mean())
}

// moreConstant: the improvement varies less along the axis with deadline factors of 2 and 3.
func moreConstant(e *evidence) verdict {
	spread := func(name string) terms {
		c := e.curves(name)
		return c.top().paired(c.bottom())
	}
	return all(spread("factor 1").above(spread("factor 2")), spread("factor 1").above(spread("factor 3")))
}
