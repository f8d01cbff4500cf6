package run

import (
	"context"
	"math"

	"revopt/simulate"
)

// Started is a job of a log: how long it waited there, and how long it waits under a policy.
type Started struct {
	Customer string // "" if none is listed
	Width    string // group of width, as GroupName names it; "" if it is not measured
	Submit   float64
	Work     float64 // unit-seconds
	Recorded float64 // wait in the log, s; NaN if the job never started there
	Waited   float64 // wait under the policy, s; NaN if it does not start
}

// Starts runs a case of a log, and returns its jobs in order of submission.
func (l *Lab) Starts(ctx context.Context, c Case) ([]Started, error) {
	e, err := l.Experiment(ctx, c)
	if err != nil {
		return nil, err
	}
	o := &startObserver{layout: l.groups}
	o.customers, o.machines = placesIn(l.groups, e.Workload)
	for _, m := range l.groups.Machines {
		o.widths = append(o.widths, m.Groups())
	}
	_, err = e.Run(ctx, 0, o)
	return o.list, err
}

// startObserver notes when the jobs of a log start.
type startObserver struct {
	layout              *jobGroups
	customers, machines []int        // places in the layout, by class and by site
	widths              [][]JobGroup // by machine
	list                []Started    // by the numbers of jobs
}

// Observe implements simulate.Observer.
func (o *startObserver) Observe(e simulate.Event) {
	j := e.Job
	switch e.Kind {
	case simulate.Submitted:
		for int(j.ID) >= len(o.list) {
			o.list = append(o.list, Started{Recorded: math.NaN(), Waited: math.NaN()})
		}
		s := &o.list[j.ID]
		s.Submit, s.Work, s.Width = j.Submit, j.Work*float64(j.Width), o.width(e.Site, j.Width)
		if place := o.customers[j.Class]; place >= 0 {
			s.Customer = o.layout.Customers[place]
		}
		if was := j.Spec.Recorded; was.Ran {
			s.Recorded = was.At - j.Submit
		}
	case simulate.Started:
		if s := &o.list[j.ID]; math.IsNaN(s.Waited) {
			s.Waited = e.Time - j.Submit
		}
	}
}

// width names the group of a width at a site. Jobs that are wider than the machine are among the widest.
func (o *startObserver) width(c *simulate.Cluster, width int) string {
	if c == nil || c.Index() >= len(o.machines) || o.machines[c.Index()] < 0 {
		return ""
	}
	groups := o.widths[o.machines[c.Index()]]
	for i, g := range groups {
		if width <= g.To || i == len(groups)-1 {
			return GroupName(g)
		}
	}
	return ""
}
