package paper

import (
	"fmt"

	"revopt/plots"
	"revopt/simulate/metric"
	"revopt/simulate/sweep"
)

// simulatedGain is what the tuned admission earns more than the two others. The
// paper has no such figure.
func simulatedGain() Recipe {
	r := Recipe{
		ID:         "nist-gain",
		Title:      "What tuning on the simulator gains",
		Source:     nist(16) + ", as paired differences",
		Parameters: simulatedParameters,
		Claim:      "the tuned admission earns at least as much as admitting all and as the paper's optimum at every load",
	}
	return r.drawnFrom(sectionVISweeps, func(o Options, found []*sweep.Results) (Result, error) {
		s := sectionVI(o).study(o, found, 0)
		sheet := plots.Sheet{
			ID: r.ID, Title: r.Title, Columns: 2, Height: 8,
			Notes: []string{"Differences on common random numbers; " + s.note()},
			Panels: []plots.Figure{
				s.gainPanel(admitEverybody, "Over admitting all", plots.Axis{Label: "Gain", Unit: "$/s"}),
				s.gainPanel(paperOptimum, "Over the paper's optimum, (30)", plots.Axis{Label: "Gain", Unit: "$/s"}),
			},
		}
		return Result{Picture: sheet, Provenance: s.provenance(), Remarks: gainWords(s)}, nil
	})
}

// gainPanel draws the gain over another admission.
func (s *study) gainPanel(over int, title string, y plots.Axis) plots.Figure {
	line := plots.Series{Name: admissionNames[simulatorTuned], X: s.loads, Look: simulatorTuned + 1}
	for i := range s.loads {
		addInterval(&line, s.lead(simulatorTuned, over, i, metric.RevenuePerSecond()))
	}
	return plots.Figure{Title: title, X: plots.Axis{Label: "Aggregate load", Percent: true, Max: 5}, Y: y, Series: []plots.Series{line}}
}

func gainWords(s *study) []string {
	f := metric.RevenuePerSecond()
	var remarks []string
	for over, name := range []string{admitEverybody: "admitting all", paperOptimum: "the paper's optimum"} {
		worst := 0
		for i := range s.loads {
			if s.lead(simulatorTuned, over, i, f).Mean < s.lead(simulatorTuned, over, worst, f).Mean {
				worst = i
			}
		}
		remarks = append(remarks, fmt.Sprintf("over %s the gain is least at a load of %s: %s $/s", name, percent(s.loads[worst]), plusMinus(s.lead(simulatorTuned, over, worst, f), 4)))
	}
	return remarks
}
