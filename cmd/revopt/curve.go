package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/plots"
	"revopt/plots/report"
	"revopt/simulate/study"
)

func (p *program) curveCommand() *cli.Command {
	return &cli.Command{
		Name:      "curve",
		Usage:     "the best admission and what it earns along a parameter",
		ArgsUsage: "SCENARIO --vary PATH=VALUES [flags]",
		Description: `Solves a scenario for many values of one of its numbers, prints a table and draws
admission and revenue. Values are from:to:step (with the end), from:to:xN for N
values, or a list. More nodes do not bring more jobs: along the size of the machine
arrivals stay as the file has them, and the load falls.

Examples:
  revopt curve nist-four --vary load=0.05:1.4:0.05 -o out
  revopt curve nist-two --vary classes.high.share=0.1,0.5,0.9 --csv shares.csv
  revopt curve nist-four --vary server.parallel=10:50:x9 -o servers.svg
  revopt curve shop.yaml --vary load=0.1:2:0.1 --prices -o out`,
		Flags: append(append([]cli.Flag{
			&cli.StringFlag{Name: "vary", Usage: "`PATH=VALUES` the field to vary and its values, such as load=0.05:1.4:0.05 (required)"},
			outFlag("`DIR|FILE` write figures: all to a directory, or one .png, .svg, .pdf or .csv"),
		}, append(scenarioFlags(), pricesFlag(), gapFlag(), seedFlag("the jobs that classes are fitted to"), jsonFlag(), csvFlag("all numbers of the curve"), quietFlag("warnings"))...), journalFlags("points")...),
		Action: p.curve,
	}
}

func (p *program) curve(c *cli.Context) error {
	gap, err := gapOption(c)
	if err != nil {
		return err
	}
	if c.String("vary") == "" {
		return usagef("curve: expected --vary PATH=VALUES, such as --vary load=0.05:1.4:0.05")
	}
	vary, err := parseVariation(c.String("vary"))
	if err != nil {
		return err
	}
	where, err := parseTarget(c)
	if err != nil {
		return err
	}
	in, err := p.read(c)
	if err != nil {
		return err
	}
	if err := vary.check(in.doc); err != nil {
		return err
	}
	fitted := ""
	journal, err := p.openJournal(c, in.doc, func() ([]string, error) {
		doc, err := vary.at(in.doc, vary.Values[0])
		if err != nil {
			return nil, err
		}
		sc, err := doc.Scenario(study.Known(nil))
		if err != nil {
			return nil, err
		}
		return sc.Files(), nil
	})
	if err != nil {
		return err
	}
	o := study.SolveOptions{Gap: gap, Prices: c.Bool("prices"), Version: build().Version, Journal: journal}
	found, err := study.SolveAlong(c.Context, vary.Path, vary.Values, func(x float64) (*study.Analysis, error) {
		a, err := in.analyzeAt(c, vary, x)
		if err == nil && a.Fit != nil {
			fitted = ", job classes fitted to the trace"
		}
		return a, err
	}, o)
	if found == nil || err != nil && !errors.Is(err, context.Canceled) {
		return p.stopped(c, nil, err)
	}
	stopped := p.stopped(c, found.Warnings, err)
	found.Overrides, found.Warnings = in.overrides, append(p.mixed(), found.Warnings...)
	cv := curve{found, fitted}
	prov := p.provenance(cv.Scenario, cv.Overrides, plots.Pair{Key: "method", Value: cv.Points[0].Method}, plots.Pair{Key: "residual", Value: cv.Residual.String()})
	prov.Extra = append(prov.Extra, report.Marks(found.Warnings)...)
	err = p.deliver(c, found, cv.print, found.Warnings, csvFile(c, prov, cv.records), func() error {
		admission, revenue := cv.admissionFigure(), cv.revenueFigure()
		return where.save(prov, plots.Sheet{ID: report.FileName(cv.Scenario, cv.Vary, "curve"), Panels: []plots.Figure{admission, revenue}}, admission, revenue)
	})
	if err = errors.Join(err, stopped); err != nil {
		return err
	}
	for _, point := range found.Points {
		if short := unclosed(o, found.Residual, &point.Solution, " at "+vary.Path+"="+text.Plain(float64(point.Value))); short != nil {
			return short
		}
	}
	return nil
}

