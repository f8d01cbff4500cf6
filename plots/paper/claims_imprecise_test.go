package paper

import "fmt"

// mandatoryFirst are the schemes that Kim, Buyya and Kim (2007) propose.
var mandatoryFirst = []string{"MF-EDF", "MF-HBF", "MF-TimeShare"}

// impreciseChecks decide the claims of Kim, Buyya and Kim (2007).
var impreciseChecks = map[string]check{
	"ic-04a-resources": func(e *evidence) verdict {
		var list []verdict
		for i, site := range [][2]float64{{32, 500}, {16, 750}, {16, 1000}, {24, 1000}, {32, 1250}, {24, 1500}} {
			list = append(list,
				e.input("ic-grid", fmt.Sprintf("processors of %d", i+1)).near(site[0], e.tolerance),
				e.input("ic-grid", fmt.Sprintf("MIPS of %d", i+1)).near(site[1], e.tolerance))
		}
		return all(append(list, e.input("ic-grid", "processors").near(144, e.tolerance))...)
	},
	"ic-arrivals": func(e *evidence) verdict {
		return all(
			e.input("ic-grid", "interval").near(300, e.tolerance),
			e.input("ic-grid", "variation").near(1, 0.1),
		)
	},
	"ic-05a-whole": func(e *evidence) verdict {
		return number(50).above(e.curves("Hard-M+O"))
	},
	"ic-05a-flexible": func(e *evidence) verdict {
		return e.curves(mandatoryFirst...).mean().near(80, e.tolerance)
	},
	"ic-05a-order": func(e *evidence) verdict {
		return e.curves(mandatoryFirst...).pairedAbove(e.curves("Hard-M+O"))
	},
	"ic-05a-mandatory": func(e *evidence) verdict {
		return e.curves("Hard-M").mean().near(100, e.tolerance)
	},
	"ic-05b-mandatory": func(e *evidence) verdict {
		return e.curves("MF-EDF", "MF-HBF", "MF-TimeShare", "Hard-M+O").pairedAbove(e.curves("Hard-M"))
	},
	"ic-05b-more": moreThanHard,
	"ic-05b-overload": func(e *evidence) verdict {
		return e.curves(mandatoryFirst...).between(10, 20).pairedAbove(e.curves("Hard-M+O", "Hard-M"))
	},
	"ic-06-crossing": func(e *evidence) verdict {
		return e.curves("Hard-M").between(0.05, 0.1).pairedAbove(e.curves("Hard-M+O"))
	},
	"ic-06-more": moreThanHard,
}

// moreThanHard: the proposed schemes have more than those for hard deadlines.
func moreThanHard(e *evidence) verdict {
	return e.curves(mandatoryFirst...).pairedAbove(e.curves("Hard-M+O", "Hard-M"))
}
