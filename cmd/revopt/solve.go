package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/optimize"
	"revopt/plots"
	"revopt/plots/report"
	"revopt/simulate/study"
)

func (p *program) solveCommand() *cli.Command {
	return &cli.Command{
		Name:      "solve",
		Usage:     "the admission that earns most, with waits, bound and shadow prices",
		ArgsUsage: "SCENARIO [flags]",
		Description: `Finds which share of each class of jobs to admit so that the cluster earns most,
and proves that no other static admission earns more. With --utility exact it counts
what delay costs job by job, with grace and floor, from the distribution of the waits
in one pooled server or, with residual multiserver, in several, keeps the promises on
waits (slo), says what each costs, and proves a bound only.
--control state finds the admission that earns most of all, also of those that look
at the queue, and --control threshold the best limits on waiting jobs, for exponential
lengths without graces and floors. --prices chooses prices as well, for the classes
that state a demand.
A trace is solved through the job classes that are fitted to its jobs.

Examples:
  revopt solve nist-four --load 0.6
  revopt solve nist-cluster --load 1.2 --utility exact
  revopt solve mine.yaml --set classes.HvHu.decay=3 --set server.parallel=30 --json
  revopt solve sp2-like --growth 20%
  revopt solve exponential.yaml --control state
  revopt solve shop.yaml --prices`,
		Flags: append(scenarioFlags(),
			&cli.StringFlag{Name: "method", Value: string(optimize.MethodCertified), Usage: "`METHOD` certified (proven global optimum) or cg (fast local search)"},
			&cli.StringFlag{Name: "utility", Value: "linear", Usage: "`UTILITY` linear (loss by the mean wait) or exact (job by job)"},
			&cli.StringFlag{Name: "control", Value: "static", Usage: "`KIND` static, state (the whole queue) or threshold (how many wait)"},
			pricesFlag(), gapFlag(), seedFlag("the jobs that classes are fitted to"), jsonFlag(), csvFlag("the table"), quietFlag("warnings"),
		),
		Action: p.solve,
	}
}

func (p *program) solve(c *cli.Context) error {
	o, err := solveOptions(c)
	if err != nil {
		return err
	}
	in, err := p.open(c)
	if err != nil {
		return err
	}
	analysis, err := in.Analyze(c.Context, c.Uint64("seed"), 0)
	if err != nil {
		return err
	}
	found, err := study.Solve(c.Context, analysis, o)
	if err != nil {
		return err
	}
	found.Overrides = in.overrides
	a := &answer{found, analysis}
	if err := p.deliver(c, found, a.print, found.Warnings, csvFile(c, a.provenance(p), a.records)); err != nil {
		return err
	}
	if k := found.Control; k != nil && k.Open() {
		return openProof(k.RevenuePerSecond, k.UpperBoundPerSecond, " for admission that looks at the queue")
	}
	return unclosed(o, analysis.System.Residual, &found.Solution, "")
}

func solveOptions(c *cli.Context) (study.SolveOptions, error) {
	o := study.SolveOptions{Method: optimize.Method(c.String("method")), Version: build().Version}
	if o.Method != optimize.MethodCertified && o.Method != optimize.MethodCG {
		return o, usagef("--method: expected certified or cg, got %q", o.Method)
	}
	u := c.String("utility")
	if u != "linear" && u != "exact" {
		return o, usagef("--utility: expected linear or exact, got %q", u)
	}
	if o.Exact = u == "exact"; o.Exact && c.IsSet("method") {
		return o, usagef("--method: expected --utility linear with it, the exact utility has a method of its own")
	}
	switch k := c.String("control"); {
	case k == study.ControlState || k == study.ControlThreshold:
		o.Control = k
	case k != "static":
		return o, usagef("--control: expected static, state or threshold, got %q", k)
	}
	if o.Exact && o.Control != "" {
		return o, usagef("--control: expected --utility linear with it: a state is small only where value falls linearly")
	}
	if o.Prices = c.Bool("prices"); o.Prices && o.Exact {
		return o, usagef("--prices: expected --utility linear with it")
	}
	if o.Prices && o.Control == study.ControlThreshold {
		return o, usagef("--prices: expected --control static or state with it")
	}
	var err error
	o.Gap, err = gapOption(c)
	return o, err
}

