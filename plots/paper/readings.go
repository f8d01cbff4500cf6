package paper

import (
	"fmt"

	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/simulate/workload"
)

// set returns an override of a field by words.
func set(path, value string) scenario.Override { return scenario.Override{Path: path, Value: value} }

// joints are the single readings whose union holds most claims of their paper, and how
// many unions were tried to find it.
var joints = map[string]struct {
	parts []string
	tried int
}{
	"nist":    {[]string{"no-grace"}, 11},
	"libra":   {nil, 6},
	"ic":      {[]string{"speed"}, 7},
	"pricing": {[]string{"window-none", "spreads"}, 97},
	"sla":     {nil, 8},
}

// nistReadings are the ways to read Marbukh and Mills. The text leaves open how its
// numbers of sections V and VI were computed from the formulas that it prints.
func nistReadings() []Reading {
	const (
		formula  = "section VI, (30): the loss counts from max(0, Φ T0 − τmin)"
		capacity = "section IV: the provider runs 30 jobs at a time, C = 30/4400"
		average  = "section VI: over loads of 0.85 to 1.00 delay is 56 % of the other on average"
	)
	each := func(field, value string) []scenario.Override {
		return text.Each(clusterClasses, func(class string) scenario.Override { return set("classes."+class+"."+field, value) })
	}
	decide := func(name, changes, reads, means, claim, criterion string) Reading {
		return Reading{Name: name, Changes: changes, Reads: reads, Means: means, Criteria: map[string]string{claim: criterion}}
	}
	phi := func(name, means, points string) Reading {
		return decide(name, "nist-cluster/phi", average, means, "nist-phi-value", "mean {Simulated}["+points+"] ~ 0.56")
	}
	return []Reading{
		{
			Name: "no-grace", Changes: "nist-cluster", Reads: formula,
			Means: "(30) without τmin, on one pooled server whose delay scale Φ T0 is 610 s at full load; jobs are simulated with their grace",
			Set:   []scenario.Override{set("server.residual", "pooled"), set("server.grace", "ignored"), scenario.Set("phi", 1.525)},
			// Of 1, 1.025, ..., 2, 1.475 has the least squares of the three numbers of figure
			// 15, relative, and 1.575 the least largest deviation.
			Free: []string{"phi = 1.525"}, Tried: 41,
		},
		{
			Name: "deadline", Changes: "nist-cluster", Reads: "table 1: τmin is 3 job lengths",
			Means: "τmin is counted from submission to end, so that a wait of two lengths is free, in (30) and in simulations",
			Set:   each("deadline", "{lengths: 3}"),
		},
		{
			Name: "pooled", Changes: "nist-", Reads: "section III, (17), (18): one server of capacity C",
			Means: "T0 and waits of one server that is n times as fast; the grace is subtracted from the wait",
			Set:   []scenario.Override{set("server.residual", "pooled")},
		},
		{
			Name: "hourly", Changes: "nist-one nist-two nist-four", Reads: capacity,
			Means: "n = 24.55, the jobs of 4400 s that 30 servers run in an hour",
			Set:   []scenario.Override{scenario.Set("server.parallel", 30*3600/4400.0), scenario.Set("load", 0.8)},
		},
		{
			Name: "thirty", Changes: "nist-four", Reads: capacity, Means: "n = 30 for four classes too, without grace, as figure 12 draws them",
			Set: []scenario.Override{scenario.Set("server.parallel", 30), scenario.Set("load", 0.6)},
		},
		{
			Name: "thirty-grace", Changes: "nist-four", Reads: capacity + "; the grace is 3 × 4400 s",
			Means: "n = 30 and a grace of 13200 s for four classes too",
			Set:   append(each("grace", "13200"), scenario.Set("server.parallel", 30), scenario.Set("load", 0.6)),
		},
		decide("of-capacity", "nist-two/low", "section V: no more than 70 % of the low-value jobs can be admitted",
			"70 % is the part of the capacity that low-value jobs may use, at a load of 80 %", "nist-10-low-share", "0.8 * top {Low} ~ 70"),
		phi("phi-from-90", "the mean at loads of 0.90, 0.95 and 1.00", "90,95,100"),
		phi("phi-fine", "the mean at loads from 0.85 to 1.00 in steps of 0.025", "85.."),
		phi("phi-below-1", "the mean at loads from 0.85 to 0.975 in steps of 0.025, where both queues have a steady state", "85..97.5"),
		{
			Name: "widths-of-work", Changes: "nist-cluster-widths",
			Reads: "end of section VI: 50, 30 and 20 % of the workload need 250, 750 and 1500 processors",
			Means: "these are shares of the work: 79, 16 and 5 % of the jobs",
			Set:   each("width.weights", "[0.7894736842105263, 0.15789473684210525, 0.05263157894736842]"),
		},
	}
}

