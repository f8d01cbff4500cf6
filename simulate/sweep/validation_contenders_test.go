package sweep

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"revopt/model/scenario"
)

// labels returns the labels of contenders.
func labels(list []Contender) []string {
	var words []string
	for _, c := range list {
		words = append(words, c.Label())
	}
	return words
}

func TestDefaultContenders(t *testing.T) {
	const trace = "trace: {file: sp2-like, jobs: last:60, nodes: 128}\n"
	const qos = "qos: {high_urgency: 0.2, penalty: {low_mean: 0.02}}\n"
	const grid = "sites: [{processors: 2, mips: 10}, {processors: 3, mips: 20}]\napplications: {count: 5}\n"
	for _, c := range []struct {
		name, text string
		admissions []Contender
		want       string
		out        int
	}{
		{"no qos", trace, nil, "fifo fcfs-bf sjf-bf edf-bf easy conservative", 8},
		{"qos", trace + qos, nil, "fifo fcfs-bf sjf-bf edf-bf easy conservative libra libra+$ libra-sla", 5},
		{"ic", trace + qos + "ic: {rate: 0.2}\n", nil, "fifo fcfs-bf sjf-bf edf-bf easy conservative libra libra+$ libra-sla mf-edf mf-hbf mf-timeshare hard-mo hard-m", 0},
		{"options", trace + qos + "policies: [{libra+$: {beta: 0.3}}, {libra+$: {beta: 1}}, {easy: {overrun: kill}}]\n", nil,
			"fifo fcfs-bf sjf-bf edf-bf easy:overrun=kill conservative libra libra+$:beta=0.3 libra+$:beta=1 libra-sla", 5},
		{"unlike nodes", "trace: {file: sp2-like, jobs: last:60}\nnodes: [{count: 64, speed: 168}, {count: 64, speed: 84}]\n" + qos, nil, "libra libra+$ libra-sla", 11},
		{"grid", grid, nil, "mf-edf mf-hbf mf-timeshare hard-mo hard-m", 9},
		{"batch", "sites: [{processors: 4, mips: 89}]\nbatch: {jobs: 9}\n", nil, "fifo fcfs-bf sjf-bf edf-bf easy conservative libra libra+$ libra-sla mf-edf mf-hbf mf-timeshare hard-mo hard-m", 0},
		{"classes", constant, nil, "hol, all fcfs, all", 0},
		{"widths", strings.Replace(strings.Replace(constant, "parallel: 1", "nodes: 4", 1), "price:", "width: {values: [1, 4], weights: [0.5, 0.5]}, price:", 1),
			[]Contender{{Admission: "all"}, {Admission: "half", Admit: [][]float64{{0.5}}}},
			"hol, all hol, half hol:backfill=true, all hol:backfill=true, half fcfs, all fcfs, half fcfs:backfill=true, all fcfs:backfill=true, half", 0},
	} {
		list, out, err := DefaultContenders(parsed(t, c.text), c.admissions)
		if got := strings.Join(labels(list), " "); err != nil || got != c.want || len(out) != c.out {
			t.Errorf("%s: %s and %d left out, %v, want %s and %d", c.name, got, len(out), err, c.want, c.out)
		}
		for _, o := range out {
			if o.Reason == "" || o.Policy == "" {
				t.Errorf("%s: %+v", c.name, o)
			}
		}
	}
	if _, _, err := DefaultContenders(parsed(t, "trace: {file: sp2-like, jobs: some}\n"), nil); err == nil {
		t.Error("a bad scenario was taken")
	}
}

