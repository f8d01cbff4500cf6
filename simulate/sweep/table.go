package sweep

import (
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"revopt/internal/text"
	"revopt/simulate/metric"
)

// Progress returns how many cells are finished and how many there are, as far as
// is known: where a precision is asked for, there may turn out to be more.
func (r *Results) Progress() (finished, total int) {
	now := r.plan.Progress(Shard{}, 1, r.all.Numbers)
	return now.Finished, now.Total
}

// Settled returns at how many points all cells are finished.
func (r *Results) Settled() int {
	open := map[int]bool{}
	for _, cell := range r.plan.Progress(Shard{}, 1, r.all.Numbers).Ready {
		open[r.plan.pointOf(cell)] = true
	}
	return r.plan.Points() - len(open)
}

// Imprecise returns at how many points all replications that there may be are
// finished and are not as precise as the sweep asks for.
func (r *Results) Imprecise() int {
	count := 0
	if r.plan.Spec.Precision != nil {
		for point := range r.plan.Points() {
			if _, met, err := r.plan.look(r.plan.rule(), point, r.all.Numbers); err == nil && !met {
				count++
			}
		}
	}
	return count
}

// Complete reports whether all cells are finished.
func (r *Results) Complete() bool {
	return len(r.plan.Progress(Shard{}, 1, r.all.Numbers).Ready) == 0
}

// WriteTable writes the table of a complete sweep as CSV: a line for each
// figure of each point, admission, policy and class, all jobs where the class
// is empty, in the order of the cells.
func (r *Results) WriteTable(w io.Writer) error {
	if !r.Complete() {
		finished, total := r.Progress()
		return fmt.Errorf("%d of %d cells are finished", finished, total)
	}
	out := csv.NewWriter(w)
	var header []string
	for _, a := range r.plan.Spec.Vary {
		header = append(header, a.Path)
	}
	out.Write(text.CSVRow(append(header, "admission", "policy", "options", "class", "metric", "mean", "half_width", "level", "n")))
	for row := range r.plan.replications() / r.plan.Spec.Replications {
		r.writeRow(out, row)
	}
	out.Flush()
	return out.Error()
}

// writeRow writes the figures of a policy with an admission at a point.
func (r *Results) writeRow(out *csv.Writer, row int) {
	c := r.plan.cell(row * r.plan.Spec.Replications)
	head := append(r.plan.coordinates(c.point), r.plan.admissionName(c.admission))
	head = append(head, r.plan.policyWords(c.point, c.policy)...)
	for g, class := range r.plan.groups {
		for f, figure := range r.plan.figures {
			x := r.values(Case{c.point, c.admission, c.policy}, g*len(r.plan.figures)+f)
			e := metric.Estimate(x, metric.DefaultLevel)
			out.Write(text.CSVRow(append(slices.Clone(head), class, figure.Name, text.Field(e.Mean), text.Field(e.HalfWidth), text.Field(e.Level), strconv.Itoa(e.N))))
		}
	}
}

// Searched reports whether the sweep has admissions that are found rather than
// given.
func (r *Results) Searched() bool { return len(r.plan.finds) > 0 }

// WriteAdmissions writes the admissions that a complete sweep has found as CSV:
// a line for the probability of each class at each point. The policy is empty
// where the admission is the same for all.
func (r *Results) WriteAdmissions(w io.Writer) error {
	if !r.Complete() {
		return fmt.Errorf("the sweep is not finished")
	}
	out := csv.NewWriter(w)
	var header []string
	for _, a := range r.plan.Spec.Vary {
		header = append(header, a.Path)
	}
	out.Write(text.CSVRow(append(header, "admission", "policy", "options", "class", "probability")))
	for cell := r.plan.replications(); cell < r.plan.Cells(); cell++ {
		point, f := r.plan.found(cell)
		head := append(r.plan.coordinates(point), r.plan.admissionName(f.admission))
		if f.policy < 0 {
			head = append(head, "", "")
		} else {
			head = append(head, r.plan.policyWords(point, f.policy)...)
		}
		for i, class := range r.plan.names {
			out.Write(text.CSVRow(append(slices.Clone(head), class, text.Field(r.cell(cell)[i]))))
		}
	}
	out.Flush()
	return out.Error()
}

// coordinates returns the values of the axes at a point as words.
func (p *Plan) coordinates(point int) []string {
	var words []string
	for _, x := range p.At(point) {
		words = append(words, text.Field(x))
	}
	return words
}

// policyWords returns the name and the options of a policy at a point.
func (p *Plan) policyWords(point, policy int) []string {
	choice, err := p.choice(point, policy)
	if err != nil {
		panic(err) // NewPlan has checked it
	}
	return []string{choice.Name, choice.words()}
}

// admissionName names an admission; there is none on a trace or a grid.
func (p *Plan) admissionName(admission int) string {
	if p.doc.IsTrace() || p.doc.IsGrid() {
		return ""
	}
	return admissionName(p.Spec.Admissions[admission])
}

// words returns the options on one line, in the order of their names.
func (p PolicyChoice) words() string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(p.Options)) {
		words = append(words, name+"="+p.Options[name])
	}
	return strings.Join(words, " ")
}
