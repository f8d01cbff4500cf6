package whatif

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"

	"revopt/internal/fixture"
	"revopt/model/scenario"
	"revopt/simulate/plan"
	"revopt/simulate/subject"
)

// TestRentByValue: in overload a policy that serves by value and gives jobs up loses little by renting what costs too
// much, as others lose no more by the work of a job than the price of as much work.
func TestRentByValue(t *testing.T) {
	s := fixture.Opened(t, `server: {nodes: 8}
load: 1.5
machine: {rent: {price: 8, startup: 5m}}
simulation: {jobs: 2000, replications: 4}
classes:
  - {name: dear, share: 0.4, length: {dist: exponential, mean: 1h}, price: 10, decay: 0.001, max_penalty: 2}
  - {name: cheap, share: 0.6, length: {dist: gamma, mean: 1h, sd: 2h}, width: 2, price: 8, decay: 0.0005, max_penalty: 0}
policies: [value-bf]
`)
	x := what(t, &WhatIf{Subject: s, Plain: true}, "rent=on").Changes[0].Simulation
	if x.Difference.Mean < -0.05*x.Before.Mean || x.Difference.Mean == 0 {
		t.Errorf("rent changes %g $/h by %g", x.Before.Mean, x.Difference.Mean)
	}
}

// TestRentChange: rent=on is the opposite of rent=off, nothing changes in a pool without rent, and
// the price at which rent breaks even is that at which the bill takes the whole gain.
func TestRentChange(t *testing.T) {
	s := fixture.Opened(t, rented)
	var runs [][]byte
	var on []ChangeResult
	dir := t.TempDir()
	for _, runner := range []*plan.Runner{{Workers: 1}, {Workers: 4}, {Workers: 2, Dir: dir}, {Workers: 1, Dir: dir}} {
		r := what(t, &WhatIf{Subject: s, Plain: true, Runner: runner}, "rent=on", "growth=1%")
		on = r.Changes
		text, err := json.Marshal(on)
		if err != nil {
			t.Fatal(err)
		}
		if runs = append(runs, text); !bytes.Equal(text, runs[0]) {
			t.Errorf("with %d workers:\n%s\nwant\n%s", runner.Workers, text, runs[0])
		}
	}
	off := what(t, &WhatIf{Subject: s, Plain: true}, "rent=off").Changes[0]
	if x, y := on[0].Simulation, off.Simulation; x.After.Mean != y.Before.Mean || x.Before.Mean != y.After.Mean {
		t.Errorf("on %+v\noff %+v", x, y)
	}
	if on[1].Rent != nil || on[0].Rent == nil || off.Rent == nil || on[0].Rent.Paid != off.Rent.Paid {
		t.Fatalf("on %+v, growth %+v, off %+v", on[0].Rent, on[1].Rent, off.Rent)
	}
	if b := on[0].Customers[1]; b != off.Customers[1] {
		t.Errorf("%+v with rent beside, %+v without", b, off.Customers[1])
	}
	// With other terms the same units are billed, if all that waits is sent: money is linear in the price.
	all, err := subject.NewPolicy(nil, "easy", map[string]string{"burst": "all"})
	if err != nil {
		t.Fatal(err)
	}
	at := func(price float64) (*RentChange, float64) {
		own := fixture.Opened(t, rented, scenario.Set("pools.p.rent.price", price))
		c := what(t, &WhatIf{Subject: own, Plain: true, Policy: &all}, "rent=on").Changes[0]
		return c.Rent, float64(c.Simulation.Difference.Mean)
	}
	rent, gain := at(0.5)
	even := float64(rent.BreakEven.Mean)
	again, left := at(even)
	if math.Abs(left) > 1e-9*gain || math.Abs(float64(again.BreakEven.Mean)-even) > 1e-9*even {
		t.Errorf("at the price of %g, at which rent breaks even, the gain is %g", even, left)
	}
	for _, bad := range []string{"rent=maybe", "rent="} {
		if _, err := ParseChange(s, bad); err == nil {
			t.Errorf("%s is accepted", bad)
		}
	}
	none := fixture.Opened(t, rented, scenario.Override{Path: "pools.p.rent", Value: "off"})
	if _, err := ParseChange(none, "rent=on"); err == nil {
		t.Error("rent=on is accepted without terms")
	}
}
