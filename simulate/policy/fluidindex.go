package policy

import "revopt/simulate"

// fluidNow makes a classIndex the fluid index: c and d are those of the first waiting job of
// each class, at its age.
//
// In a fluid model the jobs of a class come at rate lambda and those that still wait at age w
// start, lambda e^(-theta w) of them per second on s = lambda e^(-theta w)/mu servers. They earn
// R = lambda e^(-theta w) v(w), so that one more server earns
//
//	dR/ds = mu v(w) - mu v'(w)/theta
//
// which is c mu/theta + d mu with c = -v'(w) and d = v(w). Larrañaga, Ayesta and Verloop (2015),
// "Asymptotically optimal index policies for an abandonment queue with convex holding cost",
// call it the generalized c-mu/theta rule. In underload, as in their paper of 2013, "Dynamic
// fluid-based scheduling in a multi-class abandonment queue", short queues follow the c-mu rule
// instead, where a job that waits loses c + theta d per second. Which of the two holds is
// decided by the load of all jobs so far.
func fluidNow(p *classIndex, c *simulate.Cluster) {
	p.calm = p.area <= float64(c.Processors())*c.Now()
	for i := range p.classes {
		p.classes[i].cost, p.classes[i].prize = -1, 0 // none waits
	}
	for j := range c.Queue() {
		m := &p.classes[j.Class]
		if m.cost >= 0 {
			continue
		}
		v, response := &j.Value, c.Now()-j.Submit+p.estimate(j)
		m.cost, m.prize = 0, v.At(response)
		if !v.Hard && response >= v.Due && m.prize > -v.Floor {
			m.cost = v.Decay
		}
	}
}
