package agent

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"revopt/simulate"
)

// Outages takes processors of a site away for some time. At one instant processors come back
// before others go down, and before jobs arrive.
type Outages struct {
	Site int
	List []simulate.Outage

	site *simulate.Cluster
}

// Join implements simulate.Agent. Planned outages are known from the start.
func (o *Outages) Join(sites []*simulate.Cluster, timers *simulate.Timers) error {
	if len(o.List) == 0 {
		return nil
	}
	o.site = sites[o.Site]
	_, stops := o.site.Policy().(simulate.Stopper)
	if !o.site.Recorded() && (!stops || o.site.Shared()) {
		return fmt.Errorf("simulate: policy %T cannot run on a machine with outages", o.site.Policy())
	}
	o.List = slices.Clone(o.List)
	slices.SortStableFunc(o.List, func(a, b simulate.Outage) int { return cmp.Compare(a.From, b.From) })
	for _, d := range o.List {
		if !(d.From >= 0 && d.From < d.To && d.To <= math.MaxFloat64) || d.Units < 1 || d.Units > o.site.Processors() {
			return fmt.Errorf("simulate: outage of %d of %d processors from %g s to %g s",
				d.Units, o.site.Processors(), d.From, d.To)
		}
		if d.Planned {
			o.site.Announce(d)
		}
	}
	for i, d := range o.List {
		timers.Set(d.To, simulate.PhaseArrival, o, i)
	}
	for i, d := range o.List {
		timers.Set(d.From, simulate.PhaseArrival, o, i-len(o.List))
	}
	return nil
}

// Timer implements simulate.Agent: an outage ends, or begins if the tag is negative.
func (o *Outages) Timer(tag int) {
	if tag < 0 {
		o.begin(o.List[tag+len(o.List)])
		return
	}
	d := o.List[tag]
	o.site.Over()
	o.site.Give(d.Units, d.Drain)
}

// begin takes the processors of an outage, and stops the jobs that started last if too few are
// free. Processors that others still wait for are not its matter.
func (o *Outages) begin(d simulate.Outage) {
	c := o.site
	floor := min(c.Free(), 0)
	if !d.Planned {
		c.Announce(d)
	}
	c.Take(d.Units, d.Drain)
	if d.Drain || c.Recorded() {
		return
	}
	for j := c.Latest(); j != nil && c.Free() < floor; j = c.Latest() {
		c.Stop(j, d.Kill)
	}
}
