package paper

// libraChecks decide the claims of Sherwani et al. (2004).
var libraChecks = map[string]check{
	"libra-share": func(e *evidence) verdict {
		return e.in("half-node").curves("Libra").near(2, e.tolerance)
	},
	"libra-ray-tracing": (*evidence).open,

	"libra-table1-100-10": libraCase(0),
	"libra-table1-100-20": libraCase(1),
	"libra-table1-200-10": libraCase(2),
	"libra-table1-200-20": libraCase(3),
	"libra-table1-ahead": func(e *evidence) verdict {
		return e.curves("Libra").above(e.curves("FCFS"))
	},
	"libra-table1-close": func(e *evidence) verdict {
		least := libraLead(e, 1)
		return all(libraLead(e, 0).above(least), libraLead(e, 2).above(least), libraLead(e, 3).above(least))
	},
	"libra-table1-grows": func(e *evidence) verdict {
		return all(libraLead(e, 2).above(libraLead(e, 0)), libraLead(e, 3).above(libraLead(e, 1)))
	},
}

// libraCase decides a row of Table 1: both numbers are within two standard deviations of one draw.
func libraCase(i int) check {
	return func(e *evidence) verdict {
		x := float64(i)
		return all(
			e.curves("FCFS").at(x).withinDeviations(quotesOf("libra-table1", "FCFS")[i], 2),
			e.curves("Libra").at(x).withinDeviations(quotesOf("libra-table1", "Libra")[i], 2),
		)
	}
}

// libraLead returns how many jobs more Libra completes in a row of Table 1.
func libraLead(e *evidence, x float64) terms {
	return e.curves("Libra").at(x).paired(e.curves("FCFS").at(x))
}

// quotesOf returns the numbers that a paper states of one curve of a figure, in the order in which it states them.
func quotesOf(id, curve string) (ys []float64) {
	for _, q := range quotes[id] {
		if q.curve == curve {
			ys = append(ys, q.y)
		}
	}
	return ys
}
