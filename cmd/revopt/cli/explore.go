package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"revopt/docs/lessons"
	"revopt/internal/safefile"
	"revopt/plots/explored"
	"revopt/plots/page"
)

// exploredScenario is the one that explore and serve show unless another is named.
const exploredScenario = "site"

func exploreFlags() []cli.Flag {
	return append(scenarioFlags(), lessonFlag(), outFlag("`FILE` the page to write (default explore.html)"))
}

func lessonFlag() cli.Flag {
	return wholeFlag("lesson", 1, 8, 0, "`N` a lesson instead of a SCENARIO: 1 Little's law, 2 priorities, "+
		"3 Kleinrock's formula, 4 overload, 5 admission, 6 prices, 7 backfilling, 8 bounds")
}

// explore writes the page that has the engine in it.
func (p *program) explore(c *cli.Context) error {
	if err := page.Engine(); err != nil {
		return err
	}
	_, o, err := p.explored(c)
	if err != nil {
		return err
	}
	write := func(w io.Writer) error { return page.Explore(w, o) }
	path := cmp.Or(c.String("out"), "explore.html")
	if err := safefile.Write(path, write); err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "The page to open in a browser is %s.\n", path)
	return nil
}

func serveFlags() []cli.Flag {
	port := wholeFlag("port", 0, 65535, 0, "`N` port of 127.0.0.1 (default: a free one)")
	return append(scenarioFlags(), lessonFlag(), port)
}

// serve shows the page of explore to browsers of this machine, and computes for it, until it is interrupted.
func (p *program) serve(c *cli.Context) error {
	answers, o, err := p.explored(c)
	if err != nil {
		return err
	}
	var html bytes.Buffer
	if err := page.Explore(&html, o); err != nil {
		return err
	}
	s := page.Server{Page: html.Bytes(), Call: answers.Call}
	address, err := s.Listen(c.Int("port"))
	if err != nil {
		return err
	}
	fmt.Fprintln(p.stdout, address)
	if err := p.flush(); err != nil {
		return err
	}
	fmt.Fprintf(p.stderr, "revopt: open this address in a browser of this machine; Ctrl-C ends it\n")
	_, err = await(c.Context, func() (any, error) { return nil, s.Serve(c.Context) })
	return err
}

// explored reads the scenario that a page shows, computes its first answers, and returns what answers its calls.
func (p *program) explored(c *cli.Context) (*explored.Answers, page.Options, error) {
	set, err := scenarioRequest(c).Overrides()
	if err != nil {
		return nil, page.Options{}, err
	}
	name := exploredScenario
	if number := c.Int("lesson"); number > 0 {
		err = exactly(c)
		name = lessons.Name(number)
	} else if c.Args().Len() > 0 {
		err = exactly(c, "SCENARIO")
		name = c.Args().First()
	}
	if err != nil {
		return nil, page.Options{}, err
	}
	pages := explored.Pages{Policies: p.filed(c), Version: build().Version, Native: c.Command.Name == "serve", Set: set}
	if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() { // commands of the page run in any folder
		name, err = filepath.Abs(name)
		if err != nil {
			return nil, page.Options{}, err
		}
	} else if lesson := lessons.Named(name); lesson != nil {
		return pages.Lessons(c.Context, lesson)
	}
	doc, err := p.document(c, name)
	if err != nil {
		return nil, page.Options{}, err
	}
	return pages.Scenario(c.Context, doc, name)
}
