package sweep

import (
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"revopt/model/scenario"
	"revopt/simulate/metric"
)

// Complete reports whether all cells are finished.
func (r *Results) Complete() bool { return r.count == len(r.have) }

// WriteTable writes the table of a complete sweep as CSV: a line for each
// figure of each point, admission, policy and class, all jobs where the class
// is empty, in the order of the cells.
func (r *Results) WriteTable(w io.Writer) error {
	if !r.Complete() {
		return fmt.Errorf("%d of %d cells are finished", r.count, len(r.have))
	}
	out := csv.NewWriter(w)
	var header []string
	for _, a := range r.plan.Spec.Vary {
		header = append(header, a.Path)
	}
	out.Write(append(header, "admission", "policy", "options", "class", "metric", "mean", "half_width", "level", "n"))
	for row := range len(r.have) / r.plan.Spec.Replications {
		r.writeRow(out, row)
	}
	out.Flush()
	return out.Error()
}

// writeRow writes the figures of a policy with an admission at a point.
func (r *Results) writeRow(out *csv.Writer, row int) {
	n := r.plan.Spec.Replications
	c := r.plan.cell(row * n)
	var head []string
	for _, x := range r.plan.at(c.point) {
		head = append(head, csvNumber(x))
	}
	choice := r.plan.Spec.Policies[c.policy]
	head = append(head, r.admission(c), choice.Name, choice.words())
	x := make([]float64, n)
	for g, class := range r.plan.groups {
		for f, figure := range r.plan.figures {
			for k := range n {
				x[k] = r.cell(row*n + k)[g*len(r.plan.figures)+f]
			}
			e := metric.Estimate(x, metric.DefaultLevel)
			out.Write(append(slices.Clone(head), class, figure.Name, csvNumber(e.Mean), csvNumber(e.HalfWidth), csvNumber(e.Level), strconv.Itoa(e.N)))
		}
	}
}

// admission names an admission; there is none on a trace.
func (r *Results) admission(c cell) string {
	a := r.plan.Spec.Admissions[c.admission]
	if r.plan.trace {
		return ""
	}
	return admissionName(a)
}

func admissionName(a scenario.Admission) string {
	if a.Admit == nil {
		return a.Name
	}
	var words []string
	for _, q := range a.Admit {
		words = append(words, csvNumber(q))
	}
	return strings.Join(words, ",")
}

// words returns the options on one line, in the order of their names.
func (p PolicyChoice) words() string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(p.Options)) {
		words = append(words, name+"="+p.Options[name])
	}
	return strings.Join(words, " ")
}

// csvNumber writes a number that is read back as it was, nothing where it is
// not finite.
func csvNumber(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return ""
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}