// libraReadings are the ways to read Sherwani et al. (2004). The speed of a node is
// fitted in all of them: the paper gives none.
func libraReadings() []Reading {
	const (
		spare  = "the scheduling algorithm: a node gives a job the share that it needs, and may bring it up to date"
		choice = "the scheduling algorithm: the least loaded of the nodes that accept gets the job"
		due    = "performance evaluation: deadlines range from 1 to 1200"
		speed  = "performance evaluation: lengths are in MI, and the speed of a node is not given"
	)
	var list []Reading
	option := func(name, reads, means, option, value string) {
		list = append(list, Reading{Name: name, Changes: "libra-2004", Reads: reads, Means: means,
			Options: map[string]map[string]string{"libra": {option: value}}})
	}
	field := func(name, reads, means string, set scenario.Override) {
		list = append(list, Reading{Name: name, Changes: "libra-2004", Reads: reads, Means: means, Set: []scenario.Override{set}})
	}
	option("spare-none", spare, "a job has the share that it needs, and the rest of the node idles", "spare", "none")
	option("spare-proportional", spare, "the rest of a node goes to its jobs in proportion to their shares", "spare", "proportional")
	option("best-fit", choice, "the load is what the node has left: the fullest that accepts gets the job, as in Yeo and Buyya (2005, 2007)",
		"choice", "best-fit")
	field("from-start", due, "deadlines are times of the simulation rather than after the arrival of a job", set("batch.deadlines_from", "start"))
	for _, mips := range []float64{80, 100} {
		field(fmt.Sprintf("mips-%g", mips), speed, fmt.Sprintf("nodes have %g MIPS rather than %d", mips, workload.PaperMIPS),
			scenario.Set("sites.0.mips", mips))
	}
	return list
}

// impreciseReadings are the ways to read Kim, Buyya and Kim (2007).
func impreciseReadings() []Reading {
	const (
		base  = "section 4, figure 4(b): deadlines exceed the average execution time; the average is over a set that is not named"
		equal = "section 3.1: the site that can complete the most is chosen; of equal ones, which all idle ones are, none is named"
		rates = "section 4, figures 4(c) and 6: budget functions are linear with different rates, of which figure 6 states the averages"
		sites = "[{processors: 24, mips: 1500}, {processors: 32, mips: 1250}, {processors: 24, mips: 1000}, " +
			"{processors: 16, mips: 1000}, {processors: 16, mips: 750}, {processors: 32, mips: 500}]"
	)
	execution := func(e model.Execution) scenario.Override { return set("applications.execution", string(e)) }
	reading := func(name, reads, means string, set ...scenario.Override) Reading {
		return Reading{Name: name, Changes: "ic-grid", Reads: reads, Means: means, Set: set}
	}
	return []Reading{
		reading("processors", base, "the average is over the processors", execution(model.OverProcessors)),
		reading("speed", base, "the average is the time at the mean speed of the processors, 1000 MIPS", execution(model.AtMeanSpeed)),
		reading("mandatory", base, "the average, over the sites, is of the mandatory part alone", execution(model.OfMandatory)),
		reading("fastest", equal, "the fastest of equal sites", set("sites", sites)),
		reading("fastest-speed", equal, "the fastest of equal sites, and deadlines by the mean speed of the processors",
			set("sites", sites), execution(model.AtMeanSpeed)),
		reading("one-rate", rates, "all applications have the average rate", scenario.Set("applications.spread", 0)),
		reading("all-rates", rates, "rates are drawn evenly from 0 to twice the average", scenario.Set("applications.spread", 1)),
	}
}

