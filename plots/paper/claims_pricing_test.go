package paper

// heaviest is the least arrival delay factor at which claims are decided. The text names none below 0.25.
const heaviest = 0.1

// pricingChecks decide the claims of Yeo and Buyya (2007).
var pricingChecks = map[string]check{
	"pricing-eq4-example": func(e *evidence) verdict {
		return all(
			e.input("pricing", "2 h").near(2, e.tolerance),
			e.input("pricing", "5 h").near(1.25, e.tolerance),
		)
	},
	"pricing-vii-trace": func(e *evidence) verdict {
		return all(
			e.input("sp2-like", "width").near(17, 0.5),
			e.input("sp2-like", "interval within").over(number(1969)).near(1, e.tolerance),
			e.input("sp2-like", "runtime").over(number(8671)).near(1, e.tolerance),
		)
	},
	"pricing-vii-without": func(e *evidence) verdict {
		figure := e.in("easy")
		return figure.curves("FCFS-BF").at(0.5).times(0.5).above(figure.curves("EASY").at(0.5))
	},

	"pricing-02a-rises": fiveRise,
	"pricing-02b-rises": fiveRise,
	"pricing-02a-above": func(e *evidence) verdict {
		backfilling := e.curves("FCFS-BF", "EDF-BF").beyond(heaviest).trapezoid()
		return e.curves("Libra", "Libra+$").beyond(heaviest).trapezoid().above(backfilling.plus(number(2.5)))
	},
	"pricing-02a-below-libra": func(e *evidence) verdict {
		return e.curves("Libra").beyond(heaviest).above(e.curves("Libra+$"))
	},
	"pricing-02a-high-load": func(e *evidence) verdict {
		backfilling := e.curves("SJF-BF", "EDF-BF").beyond(heaviest).first()
		return backfilling.above(e.curves("Libra", "Libra+$").beyond(heaviest).first())
	},
	"pricing-02a-low-load": func(e *evidence) verdict {
		return e.curves("Libra", "Libra+$").last().above(e.curves("SJF-BF", "EDF-BF").last())
	},
	"pricing-02b-most": func(e *evidence) verdict {
		return e.curves("Libra+$").beyond(heaviest).above(e.curves("FCFS-BF", "SJF-BF", "EDF-BF", "Libra"))
	},
	"pricing-02b-edf": func(e *evidence) verdict {
		satisfied := e.in("pricing-02a")
		mean := func(ts terms) terms { return ts.beyond(heaviest).trapezoid() }
		return all(
			mean(e.curves("EDF-BF")).agrees(mean(e.curves("FCFS-BF")), e.tolerance),
			mean(satisfied.curves("EDF-BF")).above(mean(satisfied.curves("FCFS-BF"))),
		)
	},
	"pricing-02a-caption": func(e *evidence) verdict {
		others := e.curves("FCFS-BF", "SJF-BF", "EDF-BF", "Libra").beyond(heaviest).trapezoid()
		return others.plus(number(2.5)).above(e.curves("Libra+$").beyond(heaviest).trapezoid())
	},

	"pricing-03a-falls": func(e *evidence) verdict {
		return e.curves("Libra+$").falls()
	},
	"pricing-03b-rises": func(e *evidence) verdict {
		return e.curves("Libra+$").between(0.1, 0.5).rises()
	},
	"pricing-03b-too-high": func(e *evidence) verdict {
		return e.curves("Libra+$").top().above(e.curves("Libra+$").at(1))
	},
	"pricing-03a-too-high": func(e *evidence) verdict {
		return e.curves("EDF-BF", "FCFS-BF").at(1).above(e.curves("Libra+$").at(1))
	},

	"pricing-04b-above-libra": func(e *evidence) verdict {
		return e.starting("Libra+$").beyond(heaviest).above(e.curves("Libra"))
	},
	"pricing-04a-below-libra": func(e *evidence) verdict {
		return e.curves("Libra").between(heaviest, 0.5).above(e.starting("Libra+$"))
	},
	"pricing-04a-order": func(e *evidence) verdict {
		heavy := func(name string) terms { return e.curves(name).between(heaviest, 0.5) }
		return descend(heavy("β = 0.1"), heavy("β = 0.3"), heavy("β = 0.5"), heavy("β = 1"))
	},
	"pricing-04b-order": func(e *evidence) verdict {
		heavy := func(name string) terms { return e.curves(name).between(heaviest, 0.5) }
		return descend(heavy("β = 0.5"), heavy("β = 0.3"), heavy("β = 0.1"))
	},
	"pricing-04b-beta-0.1-at-0.25": profitability("β = 0.1", 0.25, 23),
	"pricing-04b-beta-0.1-at-1":    profitability("β = 0.1", 1, 40),
	"pricing-04b-beta-0.5-at-0.25": profitability("β = 0.5", 0.25, 32),
	"pricing-04b-beta-0.5-at-1":    profitability("β = 0.5", 1, 57),
	"pricing-04b-beta-1-at-0.25":   profitability("β = 1", 0.25, 31),
	"pricing-04b-beta-1-at-1":      profitability("β = 1", 1, 44),
	"pricing-04b-gains": func(e *evidence) verdict {
		return all(
			pricingGain(e, "β = 0.1").near(17, e.tolerance),
			pricingGain(e, "β = 0.5").near(25, e.tolerance),
			pricingGain(e, "β = 1").near(13, e.tolerance),
		)
	},
	"pricing-04b-gains-order": func(e *evidence) verdict {
		best := pricingGain(e, "β = 0.5")
		return all(best.above(pricingGain(e, "β = 0.1")), best.above(pricingGain(e, "β = 1")))
	},

	"pricing-05a-rises": func(e *evidence) verdict {
		return all(
			e.curves("β = 1").rises(),
			e.curves("β = 1").at(100).agrees(e.curves("β = 0.1").at(100), e.tolerance),
		)
	},
	"pricing-05b-many": func(e *evidence) verdict {
		return e.curves("β = 1").at(100).above(e.curves("β = 0.1", "β = 0.3", "β = 0.5").at(100))
	},
	"pricing-05b-few": func(e *evidence) verdict {
		return e.curves("β = 0.5").at(0).above(e.curves("β = 1").at(0))
	},

	"pricing-06a-exact": func(e *evidence) verdict {
		at := func(name string) terms { return e.curves(name).at(0) }
		return all(
			descend(at("β = 0.1"), at("β = 0.3"), at("β = 0.5"), at("β = 1")),
			at("β = 0.1").above(at("β = 1").plus(number(5))),
		)
	},
	"pricing-06a-under": underestimated,
	"pricing-06a-libra": libraLeast,
	"pricing-06b-libra": libraLeast,
	"pricing-06b-under": underestimated,
}

