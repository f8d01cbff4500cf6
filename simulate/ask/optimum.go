package ask

import (
	"math"
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
	for _, t := range []answer.Table{s.promises(), s.providers(), s.asks(), s.statePrices()} {
		if len(t.Rows) > 0 {
			list = append(list, t)
		}
	}
	return list
}

// classColumns are those of classes beside a pool, which a machine without pools lacks.
func classColumns(pools bool, more ...answer.Column) []answer.Column {
	list := []answer.Column{{Name: "class", Unit: answer.Text, Means: "name of the class"}}
	if pools {
		list = append(list, answer.Column{Name: "pool", Unit: answer.Text, Means: "where its jobs run"})
	}
	return append(list, more...)
}

// classKeys are the values of classColumns.
func classKeys(pools bool, name, pool string, more ...answer.Value) []answer.Value {
	list := []answer.Value{answer.Word(name)}
	if pools {
		list = append(list, answer.Word(pool))
	}
	return append(list, more...)
}

// solutionColumns are those of a class at an optimum.
func solutionColumns() []answer.Column {
	return []answer.Column{
		{Name: "share", Unit: answer.Share, Means: "of the jobs that come"},
		{Name: "rate", Unit: answer.Rate, Means: "jobs that come"},
		{Name: "admit", Unit: answer.Share, Means: "share of its jobs to let in"},
		{Name: "wait", Unit: answer.Time, Means: "mean wait of a job that is, or were, let in"},
		{Name: "utilization", Title: "used", Unit: answer.Share, Means: "share of the machine that it uses"},
		{Name: "value", Title: "$/h", Unit: answer.Money, Means: "value delivered, by the formula"},
	}
}

// solutionValues are the values of solutionColumns. Offered is the rate at which jobs of all classes come.
func solutionValues(c analytic.ClassSolution, offered float64) []answer.Value {
	return []answer.Value{
		answer.Exactly(answer.Share, float64(c.OfferedRate)/offered),
		answer.Exactly(answer.Rate, float64(c.OfferedRate)), answer.Exactly(answer.Share, float64(c.Admit)),
		answer.Exactly(answer.Time, float64(c.MeanWait)), answer.Exactly(answer.Share, float64(c.Utilization)),
		hourly(c.RevenuePerSecond),
	}
}

// priceColumns are those of a class whose price is chosen.
func priceColumns() []answer.Column {
	return []answer.Column{
		{Name: "price", Title: "price $", Unit: answer.Amount, Means: "asked for a job, on average"},
		{Name: "externality", Title: "externality $", Unit: answer.Amount,
			Means: "cost that one more job imposes on all others"},
	}
}

// priceValues are the values of priceColumns. A class of which nothing is sold has no price.
func priceValues(c analytic.ClassSolution) []answer.Value {
	price := answer.Value{}
	if c.Rate > 0 {
		price = answer.Exactly(answer.Amount, float64(c.Price))
	}
	return []answer.Value{price, answer.Exactly(answer.Amount, float64(c.Externality))}
}

// controlColumns are those of an admission that looks at the queue.
func controlColumns() []answer.Column {
	return []answer.Column{
		{Name: "control_admit", Title: "let in", Unit: answer.Share,
			Means: "share of its jobs to let in below the threshold, if not all"},
		{Name: "threshold", Unit: answer.Count, Means: "refused while so many jobs wait; of a state, in some states"},
		{Name: "surely", Unit: answer.Count, Means: "refused in every state from so many waiting jobs on"},
	}
}

// controlValues are the values of controlColumns.
func controlValues(t analytic.ClassThreshold) []answer.Value {
	return []answer.Value{answer.Exactly(answer.Share, metric.Float(t.Admit)),
		answer.Exactly(answer.Count, metric.Float(t.Waiting)), answer.Exactly(answer.Count, metric.Float(t.Surely))}
}

