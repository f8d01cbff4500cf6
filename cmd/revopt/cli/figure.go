package cli

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"revopt/internal/meter"
	"revopt/internal/text"
	"revopt/plots"
	"revopt/plots/paper"
	"revopt/simulate/subject"

	"github.com/urfave/cli/v2"
)

func paperFlags() []cli.Flag {
	return append([]cli.Flag{
		&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Value: "out",
			Usage: "`DIR|FILE` directory to write to, or for one figure a file .png, .svg, .pdf or .csv"},
		presetFlag("format", "png,svg,pdf,csv", "`LIST` formats to write, separated by commas"),
		boolFlag("quick", "fewer points and shorter runs, for a first look"),
		workersFlag("computations"), seedFlag("the random numbers"),
		wholeFlag("replications", 2, math.MaxInt, 0,
			"`N` replications of each simulated point (default: the figure's own)"),
		&cli.StringFlag{Name: "trace", EnvVars: []string{"REVOPT_TRACE"},
			Usage: "`FILE` SWF trace for figures of the SP2 (default: the variable REVOPT_TRACE, or generated jobs)"},
		stringFlag("policy", "`NAME` all draws every policy in the figure bound-sp2, in gray"),
		stringFlag("reading", "`NAME` alternative draws the figure under the other reading of its paper"),
		quietFlag("progress and no remarks"),
	}, styleFlags()...)
}

