package main

import (
	"fmt"
	"math"

	"revopt/model/scenario"
	"revopt/simulate/sweep"
)

// warnings says what a reader of the results should know.
func (r *simulation) warnings(compared sweep.Compared) []string {
	list := append([]string{}, r.fit()...)
	list = append(list, r.admissionWarnings()...)
	n := compared.Replications()
	if n == 1 {
		list = append(list, "one replication has no confidence interval, use --replications")
	}
	if stop := r.options.stop; stop != nil && !compared.Met {
		list = append(list, fmt.Sprintf("%d replications do not make the interval of %s as narrow as %s of its mean",
			n, stop.Figure.Name, percentOf(stop.Precision.Relative)))
	}
	if r.warmup != nil && !r.warmup.OK {
		list = append(list, "the pilot runs are too short to tell the warm-up, half of each replication is left out; use --jobs or --horizon")
	}
	for i, row := range r.rows {
		if row.experiment.Overloaded() || compared.Outcomes[i].Cut() > 0 {
			list = append(list, r.label(row)+": more is admitted than the cluster can serve and jobs do not give up, so the queue grows for ever: "+
				"waits and revenue depend on the length of the run")
		}
	}
	return list
}

// fit warns where the simulated cluster is not quite that of the scenario.
func (r *simulation) fit() []string {
	// Warnings that concern the analytic results alone stand where those are used.
	list := texts(r.sc.Warnings, func(w scenario.Warning) bool { return r.analytic != nil || !w.Analytic })
	if load := sweep.Load(r.sc); math.Abs(load-r.sc.Load) > 1e-9*r.sc.Load {
		list = append(list, fmt.Sprintf("%s jobs at a time are no whole number of nodes: the load of the simulated %d nodes is %s",
			plain(r.sc.Parallel), r.sc.Nodes, plain(load)))
	}
	for _, c := range r.sc.Classes {
		for i, nodes := range c.Width.Values {
			if nodes > float64(r.sc.Nodes) && c.Width.Weights[i] > 0 {
				list = append(list, fmt.Sprintf("jobs of class %s that need %s nodes are rejected, the cluster has %d", c.Name, plain(nodes), r.sc.Nodes))
			}
		}
	}
	return list
}

// admissionWarnings says what the admissions that were computed rest on.
func (r *simulation) admissionWarnings() []string {
	for _, a := range r.wishes {
		if a.name == admitAnalytic && r.analytic != nil {
			var list []string
			for _, w := range append(ignored(r.sc), unproven(r.sc.Residual, *r.analytic, 1e-6)...) {
				list = append(list, "analytic admission: "+w)
			}
			return list
		}
	}
	return nil
}
