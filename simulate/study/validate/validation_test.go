package validate

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"revopt/internal/fixture"
	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate/agent"
	"revopt/simulate/experiment"
	"revopt/simulate/metric"
	"revopt/simulate/plan"
	"revopt/simulate/study"
	"revopt/simulate/subject"
)

// Without choices all policies whose needs are met take part, with the options
// that the scenario lists, and the others are left out with a reason.
func TestContenders(t *testing.T) {
	const trace = "trace: {file: sp2-like, jobs: last:60, nodes: 128}\n"
	const qos = "qos: {high_urgency: 0.2, penalty: {low_mean: 0.02}}\n"
	const grid = "sites: [{processors: 2, mips: 10}, {processors: 3, mips: 20}]\napplications: {count: 5}\n"
	const queues = "hol hol:backfill=true fcfs fcfs-bf sjf-bf edf-bf easy conservative sjf saf-bf wfp3 unicef f1" +
		" slurm value-bf value-bf:preempt=suspend first-price first-reward cmu-theta d-over" +
		" server-filling server-filling-srpt las"
	const shares = " libra libra+$ libra-sla"
	under := func(labels string, admissions ...string) string {
		var list []string
		for _, label := range strings.Fields(labels) {
			for _, name := range admissions {
				list = append(list, label+", "+name)
			}
		}
		return strings.Join(list, " ")
	}
	half := []experiment.Admission{{Name: "all"}, {Name: "half", Admit: []float64{0.5}}}
	widths := strings.Replace(strings.Replace(fixture.Constant, "parallel: 1", "nodes: 4", 1), "price:", "width: {values: [1, 4], weights: [0.5, 0.5]}, price:", 1)
	for _, c := range []struct {
		name, text string
		admissions []experiment.Admission
		want       string
		out        int
	}{
		{"no qos", trace, nil, queues + " bid-price", 8},
		{"qos", trace + qos, nil, queues + shares + " bid-price", 5},
		{"ic", trace + qos + "ic: {rate: 0.2}\n", nil, queues + shares + " mf-edf mf-hbf mf-timeshare hard-mo hard-m bid-price", 0},
		{"options", trace + qos + "policies: [{libra+$: {beta: 0.3}}, {libra+$: {beta: 1}}, {easy: {overrun: kill}}]\n", nil,
			strings.Replace(queues, "easy", "easy:overrun=kill", 1) + " libra libra+$:beta=0.3 libra+$:beta=1 libra-sla" +
				" bid-price", 5},
		{"listed", trace + "policies: [hol, {value-bf: {future: 1}}]\n", nil,
			strings.Replace(queues, "value-bf value-bf:preempt=suspend", "value-bf:future=1", 1) + " bid-price", 8},
		{"listed twice", trace + "policies: [{hol: {backfill: true}}, hol]\n", nil,
			strings.Replace(queues, "hol hol:backfill=true", "hol:backfill=true hol", 1) + " bid-price", 8},
		{"unlike nodes", "trace: {file: sp2-like, jobs: last:60}\nnodes: [{count: 64, speed: 168}, {count: 64, speed: 84}]\n" + qos, nil, "libra libra+$ libra-sla", 27},
		{"grid", grid, nil, "mf-edf mf-hbf mf-timeshare hard-mo hard-m", 25},
		{"batch", "sites: [{processors: 4, mips: 89}]\nbatch: {jobs: 9}\n", nil, queues + shares + " bid-price", 5},
		{"classes", fixture.Constant, nil, "hol, all hol, analytic hol, simulated " +
			under(strings.TrimPrefix(queues, "hol")+" bid-price", "all"), 8},
		{"widths", widths + "policies: [easy]\n", half,
			under(strings.Replace(queues, " fcfs", " fcfs fcfs:backfill=true", 1)+" bid-price", "all", "half"), 8},
	} {
		v := &Validation{Subject: fixture.Opened(t, c.text), All: true, Admissions: c.admissions}
		var labels []string
		for _, row := range v.rows() {
			labels = append(labels, row.Label())
		}
		if got := strings.Join(labels, " "); got != c.want || len(v.leftOut) != c.out {
			t.Errorf("%s: %s and %d left out, want %s and %d", c.name, got, len(v.leftOut), c.want, c.out)
		}
		for _, o := range v.leftOut {
			if !strings.HasPrefix(o.Reason, "needs ") || o.Policy == "" {
				t.Errorf("%s: %+v", c.name, o)
			}
		}
	}
}

