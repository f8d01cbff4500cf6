package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/plots/wording"
	"revopt/simulate/analytic"
	"revopt/simulate/metric"
	"revopt/simulate/plan"
	"revopt/simulate/policy"
	"revopt/simulate/study"
	"revopt/simulate/subject"
)

// SweepProvenance says what made the tables of a sweep. It names no command, as the same
// sweep gives the same bytes however it is run.
func SweepProvenance(samples *plan.Samples, version string) (text.Provenance, error) {
	plan := samples.Plan()
	doc := plan.Document()
	set := text.Each(plan.Set, scenario.Override.String)
	prov := wording.Provenance(version, doc.Name(), "", set,
		&subject.TraceFile{SHA256: strings.Join(plan.Traces, ", ")}, nil, "sweep", plan.Hash())
	prov.Seed = &plan.Seed
	sc, err := doc.Scenario(subject.Known(nil))
	if err != nil {
		return prov, err
	}
	if sc.Trace != nil {
		prov.Cleaning = sc.Trace.Cleaning
	}
	return prov, nil
}

// SweepProgress says how many cells of a sweep are finished.
func SweepProgress(samples *plan.Samples) string {
	done, total := samples.Progress()
	least := ""
	if samples.Plan().Stop != nil {
		least = "at least "
	}
	return text.Fixed(float64(done), 0) + " of " + least + text.Plural(total, "cell")
}

// SweepStatus says how far a sweep is. With a precision it counts the points whose number of replications is decided.
func SweepStatus(samples *plan.Samples) string {
	done, total := samples.Progress()
	plan := samples.Plan()
	if plan.Stop != nil {
		return fmt.Sprintf("%s finished, %d of %s settled, sweep %s", text.Plural(done, "cell"), samples.Settled(),
			text.Plural(plan.Points(), "point"), plan.Hash())
	}
	return fmt.Sprintf("%s of %s finished (%s), sweep %s", text.Fixed(float64(done), 0), text.Plural(total, "cell"),
		text.Percent(float64(done)/float64(total)), plan.Hash())
}

// SweepSummary says how many cells a sweep has, and how many points are not as precise as it asks for.
func SweepSummary(samples *plan.Samples) string {
	words := text.Plural(samples.Finished(), "cell")
	plan := samples.Plan()
	if points := samples.Imprecise(); points > 0 {
		words += fmt.Sprintf("; at %s %d replications do not make the interval of %s as narrow as %.4g %% of its mean",
			text.Plural(points, "point"), plan.Replications, plan.Stop.Metric, 100*plan.Stop.Relative)
	}
	return words
}

// optionWords writes options on one line, in the order of their names.
func optionWords(options policy.Settings) string {
	words := text.Each(slices.Sorted(maps.Keys(options)), func(name string) string {
		return name + "=" + options[name]
	})
	return strings.Join(words, " ")
}

// admissionWords names the admission of a row: by name and effort, or by probabilities.
func admissionWords(r plan.Row) string {
	if r.Admission.Admit != nil {
		return strings.Join(fields(r.Admission.Admit), ",")
	}
	words := []string{r.Admission.Name}
	if e := r.Search; e != nil {
		effort := func(name string, x float64) {
			if x != 0 {
				words = append(words, name+"="+text.Field(x))
			}
		}
		effort("jobs", float64(e.Jobs))
		effort("replications", float64(e.Replications))
		effort("step", e.Step)
	}
	return strings.Join(words, " ")
}

