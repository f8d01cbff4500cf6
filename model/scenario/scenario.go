package scenario

import (
	"math"

	"revopt/model"
)

// Scenario is a cluster and the job classes offered to it, checked and
// complete.
type Scenario struct {
	Name       string
	Nodes      int            // of the cluster; for a server of `parallel: n`, n times the mean width, rounded up
	Parallel   float64        // n, how many jobs of mean width run at once
	Residual   model.Residual // convention for the residual work
	Load       float64        // aggregate offered load, sum rate E[length] E[width] / nodes
	Phi        float64        // delay coefficient of (30)
	Simulation Simulation
	Classes    []model.Class // in the order of the file, with their rates
	Warnings   []string      // what is accepted but may surprise
}

// System returns the analytic half's view of the scenario: n jobs at a time,
// each of the mean width.
//
// For a cluster of nodes n = nodes / w, where w is the mean width weighted by
// work, sum_s rate_s E[length_s] E[width_s] / sum_s rate_s E[length_s]. With
// that w the load of the system, sum_s rate_s E[length_s] / n, is the load of
// the cluster. Where nothing arrives, w is the plain mean over classes.
func (s *Scenario) System() model.System {
	return model.System{Classes: s.Classes, Parallel: s.Parallel, Residual: s.Residual, Phi: s.Phi}
}

// scenario decodes the whole document.
func (d *decoder) scenario(root *cursor) *Scenario {
	if trace := root.get("trace"); trace.given() && !root.get("classes").given() {
		trace.fail("expected job classes, got a trace: it can be simulated, not solved")
		return nil
	}
	if sites := root.get("sites"); sites.given() && !root.get("classes").given() {
		sites.fail("expected job classes, got the sites of a grid: it can be simulated, not solved")
		return nil
	}
	if !root.mapping("a scenario", "name", "server", "load", "phi", "simulation", "classes") {
		return nil
	}
	s := &Scenario{Name: defaultName(d.file)}
	if name := root.get("name"); name.given() {
		s.Name = name.text("the name of the scenario")
	}
	srv := d.server(root.get("server"))
	s.Residual = srv.residual
	s.Phi = root.get("phi").numberOr(amount, 1)
	s.Simulation = d.simulation(root.get("simulation"))
	places := root.get("classes").list("a list of job classes")
	s.Classes = d.classes(places, srv)
	if d.err != nil {
		return nil
	}
	d.rates(root, places, s, srv)
	if d.err != nil {
		return nil
	}
	d.size(root.get("server"), s, srv)
	if d.err != nil {
		return nil
	}
	s.Warnings = warnings(s, places)
	return s
}

// size sets the nodes and the jobs at a time, the one from the other.
func (d *decoder) size(c *cursor, s *Scenario, srv server) {
	width := meanWidth(s.Classes)
	nodes := srv.slots
	s.Parallel = nodes / width
	if srv.parallel {
		nodes = math.Ceil(srv.slots * width * (1 - 1e-12))
		s.Parallel = srv.slots
	}
	if nodes > maxWhole {
		c.fail("expected a cluster of at most %d nodes, got parallel times the mean width = %g", maxWhole, nodes)
		return
	}
	s.Nodes = int(nodes)
}
