package formula

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/optimize"
	"revopt/plots/wording"
	"revopt/simulate/analytic"
	"revopt/simulate/metric"
	"revopt/simulate/study/solve"
	"revopt/simulate/subject"
	"revopt/simulate/warn"
)

// Answer shows the optimum of a scenario.
type Answer struct {
	*solve.Answer
	Analysis *analytic.Analysis // the scenario that was solved
	Command  string             // that made it
}

func (a Answer) Facts() (any, []warn.Warning) { return a.Answer, a.Warnings }

// indent is the width of the words that begin a line below the table.
const indent = 13

func line(w io.Writer, begin, format string, args ...any) {
	fmt.Fprintf(w, "%-*s%s\n", indent, begin, fmt.Sprintf(format, args...))
}

// Table writes the classes, what the admission earns, its bound and its prices.
func (a Answer) Table(w io.Writer) {
	fitted := ""
	if a.Analysis.Fit != nil {
		fitted = "; " + wording.FittedWords(len(a.Analysis.System.Classes))
	}
	machine := slots(a.System.Parallel)
	if a.Pools != nil {
		machine = text.Plural(len(a.Pools), "pool")
	}
	fmt.Fprintf(w, "%s at load %s: %s, %s%s\n", text.OneLine(a.Scenario), text.Rounded(float64(a.Load)),
		machine, wording.DelayWords(a.System.Residual.String()), fitted)
	if check := a.Check(); check != nil {
		text.Print(w, strings.Join(check.Words(), " "), 0)
	} else {
		fmt.Fprintf(w, "By the formula alone: %s $/h.\n", wording.PerHour(a.RevenuePerSecond))
	}
	fmt.Fprintln(w)
	if a.Pools != nil {
		a.printPools(w)
		return
	}
	a.classTable().Print(w)
	fmt.Fprintln(w)
	a.printMoney(w)
	line(w, "Utilization", "%s of the server; offered is %s", text.Percent(float64(a.Utilization)),
		text.Percent(float64(a.Load)))
	line(w, "Next slot", "one more job at a time would deliver %s $/h more", wording.PerHour(a.Prices.Capacity))
	if width := a.meanWidth(); width > 1 {
		unit := text.Unit(a.Analysis.UnitName)
		line(w, "Next "+unit, "one more %s would deliver %s $/h more, at a mean width of %s", unit,
			wording.PerHour(a.Prices.Capacity/metric.Number(width)), text.Short(width))
	}
	if a.Stated != nil {
		a.printPrices(w)
	} else {
		line(w, "Next job", "one more arriving job of a class would deliver this, at the best admission")
	}
	a.printCheck(w)
	a.printPromises(w)
	a.printControl(w)
	a.printProviders(w)
}

// printCheck says how the answer was checked.
func (a Answer) printCheck(w io.Writer) {
	if check := a.Check(); check != nil {
		line(w, "Check", "%s", strings.Join(text.Wrapped(check.Size(), text.Columns(w)-indent),
			"\n"+strings.Repeat(" ", indent)))
	}
}

// printMoney says what the admission earns and what is proven.
func (a Answer) printMoney(w io.Writer) {
	line(w, "Value", "%s $/h", wording.PerHour(a.RevenuePerSecond))
	a.printBound(w)
	if a.Stated != nil {
		line(w, "Stated", "the best admission at the stated prices delivers %s $/h", wording.PerHour(*a.Stated))
	}
	if a.Tied {
		line(w, "Ties", "other admissions deliver the same; this one has most of the less urgent classes")
	}
}

// Rows is the table of the classes and their total, of pools that of the pools, its headings first.
func (a Answer) Rows() [][]string {
	if a.Pools != nil {
		return a.poolTable().Rows()
	}
	return a.classTable().Rows()
}

