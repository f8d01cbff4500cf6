package report

import (
	"cmp"
	"math"
	"strings"
	"testing"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate/metric"
	"revopt/simulate/study"
	"revopt/simulate/study/whatif"
	"revopt/simulate/subject"
	"revopt/simulate/warn"
)

// TestCost: break-even prices and paybacks by hand.
func estimate(mean, half float64) study.Estimate {
	return study.Estimate{Mean: metric.Number(mean), HalfWidth: metric.Number(half), Level: 0.95, N: 10}
}

func TestCost(t *testing.T) {
	for _, tt := range []struct {
		gain, half  float64
		nodes       int
		cost, price float64
		want        string
	}{
		{0.3, 0.05, 144, 0, 0, "16 cores pay for themselves below 0.300 ± 0.050 $/core-hour"},
		{0.3, 0.5, 144, 0, 0, "16 cores pay for themselves below 0.30 ± 0.50 $/core-hour, if at all"},
		{-0.0625, 0.03, 144, 0, 0, "16 cores do not pay at any price"},
		{0.5, 0.1, 129, 0, 0, "1 core pays for itself below 0.50 ± 0.10 $/core-hour"},
		{-0.5, 0.1, 129, 0, 0, "1 core does not pay at any price"},
		{0.5, 0.1, 120, 0, 0, "to do without 8 cores pays above 0.50 ± 0.10 $/core-hour"},
		{1.6, 0.8, 144, 0.2, 0, "it pays: net +1.60 ± 0.80 $/h at 0.2 $/core-hour"},
		{-1.6, 0.8, 144, 0.4, 0, "it does not pay: net -1.60 ± 0.80 $/h at 0.4 $/core-hour"},
		{0.16, 0.8, 144, 0.29, 0, "undecided whether it pays: net +0.16 ± 0.80 $/h at 0.29 $/core-hour"},
		{1.6, 0.8, 144, 0.2, 9000, "it pays: net +1.60 $/h, paid back in 2.5 years"},
		{1.6, 0.8, 144, 0.2, 9e6, "it pays: net +1.60 $/h, never paid back (over 1,000 years)"},
		{1.6, 0.8, 144, 0.2, 90, "it pays: net +1.60 $/h, paid back in 9.12 d"},
	} {
		c := &whatif.ChangeResult{Nodes: [2]int{128, tt.nodes}}
		e, cost, back := estimate(tt.gain, tt.half), metric.Number(tt.cost), metric.Number(2.5*365*86400*tt.price/9000)
		if c.BreakEven, c.Payback = &e, &back; tt.cost > 0 {
			c.Net = &e
		}
		all := &whatif.Result{Cost: &cost, Price: metric.Number(tt.price), Life: 5 * 365 * 86400, UnitName: "core"}
		if got := (verdict{c, all}).pays(); len(got) != 1 || got[0].String() != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

// TestSignedMoney: signs and ranges by hand.
func TestSignedMoney(t *testing.T) {
	low, high := metric.Number(-199.4), metric.Number(-187.2)
	for want, e := range map[string]study.Estimate{
		"-2.13": {Mean: -2.13}, "-1.60 ± 0.80": {Mean: -1.6, HalfWidth: 0.8}, "-195.7 (-199.4 to -187.2)": {Mean: -195.7, HalfWidth: 6.1, Low: &low, High: &high},
	} {
		if got := money(e, false); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// pair returns a measure before and after, and the difference.
func pair(before, after, half float64) whatif.EstimatePair {
	return whatif.EstimatePair{Before: estimate(before, half), After: estimate(after, half), Difference: estimate(after-before, half)}
}

// TestVerdict: headlines, lines and explanations by hand.
func TestVerdict(t *testing.T) {
	none := metric.Number(math.NaN())
	change := func(c whatif.ChangeResult) whatif.ChangeResult {
		c.Name, c.Choice, c.Bound = "x=1", "x", whatif.BoundPair{Before: none, After: none}
		c.Admission.Name = cmp.Or(c.Admission.Name, scenario.AdmitAll)
		return c
	}
	promise := func(before, after float64, kept string) []whatif.PromiseChange {
		return []whatif.PromiseChange{{Name: "a", Within: 600, Level: 0.9, EstimatePair: pair(before, after, 0),
			OfAdmitted: estimate(after, 0), Kept: kept}}
	}
	order := warn.Warning{Kind: warn.DoubtOrder, Names: []string{"easy"}}
	for want, c := range map[string]whatif.ChangeResult{
		"x=1: no difference at all":                        {Simulation: pair(5, 5, 0)},
		"x=1: +2.00 $/h, +1,460 $/month, not by chance":    {Simulation: pair(5, 7, 0.5)},
		"x=1: +0.200 $/h, +146 $/month, perhaps by chance": {Simulation: pair(5, 5.2, 0.5)},
		"x=1: -3.00 $/h, -2,190 $/month":                   {Simulation: pair(5, 2, 0), Once: true},
		"x=1: no difference at all; breaks the promise to a: 80.0 % (promised 90)": {
			Simulation: pair(5, 5, 0), Promises: promise(0.95, 0.8, "not kept")},
		"x=1: +1.00 $/h, +730 $/month, not by chance; " +
			"keeps the promise to a: 95.0 % (promised 90)": {
			Simulation: pair(5, 6, 0.5), OfPromises: true, Promises: promise(0.95, 0.95, "kept")},
		"x=1: +1.00 $/h, +730 $/month, not by chance; " +
			"still breaks the promise to a: 60.0 % (promised 90)": {
			Simulation: pair(5, 6, 0.5), OfPromises: true, Promises: promise(0.5, 0.6, "not kept")},
		"x=1: no difference at all; may now keep the promise to a: 91.0 % (promised 90)": {Simulation: pair(5, 5, 0),
			Promises: []whatif.PromiseChange{{Name: "a", Level: 0.9, OfAdmitted: estimate(0.91, 0.02), Kept: "undecided",
				EstimatePair: whatif.EstimatePair{Before: estimate(0.5, 0), After: estimate(0.91, 0.02),
					Difference: estimate(0.41, 0)}}}},
		"x=1: no difference at all; refuses 10 of 10 jobs of a; breaks the promise to a: 0.0 % (promised 90)": {
			Simulation: pair(5, 5, 0), Refused: []whatif.LostJobs{{Name: "a", Jobs: 10, Of: 10}},
			Promises: []whatif.PromiseChange{{Name: "a", Level: 0.9, EstimatePair: pair(0.95, 0, 0),
				OfAdmitted: estimate(math.NaN(), 0), Kept: "not kept"}}},
		"x=1: no difference at all; worsens the promise to a: 28.9 % (now 66.7, promised 90)": {
			Once: true, Simulation: pair(5, 5, 0), Promises: promise(0.667, 0.289, "not kept")},
		"x=1: no difference at all; wait of b 0 s (was 0 s)": { // a fall of half a point, and a loss that shrinks
			Once: true, Simulation: pair(5, 5, 0), Promises: promise(0.667, 0.662, "not kept"),
			Worse:   []whatif.ServedWorse{{Name: "b"}},
			Refused: []whatif.LostJobs{{Name: "a", Jobs: 178, Of: 200, Before: 181}, {Name: "b", Jobs: 5, Of: 9, Before: 4.6}}},
		"x=1: no difference at all; prices keep away 63 of 180 jobs of a, 28 other jobs; promises count the rest; " +
			"refuses 99 of 160 jobs of b (now 97), 74 other jobs (now 84)": { // a loses most, and b more than now
			Simulation: pair(5, 5, 0), Promises: promise(0.5, 0.6, "not kept"),
			KeptAway: []whatif.LostJobs{{Name: "a", Jobs: 63, Of: 180}, {Name: "b", Jobs: 28, Of: 160}},
			GivenUp:  []whatif.LostJobs{{Name: "a", Of: 117, Before: 4}},
			Refused:  []whatif.LostJobs{{Name: "a", Jobs: 74, Of: 117, Before: 80}, {Name: "b", Jobs: 99, Of: 160, Before: 97}}},
		"x=1: no difference at all; loses 4 of 100 jobs of a, 33 other jobs (now 14); " +
			"assumes that no customer leaves: no demand is stated; wait of a 2.00 h (was 60.0 min), 1 other longer": {
			Inelastic: true, Simulation: pair(5, 5, 0), Promises: promise(0.5, 0.6, "not kept"),
			GivenUp: []whatif.LostJobs{{Name: "a", Jobs: 3, Of: 100}, {Name: "b", Jobs: 20, Of: 100, Before: 5},
				{Name: "c", Jobs: 3, Of: 200}, {Name: "d", Jobs: 7, Of: 9, Before: 8}},
			Expired: []whatif.LostJobs{{Name: "a", Jobs: 0.6, Of: 100}, {Name: "b", Jobs: 0.3, Of: 100}},
			Killed:  []whatif.LostJobs{{Name: "c", Jobs: 2, Of: 200, Before: 1}},
			Refused: []whatif.LostJobs{{Name: "c", Jobs: 0.4, Of: 200}},
			Worse:   []whatif.ServedWorse{{Name: "a", EstimatePair: pair(3600, 7200, 0)}, {Name: "b"}}},
		"x=1: +2.00 $/h, +1,460 $/month, chosen on these jobs; refuses 5 of 10 jobs of a; asks a 2.00 $, b 3.00": {
			Simulation: pair(5, 7, 0.5), Admission: whatif.AdmissionOutcome{
				Name: "prices", Asked: []subject.AskedPrice{{Name: "a", Price: 2, Unit: "$", Comes: 1}, {Name: "b", Price: 3, Unit: "$", Comes: 1}},
				InSample: true}, Refused: []whatif.LostJobs{{Name: "a", Jobs: 5, Of: 10}}},
		"x=1: no difference at all. believe the simulation: the formula has no answer, as it has no admission that looks at the queue": {
			Simulation: pair(5, 5, 0), Formula: &whatif.FormulaPair{Before: 5, After: none, Reason: &warn.Warning{Kind: warn.NoFormulaRule}}},
		"x=1: +2.00 $/h, +1,460 $/month, not by chance. believe the formula, which agrees (2.10 $/h): " +
			"it has no sampling error, and its assumptions hold": {
			Simulation: pair(5, 7, 0.5), Formula: &whatif.FormulaPair{Before: 5, After: 7.1}},
		"x=1: +0.200 $/h, +146 $/month, perhaps by chance. the formula agrees (0.125 $/h), " +
			"although it serves by urgency and not by easy": {
			Simulation: pair(5, 5.2, 0.5), Formula: &whatif.FormulaPair{Before: 5, After: 5.125}, Doubts: []warn.Warning{order}},
	} {
		before := change(whatif.ChangeResult{Simulation: pair(5, 5, 0.5)})
		r := &whatif.Result{Before: &before, Changes: []whatif.ChangeResult{change(c)}}
		Fill(r)
		got := &r.Changes[0]
		if words := strings.TrimSuffix(got.Verdict+". "+got.Explained, ". "); words != want {
			t.Errorf("%s\nwant %s", words, want)
		}
		for _, line := range got.Lines {
			if n := len(strings.Fields(line)); n > 20 {
				t.Errorf("%d words: %s", n, line)
			}
		}
	}
}

// TestRanking: the changes by their gains, after costs.
func TestRanking(t *testing.T) {
	net, cost := estimate(1, 0), metric.Number(1)
	r := &whatif.Result{Changes: []whatif.ChangeResult{
		{Name: "a", Simulation: pair(5, 7, 0)}, {Name: "b", Simulation: pair(5, 8, 0), Net: &net, Nodes: [2]int{1, 3}}, {Name: "c", Simulation: pair(5, 4, 0)},
		{Name: "d", Simulation: pair(5, 5, 0)},
	}, Tied: true}
	if got, want := ranking(r), "Best first, before costs: a or b, as it is, d, c"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	r.Cost, r.Tied = &cost, false
	if got, want := ranking(r), "Best first, after costs: a +2.00, b +1.00, d 0, c -1.00"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestShown: of changes that exclude each other three are all shown, and of more the best
// two by net gain; many rows are in the order of the gains that they show. Customers and
// verdicts are of the same changes. Labels state cores and nodes.
func TestShown(t *testing.T) {
	r := &WhatIf{Result: &whatif.Result{Before: &whatif.ChangeResult{Name: "as it is"}, UnitName: "core", Nodes: 64, Hosts: 8, Cost: new(metric.Number)}}
	for i, name := range strings.Fields("policy=a policy=b policy=c policy=d growth=1 growth=2 growth=3 nodes=+16 cores=+24 all") {
		choice, _, _ := strings.Cut(name, "=")
		c := whatif.ChangeResult{Name: name, Choice: strings.TrimSuffix(choice, "all"), Simulation: pair(5, 6+float64(i), 0), Nodes: [2]int{64, 64}}
		switch choice {
		case "nodes":
			net := estimate(-1, 0)
			c.Net, c.Nodes[1] = &net, 80
		case "cores":
			c.Nodes[1] = 88
		}
		r.Changes = append(r.Changes, c)
	}
	want := "as it is|all|cores=+24 (3 nodes)|nodes=+16 (16 cores)|growth=3|growth=2|growth=1|policy=d|policy=c"
	var got []string
	for _, c := range r.shown() {
		got = append(got, label(r.Result, c))
	}
	if strings.Join(got, "|") != want || len(r.customerTable().Rows()[0]) != 10 || len(r.Verdicts()) != 8 || len(r.changeTable(true).Rows()) != 12 {
		t.Errorf("%s\nwant %s", strings.Join(got, "|"), want)
	}
	var out strings.Builder
	if r.Table(&out); !strings.Contains(out.String(), "\n2 more in --json\n") {
		t.Error(&out)
	}
}

// TestShownNamed: beside many policies, changes that were asked for by another name are all shown.
func TestShownNamed(t *testing.T) {
	r := &WhatIf{Result: &whatif.Result{Before: &whatif.ChangeResult{Name: "as it is"}}}
	for i, name := range strings.Fields("priority=x longest_wait=3d policy=a policy=b policy=c policy=d") {
		r.Changes = append(r.Changes, whatif.ChangeResult{Name: name, Choice: whatif.ChoicePolicy, Simulation: pair(5, 6+float64(i), 0)})
	}
	got := strings.Join(text.Each(r.shown(), func(c *whatif.ChangeResult) string { return c.Name }), "|")
	if want := "as it is|priority=x|longest_wait=3d|policy=c|policy=d"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestTogether: all together tells its losses and what no change has said, promises that the
// log kept are not sold as gains, of two with the same fate one line tells, and two changes
// that lose jobs and have much else to say are told in 190 words.
func TestTogether(t *testing.T) {
	promise := func(name string, before, after float64) whatif.PromiseChange {
		return whatif.PromiseChange{Name: name, Level: 0.9, EstimatePair: pair(before, after, 0), OfAdmitted: estimate(after, 0),
			Kept: study.PromiseState(estimate(after, 0), 0.9, true)}
	}
	change := func(name string, lost metric.Number, promises ...whatif.PromiseChange) whatif.ChangeResult {
		return whatif.ChangeResult{Name: name, Choice: name, Simulation: pair(5, 6, 0.3), Promises: promises,
			Customers: []whatif.CustomerServed{{Name: "a", Submitted: 100, GivenUp: lost, Completed: 100 - lost}},
			GivenUp:   []whatif.LostJobs{{Name: "a", Jobs: lost, Of: 100}, {Name: "b", Jobs: 0.6 * lost, Of: 100}},
			Bound:     whatif.BoundPair{Before: 8, After: 8}}
	}
	before := change("as it is", 0, promise("a", 0.5, 0.5), promise("b", 0.5, 0.5), promise("c", 0.8, 0.8))
	log := change("recorded", 0, promise("a", 0.5, 0.6), promise("b", 0.5, 0.6), promise("c", 0.8, 0.95))
	log.Simulation = pair(5, 6.5, 0)
	all := change("all together", 4, promise("a", 0.5, 0.92), promise("b", 0.5, 0.94), promise("c", 0.8, 0.91))
	all.Choice, all.Simulation = "", pair(5, 7, 0.3)
	paid := change("nodes=+16", 10, promise("a", 0.5, 0.7), promise("b", 0.5, 0.6), promise("c", 0.8, 0.91))
	cost, net, back := metric.Number(0.1), estimate(1, 0.3), metric.Number(1e8)
	paid.Net, paid.Payback, paid.Nodes = &net, &back, [2]int{128, 144}
	r := &whatif.Result{Head: study.Head{Scenario: "site"}, Policy: "easy",
		What:   "459 jobs of log.swf.gz at load 0.7822 on 1,024 cores on 128 nodes",
		Before: &before, Recorded: &log, Replications: 10, Level: 0.95, Drawn: study.DrawnLots, Admission: "analytic",
		UnitName: "core", Cost: &cost, Price: 4000, Tied: true, Changes: []whatif.ChangeResult{
			change("x", 20, promise("a", 0.5, 0.7), promise("b", 0.5, 0.6), promise("c", 0.8, 0.85)), paid, all}}
	Fill(r)
	for i, want := range []string{
		"gives up 20 of 100 jobs of a, 12 other jobs|breaks the promise to c: 85.0 % (log 95.0, promised 90)|" +
			"delivers less than the log, 6.50 $/h",
		"gives up 10 of 100 jobs of a, 6 other jobs|it pays: net +1.00 $/h, paid back in 3.2 years|" +
			"delivers less than the log, 6.50 $/h",
		"gives up 4 of 100 jobs of a, 2 other jobs",
	} {
		if got := strings.Join(r.Changes[i].Lines, "|"); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
	for outages, want := range map[bool]string{true: "out holds and limits,", false: "holds, outages and limits,"} {
		r.Outages = outages
		Fill(r)
		if !strings.Contains(log.Headline, want) {
			t.Errorf("%s, want %s", log.Headline, want)
		}
	}
	var out strings.Builder
	(&WhatIf{Result: r}).Table(&out)
	if n := len(strings.Fields(out.String())); n > 190 || strings.Count(out.String(), "gives up") != 3 {
		t.Errorf("%d words\n%s", n, &out)
	}
}

// TestGrowth: which pool should grow, in words.
func TestGrowth(t *testing.T) {
	change := func(pool, unit string, units int, gain, half, cost float64) whatif.ChangeResult {
		c := whatif.ChangeResult{Name: "pools." + pool, Units: []whatif.PoolUnits{{Pool: pool, Unit: unit, Units: [2]int{8, 8 + units}}}}
		per, net := estimate(gain/float64(units), half/float64(units)), estimate(gain-cost, half)
		c.Simulation.Difference, c.GainPerUnit = estimate(gain, half), &per
		if cost > 0 {
			c.Net = &net
		}
		return c
	}
	for _, tt := range []struct {
		by     string
		ties   int
		gpu    whatif.ChangeResult
		second whatif.ChangeResult
		want   string
	}{
		{whatif.GainPerDollar, 1, change("gpu", "gpu", 6, 9, 1, 3), change("cpu", "core", 1, 2, 1, 1.5),
			"gpu should grow first: +6 GPUs bring 9.0 ± 1.0 $/h for 3.00 $/h; next cpu: +1 core brings 2.0 ± 1.0 $/h for 1.50 $/h"},
		{whatif.GainPerUnit, 1, change("gpu", "gpu", 6, 9, 1, 0), change("cpu", "core", 2, 2, 1, 0),
			"gpu should grow first: +6 GPUs bring 9.0 ± 1.0 $/h, 1.50 ± 0.17 $ per GPU-hour; " +
				"next cpu: +2 cores bring 2.0 ± 1.0 $/h, 1.00 ± 0.50 $ per core-hour; " +
				"by gain per unit, but units differ: GPU and core"},
		{whatif.GainPerDollar, 1, change("gpu", "gpu", 6, 9, 1, 3), change("cpu", "core", 2, 2, 1, 5),
			"gpu should grow first: +6 GPUs bring 9.0 ± 1.0 $/h for 3.00 $/h"}, // cpu does not pay
		{whatif.GainPerDollar, 1, change("gpu", "gpu", 6, 9, 1, 3), change("cpu", "core", 2, 2, 1, 0),
			"gpu should grow first: +6 GPUs bring 9.0 ± 1.0 $/h for 3.00 $/h; cpu has no cost"},
		{whatif.GainPerDollar, 1, change("gpu", "gpu", 6, 9, 1, 12), change("cpu", "core", 2, 2, 1, 0),
			"No pool with a cost should grow: the best, gpu, does not pay: +6 GPUs bring 9.0 ± 1.0 $/h for 12.0 $/h; " +
				"cpu has no cost"},
		{whatif.GainPerDollar, 2, change("gpu", "gpu", 6, 9, 1, 3), change("cpu", "core", 2, 2, 1, 0.5),
			"gpu or cpu should grow first, they cannot be told apart: +6 GPUs bring 9.0 ± 1.0 $/h for 3.00 $/h; " +
				"+2 cores bring 2.0 ± 1.0 $/h for 0.500 $/h"},
		{whatif.GainPerDollar, 1, change("gpu", "gpu", 6, 9, 1, 12), change("cpu", "core", 2, 2, 1, 5),
			"No pool should grow: the best, gpu, does not pay: +6 GPUs bring 9.0 ± 1.0 $/h for 12.0 $/h"},
		{whatif.GainPerDollar, 1, change("gpu", "gpu", 6, 9, 4, 8), change("cpu", "core", 2, 2, 1, 5),
			"Undecided whether a pool should grow: the best is gpu: +6 GPUs bring 9.0 ± 4.0 $/h for 8.00 $/h"},
		{whatif.GainPerDollar, 1, change("gpu", "gpu", 6, 9, 4, 10), change("cpu", "core", 2, 2, 1, 5),
			"Undecided whether a pool should grow: the best is gpu: +6 GPUs bring 9.0 ± 4.0 $/h for 10.0 $/h"},
	} {
		r := &whatif.Result{Changes: []whatif.ChangeResult{tt.second, tt.gpu},
			Grow: &whatif.Growth{By: tt.by, Ties: tt.ties}}
		if r.Changes[0].Rank, r.Changes[1].Rank = 2, 1; tt.by == whatif.GainPerDollar && tt.second.Net == nil {
			r.Changes[0].Rank, r.Grow.Unpriced = 0, []string{"cpu"}
		}
		if got := growth(r); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}
