package scenario

import (
	"fmt"

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

// providers reads the further providers of job classes.
func (d *decoder) providers(c *cursor, known []KnownPolicy, s *Scenario) []Provider {
	if !c.given() || d.err != nil {
		return nil
	}
	var list []Provider
	taken := map[string]bool{ServerName: true}
	for _, place := range c.list("a list of providers such as [{name: next, nodes: 64}]") {
		if !place.mapping("a provider such as {name: next, nodes: 64}", "name", "nodes", "waiting", "admission", "policy") {
			return nil
		}
		p := Provider{Name: place.get("name").text("the name of the provider"), Nodes: int(place.get("nodes").number(count))}
		if taken[p.Name] {
			place.get("name").fail("expected a name of its own for every provider (%s is the first), got %s", ServerName, quote(p.Name))
		}
		taken[p.Name] = true
		if waiting := place.get("waiting"); waiting.given() {
			k := int(waiting.number(queueSize))
			p.Waiting = &k
		}
		if a := place.get("admission"); a.given() && a.n.kind == sequence {
			for _, q := range a.list("probabilities") {
				p.Admit = append(p.Admit, q.number(fraction))
			}
			if len(p.Admit) != len(s.Classes) {
				a.fail("expected %d probabilities, one for each class, got %d", len(s.Classes), len(p.Admit))
			}
		} else {
			p.Analytic = a.choice(AdmitAll, AdmitAnalytic) == AdmitAnalytic
		}
		if at := place.get("policy"); at.given() {
			own, at := d.policy(at)
			if d.err == nil && known != nil {
				d.checkPolicy(at, own, known, s)
			}
			p.Policy = &own
		}
		list = append(list, p)
	}
	return list
}

// ServerName is what the first of several providers is called.
const ServerName = "server"

// yaml writes the provider as a file has it.
func (p Provider) yaml() string {
	words := []string{"name: " + word(p.Name), fmt.Sprintf("nodes: %d", p.Nodes)}
	if p.Waiting != nil {
		words = append(words, fmt.Sprintf("waiting: %d", *p.Waiting))
	}
	switch {
	case p.Analytic:
		words = append(words, "admission: "+AdmitAnalytic)
	case p.Admit != nil:
		words = append(words, "admission: "+numbers(p.Admit))
	}
	if p.Policy != nil {
		words = append(words, "policy: "+p.Policy.yaml())
	}
	return flow(words...)
}

// System returns the queueing system of a provider that is offered the given rates
// of the scenario's classes.
func (p Provider) System(s *Scenario, rates []float64) model.System {
	sys := s.System()
	classes := make([]model.Class, len(sys.Classes))
	for i, c := range sys.Classes {
		classes[i], classes[i].Rate = c, rates[i]
		classes[i].Demand = nil
	}
	sys.Classes, sys.Parallel = classes, float64(p.Nodes)/meanWidth(classes)
	return sys
}
