package cli

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"revopt/internal/safefile"
	"revopt/internal/text"
	"revopt/plots"
	"revopt/plots/paper"
	"revopt/plots/report"
	"revopt/simulate/study"
)

// readings decides the claims of papers under each reading, and prints and writes them.
func (p *program) readings(c *cli.Context, names []string, o paper.Options, formats []plots.Format) error {
	var papers []paper.Paper
	switch {
	case len(names) == 0:
		return usagef("figure readings: expected a paper, or all")
	case slices.Equal(names, []string{"all"}):
		papers = paper.Papers()
	default:
		for _, name := range names {
			found, err := paper.FindPaper(name)
			if err != nil {
				return usagef("figure readings: %v", err)
			}
			papers = append(papers, found)
		}
	}
	if err := checkFigures(c, text.Each(papers, matrixName), formats); err != nil {
		return err
	}
	for i, found := range papers {
		what := "readings of " + found.Name
		m, err := computed(p, c, what, what, o, func(o paper.Options) (*paper.Matrix, error) {
			return paper.Decide(c.Context, o, found)
		})
		if err != nil {
			return err
		}
		if i > 0 {
			fmt.Fprintln(p.stdout)
		}
		m.Table(p.stdout)
		if err := errors.Join(p.flush(), p.saveMatrix(c, o, m, formats)); err != nil {
			return err
		}
	}
	return removeFinished(o)
}

// matrixName is the name of the files of a matrix.
func matrixName(p paper.Paper) string { return "readings-" + p.Name }

// saveMatrix writes the picture of a matrix, and its verdicts as CSV.
func (p *program) saveMatrix(c *cli.Context, o paper.Options, m *paper.Matrix, formats []plots.Format) error {
	prov := plots.Provenance{Version: build().Version, Command: commandLine(p.args), Seed: &o.Seed,
		Extra: []plots.Pair{report.TraceSum(study.NewTraceFile(o.Trace, "", 0).SHA256)}}
	pictures := slices.DeleteFunc(slices.Clone(formats), func(f plots.Format) bool { return f == plots.CSV })
	var errs []error
	if len(pictures) > 0 {
		_, err := plots.Save(c.String("out"), m.Picture(), prov, pictures...)
		errs = append(errs, err)
	}
	if slices.Contains(formats, plots.CSV) {
		path := filepath.Join(c.String("out"), matrixName(m.Paper)+".csv")
		errs = append(errs, safefile.Guard{Inside: true}.Write(path, func(w io.Writer) error {
			return report.WriteCSV(w, prov, m.Records)
		}))
	}
	return errors.Join(errs...)
}

// findReadings returns the readings of --reading for each figure, or its own.
func findReadings(c *cli.Context, recipes []paper.Recipe) ([][]paper.Reading, error) {
	all := make([][]paper.Reading, len(recipes))
	for i, recipe := range recipes {
		if !c.IsSet("reading") {
			all[i] = []paper.Reading{recipe.Reading()}
			continue
		}
		for name := range strings.SplitSeq(c.String("reading"), ",") {
			find := func(word string) (paper.Reading, error) { return paper.FindReading(recipe.Paper(), word) }
			reading, err := parsed("reading", strings.TrimSpace(name), find)
			if err != nil {
				return nil, err
			}
			all[i] = append(all[i], reading)
		}
	}
	return all, nil
}
