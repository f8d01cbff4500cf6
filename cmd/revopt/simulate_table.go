package main

import (
	"fmt"
	"io"
	"math"
	"strings"

	"revopt/internal/text"
)

// print writes the report for a person to read. The classes of each row follow
// where there is only one, or where they are asked for.
func (s *simulateReport) print(w io.Writer, classes bool) {
	policies := s.run.options.policies
	under := "under " + policies[0].label
	if len(policies) > 1 {
		under = fmt.Sprintf("under %d policies", len(policies))
	}
	fmt.Fprintf(w, "%s at load %s on %s %s\n", oneLine(s.Scenario), plain(float64(s.Load)), plural(s.Nodes, "node"), under)
	fmt.Fprintf(w, "%s of %s, %s left out as warm-up, seed %d; ± is %s confidence\n\n",
		plural(s.Replications, "replication"), s.length(), s.warmupWords(), s.Seed, percentOf(float64(s.Level)))
	s.table().print(w)
	s.printDifferences(w)
	s.printAdmissions(w)
	for _, p := range s.Policies {
		if !classes && len(s.Policies) > 1 {
			break
		}
		fmt.Fprintf(w, "\n")
		if len(s.Policies) > 1 {
			fmt.Fprintf(w, "%s\n", oneLine(p.label))
		}
		p.table().print(w)
	}
}

// length says how long a replication is.
func (s *simulateReport) length() string {
	if s.Horizon != nil {
		return duration(float64(*s.Horizon))
	}
	return plural(*s.Jobs, "job")
}

// warmupWords says what is left out of a replication.
func (s *simulateReport) warmupWords() string {
	words := percentOf(float64(s.Warmup.Fraction))
	if s.Warmup.Seconds > 0 {
		words = duration(float64(s.Warmup.Seconds))
	}
	if s.run.warmup != nil {
		words = plural(int(s.run.warmup.Jobs), "job") + " (MSER-5)"
	}
	return words
}

// identity returns the cells that tell a row of the table from the others.
func (s *simulateReport) identity(policy, admission string) []string {
	switch {
	case len(s.run.options.policies) == 1:
		return []string{admission}
	case len(s.run.wishes) == 1:
		return []string{policy}
	}
	return []string{policy, admission}
}

// table lists the rows.
func (s *simulateReport) table() *table {
	t := newTable(append(s.identity("policy", "admission"), "earns $/h", "per job $", "used", "mean wait", "admitted", "expired")...)
	for _, p := range s.Policies {
		f := p.total.get
		t.row(append(s.identity(p.row.policy.label, p.row.admission.name),
			f("revenue_per_second").times(3600), f("revenue_per_job").times(1), f("utilization").percent(),
			f("mean_wait").duration(), f("acceptance").percent(), f("expired_share").percent())...)
	}
	return t
}

// table lists the classes of a row and their total.
func (p *rowReport) table() *table {
	t := newTable("class", "submitted", "admitted", "expired", "mean wait", "in time", "earns $/h")
	row := func(name string, f figures) {
		t.row(name, separated(float64(f.get("jobs_submitted").Mean), 0), f.get("acceptance").percent(), f.get("expired_share").percent(),
			f.get("mean_wait").duration(), f.get("job_qos_satisfaction").percent(), f.get("revenue_per_second").times(3600))
	}
	for _, c := range p.classes {
		row(c.name, c.figures)
	}
	row("total", p.total)
	return t
}

// printDifferences says which row earns more than the first, and by how much.
func (s *simulateReport) printDifferences(w io.Writer) {
	for i, d := range s.Differences {
		if i == 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s earns %s %s (paired, %s)\n", oneLine(d.label),
			d.total.get("revenue_per_second").compared(), oneLine(d.versus), percentOf(float64(s.Level)))
	}
}

// compared says in words how a difference of revenue compares with its other
// side, which is to be named next.
func (e estimate) compared() string {
	if e.Mean == 0 && e.HalfWidth == 0 {
		return "the same as"
	}
	more := "more"
	if e.Mean < 0 {
		more, e.Mean = "less", -e.Mean
	}
	if !(e.Mean > e.HalfWidth) {
		more += ", perhaps by chance,"
	}
	return e.times(3600) + " $/h " + more + " than"
}

// printAdmissions lists the probabilities of admission and says where they
// come from.
func (s *simulateReport) printAdmissions(w io.Writer) {
	heading, columns := []string{"admits"}, []rowReport{}
	for _, p := range s.Policies {
		// The same under every policy, unless it was searched.
		if p.row.admission.name != admitAll && (p.row.search != nil || p.row.policy.label == s.Policies[0].row.policy.label) {
			heading, columns = append(heading, s.admissionHeading(p)), append(columns, p)
		}
	}
	if len(columns) == 0 {
		return
	}
	t := newTable(heading...)
	for i, class := range s.sc.Classes {
		cells := []string{class.Name}
		for _, p := range columns {
			cells = append(cells, percent(p.row.admission.admit[i]))
		}
		t.row(cells...)
	}
	fmt.Fprintln(w)
	t.print(w)
	s.printOrigins(w)
}

// admissionHeading names an admission over its probabilities.
func (s *simulateReport) admissionHeading(p rowReport) string {
	if p.row.search != nil {
		return p.label
	}
	return p.row.admission.name
}

// printOrigins says how the admissions that were computed came about.
func (s *simulateReport) printOrigins(w io.Writer) {
	var lines []string
	for _, a := range s.run.wishes {
		switch a.name {
		case admitAnalytic:
			lines = append(lines, fmt.Sprintf("analytic   the optimum of revopt solve: %s", residualWords(s.sc.Residual)))
		case admitSimulated:
			lines = append(lines, "simulated  the best found by search on the simulator, measured here on fresh random numbers")
		}
	}
	if len(lines) > 0 {
		fmt.Fprintf(w, "\n%s\n", strings.Join(lines, "\n"))
	}
}

// times formats an estimate in another unit: two digits of the half width, but
// no more than six of the mean, and none of a half width that is too small to
// see beside it.
func (e estimate) times(scale float64) string {
	mean := float64(e.Mean) * scale
	return text.Estimate(mean, float64(e.HalfWidth)*scale, min(decimals(mean)+2, 7))
}

// percent formats an estimate of a fraction.
func (e estimate) percent() string {
	switch {
	case math.IsNaN(float64(e.Mean)):
		return "-"
	case e.HalfWidth == 0 || math.IsInf(float64(e.HalfWidth), 0):
		return percent(float64(e.Mean))
	}
	return e.times(100) + " %"
}

// duration formats an estimate of a time.
func (e estimate) duration() string {
	seconds := float64(e.Mean)
	if !(seconds >= 0.001) || e.HalfWidth == 0 || math.IsInf(float64(e.HalfWidth), 0) {
		return duration(seconds)
	}
	size, unit := timeUnit(seconds)
	return e.times(1/size) + " " + unit
}

// percentOf formats a fraction without needless decimals.
func percentOf(x float64) string { return plain(100*x) + " %" }
