package scenario

import (
	"fmt"

	"revopt/model"
)

// server is the section of the same name.
type server struct {
	slots    float64 // nodes, or jobs at a time
	parallel bool
	residual model.Residual
}

func (d *decoder) server(c *cursor) server {
	if !c.mapping("{parallel: n} or {nodes: n}", "parallel", "nodes", "residual") {
		return server{}
	}
	parallel, nodes := c.get("parallel"), c.get("nodes")
	s := server{parallel: parallel.given()}
	switch {
	case parallel.given() && nodes.given():
		blame(nodes, parallel, nodes).fail("expected parallel or nodes, got both")
	case parallel.given():
		s.slots = parallel.number(slots)
	default:
		if !nodes.given() {
			c.fail("expected parallel (jobs at a time) or nodes, got neither")
		}
		s.slots = nodes.number(count)
	}
	residual, err := model.ParseResidual(c.get("residual").choice(
		model.Printed.String(), model.Pooled.String(), model.Multiserver.String()))
	if err != nil {
		panic(fmt.Sprintf("scenario: %v", err))
	}
	s.residual = residual
	return s
}

// work returns what is busy where all jobs are served: the nodes,
// sum_s rate_s E[length_s] E[width_s], or the jobs at a time.
func (s server) work(classes []model.Class) float64 {
	var sum float64
	for _, c := range classes {
		w := c.Rate * c.Length.Mean()
		if !s.parallel {
			w *= c.Width.Mean()
		}
		sum += w
	}
	return sum
}