// TestHeadline: without policies that are named, a validation has those of the scenario, else the headline set, in at
// most nine rows.
func TestHeadline(t *testing.T) {
	const own, sites = "value-bf:preempt=suspend value-bf ", "easy slurm conservative fcfs"
	widths := strings.Replace(strings.Replace(fixture.Constant, "parallel: 1", "nodes: 4", 1), "price:",
		"width: {values: [1, 4], weights: [0.5, 0.5]}, price:", 1)
	classes := "value-bf:preempt=suspend, all value-bf, all %seasy, all slurm, all conservative, all fcfs, all hol, all" +
		" hol, analytic"
	const trace = "trace: {file: sp2-like, jobs: last:60}\n"
	for _, c := range []struct{ text, want string }{
		{trace, own + "hol:backfill=true " + sites},
		{trace + "policies: [fcfs-bf, {easy: {overrun: kill}}]\n", "fcfs-bf easy:overrun=kill"},
		{fixture.Constant, fmt.Sprintf(classes, "")},
		{widths, fmt.Sprintf(classes, "hol:backfill=true, all ")},
		{"sites: [{processors: 8, mips: 500}, {processors: 2, mips: 10}]\napplications: {count: 20}\n",
			"mf-edf mf-hbf mf-timeshare hard-mo hard-m"},
	} {
		v := &Validation{Subject: fixture.Opened(t, c.text)}
		labels := text.Each(v.rows(), plan.Row.Label)
		if got := strings.Join(labels, " "); got != c.want || len(labels) > 9 {
			t.Errorf("%s: %d rows %s, want %s", c.text, len(labels), got, c.want)
		}
	}
	lines := []string{fixture.LoggedJob(0, 0, 10, 1, 1, 1, 1), fixture.LoggedJob(5, 0, 10, 1, 1, 1, 1)}
	v := &Validation{Subject: fixture.Logged(t, "", lines)}
	if rows := v.rows(); rows[len(rows)-1].Label() != subject.Recorded || len(rows) > 9 {
		t.Errorf("rows %v", text.Each(rows, plan.Row.Label))
	}
}

// A validation carries everything out: admissions, model bounds, points along an
// axis, and a result with the JSON that scripts read.
func TestValidation(t *testing.T) {
	for _, c := range []struct {
		name, text string
		models     int
		vary       string
	}{
		{"classes", strings.Replace(fixture.Constant, "replications: 3", "replications: 2", 1), 3, "load"},
		{"trace", strings.Replace(fixture.SmallTrace, "first:500", "first:100", 1), 0, "trace.arrival_delay_factor"},
		{"customers", fixture.Customers(t), 0, "trace.arrival_delay_factor"},
		{"grid", "sites: [{processors: 8, mips: 500}, {processors: 12, mips: 800}]\napplications: {count: 20, interarrival: 100}\n", 0, "applications.interarrival"},
	} {
		s := fixture.Opened(t, c.text)
		v := &Validation{Subject: s, Policies: fixture.Named(t, s.Usual), Admissions: []experiment.Admission{{Name: scenario.AdmitAll}}, Figures: true, Jobs: 40, Replications: 2, Seed: 1}
		if c.name != "grid" {
			v.Admissions = append(v.Admissions, experiment.Admission{Name: scenario.AdmitAnalytic})
		}
		if err := v.Open(context.Background()); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		r, err := v.Run(context.Background())
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		m := decoded(t, r)
		for _, field := range []string{"bounds", "steady_state", "closest", "vary", "points", "left_out", "scenario", "seed", "replications", "cleaning", "policies", "warnings"} {
			if _, ok := m[field]; !ok {
				t.Errorf("%s: no %s", c.name, field)
			}
		}
		kinds := map[any]int{}
		best := 0
		for _, b := range m["bounds"].([]any) {
			o := b.(map[string]any)
			kinds[o["kind"]]++
			for _, field := range []string{"name", "kind", "proves", "total", "half_width", "level", "n", "revenue_per_second", "gap", "limits", "found", "best", "total_by_replication"} {
				if _, ok := o[field]; !ok {
					t.Errorf("%s: a bound has no %s", c.name, field)
				}
			}
			if o["best"] == true {
				best++
			}
		}
		proven := 4
		if c.name == "grid" { // partial results
			proven = 3
		}
		if kinds[study.Proven] != proven || kinds[study.Model] != c.models || best != 1 {
			t.Errorf("%s: bounds %v, %d of them best", c.name, kinds, best)
		}
		for i, row := range m["policies"].([]any) {
			o := row.(map[string]any)
			fixture.CheckMeasures(t, c.name, o)
			e := o["efficiency"].(map[string]any)["mean"].(float64)
			if !(e <= 1) || o["charged_efficiency"] == nil || !(math.Abs(o["efficiency_of_kind"].(map[string]any)["mean"].(float64)) >= math.Abs(e)) || o["kind"] == nil || o["delivered"] == nil || i == 0 && m["closest"].(map[string]any)["label"] != o["label"] {
				t.Errorf("%s: %v, closest is %v", c.name, o, m["closest"])
			}
		}
		points := m["points"].([]any)
		if m["vary"] != c.vary || len(points) != 5 {
			t.Errorf("%s: %d points along %v", c.name, len(points), m["vary"])
		}
		for i, x := range points {
			p := x.(map[string]any)
			if i > 0 && p["value"].(float64) <= points[i-1].(map[string]any)["value"].(float64) || len(p["policies"].([]any)) != len(v.Admissions) || len(p["bounds"].([]any)) != proven+c.models {
				t.Errorf("%s: %v", c.name, p)
			}
		}
		// The scenario's own point is that of the table.
		own := points[2].(map[string]any)
		if own["policies"].([]any)[0].(map[string]any)["label"] != m["policies"].([]any)[0].(map[string]any)["label"] || own["value"].(float64) != s.Value {
			t.Errorf("%s: %v is not the scenario's own point %g", c.name, own["value"], s.Value)
		}
	}
}

