package ask

import (
	"slices"

	"revopt/internal/text"
	"revopt/plots/answer"
	"revopt/simulate/subject"
)

// let is whom an admission lets in of a customer, or at what price.
type let struct {
	Row
	name  string
	admit answer.Value
	asked *subject.AskedPrice // nil: none is chosen
}

// admitted is the table of whom admissions let in, and at what prices; none where all rows let all jobs in.
func (c *Comparison) admitted() []answer.Table {
	list := text.Join(c.Rows, Row.lets)
	if len(list) == 0 {
		return nil
	}
	keys := answer.Through(func(l let) part { return l.Row.whole() }, c.keys()...)
	return []answer.Table{answer.TableOf("admissions", list, append(keys,
		answer.Texts("customer", "name", func(l let) string { return l.name }),
		answer.Valued("admit", answer.Share, "probability to let a job in", func(l let) answer.Value { return l.admit }),
		answer.Valued("price", answer.Ratio, "asked, in its unit", func(l let) answer.Value {
			if l.asked == nil || !(l.asked.Comes > 0) { // the class is not sold
				return answer.Value{}
			}
			return ratio(l.asked.Price)
		}),
		answer.Texts("unit", "of the price", func(l let) string {
			if l.asked == nil {
				return ""
			}
			return l.asked.Unit
		}),
		answer.Valued("comes", answer.Ratio, "jobs at this price over those at the stated one", func(l let) answer.Value {
			if l.asked == nil {
				return answer.Value{}
			}
			return ratio(l.asked.Comes)
		}))...)}
}

// lets are whom the admission of a row lets in; nil: all jobs.
func (r Row) lets() (list []let) {
	a := r.e.Admission
	if a.Admit == nil && a.Prices == nil {
		return nil
	}
	for i, name := range subject.Parties(r.e.Workload) {
		one := let{Row: r, name: name}
		if i < len(a.Admit) {
			one.admit = share(a.Admit[i])
		}
		if k := slices.IndexFunc(a.Prices, func(p subject.AskedPrice) bool { return p.Name == name }); k >= 0 {
			one.asked = &a.Prices[k]
		}
		list = append(list, one)
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