func pricesFlag() cli.Flag {
	return &cli.BoolFlag{Name: "prices", Usage: "choose prices too, for classes that state a demand"}
}

func gapOption(c *cli.Context) (float64, error) {
	gap := c.Float64("gap")
	if !(gap > 0 && gap < 1) {
		return 0, usagef("--gap: expected a number above 0 and below 1 such as 1e-6, got %g", gap)
	}
	return gap, nil
}

// unclosed reports a proof that did not close, where the certified method could
// have closed it.
func unclosed(o study.SolveOptions, residual model.Residual, s *study.Solution, where string) error {
	if o.Exact || o.Method == optimize.MethodCG || residual == model.Multiserver || float64(s.RelativeGap) <= optimize.Loose {
		return nil
	}
	return openProof(s.RevenuePerSecond, s.UpperBoundPerSecond, where)
}

// openProof says between what an optimum lies.
func openProof(low, high study.Number, where string) error {
	return &shortError{fmt.Sprintf("the proof did not close to 1 %%%s: the optimum lies between %.6g and %.6g $/s", where, low, high)}
}

// answer is a solution as it is printed.
type answer struct {
	*study.Answer
	analysis *study.Analysis
}

// print writes the answer for a person to read.
func (a *answer) print(w io.Writer) {
	fmt.Fprintf(w, "%s at load %s: %s jobs at a time, %s%s\n\n", text.OneLine(a.Scenario), text.Rounded(float64(a.Load)),
		text.Rounded(a.System.Parallel), report.Residual(a.System.Residual.String()), fittedWords(a.analysis))
	a.table().Print(w)
	fmt.Fprintln(w)
	hour := func(x study.Number) string { return text.Grouped(float64(x) * 3600) }
	fmt.Fprintf(w, "Earns        %s $/h\n", hour(a.RevenuePerSecond))
	choice, earns := "static admission in this model", "earns"
	switch {
	case a.Stated != nil:
		choice, earns = "prices and static admission in this model", "earn"
	case a.Exact != nil && len(a.Exact.Promises) > 0:
		choice = "static admission in this model that keeps the promises to whoever comes"
	}
	switch gap := float64(a.RelativeGap); {
	case !a.Proven():
		fmt.Fprintf(w, "Bound        none: this is the best that a local search found\n")
	case gap > optimize.Loose && a.Exact == nil:
		fmt.Fprintf(w, "Bound        not proven: the optimum of %s lies between %s and %s $/h\n", strings.TrimSuffix(choice, " in this model"), hour(a.RevenuePerSecond), hour(a.UpperBoundPerSecond))
	default:
		fmt.Fprintf(w, "Bound        no %s %s over %s $/h; proven to within %s\n", choice, earns, hour(a.UpperBoundPerSecond), text.Gap(gap))
	}
	if a.Stated != nil {
		fmt.Fprintf(w, "Stated       the best admission at the stated prices earns %s $/h\n", hour(*a.Stated))
	}
	if a.Tied {
		fmt.Fprintf(w, "Ties         other admissions earn the same; this one has most of the less urgent classes\n")
	}
	fmt.Fprintf(w, "Utilization  %s of the server; offered is %s\n", text.Percent(float64(a.Utilization)), text.Percent(float64(a.Load)))
	fmt.Fprintf(w, "Next slot    one more job at a time would earn %s $/h more\n", hour(a.Prices.Capacity))
	if width := a.meanWidth(); width > 1 {
		fmt.Fprintf(w, "Next node    one more node would earn %s $/h more, at a mean width of %s\n", hour(a.Prices.Capacity/study.Number(width)), text.Short(width))
	}
	if a.Stated != nil {
		if asked := a.asked(); asked != "" {
			fmt.Fprintf(w, "Asks         %s\n", strings.Join(text.Wrapped(asked, tableWidth-13), "\n             "))
		}
		if scarce := a.scarce(); scarce != "" {
			fmt.Fprintf(w, "Scarce       the trace has no more jobs of %s, so that a lower price would bring none\n", scarce)
		}
		fmt.Fprintf(w, "Causes       what one more job of a class costs all%s\n", a.balance())
	} else {
		fmt.Fprintf(w, "Next job     one more arriving job of a class would earn this, at the best admission\n")
	}
	a.printPromises(w)
	a.printControl(w)
	a.printProviders(w)
}

