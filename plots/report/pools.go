package report

import (
	"fmt"
	"io"

	"revopt/internal/text"
	"revopt/simulate/study"
)

// poolWords names a pool and its size.
func poolWords(p study.PoolHead) string {
	return "Pool " + text.OneLine(p.Name) + ": " + text.Machine(p.Units, p.Unit, 0)
}

// printPools writes the classes of every pool, then a row for each pool and their sum.
func (a Answer) printPools(w io.Writer) {
	header := []string{"pool", "size", "load", "used", "earns $/h", "bound $/h", "next unit $/h"}
	var earns, bounds, next []float64
	for i, p := range a.Pools {
		one := Answer{Answer: &study.Answer{Optimum: p.Optimum}, Analysis: a.Analysis.Pools[i]}
		fmt.Fprintf(w, "%s at load %s, %s jobs at a time\n", poolWords(p.PoolHead),
			text.Rounded(float64(p.Load)), text.Rounded(p.System.Parallel))
		one.printClasses(w)
		if p.Stated != nil {
			one.printPrices(w)
		}
		one.printPromises(w)
		one.printControl(w)
		fmt.Fprintln(w)
		earns, bounds = append(earns, float64(p.RevenuePerHour)), append(bounds, 3600*float64(p.UpperBoundPerSecond))
		next = append(next, 3600*float64(p.ShadowPrice))
	}
	earnColumn := text.Column(append(earns, float64(a.RevenuePerHour)))
	boundColumn := text.Column(append(bounds, 3600*float64(a.UpperBoundPerSecond)))
	nextColumn := append(text.Column(next), "")
	t := text.NewTable(header...)
	row := func(i int, name, size string, s study.Solution) {
		bound := "-"
		if s.Proven() {
			bound = boundColumn[i]
		}
		t.Row(name, size, text.Fixed(float64(s.Load), 4), text.Percent(float64(s.Utilization)),
			earnColumn[i], bound, nextColumn[i])
	}
	for i, p := range a.Pools {
		row(i, p.Name, text.Machine(p.Units, p.Unit, 0), p.Solution)
	}
	row(len(a.Pools), "all", "", a.Solution)
	t.Print(w)
	fmt.Fprintln(w)
	a.printMoney(w)
	if k := a.Control; k != nil {
		sum := *k
		sum.Thresholds, sum.Prices = nil, k.Prices[:0:0] // every pool has listed its own
		Answer{Answer: &study.Answer{Optimum: study.Optimum{Control: &sum}}}.printControl(w)
	}
	line(w, "Next unit", "one more unit of the pool would earn this")
	if a.Stated == nil {
		line(w, "Next job", "one more arriving job of a class would earn this, at the best admission")
	}
}

// className is the name of a class, with its pool if there are pools.
func className(name, pool string) string {
	if pool == "" {
		return name
	}
	return name + " in " + pool
}

// classCells are the first cells of a row: a name and, if there are pools, a pool.
func classCells(pools bool, name, pool string) []string {
	if pools {
		return []string{name, pool}
	}
	return []string{name}
}
