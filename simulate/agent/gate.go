package agent

import "revopt/simulate"

// Gate asks an admission that sees all sites of a grid before their broker.
type Gate struct {
	simulate.Router
	Admission simulate.Admission
}

// Route implements simulate.Router.
func (g *Gate) Route(j *simulate.Job, sites []*simulate.Cluster) (*simulate.Cluster, simulate.Reason) {
	if j.Void || !g.Admission.Admit(j, sites) {
		return sites[0], simulate.Refused
	}
	return g.Router.Route(j, sites)
}
