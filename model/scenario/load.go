package scenario

import (
	"math"
)

var (
	offeredLoad = quantity{want: "a number above 0 such as 0.9 or 90%", unit: percent, open: true}
	growth      = quantity{want: "a growth above -100% such as 20% or 0.2", unit: percent, least: -1, open: true}
)

// MostGrowth is the largest growth: a larger number is a percentage without its sign.
const MostGrowth = 10

func (c *cursor) growth() float64 {
	x := c.numberOr(growth, 0)
	switch {
	case !(x > MostGrowth):
	case c.n.number():
		c.fail("%s is %s: write %[1]s%%", c.n.text, percentage(x))
	default:
		c.fail("expected a growth of at most 1000%%, got %s", c.n.text)
	}
	return x
}

// rates fills in the arrival rates of the classes and the resulting load, from load
// and shares or from rates, and then from growth.
//
// A load of the file refers to the machine and the jobs of the file: overrides of
// other fields leave the total arrival rate as it is. A load of an override refers to
// the overridden scenario.
func (d *decoder) rates(root *cursor, places []*cursor, s *Scenario, srv *server) {
	load := root.get("load")
	if d.byRate(places) {
		d.fromRates(load, places, s, srv)
	} else {
		d.fromShares(load, places, s, srv)
	}
	s.Growth = root.get("growth").growth()
	for i := range s.Classes {
		s.Classes[i].Rate *= 1 + s.Growth
	}
	s.Load *= 1 + s.Growth
}

// fromRates reads the rates of the classes. An override of the load scales them all.
func (d *decoder) fromRates(load *cursor, places []*cursor, s *Scenario, srv *server) {
	for i, c := range places {
		s.Classes[i].Rate = c.get("rate").number(amount)
	}
	if load.given() && !load.overridden() {
		load.fail("expected no load, as the classes give rates, got %s", load.n.describe())
	}
	given := srv.work(s.Classes) / srv.slots
	switch {
	case given > 0:
		s.Load = load.numberOr(offeredLoad, given)
		for i := range s.Classes {
			s.Classes[i].Rate *= s.Load / given
		}
	case load.given():
		load.fail("expected rates above 0 to scale to a load")
	}
}

// byRate reports whether the classes give rates, not shares. It refuses a mixture.
func (d *decoder) byRate(places []*cursor) bool {
	var shares, rates int
	for _, c := range places {
		share, rate := c.get("share"), c.get("rate")
		switch {
		case share.given() && rate.given():
			blame(rate, share, rate).fail("expected share or rate, got both")
		case rate.given() && shares > 0:
			rate.fail("expected a share, got a rate: give every class a share and the scenario a load, or every " +
				"class a rate")
		case share.given() && rates > 0:
			share.fail("expected a rate, got a share: give every class a rate, or every class a share and the " +
				"scenario a load")
		case share.given():
			shares++
		case rate.given():
			rates++
		}
	}
	for _, c := range places {
		switch {
		case c.get("share").given() || c.get("rate").given():
		case rates > 0:
			c.get("rate").fail("missing, expected a rate in jobs per second, as the other classes give one")
		case len(places) > 1:
			c.get("share").fail("missing, expected the share of arriving jobs that are of this class")
		}
	}
	return rates > 0
}

// fromShares sets the rates for the load, rate_s = share_s total with
// total = load nodes / sum_i share_i E[length_i] E[width_i], without widths if the
// server gives the jobs at a time.
func (d *decoder) fromShares(load *cursor, places []*cursor, s *Scenario, srv *server) {
	if !load.given() {
		load.fail("missing, expected %s, or a rate in every class", offeredLoad.want)
		return
	}
	s.Load = load.number(offeredLoad)
	shares := d.shares(load.up, places)
	if d.err != nil {
		return
	}
	for i := range s.Classes {
		s.Classes[i].Rate = shares[i]
	}
	s.total = s.Load * srv.slots / srv.work(s.Classes)
	if base := d.base.scenario(); base != nil && base.total > 0 && !load.overridden() {
		s.total = base.total
	}
	for i := range s.Classes {
		s.Classes[i].Rate *= s.total
	}
	if reached := srv.work(s.Classes) / srv.slots; !(math.Abs(reached-s.Load) <= 1e-12*s.Load) {
		s.Load = rounded(reached, reached)
	}
}

// shares reads the shares of the classes. One overridden share scales the others.
func (d *decoder) shares(root *cursor, places []*cursor) []float64 {
	shares := make([]float64, len(places))
	var changed []int
	var fields []*cursor
	for i, c := range places {
		share := c.get("share")
		fields = append(fields, share)
		shares[i] = share.numberOr(fraction, 1)
		if share.overridden() {
			changed = append(changed, i)
		}
	}
	if d.err == nil && len(changed) == 1 && len(places) > 1 {
		makeRoom(fields[changed[0]], shares, changed[0])
	}
	if sum, ok := normalize(shares); !ok {
		blame(root.get("classes"), fields...).fail("expected shares that sum to 1, got a sum of %g", sum)
	}
	return shares
}

// makeRoom scales all shares but the fixed one, so that they sum to 1.
func makeRoom(c *cursor, shares []float64, fixed int) {
	var others float64
	for i, x := range shares {
		if i != fixed {
			others += x
		}
	}
	left := 1 - shares[fixed]
	if others == 0 {
		if left > tolerance {
			c.fail("expected 1, as the other classes have no share to scale, got %s", c.n.describe())
		}
		return
	}
	for i := range shares {
		if i != fixed {
			shares[i] *= left / others
		}
	}
}
