package policy

import "revopt/simulate"

// impreciseBroker sends jobs to the sites of a grid. See NewImpreciseGrid.
type impreciseBroker struct {
	sites []*imprecise
	why   simulate.Reason
}

// NewImpreciseGrid returns the policies of the given number of sites, all of one
// scheme, and the broker that sends a job to the site with the largest gain in
// estimated budget, the first of these. It refuses a job that brings no site a
// gain, for its deadline where no site can meet that. Kim, Buyya and Kim (2007),
// section 3.1.
func NewImpreciseGrid(s Scheme, sites int) ([]simulate.Policy, simulate.Refuser) {
	b := &impreciseBroker{}
	policies := make([]simulate.Policy, sites)
	for i := range policies {
		p := NewImprecise(s)
		b.sites = append(b.sites, p.(*imprecise))
		policies[i] = p
	}
	return policies, b
}

// Route implements simulate.Broker.
func (b *impreciseBroker) Route(j *simulate.Job, sites []*simulate.Cluster) *simulate.Cluster {
	h := b.sites[0].see(j)
	b.why = simulate.Deadline
	var best *simulate.Cluster
	var most float64
	for i, c := range sites {
		gain, why := b.sites[i].gain(c, h)
		switch {
		case why == simulate.Return:
			b.why = why
		case why == simulate.NoReason && gain > most*(1+slack):
			best, most = c, gain
		}
	}
	if best != nil {
		b.sites[best.Index()].agreed = j.ID + 1
	}
	return best
}

// Refusal implements simulate.Refuser.
func (b *impreciseBroker) Refusal() simulate.Reason { return b.why }

// Schemes returns the names of the schemes for imprecise jobs, in their order.
func Schemes() []string {
	return []string{MandatoryEDF: "mf-edf", MandatoryHBF: "mf-hbf", MandatoryTime: "mf-timeshare", HardWhole: "hard-mo", HardMandatory: "hard-m"}
}

// impreciseSpecs are the schemes as policies.
func impreciseSpecs() []Spec {
	titles := []string{"MF-EDF", "MF-HBF", "MF-TimeShare", "Hard-M+O", "Hard-M"}
	summaries := []string{
		"mandatory parts first, then optional ones by deadline", "mandatory parts first, then optional ones by budget rate",
		"mandatory parts first, then optional ones share what is left", "mandatory and optional part as one, by deadline", "mandatory parts alone, by deadline",
	}
	var specs []Spec
	for i, name := range Schemes() {
		specs = append(specs, Spec{
			Name: name, Title: titles[i], Summary: summaries[i], Needs: Needs{Deadlines: true, Optional: true, Alike: true, Shared: true}, Cost: 1e-4,
			New: func(Settings) simulate.Policy { return NewImprecise(Scheme(i)) },
			Grid: func(_ Settings, sites int) ([]simulate.Policy, simulate.Broker) {
				return NewImpreciseGrid(Scheme(i), sites)
			},
		})
	}
	return specs
}