// pricingReadings are the ways to read Yeo and Buyya (2007).
func pricingReadings() []Reading {
	const (
		free  = "section VI, (6): free processor time from arrival to deadline excludes the estimates of the other jobs"
		share = "Algorithm 2: a job has the share that it needs"
		lapse = "section VII.B: waiting jobs past their deadlines are not run, and jobs are chosen at the latest time"
		sd    = "section VII.B: deadlines and budgets are normal about their means, with spreads that are not given"
		least = "section VII.C: the workload is high where the arrival delay factor is low; the least factor is not given"
	)
	var list []Reading
	add := func(r Reading) { r.Changes = "sp2-like"; list = append(list, r) }
	options := func(free string, spare bool) map[string]map[string]string {
		o := map[string]map[string]string{"libra+$": {"free": free}}
		if !spare {
			o["libra+$"]["spare"], o["libra"] = "none", map[string]string{"spare": "none"}
		}
		return o
	}
	for _, f := range []struct{ name, means string }{
		{"full", "the whole estimates of the other jobs count"},
		{"remaining", "what is left of the estimates of the other jobs counts"},
		{"window", "of the other jobs counts what they are to get before the deadline of the new one"},
		{"nominal", "each other job holds the share that it was taken with until it ends"},
	} {
		r := Reading{Name: f.name, Reads: free, Means: f.means, Options: options(f.name, true)}
		if f.name == "nominal" { // what a node has room for, and what an overdue job holds, are not in the text
			r.Free, r.Tried = []string{"the rule for room on a node"}, 7
		}
		if f.name != "full" {
			add(r)
		}
		r.Name, r.Reads, r.Means = f.name+"-none", free+"; "+share, f.means+", and the rest of a node idles"
		r.Options = options(f.name, false)
		add(r)
	}
	latest := map[string]string{"lapse": "latest"}
	add(Reading{Name: "latest", Reads: lapse, Means: "a waiting job leaves when it can no longer end in time",
		Options: map[string]map[string]string{"fcfs-bf": latest, "sjf-bf": latest, "edf-bf": latest}})
	spreads := func(deadline, budget float64) []scenario.Override {
		return []scenario.Override{scenario.Set("qos.deadline.sd", deadline), scenario.Set("qos.budget.sd", budget)}
	}
	for _, x := range []float64{0.1, 0.5} {
		add(Reading{Name: fmt.Sprintf("sd-%g", x), Reads: sd, Set: spreads(x, x),
			Means: fmt.Sprintf("standard deviations are %g of the means", x)})
	}
	add(Reading{Name: "spreads", Reads: sd, Set: spreads(0.5, 0.2),
		Means: "standard deviations are half of the mean deadlines and a fifth of the mean budgets",
		Free:  []string{"qos.deadline.sd", "qos.budget.sd"}, Tried: 12})
	for _, x := range []float64{0.02, 0.05} {
		add(Reading{Name: fmt.Sprintf("from-%g", x), Reads: least, From: x,
			Means: fmt.Sprintf("claims on figures 2 and 4 begin at a delay factor of %g rather than 0.1", x)})
	}
	return list
}

// slaReadings are the ways to read Yeo and Buyya (2005). The paper states the ratios
// of means of its agreements, not the means nor the spreads. All of them compute the
// return of a node when a job arrives; return-now does nothing else.
func slaReadings() []Reading {
	const (
		means = "section 5.1: deadlines, budgets and penalties are normal, with means in given ratios; neither the means nor the spreads are stated"
		more  = "section 5.3: with a fifth of the deadlines hard about 20 % more jobs and 10 % more utility than with four fifths; " +
			"of which whole is not stated"
	)
	reading := func(name, reads, means string, points bool, set ...scenario.Override) Reading {
		return Reading{Name: name, Reads: reads, Means: means, Changes: "sp2-sla", Points: points, Set: set,
			Options: map[string]map[string]string{"libra-sla": {"return": "now"}}}
	}
	narrow := []scenario.Override{
		scenario.Set("qos.deadline.sd", 0.25), scenario.Set("qos.budget.sd", 0.25), scenario.Set("qos.penalty.sd", 0.25),
	}
	alone := reading("alone", more, "the quoted improvements are in points, of all jobs and all budgets, "+
		"and those with 20 % hard deadlines: with 80 % there is less", true)
	alone.Changes, alone.Criteria = "sp2-sla/quoted", map[string]string{
		"sla-02a-twenty": "mean {20 %} ~ 20", "sla-02b-ten": "mean {20 %} ~ 10",
	}
	spare := reading("spare", "section 5.1: Libra takes nodes by best fit; whether it gives away capacity that is left is not said",
		"Libra gives spare capacity to its jobs in proportion to their shares", false)
	spare.Options["libra"] = map[string]string{"spare": "proportional"}
	return []Reading{
		reading("points", more, "improvements are in points of all jobs that were submitted, and of all budgets", true),
		alone,
		reading("narrow", means, "standard deviations of a quarter of the means, as in the pricing paper", false, narrow...),
		reading("narrow-points", means, "the same, with improvements in points", true, narrow...),
		spare,
		reading("return-now", "section 4.2, line 5 of algorithm 1: a node must not lose return; "+
			"when its return without the job was computed is not said",
			"the return of a node without the job is computed again when the job arrives", false),
	}
}
