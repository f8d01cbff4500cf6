package paper

import (
	"fmt"

	"revopt/plots"
	"revopt/simulate/sweep"
)

const (
	simulatedParameters = "scenario nist-cluster, load from 0.25 to 5, half a year per replication less a tenth of warm-up; everybody admitted, the optimum of (30) as printed, " +
		"and the admission that earns most on the simulator, searched on one seed and reported on another"
	simulatedNote = "Ten jobs at a time, priorities by urgency; jobs expire at value zero and cost 5 %"
)

// A simulatedView is one of the figures drawn from the experiment of section VI.
type simulatedView struct {
	figure int // of the paper
	title  string
	claim  string
	merit  string // figure of merit
	y      plots.Axis
	scale  float64    // of the figure of merit in the unit of the axis
	rule   plots.Rule // a number of the paper's text; none where At is 0
	words  func(*study) []string
}

// revenueUnderLoad is figure 16.
func revenueUnderLoad() Recipe {
	return simulatedView{
		figure: 16,
		title:  "Revenue under bounded penalties",
		claim: "admitting all earns most between loads of 250 and 300 % and loses beyond; optimal admission earns more and more up to 500 %; " +
			"the admission tuned on the simulator earns at least as much as either at every load",
		merit: "revenue_per_second", scale: 1,
		y:     plots.Axis{Label: "Revenue", Unit: "$/s", Max: 7},
		words: revenueWords,
	}.recipe()
}

// revenuePerJob is figure 17.
func revenuePerJob() Recipe {
	return simulatedView{
		figure: 17,
		title:  "Revenue per admitted job",
		claim: "$1800 per admitted job up to a load of 90 % whoever is admitted; beyond, it falls when all are admitted and rises with optimal admission, " +
			"to about $5000 when only high-value jobs are left",
		merit: "revenue_per_job", scale: 1,
		y:     plots.Axis{Label: "Revenue per admitted job", Unit: "$", Max: 5000},
		rule:  plots.Rule{At: 1800, Text: "mean price: $1800"},
		words: perJobWords,
	}.recipe()
}

// delayUnderLoad is figure 18.
func delayUnderLoad() Recipe {
	return simulatedView{
		figure: 18,
		title:  "Mean queueing delay",
		claim:  "admission control keeps delay low; when all are admitted, expiry makes it fall again under growing overload",
		merit:  "mean_wait", scale: 1.0 / perHour,
		y:     plots.Axis{Label: "Mean queueing delay", Unit: "h", Max: 5},
		words: delayWords,
	}.recipe()
}

// utilizationUnderLoad is figure 19.
func utilizationUnderLoad() Recipe {
	return simulatedView{
		figure: 19,
		title:  "Utilisation of the cluster",
		claim:  "admitting all uses the whole cluster given enough load; optimal admission leaves part of it idle",
		merit:  "utilization", scale: 1,
		y:     plots.Axis{Label: "Utilisation", Percent: true, Max: 1},
		rule:  plots.Rule{At: 0.69, Text: "the paper's optimum: 69 %"},
		words: utilizationWords,
	}.recipe()
}

func (v simulatedView) recipe() Recipe {
	r := Recipe{
		ID: fmt.Sprintf("nist-%d", v.figure), Title: v.title, Source: nist(v.figure),
		Parameters: simulatedParameters, Claim: v.claim,
	}
	return r.drawnFrom(sectionVISweeps, func(o Options, found []*sweep.Results) (Result, error) {
		s := sectionVI(o).study(o, found, 0)
		return Result{Picture: v.draw(r, s), Provenance: s.provenance(), Remarks: v.words(s)}, nil
	})
}

func sectionVISweeps(o Options) ([]*sweep.Spec, error) { return sectionVI(o).sweeps(o) }

// sectionVI is the experiment behind figures 16 to 19. The paper's whole
// experiment is this one with 500 replications.
func sectionVI(o Options) plan {
	p := plan{scenario: "nist-cluster", loads: grid(1, 20, 4), replications: o.replications(20, 8), search: searchEffort(o)}
	if o.Quick {
		p.loads = grid(1, 10, 2)
	}
	return p
}

// draw draws the view of a study.
func (v simulatedView) draw(r Recipe, s *study) plots.Figure {
	fig := plots.Figure{
		ID: r.ID, Title: r.Title,
		X: plots.Axis{Label: "Aggregate load", Percent: true, Max: 5}, Y: v.y,
		Notes: []string{simulatedNote, s.note()},
	}
	for a := range admissionCount {
		line := s.series(a, merit(v.merit))
		for _, values := range [][]float64{line.Y, line.Low, line.High} {
			for i := range values {
				values[i] *= v.scale
			}
		}
		fig.Series = append(fig.Series, line)
	}
	if v.rule.At > 0 {
		fig.HLines = []plots.Rule{v.rule}
	}
	return fig
}
