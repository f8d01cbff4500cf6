package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"revopt/internal/text"
	"revopt/plots"
	"revopt/plots/answer"
)

func explainFlag() cli.Flag {
	return boolFlag("explain", "print all tables, all columns and all warnings")
}

func htmlFlag() cli.Flag {
	return stringFlag("html", "`FILE` write one self-contained page: answer, figures, tables, scenario")
}

// answerFlags are those of commands that print an answer.
func answerFlags(csv string) []cli.Flag {
	return []cli.Flag{jsonFlag(), csvFlag(csv), tableFlag(), explainFlag(), htmlFlag()}
}

func tableFlag() cli.Flag {
	return under(resultGroup, stringFlag("table", "`NAME` the table that --csv writes (default the one that is printed)"))
}

// tell writes files, then prints an answer as text or as JSON. If a file cannot be written, the others are, and the
// answer is printed; if it cannot be printed, the files are there.
func (p *program) tell(c *cli.Context, a answer.Answer, files ...func() error) error {
	if c.IsSet("table") && !c.IsSet("csv") {
		return usagef("--table: expected --csv with it")
	}
	var errs []error
	files = append(files, flagFile(c, "csv", func(w io.Writer) error { return a.WriteCSV(w, c.String("table")) }),
		flagFile(c, "html", a.WriteHTML))
	for _, write := range files {
		errs = append(errs, write())
	}
	page, err := p.page(c, a)
	p.stdout.Write(page) // flush has its error
	return errors.Join(append(errs, err, p.flush())...)
}

// page returns an answer as it is printed.
func (p *program) page(c *cli.Context, a answer.Answer) ([]byte, error) {
	var page bytes.Buffer
	if c.Bool("json") {
		err := a.WriteJSON(&page)
		return page.Bytes(), err
	}
	if c.Bool("quiet") {
		a.Warnings = nil
	}
	err := a.WriteText(&page, answer.TextOptions{Explain: c.Bool("explain"), Wide: p.columns()})
	return page.Bytes(), err
}

// figures returns the function that draws an answer where --out says: each figure to a directory, or all to a file.
func (p *program) figures(c *cli.Context, a answer.Answer) func() error {
	return func() error {
		where, err := parseTarget(c)
		if err != nil || where.path == "" {
			return err
		}
		list := a.Figures()
		if len(list) == 0 {
			return usagef("--out: this answer has no figures")
		}
		made, each := a.Made(), pictures(list)
		if len(each) == 1 {
			return where.save(made, each[0], each...)
		}
		rows := float64((len(list) + 1) / 2)
		return where.save(made, plots.Sheet{ID: "figures", Panels: list, Width: 24, Height: 10.5 * rows}, each...)
	}
}

// pictures returns figures as pictures.
func pictures(list []plots.Figure) []plots.Picture {
	return text.Each(list, func(f plots.Figure) plots.Picture { return f })
}

// sign says in an answer what made it.
func (p *program) sign(a answer.Answer) answer.Answer {
	a.Version, a.Commit = build().Version, build().Commit
	a.Line = commandLine(p.args)
	return a
}

// remark prints an answer beside a file on standard output: on stderr, unless the command line asks for silence.
func (p *program) remark(c *cli.Context, a answer.Answer) error {
	if err := p.flush(); err != nil || c.Bool("quiet") {
		return err
	}
	return a.WriteText(p.stderr, answer.TextOptions{Explain: c.Bool("explain")})
}

// halted says how much of an interrupted command is finished and where that is kept.
func (p *program) halted(c *cli.Context, a answer.Answer, err error) error {
	if !errors.Is(err, context.Canceled) {
		return err
	}
	for _, f := range a.Warnings {
		if f.Code == "INTERRUPTED" {
			done, wanted := f.Value("done").Number, f.Value("wanted").Number
			return p.stoppedAfter(c, fmt.Sprintf(" after %.0f of %s", done, text.Plural(int(wanted), f.Value("what").Word)), err)
		}
	}
	return p.stoppedAfter(c, "", err)
}
