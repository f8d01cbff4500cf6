package ask

import (
	"slices"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/plots/answer"
	"revopt/simulate/analytic"
	"revopt/simulate/metric"
	"revopt/simulate/subject"
)

// tables are those of an optimum: the classes, the machine, and what was asked for besides.
func (s *solved) tables() []answer.Table {
	list := []answer.Table{s.classes(), s.pools()}
	for _, t := range []answer.Table{s.providers(), s.asks()} {
		if len(t.Rows) > 0 {
			list = append(list, t)
		}
	}
	if k := s.Checked; k != nil && !k.Stands {
		for i := range list {
			list[i] = notForUse(list[i])
		}
	}
	if t := s.tried(); len(t.Rows) > 0 {
		list = append(list, t)
	}
	return list
}

// notForUse returns a table of an optimum that does not stand: it says so, a text has no bound and no price of more jobs in
// it, and only --explain has those after the first.
func notForUse(t answer.Table) answer.Table {
	t.Columns = slices.Clone(t.Columns)
	t.Columns[0].Title = t.Columns[0].Name + " (formula, not for use)"
	t.Shown = false
	for i, c := range t.Columns {
		out := []string{"bound", "gap", "next_job"}
		t.Columns[i].Quiet = c.Quiet || slices.Contains(out, c.Name)
	}
	return t
}

// classRow is a class in a table of an optimum.
type classRow struct {
	analytic.ClassSolution
	provider string
	offered  float64 // jobs/s of all classes
	next     float64 // $ of one more job
}

// classFields are the columns of classes and, on a machine that has them, of pools.
func classFields[T any](pools bool, name, pool func(T) string, more ...answer.Field[T]) []answer.Field[T] {
	list := []answer.Field[T]{answer.Texts("class", "name of the class", name)}
	if pools {
		list = append(list, answer.Texts("pool", "where its jobs run", pool))
	}
	return append(list, more...)
}

// solutionFields are those of a class at an optimum.
func solutionFields() []answer.Field[classRow] {
	return []answer.Field[classRow]{
		answer.Numbered("share", answer.Share, "of the jobs that come",
			func(c classRow) float64 { return c.OfferedRate / c.offered }),
		answer.Numbered("rate", answer.Rate, "jobs that come", func(c classRow) float64 { return c.OfferedRate }),
		answer.Numbered("admit", answer.Share, "share of its jobs to let in",
			func(c classRow) float64 { return c.Admit }),
		answer.Numbered("wait", answer.Time, "mean wait of a job that is, or were, let in",
			func(c classRow) float64 { return c.MeanWait }),
		answer.Numbered("utilization", answer.Share, "share of the machine that it uses",
			func(c classRow) float64 { return c.Utilization }).Titled("used"),
		answer.Valued("value", answer.Money, "value delivered, by the formula",
			func(c classRow) answer.Value { return hourly(c.RevenuePerSecond) }).Titled("$/h"),
	}
}

// asked is the price that is chosen for a class. A class of which nothing is sold has none.
func asked(c analytic.ClassSolution) answer.Value {
	if c.PriceAnswer == nil || c.Rate == 0 {
		return answer.Value{}
	}
	return answer.Exactly(answer.Amount, c.Price)
}

// classes is the table of the optimum by class.
func (s *solved) classes() answer.Table {
	offered, _ := s.Rates()
	list := text.EachAt(s.Classes, func(i int, c analytic.ClassSolution) classRow {
		return classRow{ClassSolution: c, offered: offered, next: s.Prices.Demand[i]}
	})
	fields := append(solutionFields(),
		answer.Numbered("next_job", answer.Amount,
			"that one more arriving job of the class delivers, at the best admission",
			func(c classRow) float64 { return c.next }).Titled("next job $"))
	if s.Stated != nil {
		fields = append(fields,
			answer.Valued("price", answer.Amount, "asked for a job, on average",
				func(c classRow) answer.Value { return asked(c.ClassSolution) }).Titled("price $"),
			answer.Numbered("externality", answer.Amount, "cost that one more job imposes on all others",
				func(c classRow) float64 { return c.Externality }).Titled("externality $"))
	}
	return answer.TableOf("classes", list, classFields(s.Pools != nil, classRow.name, classRow.pool, fields...)...)
}

func (c classRow) name() string { return c.Name }

func (c classRow) pool() string { return c.Pool }