func (a Answer) classTable() *text.Table {
	priced := a.Stated != nil
	header := []string{"class", "share", "offered/h", "admitted", "wait", "value $/h", "next job $"}
	if priced {
		header[1], header[2], header[6] = "price $", "comes/h", "causes $"
	}
	var first, rates, earns, last []float64
	offered, admitted := a.Rates()
	for i, c := range a.Classes {
		rates = append(rates, float64(c.OfferedRate)*3600)
		earns = append(earns, float64(c.RevenuePerSecond)*3600)
		if priced {
			first, last = append(first, float64(c.Price)), append(last, float64(c.Externality))
		} else {
			last = append(last, float64(a.Prices.Classes[i].Demand))
		}
	}
	priceColumn, lastColumn := text.Uniform(first), text.Uniform(last)
	rateColumn := text.Uniform(append(rates, offered*3600))
	earnColumn := text.Uniform(append(earns, float64(a.RevenuePerHour)))
	t := text.NewTable(header...)
	for i, c := range a.Classes {
		left, admit, wait := "", text.Percent(float64(c.Admit)), "-"
		switch {
		case !priced:
			left = text.Percent(float64(c.OfferedRate) / offered)
		case c.Rate == 0:
			left, admit = "not sold", "-"
		default:
			left = priceColumn[i]
		}
		if c.AdmittedRate > 0 {
			wait = text.Duration(float64(c.MeanWait))
		}
		t.Row(c.Name, left, rateColumn[i], admit, wait, earnColumn[i], lastColumn[i])
	}
	all := text.Percent(1)
	if priced {
		all = ""
	}
	n := len(a.Classes)
	t.Row("total", all, rateColumn[n], text.Percent(admitted/offered), text.Duration(float64(a.MeanDelay)),
		earnColumn[n], "")
	return t
}

func (a Answer) printBound(w io.Writer) {
	line(w, "Bound", "%s", a.boundWords())
}

// boundWords says what is proven of the optimum.
func (a Answer) boundWords() string {
	choice, earn, priced := "static admission", "delivers", a.Stated != nil
	if priced {
		choice, earn = "prices and static admission", "deliver"
	}
	gap := float64(a.RelativeGap)
	switch {
	case !a.Proven():
		return "none: this is the best that a local search found"
	case gap > optimize.Loose && a.Exact == nil:
		return fmt.Sprintf("not proven: the optimum of %s lies between %s and %s $/h", choice,
			wording.PerHour(a.RevenuePerSecond), wording.PerHour(a.UpperBoundPerSecond))
	}
	keeps := ""
	if !priced && a.promised() {
		keeps = " that keeps the promises to every admitted job"
	}
	return fmt.Sprintf("no %s in this model%s %s over %s $/h; proven to within %s", choice, keeps, earn,
		wording.PerHour(a.UpperBoundPerSecond), text.Gap(gap))
}

func (a Answer) printPrices(w io.Writer) {
	if asked := a.asked(); asked != "" {
		line(w, "Asks", "%s", strings.Join(text.Wrapped(asked, text.Columns(w)-indent),
			"\n"+strings.Repeat(" ", indent)))
	}
	if scarce := a.scarce(); scarce != "" {
		line(w, "Scarce", "the trace has no more jobs of %s, so a lower price adds none", scarce)
	}
	line(w, "Causes", "the cost that one more job of a class imposes on all others%s", a.balance())
}

// asked lists the prices that are stated by length or width, in their units.
func (a Answer) asked() string {
	var words []string
	for i, c := range a.Classes {
		class, t := a.System.Classes[i], a.Analysis.Tariffs[i]
		if class.Demand == nil || c.Rate == 0 {
			continue
		}
		unit, x := "$/hour", 3600*t.PerSecond
		if !(t.PerSecond > 0) {
			unit, x = "$/"+text.Unit(a.Analysis.UnitName)+"-hour", 3600*t.PerNodeSecond
		}
		if x > 0 {
			k := float64(c.Price) / class.StatedPrice()
			words = append(words, fmt.Sprintf("%s %s %s", text.OneLine(c.Name), text.Short(k*x), unit))
		}
	}
	return strings.Join(words, ", ")
}

