package report

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/plots/wording"
	"revopt/simulate/plan"
	"revopt/simulate/policy"
	"revopt/simulate/subject"
)

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

// boundUnit returns the unit of the bounds of a plan.
func boundUnit(p *plan.Plan) string { return cmp.Or(plan.ObjectiveUnit(p.Objective()), unit("total")) }

func fields(list []float64) []string { return text.Each(list, text.Field) }

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
