package scenario

import "math"

// rates fills in the arrival rates of the classes and the load, from load and
// shares or from rates.
func (d *decoder) rates(root *cursor, places []*cursor, s *Scenario, srv server) {
	load := root.get("load")
	if !d.byRate(places) {
		if !load.given() {
			load.fail("missing, expected %s, or a rate in every class", offeredLoad.want)
			return
		}
		s.Load = load.number(offeredLoad)
		d.fromShares(load, places, s, srv)
		return
	}
	fields := make([]*cursor, len(places))
	for i, c := range places {
		fields[i] = c.get("rate")
		s.Classes[i].Rate = fields[i].number(amount)
	}
	if load.given() && !load.overridden() {
		load.fail("expected no load, as the classes give rates, got %s", load.n.describe())
	}
	given := srv.work(s.Classes) / srv.slots
	switch {
	case math.IsInf(given, 0):
		blame(root.get("classes"), fields...).fail("expected rates whose load is a finite number")
	case given > 0:
		s.Load = load.numberOr(offeredLoad, given)
		scaleRates(load, s, srv, s.Load/given)
	case load.given():
		load.fail("expected rates above 0 to scale to a load")
	}
}

// byRate reports whether the classes give rates, and not shares. It refuses a
// mixture.
func (d *decoder) byRate(places []*cursor) bool {
	var shares, rates int
	for _, c := range places {
		share, rate := c.get("share"), c.get("rate")
		switch {
		case share.given() && rate.given():
			blame(rate, share, rate).fail("expected share or rate, got both")
		case rate.given() && shares > 0:
			rate.fail("expected a share, got a rate: give every class a share and the scenario a load, or every class a rate")
		case share.given() && rates > 0:
			share.fail("expected a rate, got a share: give every class a rate, or every class a share and the scenario a load")
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

// fromShares sets the rates that make up the load:
// rate_s = share_s load nodes / sum_i share_i E[length_i] E[width_i], or the
// same without widths where the server gives the jobs at a time.
func (d *decoder) fromShares(load *cursor, places []*cursor, s *Scenario, srv server) {
	shares := d.shares(load.up, places)
	if d.err != nil {
		return
	}
	for i := range s.Classes {
		s.Classes[i].Rate = shares[i]
	}
	scaleRates(load, s, srv, s.Load*srv.slots/srv.work(s.Classes))
}

// scaleRates multiplies all rates by a factor that brings them to the load of
// the scenario, unless floating point cannot.
func scaleRates(load *cursor, s *Scenario, srv server, factor float64) {
	for i := range s.Classes {
		s.Classes[i].Rate *= factor
	}
	reached := srv.work(s.Classes) / srv.slots
	if !(math.Abs(reached-s.Load) <= 1e-9*s.Load) {
		load.expected("a load whose arrival rates are within the range of numbers")
	}
}

// shares reads the shares of the classes. Where exactly one is overridden the
// others make room for it.
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
	if sum, ok := normalise(shares); !ok {
		blame(root.get("classes"), fields...).fail("expected shares that sum to 1, got a sum of %g", sum)
	}
	return shares
}

// makeRoom scales the shares other than the one at fixed to sum to what that
// leaves.
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
