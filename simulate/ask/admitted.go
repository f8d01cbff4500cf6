package ask

import (
	"slices"

	"revopt/plots/answer"
	"revopt/simulate/metric"
	"revopt/simulate/subject"
)

// admitted is the table of whom admissions let in, and at what prices; none where all rows let all jobs in.
func (c *Comparison) admitted() []answer.Table {
	t := c.keyed("admissions", answer.Column{Name: "customer", Unit: answer.Text, Means: "name"},
		answer.Column{Name: "admit", Unit: answer.Share, Means: "probability to let a job in"},
		answer.Column{Name: "threshold", Unit: answer.Count, Means: "refused while so many jobs wait"},
		answer.Column{Name: "surely", Unit: answer.Count, Means: "refused in every state from so many waiting jobs on"},
		answer.Column{Name: "price", Unit: answer.Ratio, Means: "asked, in its unit"},
		answer.Column{Name: "unit", Unit: answer.Text, Means: "of the price"},
		answer.Column{Name: "comes", Unit: answer.Ratio, Means: "jobs at this price over those at the stated one"})
	for _, r := range c.Rows {
		t.Rows = append(t.Rows, c.admittedRows(r)...)
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return []answer.Table{t}
}

// admittedRows are those of one row of the comparison.
func (c *Comparison) admittedRows(r Row) (list [][]answer.Value) {
	a := r.e.Admission
	names := subject.Parties(r.e.Workload)
	none := answer.Value{}
	for _, limit := range a.Thresholds(names) {
		share := answer.Exactly(answer.Share, metric.Float(limit.Admit))
		list = append(list, c.keys(r, answer.Word(limit.Name), share, answer.Exactly(answer.Count, metric.Float(limit.Waiting)),
			answer.Exactly(answer.Count, metric.Float(limit.Surely)), none, none, none))
	}
	if list != nil || a.Admit == nil && a.Prices == nil {
		return list
	}
	for i, name := range names {
		share, price, unit, comes := none, none, none, none
		if i < len(a.Admit) {
			share = answer.Exactly(answer.Share, a.Admit[i])
		}
		if k := slices.IndexFunc(a.Prices, func(p subject.AskedPrice) bool { return p.Name == name }); k >= 0 {
			p := a.Prices[k]
			unit, comes = answer.Word(p.Unit), answer.Exactly(answer.Ratio, float64(p.Comes))
			if p.Comes > 0 { // else the class is not sold
				price = answer.Exactly(answer.Ratio, float64(p.Price))
			}
		}
		list = append(list, c.keys(r, answer.Word(name), share, none, none, price, unit, comes))
	}
	return list
}

// cleaning is the table of the faults of a trace; none where the jobs come from none.
func (c *Comparison) cleaning() []answer.Table {
	if c.Subject.Trace == nil {
		return nil
	}
	return []answer.Table{cleaning(c.Subject.Trace.Cleaning())}
}