// TestValidationOfTraces runs every policy that applies on traces and grids of
// the kinds that scenarios can describe, and looks at what stands for what.
func TestValidationOfTraces(t *testing.T) {
	const trace = "trace: {file: sp2-like, jobs: last:120, nodes: 128, arrival_delay_factor: 0.2}\nqos: {high_urgency: 0.2, penalty: {low_mean: 0.02}, inaccuracy: 0.2}\n"
	for _, c := range []struct {
		name, text string
		keep       func(Contender) bool
		serves     string
	}{
		{"whole", trace + "ic: {rate: 0.2}\n", func(c Contender) bool { return !c.Imprecise() }, "whole jobs"},
		{"partial", trace + "ic: {rate: 0.2}\n", Contender.Imprecise, "partial results by the deadline"},
		{"both", trace + "ic: {rate: 0.2}\n", func(Contender) bool { return true }, "whole jobs, also late, or partial results by the deadline"},
		{"unlike nodes", strings.Replace(trace, ", nodes: 128", "", 1) + "nodes: [{count: 100, speed: 100}, {count: 28, speed: 250}]\n", func(Contender) bool { return true }, "whole jobs"},
		{"grid", "sites: [{processors: 8, mips: 500}, {processors: 12, mips: 800}]\napplications: {count: 40, interarrival: 100}\n", func(Contender) bool { return true }, "partial results by the deadline"},
		{"batch", "sites: [{processors: 3, mips: 89}]\nbatch: {jobs: 60}\n", func(Contender) bool { return true }, "whole jobs, also late, or partial results by the deadline"},
	} {
		doc := parsed(t, c.text)
		all, _, err := DefaultContenders(doc, nil)
		if err != nil {
			t.Fatal(err)
		}
		v := &Validation{Scenario: doc, Contenders: slices.DeleteFunc(all, func(x Contender) bool { return !c.keep(x) }), Replications: 2, Seed: 4}
		found := validated(t, v, 0)
		p := &found.Points[0]
		if found.Serves != c.serves || found.Timed || p.Seconds != nil || len(p.Bounds) != 2 {
			t.Errorf("%s: serves %s, timed %v, %d bounds", c.name, found.Serves, found.Timed, len(p.Bounds))
		}
		order := p.Order()
		for n, i := range order {
			e, charged := p.Efficiency(i), p.ChargedEfficiency(i)
			if e.Mean > 1+1e-6 || charged.Mean > 1+1e-6 || math.IsNaN(e.Mean) || n > 0 && e.Mean > p.Efficiency(order[n-1]).Mean {
				t.Errorf("%s: %s has efficiency %g and charges %g", c.name, v.Contenders[i].Label(), e.Mean, charged.Mean)
			}
			if v.Contenders[i].Imprecise() && charged != e {
				t.Errorf("%s: %s charges %+v and delivers %+v", c.name, v.Contenders[i].Label(), charged, e)
			}
			if s := p.Rows[i].Samples[1].Total; int(s.Submitted) != p.Jobs[1] {
				t.Errorf("%s: %d jobs, %d under the bounds", c.name, s.Submitted, p.Jobs[1])
			}
		}
		if best := p.Efficiency(order[0]).Mean; best < 0.3 {
			t.Errorf("%s: the best policy has efficiency %g", c.name, best)
		}
	}
}

// TestDrainedHorizon checks that long scenarios are cut, and short ones not.
func TestDrainedHorizon(t *testing.T) {
	for _, c := range []struct {
		simulation string
		jobs       int
		want       float64
		horizon    float64
	}{
		{"{jobs: 100000}", 0, DrainedJobs, 0}, {"{jobs: 70}", 0, 70, 0}, {"{jobs: 70}", 9000, 9000, 0},
		{"{horizon: 1000}", 0, 80, 1000}, {"{horizon: 1000000}", 0, DrainedJobs, 62500}, {"{horizon: 1000}", 30, 30, 0},
	} {
		sc, err := parsed(t, strings.Replace(constant, "{jobs: 2000, warmup: 50%, replications: 3}", c.simulation, 1)).ClassScenario()
		if err != nil {
			t.Fatal(err)
		}
		a, err := newClassArena(sc, 1, c.jobs)
		if err != nil || math.Abs(a.jobs()-c.want) > 1e-9*c.want || math.Abs(a.horizon-c.horizon) > 1e-6 {
			t.Errorf("%s: %g jobs to %g s, want %g to %g: %v", c.simulation, a.jobs(), a.horizon, c.want, c.horizon, err)
		}
		jobs, err := a.offered(context.Background(), 3, nil)
		if err != nil || c.horizon > 0 && len(jobs) > 0 && jobs[len(jobs)-1].Release > c.horizon || c.horizon == 0 && len(jobs) != int(c.want) {
			t.Errorf("%s: %d jobs, %v", c.simulation, len(jobs), err)
		}
	}
}

func TestValidationRefuses(t *testing.T) {
	trace := "trace: {file: sp2-like, jobs: last:50, nodes: 128}\n"
	qos := trace + "qos: {high_urgency: 0.2}\n"
	for _, c := range []struct {
		name, text string
		v          Validation
		want       string
	}{
		{"nobody", constant, Validation{}, "nothing to compare"},
		{"no qos", trace, Validation{Contenders: []Contender{{Policy: "easy"}}}, "expected a trace with qos"},
		{"no ic", qos, Validation{Contenders: []Contender{{Policy: "mf-edf"}}}, "no ic"},
		{"admission of a trace", qos, Validation{Contenders: []Contender{{Policy: "easy", Admit: [][]float64{{1}}}}}, "job classes"},
		{"unknown policy", qos, Validation{Contenders: []Contender{{Policy: "hol"}}}, "hol"},
		{"probabilities", constant, Validation{Contenders: []Contender{{Policy: "hol", Admit: [][]float64{{1, 1}}}}}, "2 admission"},
		{"admissions", constant, Validation{Contenders: []Contender{{Policy: "hol", Admit: [][]float64{{1}, {1}}}}}, "2 admissions for 1 points"},
		{"path", constant, Validation{Contenders: []Contender{{Policy: "hol"}}, Vary: scenario.Axis{Path: "lod", Values: []float64{1}}}, "lod"},
		{"cells", constant, Validation{Contenders: []Contender{{Policy: "hol"}}, Replications: maxCells}, "at most"},
	} {
		c.v.Scenario = parsed(t, c.text)
		if _, err := c.v.Open(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}