// finite returns a number, 0 where it is infinite.
func finite(x study.Number) float64 {
	if math.IsInf(float64(x), 0) {
		return 0
	}
	return float64(x)
}

// printProviders lists the further providers, each with the jobs that those before
// it refuse.
func (a *answer) printProviders(w io.Writer) {
	if a.Providers == nil {
		return
	}
	all := append([]study.ProviderAnswer{{Name: scenario.ServerName, Solution: a.Solution}}, a.Providers...)
	head := []string{"provider", "offered/h", "used", "earns $/h"}
	for _, c := range a.Classes {
		head = append(head, c.Name)
	}
	t := text.NewTable(head...)
	var rates, earns []float64
	for _, p := range all {
		offered, _ := p.Rates()
		rates, earns = append(rates, 3600*offered), append(earns, finite(p.RevenuePerHour))
	}
	rateColumn, earnColumn := text.Column(rates), text.Column(earns)
	for i, p := range all {
		if math.IsInf(float64(p.RevenuePerHour), 0) { // more is admitted than can be served
			earnColumn[i] = "-"
		}
		row := []string{p.Name, rateColumn[i], text.Percent(float64(p.Utilization)), earnColumn[i]}
		for _, c := range p.Classes {
			row = append(row, text.Percent(float64(c.Admit)))
		}
		t.Row(row...)
	}
	fmt.Fprintln(w)
	t.Print(w)
}

// asked lists the prices that are stated by length or width, in their own units.
func (a *answer) asked() string {
	var words []string
	for i, c := range a.Classes {
		of := a.System.Classes[i]
		k := float64(c.Price) / of.StatedPrice()
		t := a.analysis.Tariffs[i]
		unit, x := "", 0.0
		switch {
		case of.Demand == nil || c.Rate == 0:
			continue
		case t.PerSecond > 0:
			unit, x = "$/hour", 3600*t.PerSecond
		case t.PerNodeSecond > 0:
			unit, x = "$/node-hour", 3600*t.PerNodeSecond
		default:
			continue
		}
		words = append(words, fmt.Sprintf("%s %s %s", text.OneLine(c.Name), text.Short(k*x), unit))
	}
	return strings.Join(words, ", ")
}

// scarce names the classes of which all jobs of a trace are sold.
func (a *answer) scarce() string {
	var names []string
	for i, c := range a.Classes {
		if d := a.System.Classes[i].Demand; d != nil && d.Scarce && float64(c.Rate) >= d.Rate*(1-1e-9) {
			names = append(names, text.OneLine(c.Name))
		}
	}
	return strings.Join(names, ", ")
}

// balance says that the last jobs sold bring what they cost, where that is so: at a
// largest price, or of a class whose price is fixed, they may bring more.
func (a *answer) balance() string {
	for _, c := range a.Classes {
		if x := float64(c.Marginal); c.AdmittedRate > 0 && math.Abs(x-float64(c.Externality)) > 1e-4*x {
			return ""
		}
	}
	return "; the last one sold brings as much"
}