// scarce names the classes whose jobs in a trace are all sold.
func (a Answer) scarce() string {
	var names []string
	for i, c := range a.Classes {
		if d := a.System.Classes[i].Demand; d != nil && d.Scarce && float64(c.Rate) >= d.Rate*(1-1e-9) {
			names = append(names, text.OneLine(c.Name))
		}
	}
	return strings.Join(names, ", ")
}

// balance says that marginal revenue equals marginal cost, if that is so: at a largest
// price, or at a fixed price, it may be higher.
func (a Answer) balance() string {
	for _, c := range a.Classes {
		if x := float64(c.Marginal); c.AdmittedRate > 0 && math.Abs(x-float64(c.Externality)) > 1e-4*x {
			return ""
		}
	}
	return "; marginal revenue equals this cost"
}

// meanWidth returns the mean width of the jobs, weighted by the time they run.
func (a Answer) meanWidth() float64 {
	var nodes, slots float64
	for _, c := range a.System.Classes {
		run := c.Rate * c.Length.Mean()
		slots += run
		nodes += run * math.Max(1, c.Width.Mean())
	}
	return nodes / slots
}

// promised reports whether the answer is about promises.
func (a Answer) promised() bool { return a.Exact != nil && len(a.Exact.Promises) > 0 }

// printPromises says how far the promises are kept and what they cost.
func (a Answer) printPromises(w io.Writer) {
	if !a.promised() {
		return
	}
	for _, p := range a.Exact.Promises {
		verb, cost := "start", "nothing"
		if !p.Admitted {
			verb = "would start"
		}
		if p.Cost > 0 {
			cost = wording.PerHour(p.Cost) + " $/h"
		}
		line(w, "Promise", "%s of %s %s within %s; promised are %s; it costs %s", text.Percent(float64(p.Kept)),
			text.OneLine(p.Name), verb, text.Duration(float64(p.Within)), text.Percent(float64(p.Level)), cost)
	}
	line(w, "Cost", "the promises cost %s $/h together", wording.PerHour(a.Exact.PromiseCost))
	if r := a.Exact.Refusing; r != nil {
		line(w, "Refusing", "%s", text.OneLine(wording.RefusalWords(r)))
	}
}

func (a Answer) printControl(w io.Writer) {
	earns, limits := a.controlWords()
	for i, words := range append(earns, limits...) {
		line(w, []string{"Control", ""}[min(i, 1)], "%s", words)
	}
}

// controlWords says what the admission that depends on the queue earns, and its prices or limits.
func (a Answer) controlWords() (earns, limits []string) {
	k := a.Control
	if k == nil {
		return nil, nil
	}
	earns = controlEarns(k)
	for _, p := range k.Prices {
		limits = append(limits, text.OneLine(p.Name)+" asks "+statePrices(p))
	}
	if k.Prices == nil {
		for i, t := range k.Thresholds {
			if a.Pools != nil {
				t.Name = subject.Section{Name: t.Name, Pool: a.Classes[i].Pool}.Label()
			}
			limits = append(limits, text.OneLine(t.Name)+" "+limitWords(t))
		}
	}
	return earns, limits
}

// statePrices lists the prices of a class at some states of the queue.
func statePrices(p solve.StatePrices) string {
	var words []string
	add := func(list []metric.Number, what string, at ...int) {
		for _, n := range slices.Compact(at) {
			if n < len(list) && !math.IsNaN(float64(list[n])) {
				words = append(words, fmt.Sprintf("%s $ with %d %s", text.Short(float64(list[n])), n, what))
			}
		}
	}
	n := len(p.Busy)
	add(p.Busy, "busy", 0, n/2, n-1)
	add(p.Waiting, "waiting", 0, 2, 5, 10)
	return strings.Join(words, ", ")
}