// Rules of admission, and those that are searched, take part in validations.
func TestValidationAdmissions(t *testing.T) {
	s := fixture.Opened(t, fixture.Customers(t))
	full := experiment.Admission{Name: "short queues", Rule: agent.Thresholds{Waiting: []int{0, 0, 0}}}
	v := &Validation{Subject: s, Policies: fixture.Named(t, "easy"), Admissions: []experiment.Admission{{Name: scenario.AdmitAll}, full, {Name: scenario.AdmitSimulated}, {Name: "none", Admit: []float64{0, 0}}}, Seed: 1}
	if err := v.Open(context.Background()); err != nil {
		t.Fatal(err)
	}
	r, err := v.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]study.Row{}
	for _, row := range r.Policies {
		rows[row.Label] = row
	}
	refused := func(label string) metric.Number { return rows[label].Total.Get("rejected_admission").Mean }
	if refused("easy, all") != 0 || refused("easy, short queues") == 0 || refused("easy, none") != 27 || !rows["easy, simulated"].Searched {
		t.Errorf("refused %g, %g and %g", refused("easy, all"), refused("easy, short queues"), refused("easy, none"))
	}
	grid := fixture.Opened(t, "sites: [{processors: 8, mips: 500}, {processors: 12, mips: 800}]\napplications: {count: 20, interarrival: 100}\n")
	few := *grid
	few.Specs = subject.Standard()[:2]
	for _, v := range []*Validation{
		{Subject: grid, Policies: fixture.Named(t, "mf-edf"), Admissions: []experiment.Admission{{Name: scenario.AdmitAnalytic}}},
		{Subject: &few}, {Subject: grid, Policies: []subject.Policy{}},
	} {
		if err := v.Open(context.Background()); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("got %v", err)
		}
	}
}

// With a precision a validation goes on until all intervals are narrow enough.
func TestValidationStops(t *testing.T) {
	s := fixture.Opened(t, fixture.Constant)
	v := &Validation{Subject: s, Policies: fixture.Named(t, "fcfs"), Admissions: []experiment.Admission{{Name: scenario.AdmitAll}}, Jobs: 40, Seed: 1,
		Stop: &plan.Stop{Measure: metric.RevenuePerSecond(), Precision: metric.Precision{Relative: 0.04, Max: 40}}}
	if err := v.Open(context.Background()); err != nil {
		t.Fatal(err)
	}
	r, err := v.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	i := r.Policies[0].Total.Get("revenue_per_second").Interval()
	if r.Precision == nil || r.Precision.Met != (i.Relative() <= 0.04) || r.Replications < 20 || r.Replications > 40 {
		t.Errorf("%+v after %d replications: %+v", r.Precision, r.Replications, i)
	}
}