func (p *program) figure(c *cli.Context) error {
	names := c.Args().Slice()
	if slices.Equal(names, []string{"list"}) {
		row := func(r paper.Recipe) []string { return []string{r.ID, r.Title} }
		p.print(text.NewList(text.Each(paper.Recipes(), row)).Print)
		return nil
	}
	recipes, err := findRecipes(names)
	if err != nil {
		return err
	}
	reading := c.String("reading")
	if c.IsSet("reading") && reading != "alternative" {
		return usagef("--reading: expected alternative, got %q", reading)
	}
	style, err := parseStyle(c)
	if err != nil {
		return err
	}
	if reading != "" && !slices.Equal(names, []string{"all"}) {
		if err := checkReading(recipes); err != nil {
			return err
		}
	}
	to, err := figureTarget(c, recipes)
	if err != nil {
		return err
	}
	o := paper.Options{
		Quick: c.Bool("quick"), Workers: c.Int("workers"), Seed: c.Uint64("seed"),
		Replications: c.Int("replications"), Trace: c.String("trace"), Shared: new(paper.Shared),
	}
	if name := c.String("policy"); name != "" && name != "all" {
		return usagef("--policy: expected all, got %q: figures have policies of their own", name)
	}
	o.AllPolicies = c.IsSet("policy")
	if err := to.check(recipeIDs(recipes), c.String("trace")); err != nil {
		return err
	}
	for i, r := range recipes {
		what := fmt.Sprintf("%s (%d of %d)", r.ID, i+1, len(recipes))
		if reading != "" {
			o.Reading = paper.Alternative(r.Paper())
		}
		result, err := p.computed(c, r, what, o)
		if err == nil {
			if reading != "" && o.Reading.Means == "" {
				result.Remarks = append(result.Remarks, "no text has another reading for this figure")
			}
			err = p.draw(c, r.ID, result, style, to)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkReading refuses figures whose text can be read in one way only.
func checkReading(recipes []paper.Recipe) error {
	var papers []string
	for _, r := range paper.Recipes() {
		if name := r.Paper(); paper.Alternative(name).Means != "" && !slices.Contains(papers, name) {
			papers = append(papers, name)
		}
	}
	for _, r := range recipes {
		if !slices.Contains(papers, r.Paper()) {
			return usagef("--reading: expected a figure of %s, %s has no other reading", text.OneOf(papers), r.ID)
		}
	}
	return nil
}

// paperTarget says where figures of papers are written: to a directory in some formats, or one of them to a file.
type paperTarget struct {
	dir     string
	file    string // "" where the figures have the names of their IDs
	formats []plots.Format
}

// figureTarget reads --out and --format. An --out that ends as a picture does, and is no directory, is a file.
func figureTarget(c *cli.Context, recipes []paper.Recipe) (paperTarget, error) {
	out := c.String("out")
	formats, err := parseFormats(c.String("format"))
	if err != nil {
		return paperTarget{}, err
	}
	info, missing := os.Stat(out)
	format, other := plots.ParseFormat(filepath.Ext(out))
	switch {
	case other != nil || missing == nil && info.IsDir() || strings.HasSuffix(out, "/"):
		return paperTarget{dir: out, formats: formats}, nil
	case len(recipes) > 1:
		return paperTarget{}, usagef("--out: expected a directory for %d figures, got the file %q", len(recipes), out)
	case c.IsSet("format") && !slices.Equal(formats, []plots.Format{format}):
		return paperTarget{}, usagef("--out and --format: expected one of them, as the file %q has its format", out)
	}
	return paperTarget{filepath.Dir(out), out, []plots.Format{format}}, nil
}

// check reports why a file of a figure cannot be written, before any is drawn.
func (t paperTarget) check(ids []string, inputs ...string) error {
	if t.file != "" {
		return checkInside("figure", t.dir, []string{filepath.Base(t.file)}, inputs...)
	}
	var names []string
	for _, id := range ids {
		for _, format := range t.formats {
			names = append(names, id+"."+string(format))
		}
	}
	return checkInside("figure", t.dir, names, inputs...)
}

// save writes a figure and returns the paths of its files.
func (t paperTarget) save(picture plots.Picture, prov plots.Provenance) ([]string, error) {
	if t.file == "" {
		return plots.Save(t.dir, picture, prov, t.formats...)
	}
	return []string{t.file}, plots.SaveFile(t.file, picture, prov)
}

func recipeIDs(recipes []paper.Recipe) []string {
	return text.Each(recipes, func(r paper.Recipe) string { return r.ID })
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
			return nil, usagef("--format: expected png, svg, pdf or csv, or several separated by commas, got %q",
				list)
		}
		if !slices.Contains(formats, f) {
			formats = append(formats, f)
		}
	}
	return formats, nil
}

// computed computes a figure and shows its progress.
func (p *program) computed(c *cli.Context, r paper.Recipe, what string, o paper.Options) (paper.Result, error) {
	show := meter.New(p.stderr, c.Bool("quiet"), false)
	o.Progress = func(done, total int) { show.Show(what, done, total) }
	result, err := r.Build(c.Context, o)
	show.Clear()
	if interrupted := c.Context.Err(); interrupted != nil {
		err = interrupted // whichever error came of it first
	}
	if err != nil {
		err = fmt.Errorf("figure %s: %w", r.ID, err)
	}
	return result, err
}

// draw writes the files of one figure.
func (p *program) draw(
	c *cli.Context, id string, result paper.Result, style plots.Style, to paperTarget,
) error {
	prov := result.Provenance
	prov.Version, prov.Command = build().Version, commandLine(p.args)
	traced := func(pair plots.Pair) bool { return strings.HasPrefix(pair.Value, "trace.file=") }
	if file := c.String("trace"); slices.ContainsFunc(prov.Extra, traced) {
		prov.Extra = append(prov.Extra, text.TraceSum(subject.NewTraceFile(file, "", 0).SHA256))
	}
	for _, remark := range result.Remarks {
		prov.Extra = append(prov.Extra, plots.Pair{Key: "remark", Value: remark})
	}
	picture, err := style.Apply(result.Picture)
	if err != nil {
		return fmt.Errorf("figure %s: %w", id, err)
	}
	paths, err := to.save(picture, prov)
	for _, path := range paths {
		fmt.Fprintln(p.stdout, text.OneLine(path))
	}
	// The files are there: say so even if the next figure is interrupted. Output that nobody reads stops no figure.
	p.flush()
	if err != nil || c.Bool("quiet") {
		return err
	}
	for _, remark := range result.Remarks {
		fmt.Fprintf(p.stderr, "%s: %s\n", id, text.OneLine(remark))
	}
	return nil
}