// SweepTable yields the estimates of a sweep: a row for each measure of each point,
// admission, policy and class, all jobs where the class is empty. With bounds it has
// the efficiency of each row, and the bounds as rows of the policy bound:NAME.
func SweepTable(s *plan.Samples) wording.Rows {
	p := s.Plan()
	ranged := p.Resample != nil
	return func(add func(cells ...any)) {
		pooled := s.Pooled()
		names := planOptions(p)
		add(p.Paths(), "admission", "policy", "options", wording.ClassCells(pooled, "class", "pool"), "metric",
			wording.EstimateColumns(ranged), "unit", optionHeadings(names))
		for point := range p.Points() {
			var at any = fields(p.At(point)) // converted once for all rows
			for row := range p.Rows {
				o := s.Row(point, row)
				var id, options any = rowCells(s, point, row), optionCells(names, s.Policy(point, row).Settings)
				for i, c := range append([]subject.Section{{}}, s.Sections()...) {
					for _, m := range s.Measures() {
						e := study.NewEstimate(o.Interval(m, i-1))
						add(at, id, wording.ClassCells(pooled, c.Name, c.Pool), m.Name,
							wording.EstimateCells(e, ranged), m.Unit, options)
					}
				}
			}
			if p.CompareBy != "" {
				for row, rank := range ranks(s.Rank(point)) {
					e := study.Estimate{Mean: rank, HalfWidth: metric.Number(math.NaN())}
					add(at, rowCells(s, point, row), wording.ClassCells(pooled, "", ""), "rank",
						wording.EstimateCells(e, ranged), unit("rank"), optionCells(names, s.Policy(point, row).Settings))
				}
			}
			if p.Bounds == nil {
				continue
			}
			n, _ := s.Replications(point)
			b := s.Bounded(point, n)
			for row := range p.Rows {
				e := study.NewEstimate(b.Efficiency(row))
				add(at, rowCells(s, point, row), wording.ClassCells(pooled, "", ""), "efficiency",
					wording.EstimateCells(e, ranged),
					unit("efficiency"), optionCells(names, s.Policy(point, row).Settings))
			}
			for i, bound := range b.Bounds {
				if bound.MeanOnly { // a replication may exceed it
					continue
				}
				add(at, "", "bound:"+bound.Name, "", wording.ClassCells(pooled, "", ""), "total",
					wording.EstimateCells(study.NewEstimate(b.Total(i)), ranged), boundUnit(p),
					optionCells(names, nil))
			}
		}
	}
}

// boundUnit returns the unit of the bounds of a plan.
func boundUnit(p *plan.Plan) string { return cmp.Or(plan.ObjectiveUnit(p.Objective()), unit("total")) }

// ranks returns the rank of each row, from 1; NaN if it is not compared.
func ranks(r plan.Ranking) []metric.Number {
	list := slices.Repeat([]metric.Number{metric.Number(math.NaN())}, len(r.Means))
	for k, row := range r.Rows {
		list[row] = metric.Number(1 + k)
	}
	return list
}

// mostPoints is how many points of a sweep are named with their best policy.
const mostPoints = 12

// SweepBest says which policy has the least of the objective at how many points, and at each of the first points; nil
// if rows are compared by the value.
func SweepBest(s *plan.Samples) []string {
	p := s.Plan()
	a := aim(p.CompareBy)
	if a == "" {
		return nil
	}
	label := func(row int) string {
		given := p.Rows[row]
		words := text.OneLine(given.Policy.Label())
		if slices.ContainsFunc(p.Rows, func(r plan.Row) bool { return admissionWords(r) != admissionWords(given) }) {
			words += " (" + admissionWords(given) + ")"
		}
		return words
	}
	var lines, order []string
	first, left := map[string]int{}, false
	for point := range p.Points() {
		r := s.Rank(point)
		left = left || len(r.Left) > 0
		if len(r.Rows) == 0 {
			continue
		}
		best := label(r.Rows[0])
		if first[best] == 0 {
			order = append(order, best)
		}
		first[best]++
		if point >= mostPoints || p.Points() == 1 && len(r.Rows) == 1 {
			continue
		}
		lines = append(lines, "  "+sweptPoint(s, point)+rankedWords(a, r, label))
	}
	slices.SortStableFunc(order, func(x, y string) int { return cmp.Compare(first[y], first[x]) })
	wins := text.Each(order, func(name string) string {
		return fmt.Sprintf("%s at %d of %s", name, first[name], text.Plural(p.Points(), "point"))
	})
	list := append([]string{"least " + a.noun() + ": " + few(wins)}, lines...)
	if more := p.Points() - mostPoints; more > 0 {
		list = append(list, fmt.Sprintf("  %s more in table.csv, as the measure rank", text.Plural(more, "point")))
	}
	if left {
		list = append(list, "not compared: policies that run fewer of the jobs than others; they have no rank")
	}
	return list
}

// sweptPoint names the values of a point, "" if nothing varies.
func sweptPoint(s *plan.Samples, point int) string {
	at := fields(s.Plan().At(point))
	words := text.EachAt(s.Plan().Paths(), func(i int, path string) string { return path + "=" + at[i] })
	if len(words) == 0 {
		return ""
	}
	return strings.Join(words, " ") + ": "
}

// rankedWords names the first two of a ranking with their means.
func rankedWords(a aim, r plan.Ranking, label func(int) string) string {
	named := func(k int) string {
		e := study.NewEstimate(r.Means[r.Rows[k]])
		return label(r.Rows[k]) + " " + a.amount(e, false)
	}
	words := named(0)
	if len(r.Rows) > 1 {
		words += ", next " + named(1)
		if r.Tied {
			words += ", perhaps by chance"
		}
	}
	return words
}

