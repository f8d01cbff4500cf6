package report

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate/metric"
	"revopt/simulate/plan"
	"revopt/simulate/study"
	"revopt/simulate/workload"
)

// interval is a mean and half width at 95 %.
func interval(mean, half float64) metric.Interval {
	return metric.Interval{Mean: mean, HalfWidth: half, Level: 0.95, N: 10}
}

// estimate is the same as an Estimate.
func estimate(mean, half float64) study.Estimate {
	return study.Estimate{Mean: metric.Number(mean), HalfWidth: metric.Number(half), Level: 0.95, N: 10}
}

// sample is a report of the given policies; the i-th delivers 0.9 - 0.05 i of
// the bound 1000 at the scenario's own point, and less at a higher load.
func sample(names ...string) *Report {
	doc, err := scenario.Parse("sample", []byte("name: sample\n"))
	if err != nil {
		panic(err)
	}
	bound := func(name, kind string, mean, half, gap float64) study.BoundResult {
		b := study.BoundResult{Name: name, Kind: kind, Total: metric.Number(mean), Money: interval(mean, half), Gap: metric.Number(gap)}
		if kind == study.Proven {
			b.Limits = plan.AllPolicies
		}
		return b
	}
	v := &study.ValidationResult{Vary: "load", Value: 0.9, Bounds: []study.BoundResult{
		bound("fluid", study.Proven, 1200, 20, math.NaN()), bound("clairvoyant", study.Proven, 1000, 10, 0.0021), bound("static optimum (printed)", study.Model, 720, 0, 1e-7),
	}}
	v.Bounds[1].Best, v.Bounds[1].Proves = true, "knows the future"
	r := &study.Result{
		Head: study.Head{Scenario: "sample", Version: "v1"},
		What: "5,000 jobs on 128 nodes", Seed: 7, Replications: 10, Level: 0.95,
		Cleaning: &workload.Cleaning{Rule: "keep"}, Validated: v, Source: string(doc.Source()),
	}
	for i, name := range names {
		x := 0.9 - 0.05*float64(i)
		row := study.Row{RowID: study.RowID{Label: name}, Total: make(study.Estimates, len(metric.Measures())), Validated: &study.ValidatedRow{
			Efficiency: estimate(x, 0.0123), OfKind: estimate(x, 0.0123), Charged: estimate(x/2, 0.01), Behind: estimate(0.05*float64(i), 0.02), Money: estimate(1000*x, 12.3),
		}}
		r.Policies = append(r.Policies, row)
	}
	for _, load := range []float64{0.5, 0.7, 0.9, 1.3, 1.8} {
		p := study.PointResult{Value: metric.Number(load), Bounds: []study.BoundResult{
			bound("fluid", study.Proven, 1200*load, 20, 0), bound("clairvoyant", study.Proven, 1000*load, 10, 0), bound("static optimum (printed)", study.Model, 800*load, 0, 0),
		}}
		for i := range names {
			e := 1 - (0.1+0.05*float64(i))*load
			p.Policies = append(p.Policies, study.PointShare{Efficiency: estimate(e, 0.02), Money: interval(1000*load*e, 20)})
		}
		v.Points = append(v.Points, p)
	}
	return New(r, "revopt validate sample")
}

func fourteen() []string {
	var names []string
	for i := range 14 {
		names = append(names, fmt.Sprintf("policy-%d:option=%d", i, i))
	}
	return names
}

func table(r *Report) string {
	var b bytes.Buffer
	r.Table(&b)
	return b.String()
}

