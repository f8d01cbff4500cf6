package agent

import (
	"math"

	"revopt/simulate"
)

// Providers makes the sites of a run providers, in the order in which users know
// them. A job that a provider refuses at its submission goes to the next provider at
// once; the last one rejects it. The rule of the site refuses it, or the site's policy
// at the instant of submission. A policy that admits a job, or lets it wait, keeps it.
// (Marbukh and Mills, figures 1 and 4.) It is both the router and the admission of a run.
type Providers struct {
	Rules []simulate.Admission // by site; nil admits every job. A rule sees only its own site
	Lots  [][]float64          // by site and class, the probability with which Job.Chance is compared; nil is 1
}

// Admit implements simulate.Admission.
func (p *Providers) Admit(j *simulate.Job, sites []*simulate.Cluster) bool {
	rule := p.Rules[sites[0].Index()]
	return rule == nil || rule.Admit(j, sites)
}

// Route implements simulate.Router.
func (p *Providers) Route(_ *simulate.Job, sites []*simulate.Cluster) (*simulate.Cluster, simulate.Reason) {
	return sites[0], simulate.NoReason
}

// Next implements simulate.Router.
func (p *Providers) Next(j *simulate.Job, from *simulate.Cluster, sites []*simulate.Cluster) *simulate.Cluster {
	next := from.Index() + 1
	if next == len(sites) {
		return nil
	}
	p.redraw(j, from.Index())
	return sites[next]
}

// redraw gives a refused job a new lot for the next site. Given the refusal, the old
// lot is uniform on a part of [0, 1), which is stretched over the whole interval.
func (p *Providers) redraw(j *simulate.Job, site int) {
	if p.Lots[site] == nil {
		return
	}
	if q := p.Lots[site][j.Class]; j.Chance < q {
		j.Chance /= q
	} else {
		j.Chance = (j.Chance - q) / (1 - q)
	}
	j.Chance = min(j.Chance, math.Nextafter(1, 0))
}
