package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"revopt/internal/cells"
	"revopt/model/scenario"
	"revopt/plots/report"
	"revopt/simulate/study"
)

// journalFlags ask for a journal; what says what it keeps.
func journalFlags(what string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "journal", Usage: "`DIR` keep finished " + what + " there: the same command resumes"},
		&cli.BoolFlag{Name: "mix-versions", Usage: "take results of other builds of revopt in DIR as well; outputs then name all"},
	}
}

// resultless are the flags that change no number that a journal keeps. Every other
// flag makes another run.
var resultless = []string{"workers", "quiet", "json", "csv", "html", "out", "save", "records", "gantt", "classes", "journal", "mix-versions", "max-memory", "level"}

// openJournal opens the journal that the command line asks for, nil where it asks
// for none. It is closed when the program ends.
func (p *program) openJournal(c *cli.Context, doc *scenario.Document, files func() ([]string, error)) (*study.Journal, error) {
	dir := c.String("journal")
	switch {
	case !c.IsSet("journal") && c.IsSet("mix-versions"):
		return nil, usagef("--mix-versions: expected --journal DIR with it")
	case !c.IsSet("journal"):
		return nil, nil
	case dir == "":
		return nil, usagef("--journal: expected a directory")
	}
	settings := []string{fmt.Sprintf("seed=%d", c.Uint64("seed"))}
	for _, f := range c.Command.Flags {
		switch name := f.Names()[0]; {
		case !c.IsSet(name) || name == "seed" || slices.Contains(resultless, name) && (name != "level" || !c.IsSet("precision")):
		case c.StringSlice(name) != nil:
			for _, value := range c.StringSlice(name) {
				settings = append(settings, name+"="+value)
			}
		default:
			settings = append(settings, fmt.Sprintf("%s=%v", name, c.Value(name)))
		}
	}
	paths, err := files()
	if err != nil {
		return nil, err
	}
	name, err := study.RunName(c.Command.Name, doc, settings, paths...)
	if err != nil {
		return nil, err
	}
	p.journal, err = study.OpenJournal(dir, name, study.JournalOptions{Version: build().Version, MixBuilds: c.Bool("mix-versions")})
	return p.journal, err
}

// mixed warns of results of other builds in the journal.
func (p *program) mixed() []study.Warning {
	builds, err := otherBuilds(p.journal.Builds())
	if err != nil || builds == "" {
		return nil
	}
	return []study.Warning{{Kind: study.WarnBuilds, Text: "results of " + builds}}
}

// stopped says how much a command has finished where it was interrupted, and where
// that is kept. Other errors stay as they are.
func (p *program) stopped(c *cli.Context, warnings []study.Warning, err error) error {
	if !errors.Is(err, context.Canceled) {
		return err
	}
	words := ""
	for _, pair := range report.Marks(warnings) {
		if after, ok := strings.CutPrefix(pair.Value, "interrupted "); ok {
			words = " " + after
		}
	}
	if dir := p.journal.Dir(); dir != "" {
		words += ", kept in " + dir + ": the same command goes on"
	}
	return fmt.Errorf("%s: stopped%s: %w", c.Command.Name, words, err)
}

// otherBuilds names builds, nothing where they are this one alone.
func otherBuilds(list []study.Build) (string, error) {
	if len(list) == 0 {
		return "", nil // reading the program to name it takes time
	}
	this, err := cells.ThisBuild(build().Version)
	if err != nil || len(list) == 1 && list[0].Sum == this.Sum {
		return "", err
	}
	var words []string
	for _, b := range list {
		words = append(words, b.String())
	}
	return strings.Join(words, ", "), nil
}