func TestTable(t *testing.T) {
	r := sample("easy", "libra")
	r.Validated.Bounds[2].Row = "libra"
	r.Explain = true
	got := table(r)
	for _, want := range []string{
		"sample: 5,000 jobs on 128 nodes\n10 replications, seed 7; ± is 95 % confidence\n",
		"cleaning keep: nothing to do\nno warm-up, all jobs followed to their end\n",
		"easy    90.0 ± 1.2 %",
		"5.0 ± 2.0", // libra, less than the best
		"clairvoyant *             proven  any policy  1,000 ± 10",
		"0.2 %",
		"static optimum (printed)  model",
		"Run easy: it delivers 90.0 ± 1.2 % of what no policy can exceed; the next is libra with 85.0 ± 1.2 %, 5.0 ± 2.0 points less (paired).",
		"A proven bound cannot be exceeded",
		"a policy may pass it.",
		// 720 against 900.
		"In simulation the best policy, easy, delivers 900 ± 12 $; the model predicts 720.0 $ (static optimum (printed)), 20.0 % too low.",
		"The admission of the static optimum (printed) delivers 850 ± 12 $ when it is simulated (libra): the prediction for it is 15.3 % too low.",
	} {
		if !strings.Contains(unbroken(got), unbroken(want)) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	for _, line := range strings.Split(got[strings.Index(got, "Run easy"):], "\n") {
		if n := utf8.RuneCountInString(line); n > text.MaxColumns {
			t.Errorf("a line of %d characters: %s", n, line)
		}
	}
}

// TestTableShort: the verdict comes first, tables and prose fit the lines, and of many policies those that are tied
// share a row, but for those that the verdict names.
func TestTableShort(t *testing.T) {
	r := sample(fourteen()...)
	for i := range r.Policies {
		v := r.Policies[i].Validated
		v.Efficiencies = slices.Repeat([]float64{0.8}, 10)
		if i > 2 { // by chance
			v.Efficiencies[i%10] += 0.012
		}
	}
	r.Level = 0.95
	for k := range 10 {
		r.Policies[0].Validated.Efficiencies[k] = 0.9
		r.Policies[1].Validated.Efficiencies[k] = 0.89
		r.Policies[13].Validated.Efficiencies[k] = 0.79
	}
	r.Policies[7].Policy.Label = "now"
	r.Validated.Now = "now"
	for _, wide := range []int{80, 100} {
		page := &text.Page{Wide: wide}
		r.Table(page)
		parts := strings.Split(page.String(), "\n\n")
		if !strings.HasPrefix(parts[0], strings.Fields(r.Closest())[0]) {
			t.Errorf("the first line is %s", parts[0])
		}
		var names []string
		for _, line := range strings.Split(parts[2], "\n") {
			name, _, _ := strings.Cut(line, "  ")
			names = append(names, name)
		}
		want := "policy;policy-0:option=0;policy-1:option=1;policy-2:option=2;policy-7:option=7;9 others within 0.2 %;" +
			"policy-13:option=13"
		if got := strings.Join(names, ";"); got != want {
			t.Errorf("rows %s, want %s", got, want)
		}
		if n := strings.Count(parts[len(parts)-1], "\n"); n > 8 {
			t.Errorf("%d lines of prose:\n%s", n, parts[len(parts)-1])
		}
		for _, line := range strings.Split(page.Fitted(), "\n") {
			if n := utf8.RuneCountInString(line); n > wide {
				t.Errorf("a line of %d characters: %s", n, line)
			}
		}
	}
}

// unbroken is a text without regard to where its lines break.
func unbroken(s string) string { return strings.Join(strings.Fields(s), " ") }

// count gives the i-th policy the shares of jobs that are accepted and kept.
func count(r *Report, i int, accepted, kept float64) {
	for k, m := range metric.Measures() {
		for name, x := range map[string]float64{"acceptance": accepted, "job_qos_satisfaction": kept} {
			if m.Name == name {
				r.Policies[i].Total[k] = estimate(x, 0)
			}
		}
	}
}

// TestForesight: of the ten points that the first policy lacks, six are lacking in
// a schedule that knows the future as well.
func TestForesight(t *testing.T) {
	r := sample("a", "b")
	if words := r.Foresight(); words != nil {
		t.Errorf("without such a bound: %q", words)
	}
	r.Validated.Bounds = append(r.Validated.Bounds, study.BoundResult{Name: plan.UnpreemptedBound, Kind: study.Proven, Limits: plan.UnpreemptedPolicies, Total: 980, Found: 940})
	words := strings.Join(r.Foresight(), " ")
	for _, want := range []string{"between 94.0 % and 98.0 % of the clairvoyant bound", "at least 4.0 of the 10.0 points that a lacks", "at most 6.0 to the bound"} {
		if !strings.Contains(words, want) {
			t.Errorf("no %q in %q", want, words)
		}
	}
}

func TestClosest(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(r *Report)
		want   string
	}{
		{"alone", func(r *Report) { r.Policies = r.Policies[:1] }, "Run a: it delivers 90.0 ± 1.2 % of what no policy can exceed."},
		{"of its kind", func(r *Report) { r.Policies[0].Validated.OfKind = estimate(0.95, 0.01) }, "can exceed, 95.0 ± 1.0 % of what none of its kind can; the next"},
		{"late for nothing", func(r *Report) {
			r.Validated.Lenient = true
			count(r, 0, 0.9, 0.5)
			count(r, 1, 0.9, 0.8)
		},
			"a delivers most, 90.0 ± 1.2 % of what no policy can exceed, but missed deadlines cost nothing here and it ends 40.0 % of the jobs late; of those that do better in this, run b"},
		{"late at a cost", func(r *Report) { count(r, 0, 0.9, 0.5) }, "Run a: it"},
		{"luck", func(r *Report) { r.Policies[1].Validated.Behind = estimate(0.01, 0.02) }, "1.0 ± 2.0 points less, perhaps by chance (paired)."},
		{"equal", func(r *Report) { r.Policies[1].Validated.Behind = estimate(0, 0) }, "can exceed; so does b."},
		{"one replication", func(r *Report) { r.Policies[1].Validated.Behind = estimate(0.1, math.Inf(1)) }, "10.0 points less, perhaps by chance"},
		{"no bound", func(r *Report) { r.Policies[0].Validated.Efficiency.Mean = metric.Number(math.NaN()) }, "No bound above zero applies"},
		{"nobody", func(r *Report) { r.Policies = nil }, ""},
	} {
		r := sample("a", "b")
		tt.change(r)
		if got := r.Closest(); !strings.Contains(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, tt := range []struct {
		predicted, simulated float64
		want                 string
	}{
		{110, 100, "10.0 % too high"}, {90, 100, "10.0 % too low"}, {100, 100, "right"}, {5, 0, "too high, by more"}, {5, -1, "too high, by more"},
	} {
		if got := distance(tt.predicted, tt.simulated); !strings.Contains(got, tt.want) {
			t.Errorf("%g against %g: %q, want %q", tt.predicted, tt.simulated, got, tt.want)
		}
	}
}

// The table has no column that repeats another, and no row that repeats another.
func TestNothingTwice(t *testing.T) {
	r := sample("p, all", "p, analytic", "p, simulated")
	if !strings.Contains(table(r), "charged") {
		t.Error(table(r))
	}
	for i, name := range []string{"all", "analytic", "simulated"} {
		row := &r.Policies[i]
		row.Validated.Charged = row.Validated.Efficiency
		row.Admission = study.AdmissionResult{Name: name, Admit: []float64{1, 1}}
	}
	r.Policies[2].Admission.Admit[1] = 0.5
	got := table(r)
	if strings.Contains(got, "charged") || !strings.Contains(got, "* efficiency is a share of it") || strings.Contains(got, "\np, analytic  ") ||
		!strings.Contains(got, "p, analytic admits all: its row is that of p, all.") || !strings.Contains(got, "\np, simulated  ") {
		t.Error(got)
	}
}
