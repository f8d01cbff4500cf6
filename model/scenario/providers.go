package scenario

import (
	"slices"

	"revopt/model"
)

// Provider is a further provider, to which users forward the jobs that the one
// before it refuses when they are submitted. The first provider is the server.
type Provider struct {
	Name     string
	Nodes    int
	Waiting  *int      // how many jobs may wait; nil: any number
	Admit    []float64 // probability by class; nil admits all, unless Analytic
	Analytic bool      // it admits what earns it most of the jobs that reach it
	Policy   *Policy   // nil: that of the server
}

func (s *Scenario) providersRow() row {
	taken := map[string]bool{ServerName: true}
	return records("providers", "a list of providers such as [{name: next, nodes: 64}]",
		"a provider such as {name: next, nodes: 64}", &s.Providers, func(p *Provider) table {
			return table{
				name("name", &p.Name, "the name of the provider").then(func(c *cursor) {
					if taken[p.Name] {
						c.fail("expected a name of its own for every provider (%s is the first), got %s", ServerName,
							quote(p.Name))
					}
					taken[p.Name] = true
				}),
				number("nodes", &p.Nodes, count),
				maybe("waiting", &p.Waiting, queueSize),
				s.providerAdmission(p),
				s.policyRow(&p.Policy),
			}
		}).ifGiven(true)
}

// providerAdmission is all, analytic, or a probability for each class.
func (s *Scenario) providerAdmission(p *Provider) row {
	words := flag("admission", &p.Analytic, AdmitAll, AdmitAnalytic)
	list := numberList("admission", "probabilities", &p.Admit, fraction)
	r := words
	if p.Admit != nil {
		r = list
	}
	r.read = func(c *cursor) {
		if !c.given() || c.n.kind != sequence {
			words.read(c)
		} else if list.read(c); len(p.Admit) != len(s.Classes) {
			c.fail("expected %d probabilities, one for each class, got %d", len(s.Classes), len(p.Admit))
		}
	}
	return r
}

// ServerName is what the first of several providers is called.
const ServerName = "server"

// System returns the queueing system of a provider that is offered the given rates.
func (p Provider) System(s *Scenario, rates []float64) model.System {
	offered := *s
	offered.Classes = slices.Clone(s.Classes)
	for i := range offered.Classes {
		offered.Classes[i].Rate, offered.Classes[i].Demand = rates[i], nil
	}
	offered.Parallel = float64(p.Nodes) / model.MeanWidth(offered.Classes)
	return offered.System()
}
