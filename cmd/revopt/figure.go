package main

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"revopt/plots"
	"revopt/plots/paper"
)

func (p *program) figureCommand() *cli.Command {
	return &cli.Command{
		Name:      "figure",
		Usage:     "the figures of the papers",
		ArgsUsage: "list | all | ID... [flags]",
		Description: `Computes figures of the papers anew and writes each as pictures and as the
numbers behind them. Prints the files written and, as diagnostics, where the
numbers differ from a paper's text.

What is simulated is kept in DIR/.unfinished until all figures are written: the
same command goes on where it was interrupted or killed. --sweep prints the
sweep files of figures that simulate instead, to run and vary with revopt sweep.

Examples:
  revopt figure list
  revopt figure nist-13 nist-14 -o out --format png,csv
  revopt figure all --quick
  revopt figure pricing-03a --sweep > beta.yaml`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Value: "out", Usage: "`DIR` directory to write to"},
			&cli.StringFlag{Name: "format", Value: "png,svg,pdf,csv", Usage: "`LIST` formats to write, separated by commas"},
			&cli.BoolFlag{Name: "quick", Usage: "coarser or shorter, for a first look"},
			&cli.IntFlag{Name: "workers", Value: runtime.NumCPU(), Usage: "`N` how many computations to run at a time"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "`N` seed of whatever is random"},
			&cli.IntFlag{Name: "replications", Usage: "`N` replications of each simulated point (default: the figure's own)"},
			&cli.StringFlag{Name: "trace", Usage: "`FILE` SWF trace for the figures of the SP2 (default: generated jobs)"},
			&cli.BoolFlag{Name: "sweep", Usage: "print the sweep files behind figures that simulate, and draw nothing"},
			quietFlag("progress and no remarks"),
		},
		Action: p.figure,
	}
}

func (p *program) figure(c *cli.Context) error {
	names := c.Args().Slice()
	if slices.Equal(names, []string{"list"}) {
		return p.figureList()
	}
	recipes, err := findRecipes(names)
	if err != nil {
		return err
	}
	formats, err := parseFormats(c.String("format"))
	if err != nil {
		return err
	}
	if n := c.Int("workers"); n < 1 {
		return usagef("--workers: expected a whole number of at least 1, got %d", n)
	}
	if n := c.Int("replications"); c.IsSet("replications") && n < 2 {
		return usagef("--replications: expected a whole number of at least 2, got %d", n)
	}
	o := paper.Options{
		Quick: c.Bool("quick"), Workers: c.Int("workers"), Seed: c.Uint64("seed"),
		Replications: c.Int("replications"), Trace: c.String("trace"), Shared: new(paper.Shared),
	}
	if c.Bool("sweep") {
		return p.figureSweeps(recipes, o)
	}
	if o.Dir, err = unfinishedDir(c.String("out")); err != nil {
		return err
	}
	for i, r := range recipes {
		show := progress(p.stderr, fmt.Sprintf("%s (%d of %d)", r.ID, i+1, len(recipes)), c.Bool("quiet"))
		o.Progress = show.step
		if err := p.draw(c, r, o, formats, show); err != nil {
			return err
		}
	}
	return removeFinished(o)
}

func (p *program) figureList() error {
	tw := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	for _, r := range paper.Recipes() {
		fmt.Fprintf(tw, "%s\t%s\n", r.ID, r.Title)
	}
	return tw.Flush()
}

// findRecipes returns the recipes of the given names, each once.
func findRecipes(names []string) ([]paper.Recipe, error) {
	if len(names) == 0 {
		return nil, usagef("figure: expected list, all or the IDs of figures")
	}
	if slices.Equal(names, []string{"all"}) {
		return paper.Recipes(), nil
	}
	var list []paper.Recipe
	for i, name := range names {
		if name == "list" || name == "all" {
			return nil, usagef("figure: expected %s alone, without IDs of figures", name)
		}
		r, err := paper.Find(name)
		if err != nil {
			return nil, usagef("%v", err)
		}
		if !slices.Contains(names[:i], name) {
			list = append(list, r)
		}
	}
	return list, nil
}

func parseFormats(list string) ([]plots.Format, error) {
	var formats []plots.Format
	for name := range strings.SplitSeq(list, ",") {
		f, err := plots.ParseFormat(strings.TrimSpace(name))
		if err != nil {
			return nil, usagef("--format: expected png, svg, pdf or csv, or several separated by commas, got %q", list)
		}
		if !slices.Contains(formats, f) {
			formats = append(formats, f)
		}
	}
	return formats, nil
}

// draw makes one figure and writes its files. Figures of one sweep share its
// runs.
func (p *program) draw(c *cli.Context, r paper.Recipe, o paper.Options, formats []plots.Format, show meter) error {
	result, err := r.Build(c.Context, o)
	show.clear()
	if interrupted := c.Context.Err(); interrupted != nil {
		err = interrupted // whatever came of it first
	}
	if err != nil {
		return fmt.Errorf("figure %s: %s%w", r.ID, keptWords(c.String("out"), err), err)
	}
	prov := result.Provenance
	prov.Version, prov.Command = build().Version, commandLine(p.args)
	for _, remark := range result.Remarks {
		prov.Extra = append(prov.Extra, plots.Pair{Key: "remark", Value: remark})
	}
	paths, err := plots.Save(c.String("out"), result.Picture, prov, formats...)
	for _, path := range paths {
		fmt.Fprintln(p.stdout, oneLine(path))
	}
	// The files are there: say so even if the next figure is interrupted.
	if err := errors.Join(err, p.flush()); err != nil || c.Bool("quiet") {
		return err
	}
	for _, remark := range result.Remarks {
		fmt.Fprintf(p.stderr, "%s: %s\n", r.ID, remark)
	}
	return nil
}

// meter shows on a terminal how far a computation is.
type meter struct {
	w     io.Writer // nil where nobody is watching
	label string
}

func progress(w io.Writer, label string, quiet bool) meter {
	if quiet || !isTerminal(w) {
		return meter{}
	}
	return meter{w, label}
}

const clearLine = "\r\x1b[K"

func (m meter) step(done, total int) {
	if m.w != nil {
		fmt.Fprintf(m.w, "%s%s: %d of %d", clearLine, m.label, done, total)
	}
}

func (m meter) clear() {
	if m.w != nil {
		fmt.Fprint(m.w, clearLine)
	}
}