// analyzeAt returns the scenario at one value of the parameter as the model sees
// it. Errors name the value.
func (in *input) analyzeAt(c *cli.Context, vary *variation, x float64) (*study.Analysis, error) {
	doc, err := vary.at(in.doc, x)
	if err != nil {
		return nil, err
	}
	subject, err := in.openAt(c, doc)
	var bad *scenario.Error
	if errors.As(err, &bad) && bad.File == doc.File() {
		bad.File = "--vary " + vary.text + ": at " + text.Plain(x) + ": " + bad.File
	}
	if err != nil {
		return nil, err
	}
	return subject.Analyze(c.Context, c.Uint64("seed"), 0)
}

// curve is a curve as it is printed and drawn.
type curve struct {
	*study.Curve
	fitted string // says that classes are fitted to a trace
}

// tableWidth is how many columns of a terminal a table may take.
const tableWidth = 100

// print writes the curve for a person to read.
func (cv curve) print(w io.Writer) {
	values, earns, bounds := make([]float64, len(cv.Points)), make([]float64, len(cv.Points)), make([]float64, len(cv.Points))
	for i, p := range cv.Points {
		values[i], earns[i], bounds[i] = float64(p.Value), float64(p.RevenuePerHour), float64(p.UpperBoundPerSecond)*3600
	}
	earnColumn, boundColumn := text.Column(earns), text.Column(bounds)
	parts := strings.Split(cv.Vary, ".")
	name := strings.Join(parts[max(0, len(parts)-2):], ".") // the first column stays narrow
	fmt.Fprintf(w, "%s along %s, %s%s\n\n", text.OneLine(cv.Scenario), text.OneLine(cv.Vary), report.Residual(cv.Residual.String()), cv.fitted)
	rows := [][]string{{name, "earns $/h", "bound $/h", "load", "used", "mean wait"}}
	for i, p := range cv.Points {
		bound := "-"
		if p.Proven() {
			bound = boundColumn[i]
		}
		rows = append(rows, []string{text.Plain(values[i]), earnColumn[i], bound, text.Fixed(float64(p.Load), 4), text.Percent(float64(p.Utilization)), text.Duration(float64(p.MeanDelay))})
	}
	if cv.Vary == "load" {
		for i, cells := range rows {
			rows[i] = append(cells[:3], cells[4:]...)
		}
	}
	same := cv.same()
	shown := 0
	for width := tableWidths(rows); shown < len(same); shown++ {
		width += 2 + min(max(utf8.RuneCountInString(same[shown].Name), len("100.0 %")), text.MaxCell)
		if width > tableWidth && shown > 0 {
			break
		}
		rows[0] = append(rows[0], same[shown].Name)
		for i, p := range cv.Points {
			cell := text.Percent(float64(p.Classes[shown].Admit))
			if cv.priced() {
				cell = text.Short(float64(p.Classes[shown].Price))
			}
			rows[i+1] = append(rows[i+1], cell)
		}
	}
	text.PrintTable(w, rows)
	if cv.priced() {
		fmt.Fprintf(w, "\nColumns named after classes: the price of their jobs, in $.\n")
	} else {
		fmt.Fprintf(w, "\nColumns named after classes: the share of their jobs to admit.\n")
	}
	if left := len(same) - shown; left > 0 {
		fmt.Fprintf(w, "Classes that do not fit here: %d; --json and --csv have them all.\n", left)
	}
}

// priced says whether prices are chosen along the curve.
func (cv curve) priced() bool { return cv.Points[0].Classes[0].Offer != nil }