// fiveRise: the numbers of all policies rise as the workload decreases.
func fiveRise(e *evidence) verdict {
	return e.curves("FCFS-BF", "SJF-BF", "EDF-BF", "Libra", "Libra+$").beyond(heaviest).rises()
}

// profitability decides a number of figure 4(b).
func profitability(name string, factor, want float64) check {
	return func(e *evidence) verdict { return e.curves(name).at(factor).near(want, e.tolerance) }
}

// pricingGain returns what profitability gains between arrival delay factors of 0.25 and 1.
func pricingGain(e *evidence, name string) terms {
	return e.curves(name).at(1).minus(e.curves(name).at(0.25))
}

// underestimated: with under-estimates a higher β is ahead, at 20 % and not behind beyond.
func underestimated(e *evidence) verdict {
	at := func(name string) terms { return e.curves(name).at(20) }
	beyond := func(name string) terms { return e.curves(name).beyond(21) }
	return all(
		descend(at("β = 1"), at("β = 0.5"), at("β = 0.3"), at("β = 0.1")),
		beyond("β = 1").notBelow(beyond("β = 0.5")),
		beyond("β = 0.5").notBelow(beyond("β = 0.3")),
		beyond("β = 0.3").notBelow(beyond("β = 0.1")),
	)
}

// libraLeast: with under-estimates Libra is behind, at 20 % and not ahead beyond.
func libraLeast(e *evidence) verdict {
	return all(
		e.starting("Libra+$").at(20).above(e.curves("Libra").at(20)),
		e.starting("Libra+$").beyond(21).notBelow(e.curves("Libra")),
	)
}