// printControl writes the admission that looks at the queue.
func (a *answer) printControl(w io.Writer) {
	k := a.Control
	if k == nil {
		return
	}
	hour := func(x study.Number) string { return text.Grouped(float64(x) * 3600) }
	what, static := "the best of all admissions that look at the queue earns", "static admission"
	if k.Prices != nil {
		what, static = "the best of all prices that look at the queue earn", "fixed prices"
	}
	if k.Kind == study.ControlThreshold {
		what = "the best limits on waiting jobs that a search found earn"
	}
	if k.Open() {
		fmt.Fprintf(w, "Control      not proven: %s between %s and %s $/h\n", what, hour(k.RevenuePerSecond), hour(k.UpperBoundPerSecond))
	} else {
		fmt.Fprintf(w, "Control      %s %s $/h, %s more than %s in the same queue\n", what, hour(k.RevenuePerSecond), text.Percent(float64(k.Gain)), static)
	}
	if k.Kind == study.ControlState && !k.Open() {
		none, limits := "no admission earns", ""
		if k.Prices != nil {
			none, limits = "none earn", ",\n             for rates up to 4 times the stated one or a full server, and prices up to 10 times the stated or fixed one"
		}
		fmt.Fprintf(w, "             %s more than %s $/h; proven with %s%s\n", none, hour(k.UpperBoundPerSecond), text.Plural(k.States, "state"), limits)
	}
	for _, p := range k.Prices {
		var words []string
		add := func(list []study.Number, what string, at ...int) {
			for _, n := range slices.Compact(at) {
				if n < len(list) && !math.IsNaN(float64(list[n])) {
					words = append(words, fmt.Sprintf("%s $ with %d %s", text.Short(float64(list[n])), n, what))
				}
			}
		}
		n := len(p.Busy)
		add(p.Busy, "busy", 0, n/2, n-1)
		add(p.Waiting, "waiting", 0, 2, 5, 10)
		fmt.Fprintf(w, "             %s asks %s\n", text.OneLine(p.Name), strings.Join(words, ", "))
	}
	if k.Prices != nil {
		return
	}
	for _, t := range k.Thresholds {
		words := "is never refused for the queue"
		switch {
		case t.Admit != nil && (*t.Admit == 0 || t.Waiting != nil && *t.Waiting == 0):
			words = "is never admitted"
		case t.Waiting != nil && *t.Waiting == 0 && (t.Surely == nil || *t.Surely == 0):
			words = "is admitted only where it can start at once"
		case t.Waiting != nil && t.Surely != nil && *t.Surely != *t.Waiting:
			words = fmt.Sprintf("is refused in some states from %s on, in all from %d on", text.Plural(*t.Waiting, "waiting job"), *t.Surely)
		case t.Waiting != nil:
			words = fmt.Sprintf("is refused while %s or more wait", text.Plural(*t.Waiting, "job"))
		}
		if t.Reserved {
			words += "; in some states it is refused although it could"
		}
		if t.Admit != nil && *t.Admit > 0 && *t.Admit < 1 && !(t.Waiting != nil && *t.Waiting == 0) {
			words += fmt.Sprintf("; of the others %s are let in", text.Percent(float64(*t.Admit)))
		}
		fmt.Fprintf(w, "             %s %s\n", text.OneLine(t.Name), words)
	}
}

// fittedWords says where classes are fitted to a trace.
func fittedWords(a *study.Analysis) string {
	if a.Fit == nil {
		return ""
	}
	return "; " + report.Fitted(len(a.System.Classes))
}

// meanWidth returns the mean width of the jobs, weighted by the time they run:
// nodes for a job at a time.
func (a *answer) meanWidth() float64 {
	var nodes, slots float64
	for _, c := range a.System.Classes {
		run := c.Rate * c.Length.Mean()
		slots += run
		nodes += run * math.Max(1, c.Width.Mean())
	}
	return nodes / slots
}

// table lists the classes and their total.
func (a *answer) table() *text.Table {
	if a.Stated != nil {
		return a.priceTable()
	}
	t := text.NewTable("class", "share", "offered/h", "admitted", "wait", "earns $/h", "next job $")
	offered, admitted := a.Rates()
	var rates, earns, demand []float64
	for i, c := range a.Classes {
		rates = append(rates, float64(c.OfferedRate)*3600)
		earns = append(earns, float64(c.RevenuePerSecond)*3600)
		demand = append(demand, float64(a.Prices.Classes[i].Demand))
	}
	rateColumn := text.Column(append(rates, offered*3600))
	earnColumn := text.Column(append(earns, float64(a.RevenuePerHour)))
	demandColumn := text.Column(demand)
	for i, c := range a.Classes {
		wait := "-"
		if c.AdmittedRate > 0 {
			wait = text.Duration(float64(c.MeanWait))
		}
		t.Row(c.Name, text.Percent(float64(c.OfferedRate)/offered), rateColumn[i], text.Percent(float64(c.Admit)), wait, earnColumn[i], demandColumn[i])
	}
	last := len(a.Classes)
	t.Row("total", text.Percent(1), rateColumn[last], text.Percent(admitted/offered), text.Duration(float64(a.MeanDelay)), earnColumn[last], "")
	return t
}