// pools is the table of the machine: a row for each pool, and one for all.
func (s *solved) pools() answer.Table {
	all := poolOptimum{PoolHead: subject.PoolHead{Name: "all", Units: s.model.Units}, optimum: s.optimum}
	whole := func(p poolOptimum) bool { return p.Name == all.Name && p.Unit == "" }
	value := func(name, title, means string, of func(p poolOptimum) float64) answer.Field[poolOptimum] {
		return answer.Valued(name, answer.Money, means,
			func(p poolOptimum) answer.Value { return hourly(of(p)) }).Titled(title)
	}
	fields := []answer.Field[poolOptimum]{
		answer.Texts("pool", "name of the pool", func(p poolOptimum) string { return p.Name }),
		answer.Valued("units", answer.Count, "of the pool", func(p poolOptimum) answer.Value {
			if whole(p) && !s.sameUnits() {
				return answer.Value{}
			}
			return count(p.Units)
		}),
		answer.Numbered("load", answer.Ratio, "work that comes over what the units can do",
			func(p poolOptimum) float64 { return p.Load }),
		answer.Valued("utilization", answer.Share, "share of the units that admitted jobs use",
			func(p poolOptimum) answer.Value {
				if whole(p) {
					return s.used()
				}
				return share(p.Utilization)
			}).Titled("used"),
		answer.Numbered("mean_wait", answer.Time, "mean over admitted jobs",
			func(p poolOptimum) float64 { return p.MeanDelay }).Titled("wait"),
		value("value", "$/h", "value delivered, by the formula",
			func(p poolOptimum) float64 { return p.RevenuePerSecond }),
		value("bound", "bound $/h", "that no static admission exceeds in this model",
			func(p poolOptimum) float64 { return p.UpperBoundPerSecond }),
		answer.Numbered("gap", answer.Share, "between both, as a share of the bound",
			func(p poolOptimum) float64 { return p.RelativeGap }),
		answer.Valued("next_slot", answer.Money, "that room for one more job delivers",
			func(p poolOptimum) answer.Value { return s.priced(p.slot(p.optimum.Prices.Capacity)) }).Titled("next slot $/h"),
		answer.Valued("next_unit", answer.Money, "that one more unit delivers", func(p poolOptimum) answer.Value {
			if whole(p) {
				return s.ofUnit(s.Prices.Capacity)
			}
			return s.unit(p.Name, hourly(p.ShadowPrice))
		}).Titled("next unit $/h"),
	}
	return answer.TableOf("pools", append(slices.Clip(s.Pools), all), fields...).Visible()
}

// parts are the optima of the pools, or that of the machine.
func (s *solved) parts() []poolOptimum {
	if s.Pools != nil {
		return s.Pools
	}
	return []poolOptimum{{optimum: s.optimum}}
}

// providers is the table of providers, each of which gets the jobs that those before it refuse. A provider that admits
// more than it can serve delivers nothing that can be stated.
func (s *solved) providers() answer.Table {
	var list []classRow
	for _, p := range append([]analytic.ProviderAnswer{{Name: scenario.ServerName, Solution: s.Solution}}, s.Providers...) {
		for _, c := range p.Classes {
			list = append(list, classRow{ClassSolution: c, provider: p.Name})
		}
	}
	if s.Providers == nil {
		list = nil
	}
	fields := append([]answer.Field[classRow]{answer.Texts("provider", "name of the provider",
		func(c classRow) string { return c.provider })}, classFields(false, classRow.name, nil, solutionFields()[1:]...)...)
	return answer.TableOf("providers", list, fields...).Visible()
}

// tariff is a price that is stated by length or width, in its unit.
type tariff struct {
	analytic.ClassSolution
	asked float64
	unit  string
}

// asks is the table of prices that are stated by length or width, in their units.
func (s *solved) asks() answer.Table {
	var list []tariff
	for i, c := range s.Classes {
		class := s.model.System.Classes[i]
		if s.Stated == nil || class.Demand == nil || c.Rate == 0 {
			continue
		}
		unit, x := "$/hour", metric.Hour*s.model.Tariffs[i].PerSecond
		if !(x > 0) {
			unit, x = "$/"+text.Unit(s.model.UnitName)+"-hour", metric.Hour*s.model.Tariffs[i].PerNodeSecond
		}
		if x > 0 {
			list = append(list, tariff{c, x * c.Price / class.StatedPrice(), unit})
		}
	}
	return answer.TableOf("prices", list, classFields(s.Pools != nil,
		func(t tariff) string { return t.Name }, func(t tariff) string { return t.Pool },
		answer.Numbered("price", answer.Ratio, "asked, in its unit", func(t tariff) float64 { return t.asked }),
		answer.Texts("unit", "of the price", func(t tariff) string { return t.unit }))...).Visible()
}