// controlEarns says what an admission, or prices, that look at the queue earn, and what is proven.
func controlEarns(k *solve.ControlAnswer) []string {
	priced := k.Prices != nil
	subject := "the best of all admissions that look at the queue delivers "
	switch {
	case k.Kind == analytic.ControlThreshold:
		subject = "the best limits on waiting jobs that a search found deliver "
	case priced:
		subject = "the best of all prices that look at the queue deliver "
	}
	if k.Open() {
		return []string{fmt.Sprintf("not proven: %sbetween %s and %s $/h", subject, wording.PerHour(k.RevenuePerSecond),
			wording.PerHour(k.UpperBoundPerSecond))}
	}
	static := "static admission"
	if priced {
		static = "fixed prices"
	}
	list := []string{fmt.Sprintf("%s%s $/h, %s more than %s in the same queue", subject,
		wording.PerHour(k.RevenuePerSecond), text.Percent(float64(k.Gain)), static)}
	if k.Kind != analytic.ControlState {
		return list
	}
	proven := fmt.Sprintf("more than %s $/h; proven to within %s with %s", wording.PerHour(k.UpperBoundPerSecond),
		text.Gap(float64(k.RelativeGap)), text.Plural(k.States, "state"))
	if !priced {
		return append(list, "no admission delivers "+proven)
	}
	return append(list, "none deliver "+proven+",",
		"for rates up to 4 times the stated one or a full server, and prices up to 10 times the stated or fixed one")
}

// limitWords says when a class is refused.
func limitWords(t analytic.ClassThreshold) string {
	at := func(n *int, k int) bool { return n != nil && *n == k }
	words := "is never refused for the queue"
	switch {
	case t.Admit != nil && (*t.Admit == 0 || at(t.Waiting, 0)):
		words = "is never admitted"
	case at(t.Waiting, 0) && (t.Surely == nil || at(t.Surely, 0)):
		words = "is admitted only where it can start at once"
	case t.Waiting == nil:
	case t.Surely != nil && *t.Surely != *t.Waiting:
		words = fmt.Sprintf("is refused in some states from %s on, in all from %d on",
			text.Plural(*t.Waiting, "waiting job"), *t.Surely)
	default:
		words = "is refused while " + text.Plural(*t.Waiting, "job") + " or more wait"
	}
	if t.Reserved {
		words += "; in some states it is refused although a server is idle"
	}
	if t.Admit != nil && *t.Admit > 0 && *t.Admit < 1 && !at(t.Waiting, 0) {
		words += "; of the others " + text.Percent(float64(*t.Admit)) + " are let in"
	}
	return words
}

// printProviders lists the providers. Each gets the jobs that the ones before it
// refuse. One that admits more than it can serve earns nothing that can be stated.
func (a Answer) printProviders(w io.Writer) {
	if a.Providers == nil {
		return
	}
	all := append([]analytic.ProviderAnswer{{Name: scenario.ServerName, Solution: a.Solution}}, a.Providers...)
	header := []string{"provider", "offered/h", "used", "value $/h"}
	header = append(header, text.Each(a.Classes, func(c analytic.ClassSolution) string { return c.Name })...)
	var rates, earns []float64
	for _, p := range all {
		offered, _ := p.Rates()
		earn := float64(p.RevenuePerHour)
		if math.IsInf(earn, 0) {
			earn = 0
		}
		rates, earns = append(rates, 3600*offered), append(earns, earn)
	}
	rateColumn, earnColumn := text.Uniform(rates), text.Uniform(earns)
	t := text.NewTable(header...)
	for i, p := range all {
		if math.IsInf(float64(p.RevenuePerHour), 0) {
			earnColumn[i] = "-"
		}
		row := []string{p.Name, rateColumn[i], text.Percent(float64(p.Utilization)), earnColumn[i]}
		admits := text.Each(p.Classes, func(c analytic.ClassSolution) string { return text.Percent(float64(c.Admit)) })
		t.Row(append(row, admits...)...)
	}
	fmt.Fprintln(w)
	t.Print(w)
}

func (a Answer) Provenance() text.Provenance {
	number := func(x metric.Number) string { return text.Field(float64(x)) }
	list := []string{
		"method", a.Method, "residual", a.System.Residual.String(), "load", number(a.Load),
		"revenue_per_second", number(a.RevenuePerSecond), "upper_bound_per_second", number(a.UpperBoundPerSecond),
		"capacity_price", number(a.Prices.Capacity),
	}
	if a.Checked != nil {
		list = append(list, "checked", number(a.Checked.Admission.Mean), "checked_all", number(a.Checked.All.Mean),
			"stands", strconv.FormatBool(a.Checked.Stands))
	}
	return wording.Provenance(a.Version, a.Scenario, a.Command, a.Overrides, a.TraceFile, nil, list...)
}

