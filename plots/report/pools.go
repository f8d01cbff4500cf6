package report

import (
	"fmt"
	"io"
	"slices"

	"revopt/internal/text"
	"revopt/simulate/study"
)

// printPools writes the classes of every pool, then a row for each pool and their sum.
func (a Answer) printPools(w io.Writer) {
	for i, p := range a.Pools {
		one := Answer{Answer: &study.Answer{Optimum: p.Optimum}, Analysis: a.Analysis.Pools[i]}
		fmt.Fprintf(w, "Pool %s: %s at load %s, %s jobs at a time\n", text.OneLine(p.Name),
			text.Machine(p.Units, p.Unit, 0), text.Rounded(float64(p.Load)), text.Rounded(p.System.Parallel))
		one.printClasses(w)
		if p.Stated != nil {
			one.printPrices(w)
		}
		one.printPromises(w)
		one.printControl(w)
		fmt.Fprintln(w)
	}
	rows := append(slices.Clip(a.Pools), study.PoolOptimum{PoolHead: study.PoolHead{Name: "all"}, Optimum: a.Optimum})
	column := func(of func(p study.PoolOptimum) study.Number) []string {
		return text.Column(text.Each(rows, func(p study.PoolOptimum) float64 { return 3600 * float64(of(p)) }))
	}
	earns := column(func(p study.PoolOptimum) study.Number { return p.RevenuePerSecond })
	bounds := column(func(p study.PoolOptimum) study.Number { return p.UpperBoundPerSecond })
	t := text.NewTable("pool", "size", "load", "used", "earns $/h", "bound $/h", "next unit $/h")
	for i, p := range rows {
		size, next := text.Machine(p.Units, p.Unit, 0), text.Short(3600*float64(p.ShadowPrice))
		if i == len(a.Pools) {
			size, next = "", ""
		}
		if !p.Proven() {
			bounds[i] = "-"
		}
		used := text.Percent(float64(p.Utilization))
		if i == len(a.Pools) && text.Differ(a.Pools, func(p study.PoolOptimum) string { return p.Unit }) {
			used = "-"
		}
		t.Row(p.Name, size, text.Fixed(float64(p.Load), 4), used, earns[i], bounds[i], next)
	}
	t.Print(w)
	fmt.Fprintln(w)
	a.printMoney(w)
	if k := a.Control; k != nil { // every pool has listed its own limits
		sum := *k
		sum.Thresholds, sum.Prices = nil, k.Prices[:0:0]
		Answer{Answer: &study.Answer{Optimum: study.Optimum{Control: &sum}}}.printControl(w)
	}
	line(w, "Next unit", "one more unit of the pool would earn this")
	if a.Stated == nil {
		line(w, "Next job", "one more arriving job of a class would earn this, at the best admission")
	}
}