// priceTable lists the classes with the prices that were chosen.
func (a *answer) priceTable() *text.Table {
	t := text.NewTable("class", "price $", "comes/h", "admitted", "wait", "earns $/h", "causes $")
	var prices, rates, earns, causes []float64
	for _, c := range a.Classes {
		prices, rates = append(prices, float64(c.Price)), append(rates, 3600*float64(c.Rate))
		earns, causes = append(earns, 3600*float64(c.RevenuePerSecond)), append(causes, float64(c.Externality))
	}
	offered, admitted := a.Rates()
	priceColumn, causeColumn := text.Column(prices), text.Column(causes)
	rateColumn, earnColumn := text.Column(append(rates, 3600*offered)), text.Column(append(earns, float64(a.RevenuePerHour)))
	for i, c := range a.Classes {
		wait := "-"
		if c.AdmittedRate > 0 {
			wait = text.Duration(float64(c.MeanWait))
		}
		price, admit := priceColumn[i], text.Percent(float64(c.Admit))
		if c.Rate == 0 {
			price, admit = "not sold", "-"
		}
		t.Row(c.Name, price, rateColumn[i], admit, wait, earnColumn[i], causeColumn[i])
	}
	last := len(a.Classes)
	t.Row("total", "", rateColumn[last], text.Percent(admitted/offered), text.Duration(float64(a.MeanDelay)), earnColumn[last], "")
	return t
}

// printPromises says what becomes of the promises, which the exact utility
// knows.
func (a *answer) printPromises(w io.Writer) {
	if a.Exact == nil {
		return
	}
	for _, p := range a.Exact.Promises {
		name, verb := text.OneLine(p.Name), "start"
		if !p.Admitted {
			verb = "would start"
		}
		cost := "nothing"
		if p.Cost > 0 {
			cost = text.Grouped(3600*float64(p.Cost)) + " $/h"
		}
		fmt.Fprintf(w, "Promise      %s of %s %s within %s; promised are %s; it costs %s\n",
			text.Percent(float64(p.Kept)), name, verb, text.Duration(float64(p.Within)), text.Percent(float64(p.Level)), cost)
	}
	if len(a.Exact.Promises) > 0 {
		fmt.Fprintf(w, "Cost         the promises cost %s $/h together\n", text.Grouped(3600*float64(a.Exact.PromiseCost)))
		if r := a.Exact.Refusing; r != nil {
			fmt.Fprintf(w, "Refusing     %s\n", text.OneLine(report.Refusal(r)))
		}
	}
}

// provenance says where the numbers of the answer come from.
func (a *answer) provenance(p *program) plots.Provenance {
	return p.provenance(a.Scenario, a.Overrides,
		plots.Pair{Key: "method", Value: a.Method},
		plots.Pair{Key: "residual", Value: a.System.Residual.String()},
		plots.Pair{Key: "load", Value: text.Field(float64(a.Load))},
		plots.Pair{Key: "revenue_per_second", Value: text.Field(float64(a.RevenuePerSecond))},
		plots.Pair{Key: "upper_bound_per_second", Value: text.Field(float64(a.UpperBoundPerSecond))},
		plots.Pair{Key: "capacity_price", Value: text.Field(float64(a.Prices.Capacity))})
}

// records are the rows of the CSV file, one for each class.
func (a *answer) records() [][]string {
	rows := [][]string{{"class", "offered_rate", "admit", "admitted_rate", "utilization", "mean_wait", "revenue_per_second", "demand_price"}}
	for i, c := range a.Classes {
		row := append([]string{c.Name}, fields(c.OfferedRate, c.Admit, c.AdmittedRate, c.Utilization,
			c.MeanWait, c.RevenuePerSecond, a.Prices.Classes[i].Demand)...)
		if c.Offer != nil {
			row = append(row, fields(c.Price, c.Rate, c.Externality)...)
		}
		rows = append(rows, row)
	}
	if a.Stated != nil {
		rows[0] = append(rows[0], "price", "rate", "externality")
	}
	return rows
}