// Records yields a row for each class.
func (a Answer) Records(add func(cells ...any)) {
	pools := a.Pools != nil
	header := []string{
		"offered_rate", "admit", "admitted_rate", "utilization", "mean_wait", "revenue_per_second", "demand_price",
	}
	if a.Stated != nil {
		header = append(header, "price", "rate", "externality")
	}
	add(wording.ClassCells(pools, "class", "pool"), header)
	for i, c := range a.Classes {
		row := []metric.Number{
			c.OfferedRate, c.Admit, c.AdmittedRate, c.Utilization, c.MeanWait, c.RevenuePerSecond,
			a.Prices.Classes[i].Demand,
		}
		if c.PriceAnswer != nil {
			row = append(row, c.Price, c.Rate, c.Externality)
		}
		add(wording.ClassCells(pools, c.Name, c.Pool), row)
	}
}

// printPools writes the classes of every pool, then a row for each pool and their sum.
func (a Answer) printPools(w io.Writer) {
	for i, p := range a.Pools {
		one := Answer{Answer: &solve.Answer{Optimum: p.Optimum}, Analysis: a.Analysis.Pools[i]}
		fmt.Fprintf(w, "Pool %s: %s at load %s, %s\n", text.OneLine(p.Name),
			text.Machine(p.Units, p.Unit, 0), text.Rounded(float64(p.Load)), slots(p.System.Parallel))
		one.classTable().Print(w)
		if p.Stated != nil {
			one.printPrices(w)
		}
		one.printPromises(w)
		one.printControl(w)
		fmt.Fprintln(w)
	}
	a.poolTable().Print(w)
	fmt.Fprintln(w)
	a.printMoney(w)
	if k := a.Control; k != nil { // every pool has listed its own limits
		sum := *k
		sum.Thresholds, sum.Prices = nil, k.Prices[:0:0]
		Answer{Answer: &solve.Answer{Optimum: solve.Optimum{Control: &sum}}}.printControl(w)
	}
	a.printCheck(w)
	line(w, "Next unit", "one more unit of the pool would deliver this")
	if a.Stated == nil {
		line(w, "Next job", "one more arriving job of a class would deliver this, at the best admission")
	}
}

func (a Answer) poolTable() *text.Table {
	rows := append(slices.Clip(a.Pools), solve.PoolOptimum{PoolHead: subject.PoolHead{Name: "all"}, Optimum: a.Optimum})
	column := func(of func(p solve.PoolOptimum) metric.Number) []string {
		return text.Uniform(text.Each(rows, func(p solve.PoolOptimum) float64 { return 3600 * float64(of(p)) }))
	}
	earns := column(func(p solve.PoolOptimum) metric.Number { return p.RevenuePerSecond })
	bounds := column(func(p solve.PoolOptimum) metric.Number { return p.UpperBoundPerSecond })
	t := text.NewTable("pool", "size", "load", "used", "value $/h", "bound $/h", "next unit $/h")
	for i, p := range rows {
		size, next := text.Machine(p.Units, p.Unit, 0), text.Short(3600*float64(p.ShadowPrice))
		if i == len(a.Pools) {
			size, next = "", ""
		}
		if !p.Proven() {
			bounds[i] = "-"
		}
		used := text.Percent(float64(p.Utilization))
		if i == len(a.Pools) && text.Differ(a.Pools, func(p solve.PoolOptimum) string { return p.Unit }) {
			used = "-"
		}
		t.Row(p.Name, size, text.Fixed(float64(p.Load), 4), used, earns[i], bounds[i], next)
	}
	return t
}

// slots says how many jobs run at a time.
func slots(n float64) string {
	if n == 1 {
		return "1 job at a time"
	}
	return text.Rounded(n) + " jobs at a time"
}