// tableWidths returns how wide the rows of a table are.
func tableWidths(rows [][]string) int {
	sum := -2
	for k := range rows[0] {
		widest := 0
		for _, cells := range rows {
			widest = max(widest, min(utf8.RuneCountInString(cells[k]), text.MaxCell))
		}
		sum += 2 + widest
	}
	return sum
}

// same returns the first classes, as far as all points have them: those that are
// fitted to a trace may differ along a curve.
func (cv curve) same() []study.ClassSolution {
	list := cv.Points[0].Classes
	for _, p := range cv.Points {
		n := 0
		for n < min(len(list), len(p.Classes)) && list[n].Name == p.Classes[n].Name {
			n++
		}
		list = list[:n]
	}
	return list
}

// records are the rows of the CSV file, one for each value.
func (cv curve) records() [][]string {
	header := []string{cv.Vary, "revenue_per_second", "revenue_per_hour", "upper_bound_per_second", "relative_gap", "load", "utilization", "mean_delay"}
	same := cv.same()
	for _, c := range same {
		header = append(header, "admit "+c.Name, "mean_wait "+c.Name, "revenue_per_second "+c.Name)
		if cv.priced() {
			header = append(header, "price "+c.Name, "rate "+c.Name, "externality "+c.Name)
		}
	}
	rows := [][]string{header}
	for _, p := range cv.Points {
		row := fields(p.Value, p.RevenuePerSecond, p.RevenuePerHour, p.UpperBoundPerSecond, p.RelativeGap, p.Load, p.Utilization, p.MeanDelay)
		for _, c := range p.Classes[:len(same)] {
			row = append(row, fields(c.Admit, c.MeanWait, c.RevenuePerSecond)...)
			if cv.priced() {
				row = append(row, fields(c.Price, c.Rate, c.Externality)...)
			}
		}
		rows = append(rows, row)
	}
	return rows
}

func (cv curve) admissionFigure() plots.Figure {
	fig := plots.Figure{
		ID: report.FileName(cv.Scenario, cv.Vary, "admission"), Title: "Admission that earns most",
		X: report.Axis(cv.Vary), Y: plots.Axis{Label: "Admitted", Percent: true, Max: 1},
	}
	if cv.priced() {
		fig.ID, fig.Title = report.FileName(cv.Scenario, cv.Vary, "prices"), "Prices that earn most"
		fig.Y = plots.Axis{Label: "Price", Unit: "$", Max: math.NaN()}
	}
	for k, c := range cv.same() {
		s := plots.Series{Name: c.Name}
		for _, p := range cv.Points {
			s.X = append(s.X, float64(p.Value))
			if cv.priced() {
				s.Y = append(s.Y, float64(p.Classes[k].Price))
			} else {
				s.Y = append(s.Y, float64(p.Classes[k].Admit))
			}
		}
		fig.Series = append(fig.Series, s)
	}
	return fig
}

func (cv curve) revenueFigure() plots.Figure {
	earns := plots.Series{Name: "Best admission"}
	var x, bound []float64
	for _, p := range cv.Points {
		earns.X = append(earns.X, float64(p.Value))
		earns.Y = append(earns.Y, float64(p.RevenuePerHour))
		if p.Proven() {
			x = append(x, float64(p.Value))
			bound = append(bound, float64(p.UpperBoundPerSecond)*3600)
		}
	}
	fig := plots.Figure{
		ID: report.FileName(cv.Scenario, cv.Vary, "revenue"), Title: "Revenue of the best admission",
		X: report.Axis(cv.Vary), Y: plots.Axis{Label: "Revenue", Unit: "$/h", Max: math.NaN()},
		Series: []plots.Series{earns},
	}
	if len(x) > 0 {
		fig.Regions = []plots.Region{plots.Ceiling("Proven bound", x, bound)}
	}
	return fig
}