// classes is the table of the optimum by class.
func (s *solved) classes() answer.Table {
	pools, priced := s.Pools != nil, s.Stated != nil
	t := answer.Table{Name: "classes", Columns: classColumns(pools, solutionColumns()...)}
	if k := s.Checked; k != nil && !k.Stands {
		t.Columns[0].Title = "class (formula, not for use)"
	}
	t.Columns = append(t.Columns, answer.Column{Name: "next_job", Title: "next job $", Unit: answer.Amount,
		Means: "that one more arriving job of the class delivers, at the best admission"})
	if priced {
		t.Columns = append(t.Columns, priceColumns()...)
	}
	if s.Control != nil {
		t.Columns = append(t.Columns, controlColumns()...)
	}
	offered, _ := s.Rates()
	for i, c := range s.Classes {
		row := classKeys(pools, c.Name, c.Pool, solutionValues(c, offered)...)
		row = append(row, answer.Exactly(answer.Amount, s.Prices.Demand[i]))
		if priced {
			row = append(row, priceValues(c)...)
		}
		if s.Control != nil {
			row = append(row, controlValues(s.Control.Thresholds[i])...)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// pools is the table of the machine: a row for each pool, and one for all.
func (s *solved) pools() answer.Table {
	t := answer.Table{Name: "pools", Shown: true, Columns: []answer.Column{
		{Name: "pool", Unit: answer.Text, Means: "name of the pool"},
		{Name: "units", Unit: answer.Count, Means: "of the pool"},
		{Name: "load", Unit: answer.Ratio, Means: "work that comes over what the units can do"},
		{Name: "utilization", Title: "used", Unit: answer.Share, Means: "share of the units that admitted jobs use"},
		{Name: "mean_wait", Title: "wait", Unit: answer.Time, Means: "mean over admitted jobs"},
		{Name: "value", Title: "$/h", Unit: answer.Money, Means: "value delivered, by the formula"},
		{Name: "bound", Title: "bound $/h", Unit: answer.Money, Means: "that no static admission exceeds in this model"},
		{Name: "gap", Unit: answer.Share, Means: "between both, as a share of the bound"},
		{Name: "next_slot", Title: "next slot $/h", Unit: answer.Money, Means: "that room for one more job delivers"},
		{Name: "next_unit", Title: "next unit $/h", Unit: answer.Money, Means: "that one more unit delivers"},
	}}
	if s.Control != nil {
		t.Columns = append(t.Columns,
			answer.Column{Name: "control", Title: "control $/h", Unit: answer.Money,
				Means: "value of the admission that looks at the queue, by the formula"},
			answer.Column{Name: "control_bound", Title: "its bound $/h", Unit: answer.Money,
				Means: "that no admission exceeds in this model"})
	}
	for _, p := range s.Pools {
		t.Rows = append(t.Rows, poolRow(p, hourly(metric.Number(p.Prices.Capacity)), hourly(metric.Number(p.ShadowPrice))))
	}
	all := poolOptimum{PoolHead: subject.PoolHead{Name: "all", Units: s.model.Units}, optimum: s.optimum}
	row := poolRow(all, hourly(metric.Number(s.Prices.Capacity)), s.nextUnit())
	if !s.sameUnits() {
		row[1], row[3] = answer.Value{}, answer.Value{}
	}
	t.Rows = append(t.Rows, row)
	return t
}

func poolRow(p poolOptimum, slot, unit answer.Value) []answer.Value {
	row := []answer.Value{
		answer.Word(p.Name), answer.Exactly(answer.Count, float64(p.Units)),
		answer.Exactly(answer.Ratio, float64(p.Load)), answer.Exactly(answer.Share, float64(p.Utilization)),
		answer.Exactly(answer.Time, float64(p.MeanDelay)), hourly(p.RevenuePerSecond), hourly(p.UpperBoundPerSecond),
		answer.Exactly(answer.Share, float64(p.RelativeGap)), slot, unit,
	}
	if k := p.Control; k != nil {
		row = append(row, hourly(k.RevenuePerSecond), hourly(k.UpperBoundPerSecond))
	}
	return row
}

// parts are the optima of the pools, or that of the machine.
func (s *solved) parts() []poolOptimum {
	if s.Pools != nil {
		return s.Pools
	}
	return []poolOptimum{{optimum: s.optimum}}
}

// promises is the table of promised waits.
func (s *solved) promises() answer.Table {
	pools := s.Pools != nil
	t := answer.Table{Name: "promises", Shown: true, Columns: classColumns(pools,
		answer.Column{Name: "within", Unit: answer.Time, Means: "promised wait"},
		answer.Column{Name: "level", Unit: answer.Share, Means: "promised share of jobs"},
		answer.Column{Name: "kept", Unit: answer.Share, Means: "share of jobs that are, or were, let in"},
		answer.Column{Name: "cost", Title: "costs $/h", Unit: answer.Money, Means: "more that is delivered without it"})}
	for _, part := range s.parts() {
		if part.Exact == nil {
			continue
		}
		for _, p := range part.Exact.Promises {
			t.Rows = append(t.Rows, classKeys(pools, p.Name, part.Name, answer.Exactly(answer.Time, float64(p.Within)),
				answer.Exactly(answer.Share, float64(p.Level)), answer.Exactly(answer.Share, float64(p.Kept)),
				hourly(p.Cost)))
		}
	}
	return t
}

// providers is the table of providers, each of which gets the jobs that those before it refuse. A provider that admits
// more than it can serve delivers nothing that can be stated.
func (s *solved) providers() answer.Table {
	t := answer.Table{Name: "providers", Shown: true}
	if s.Providers == nil {
		return t
	}
	t.Columns = append([]answer.Column{{Name: "provider", Unit: answer.Text, Means: "name of the provider"}},
		classColumns(false, slices.DeleteFunc(solutionColumns(), func(c answer.Column) bool {
			return c.Name == "share"
		})...)...)
	all := append([]analytic.ProviderAnswer{{Name: scenario.ServerName, Solution: s.Solution}}, s.Providers...)
	for _, p := range all {
		for _, c := range p.Classes {
			row := []answer.Value{answer.Word(p.Name), answer.Word(c.Name)}
			t.Rows = append(t.Rows, append(row, solutionValues(c, 1)[1:]...))
		}
	}
	return t
}

// asks is the table of prices that are stated by length or width, in their units.
func (s *solved) asks() answer.Table {
	t := answer.Table{Name: "prices", Shown: true, Columns: classColumns(s.Pools != nil,
		answer.Column{Name: "price", Unit: answer.Ratio, Means: "asked, in its unit"},
		answer.Column{Name: "unit", Unit: answer.Text, Means: "of the price"})}
	if s.Stated == nil {
		return t
	}
	for i, c := range s.Classes {
		class, tariff := s.model.System.Classes[i], s.model.Tariffs[i]
		if class.Demand == nil || c.Rate == 0 {
			continue
		}
		unit, x := "$/hour", metric.Hour*tariff.PerSecond
		if !(tariff.PerSecond > 0) {
			unit, x = "$/"+text.Unit(s.model.UnitName)+"-hour", metric.Hour*tariff.PerNodeSecond
		}
		if x > 0 {
			asked := x * float64(c.Price) / class.StatedPrice()
			t.Rows = append(t.Rows, classKeys(s.Pools != nil, c.Name, c.Pool, answer.Exactly(answer.Ratio, asked),
				answer.Word(unit)))
		}
	}
	return t
}

// statePrices is the table of prices by the state of the queue.
func (s *solved) statePrices() answer.Table {
	t := answer.Table{Name: "state_prices", Columns: classColumns(false,
		answer.Column{Name: "state", Unit: answer.Text, Means: "busy: a server is idle; waiting: none is"},
		answer.Column{Name: "jobs", Unit: answer.Count, Means: "servers that are busy, or jobs that wait"},
		answer.Column{Name: "price", Title: "price $", Unit: answer.Amount, Means: "asked for a job, on average"})}
	if s.Control == nil {
		return t
	}
	add := func(class, state string, prices []metric.Number) {
		for n, x := range prices {
			if !math.IsNaN(float64(x)) {
				t.Rows = append(t.Rows, []answer.Value{answer.Word(class), answer.Word(state),
					answer.Exactly(answer.Count, float64(n)), answer.Exactly(answer.Amount, float64(x))})
			}
		}
	}
	for _, p := range s.Control.Prices {
		add(p.Name, "busy", p.Busy)
		add(p.Name, "waiting", p.Waiting)
	}
	return t
}
