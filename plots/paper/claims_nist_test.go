package paper

// Curves of figures 15 to 19 of the NIST paper, by the beginnings of their names.
const (
	admitAll  = "Admit all"
	optimum   = "Optimum of the model"
	tunedOnce = "Tuned"
)

// Classes of section V and of Table 2.
const (
	highUrgent  = "High value, high"
	highPatient = "High value, low"
	lowUrgent   = "Low value, high"
	lowPatient  = "Low value, low"
)

// nistChecks decide the claims of Marbukh and Mills.
var nistChecks = map[string]check{
	"nist-s4-numbers": func(e *evidence) verdict {
		return all(
			stated(e, "nist-one", []input{
				{"servers", 30}, {"all length", 4400}, {"all grace in lengths", 3},
				{"all price", 1000}, {"all decay", 0.001},
			}),
			e.input("nist-one", "all square").over(number(21610000)).near(1, 0.01),
		)
	},
	"nist-06-peak": func(e *evidence) verdict {
		return all(e.all().peaks(), number(0).above(e.all().last()))
	},
	"nist-06-lower": func(e *evidence) verdict {
		return e.all().top().falls()
	},
	"nist-06-earlier": func(e *evidence) verdict {
		return e.all().peak().falls()
	},
	"nist-07-admission": func(e *evidence) verdict {
		return all(e.all().full().agrees(e.in("nist-06").all().peak(), e.tolerance), e.all().falls())
	},
	"nist-08-kept": func(e *evidence) verdict {
		return all(e.all().last().over(e.in("nist-06").all().top()).near(1, e.tolerance), e.all().rises())
	},
	"nist-09-tau": func(e *evidence) verdict {
		return all(worth(e, "High", 30000, 3e5), worth(e, "Low", 6000, 6e5))
	},
	"nist-10-high": func(e *evidence) verdict {
		return e.curves("High").full().near(75, e.tolerance)
	},
	"nist-10-low-share": func(e *evidence) verdict {
		return e.curves("Low").top().near(70, e.tolerance)
	},
	"nist-10-low-falls": func(e *evidence) verdict {
		return e.curves("Low").falls()
	},
	"nist-10-low-gone": func(e *evidence) verdict {
		return e.curves("Low").gone().near(60, e.tolerance)
	},
	"nist-11-most": func(e *evidence) verdict {
		return e.all().peak().near(75, e.tolerance)
	},
	"nist-12-tau": func(e *evidence) verdict {
		return all(
			worth(e, highUrgent, 60000, 1.5e4), worth(e, highPatient, 40000, 3e4),
			worth(e, lowUrgent, 20000, 2e4), worth(e, lowPatient, 10000, 4e4),
		)
	},
	"nist-13-LvLu": shutOut(lowPatient, 15, 21),
	"nist-13-LvHu": shutOut(lowUrgent, 28, 40),
	"nist-13-HvHu": shutOut(highUrgent, 60, 80),
	"nist-13-HvLu": func(e *evidence) verdict {
		return e.curves(highPatient).full().near(90, e.tolerance)
	},
	"nist-14-slopes": func(e *evidence) verdict {
		return e.all().slopes().falls()
	},
	"nist-14-linear": func(e *evidence) verdict {
		return e.all().bend().near(0, e.tolerance)
	},

	"nist-t1-jobs": func(e *evidence) verdict {
		return all(
			stated(e, "nist-cluster", []input{
				{"nodes", 5000}, {"LvLu width", 500}, {"LvLu grace in lengths", 3},
				{"LvLu penalty", 0.05}, {"LvLu least", 300},
			}),
			e.input("nist-cluster", "LvLu length").near(7200, 144),
			e.input("nist-cluster", "LvLu deviation").near(2400, 48),
		)
	},
	"nist-t2-classes": func(e *evidence) verdict {
		return stated(e, "nist-cluster", []input{
			{"LvLu share", 0.64}, {"LvLu price", 1000}, {"LvLu decay", 0.1},
			{"LvHu share", 0.16}, {"LvHu price", 1000}, {"LvHu decay", 1},
			{"HvLu share", 0.16}, {"HvLu price", 5000}, {"HvLu decay", 0.5},
			{"HvHu share", 0.04}, {"HvHu price", 5000}, {"HvHu decay", 5},
			{"price", 1800},
		})
	},
	"nist-phi-value": func(e *evidence) verdict {
		return e.curves("Simulated").only(85, 90, 95, 100).mean().near(0.56, e.tolerance)
	},
	"nist-phi-diverges": func(e *evidence) verdict {
		c := e.curves("Simulated")
		return all(c.falls(), c.at(85).minus(c.last()).above(c.first().minus(c.at(85))))
	},

	"nist-15-start": func(e *evidence) verdict {
		return e.all().full().min().near(65, e.tolerance)
	},
	"nist-15-high-only": func(e *evidence) verdict {
		return e.curves(lowUrgent, lowPatient).gone().max().near(285, e.tolerance)
	},
	"nist-16-all-top": func(e *evidence) verdict {
		c := e.curves(admitAll)
		return all(c.peak().near(300, c.step()), c.top().above(c.at(100)), c.top().above(c.last()))
	},
	"nist-16-65-300": func(e *evidence) verdict {
		return e.curves(admitAll).between(66, 299).pairedAbove(e.curves(optimum))
	},
	"nist-16-beyond-300": func(e *evidence) verdict {
		return e.curves(optimum).beyond(301).pairedAbove(e.curves(admitAll))
	},
	"nist-16-most": func(e *evidence) verdict {
		return e.curves(optimum).rises()
	},
	"nist-17-1800": func(e *evidence) verdict {
		loads := e.in("low-loads")
		return all(loads.curves(admitAll).near(1800, e.tolerance), loads.curves(optimum).near(1800, e.tolerance))
	},
	"nist-17-all-falls": func(e *evidence) verdict {
		return e.curves(admitAll).beyond(100).falls()
	},
	"nist-17-optimum-rises": func(e *evidence) verdict {
		return e.curves(optimum).beyond(100).rises()
	},
	"nist-17-mix": func(e *evidence) verdict {
		high := e.curves(highUrgent).times(0.04).plus(e.curves(highPatient).times(0.16))
		admitted := high.plus(e.curves(lowUrgent).times(0.16)).plus(e.curves(lowPatient).times(0.64))
		return high.over(admitted).beyond(100).rises()
	},
	"nist-17-5000": func(e *evidence) verdict {
		return e.curves(optimum).beyond(286).near(5000, e.tolerance)
	},
	"nist-17-expired": func(e *evidence) verdict {
		return e.by("expired_share").curves(admitAll).beyond(100).rises()
	},
	"nist-18-low": moreWithAllAdmitted,
	"nist-18-all-falls": func(e *evidence) verdict {
		return e.curves(admitAll).top().above(e.curves(admitAll).last())
	},
	"nist-19-all": func(e *evidence) verdict {
		return e.curves(admitAll).top().near(100, e.tolerance)
	},
	"nist-19-all-falls": func(e *evidence) verdict {
		c := e.curves(admitAll)
		return c.top().minus(c.last()).above(number(1))
	},
	"nist-19-optimum": func(e *evidence) verdict {
		return e.curves(optimum).beyond(100).mean().near(69, e.tolerance)
	},
	"nist-19-lower": moreWithAllAdmitted,

	"nist-s6-maximizes": func(e *evidence) verdict {
		return e.curves(optimum).pairedAbove(e.curves(tunedOnce).times(0.98))
	},
	"nist-s7-restricts": func(e *evidence) verdict {
		return e.curves(admitAll).beyond(110).pairedAbove(e.curves(tunedOnce))
	},
	"nist-s6-90": func(e *evidence) verdict {
		return number(90).above(e.curves(optimum).beyond(100).mean())
	},
	"nist-widths-pattern": func(e *evidence) verdict {
		waits := e.by("mean_wait")
		return all(
			e.curves(admitAll).peak().agrees(e.in("nist-16").curves(admitAll).peak(), e.tolerance),
			waits.curves(admitAll).top().above(waits.curves(admitAll).last()),
			e.curves(optimum).at(500).pairedAbove(e.curves(admitAll).at(500)),
			waits.curves(admitAll).beyond(100).pairedAbove(waits.curves(optimum)),
		)
	},
	"nist-widths-all": func(e *evidence) verdict {
		return e.by("utilization").curves(admitAll).beyond(100).mean().near(90, e.tolerance)
	},
	"nist-widths-optimum": func(e *evidence) verdict {
		return e.by("utilization").curves(optimum).beyond(100).mean().near(65, e.tolerance)
	},
	"nist-widths-lower": func(e *evidence) verdict {
		lower := func(name string) verdict {
			one, several := e.in("nist-19").curves(name), e.by("utilization").curves(name)
			return one.beyond(100).mean().above(several.beyond(100).mean())
		}
		return all(lower(admitAll), lower(optimum))
	},
}

// An input is a number that a paper states.
type input struct {
	what string
	want float64
}

// stated decides that inputs of a scenario are those that the paper states.
func stated(e *evidence, scenario string, numbers []input) verdict {
	var list []verdict
	for _, n := range numbers {
		list = append(list, e.input(scenario, n.what).near(n.want, e.tolerance))
	}
	return all(list...)
}

// worth decides that a class is worth a price at once, and nothing after so many seconds.
func worth(e *evidence, class string, price, seconds float64) verdict {
	c := e.curves(class)
	return all(c.at(0).near(price, e.tolerance), c.at(seconds).near(0, e.tolerance))
}

// shutOut decides that the jobs of a class are shut out between two loads.
func shutOut(class string, from, to float64) check {
	return func(e *evidence) verdict {
		c := e.curves(class)
		return all(c.full().near(from, e.tolerance), c.gone().near(to, e.tolerance))
	}
}

// moreWithAllAdmitted: the curve of admitting all is above that of the optimum from a load of 100 % on.
func moreWithAllAdmitted(e *evidence) verdict {
	return e.curves(admitAll).beyond(100).pairedAbove(e.curves(optimum))
}