// rowCells names a row at a point: its admission, the label of its policy and the options
// of that. Where an axis varies an option, the label is the same at all points.
func rowCells(s *plan.Samples, point, row int) []string {
	given := s.Plan().Rows[row]
	return []string{admissionWords(given), given.Policy.Label(), optionWords(s.Policy(point, row).Settings)}
}

func fields(list []float64) []string { return text.Each(list, text.Field) }

// SweepAdmissions yields the admissions that a sweep has found: a row for the
// probability of each class at each point. Where an admission depends on the queue,
// two columns more have the least number of waiting jobs at which the class is refused,
// empty where it never is, and that of a table of decisions from which on it is refused
// in every state. The policy is empty where the admission is the same for all.
func SweepAdmissions(s *plan.Samples) wording.Rows {
	p := s.Plan()
	admissions := s.Found()
	return func(add func(cells ...any)) {
		var columns []string
		limits := slices.ContainsFunc(admissions, func(f plan.FoundAdmission) bool { return f.Thresholds != nil })
		if limits {
			columns = append(columns, "waiting", "surely")
		}
		add(p.Paths(), "admission", "policy", "options", "class", "probability", columns)
		for _, f := range admissions {
			id := rowCells(s, f.Point, f.Row)
			if f.Shared {
				id[1], id[2] = "", ""
			}
			for i, class := range f.Names {
				var more []string
				if limits {
					var t analytic.ClassThreshold
					if f.Thresholds != nil {
						t = f.Thresholds[i]
					}
					more = append(more, whole(t.Waiting), whole(t.Surely))
				}
				add(fields(p.At(f.Point)), id, class, f.Probability(i), more)
			}
		}
	}
}

// whole writes a number, nothing where there is none.
func whole(n *int) string {
	if n == nil {
		return ""
	}
	return text.Field(float64(*n))
}

// Cells yields samples as they are: a row for each point, row, replication, class and
// measure, so that other programs can pair, bootstrap and fit. Bounds are rows of the
// policy bound:NAME. The points of several plans are numbered one after the other.
func Cells(list ...*plan.Samples) wording.Rows {
	return func(add func(cells ...any)) {
		var paths, options []string
		for _, s := range list {
			options = append(options, planOptions(s.Plan())...)
			for _, path := range s.Plan().Paths() {
				if !slices.Contains(paths, path) {
					paths = append(paths, path)
				}
			}
		}
		slices.Sort(options)
		options = slices.Compact(options)
		add("point", paths, "admission", "policy", "class", "pool", "replication", "measure", "unit", "value",
			optionHeadings(options))
		first := 0
		for _, s := range list {
			for point := range s.Plan().Points() {
				at := text.Each(paths, func(path string) string { return s.Plan().Value(point, path) })
				cells(s, point, options, func(cells ...any) { add(append([]any{first + point, at}, cells...)...) })
			}
			first += s.Plan().Points()
		}
	}
}

// cells yields the samples of a point, with columns of the named options.
func cells(s *plan.Samples, point int, names []string, add func(cells ...any)) {
	n, _ := s.Replications(point)
	sections, providers := append([]subject.Section{{}}, s.Sections()...), s.Providers(point)
	for _, row := range s.Plan().RowsAt(point) {
		given := s.Plan().Rows[row]
		admission := cmp.Or(given.Admission.Name, admissionWords(given), scenario.AdmitAll)
		if given.Search != nil { // as in the table of estimates
			admission = admissionWords(given)
		}
		policy, o := given.Policy.Label(), s.Row(point, row).Stretched(n)
		var options any = optionCells(names, s.Policy(point, row).Settings) // converted once for all rows
		for _, m := range s.Measures() {
			list := func(class, pool string, numbers []float64) {
				for k, x := range numbers {
					add(admission, policy, class, pool, k, m.Name, m.Unit, x, options)
				}
			}
			for i, c := range sections {
				list(c.Name, c.Pool, o.Plain(m, i-1))
			}
			for i, name := range providers {
				list("provider "+name, "", o.Provider(m, i))
			}
		}
	}
	limits := boundUnit(s.Plan())
	for _, b := range s.BoundTotals(point) {
		for k, x := range b.Total {
			if !math.IsNaN(x) {
				add("", "bound:"+b.Name, "", b.Pool, k, "total", limits, x, optionCells(names, nil))
			}
		}
	}
}
