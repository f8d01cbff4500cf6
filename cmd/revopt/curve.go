package main

import (
	"context"
	"errors"
	"strings"

	"github.com/urfave/cli/v2"

	"revopt/model"
	"revopt/model/scenario"
	"revopt/optimize"
	"revopt/plots"
)

func (p *program) curveCommand() *cli.Command {
	return &cli.Command{
		Name:      "curve",
		Usage:     "the best admission and what it earns along a parameter",
		ArgsUsage: "SCENARIO --vary PATH=VALUES [flags]",
		Description: `Solves a scenario for many values of one of its numbers, prints a table and draws
admission and revenue. Values are from:to:step (with the end), from:to:xN for N
values, or a list.

Examples:
  revopt curve nist-four --vary load=0.05:1.4:0.05 -o out
  revopt curve nist-two --vary classes.high.share=0.1,0.5,0.9 --csv shares.csv
  revopt curve nist-four --vary server.parallel=10:50:x9 -o servers.svg`,
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "vary", Usage: "`PATH=VALUES` the field to vary and its values, such as load=0.05:1.4:0.05 (required)"},
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "`DIR|FILE` write figures: all to a directory, or one .png, .svg, .pdf or .csv"},
		}, append(scenarioFlags(), gapFlag(), jsonFlag(), csvFlag("all numbers of the curve"), quietFlag("warnings"))...),
		Action: p.curve,
	}
}

// curve is what the command prints.
type curve struct {
	Scenario  string       `json:"scenario"`
	Version   string       `json:"version"`
	Overrides []string     `json:"overrides"`
	Vary      string       `json:"vary"`
	Points    []curvePoint `json:"points"`
	Warnings  []string     `json:"warnings"`

	residual model.Residual
}

type curvePoint struct {
	Value number `json:"value"`
	solution
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
	where, err := parseTarget(c.String("out"))
	if err != nil {
		return err
	}
	in, err := p.open(c)
	if err != nil {
		return err
	}
	if err := vary.check(in.doc); err != nil {
		return err
	}
	cv, err := newCurve(c.Context, in, vary, gap)
	if err != nil {
		return err
	}
	if err := p.saveCurve(c.String("csv"), where, cv); err != nil {
		return err
	}
	if c.Bool("json") {
		return p.printJSON(cv)
	}
	cv.print(p.stdout)
	return p.warn(c, cv.Warnings)
}

// saveCurve writes the files that are asked for.
func (p *program) saveCurve(csv string, where target, cv *curve) error {
	prov := cv.provenance(p.args)
	if csv != "" {
		if err := writeTable(csv, prov, cv.records()); err != nil {
			return err
		}
	}
	return where.save(cv, prov)
}

// newCurve solves the scenario along the parameter.
func newCurve(ctx context.Context, in *input, vary *variation, gap float64) (*curve, error) {
	cv := &curve{Version: build().Version, Overrides: append([]string{}, in.overrides...), Vary: vary.path, Warnings: []string{}}
	at := func(x float64) (model.System, error) {
		sc, err := scenarioAt(in.doc, vary, x)
		if err != nil {
			return model.System{}, err
		}
		cv.Scenario, cv.residual = sc.Name, sc.Residual
		cv.Warnings = union(cv.Warnings, ignored(sc))
		return sc.System(), nil
	}
	points, err := optimize.Sweep(ctx, vary.values, at, optimize.Settings{Gap: gap})
	if err != nil {
		return nil, err
	}
	for _, point := range points {
		s, err := newSolution(point.System, point.Result)
		if err != nil {
			return nil, err
		}
		cv.Points = append(cv.Points, curvePoint{number(point.Value), *s})
	}
	cv.Warnings = append(cv.Warnings, curveDoubts(points, cv, gap)...)
	return cv, nil
}

// scenarioAt returns the scenario at one value of the parameter. Its errors
// name the value.
func scenarioAt(doc *scenario.Document, vary *variation, x float64) (*scenario.Scenario, error) {
	changed, err := vary.at(doc, x)
	if err != nil {
		return nil, err
	}
	sc, err := changed.ClassScenario()
	var bad *scenario.Error
	if errors.As(err, &bad) && !strings.HasPrefix(bad.File, "--vary") {
		bad.File = "--vary " + vary.text + ": at " + plain(x) + ": " + bad.File
	}
	return sc, err
}

// provenance says where the numbers of the curve come from.
func (cv *curve) provenance(args []string) plots.Provenance {
	return plots.Provenance{
		Version:  cv.Version,
		Scenario: cv.Scenario,
		Command:  commandLine(args),
		Extra: []plots.Pair{
			{Key: "overrides", Value: strings.Join(cv.Overrides, ", ")},
			{Key: "method", Value: cv.Points[0].Method},
			{Key: "residual", Value: cv.residual.String()},
		},
	}
}
