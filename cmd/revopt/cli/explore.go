package cli

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"revopt/internal/safefile"
	"revopt/plots/explored"
	"revopt/plots/page"
)

// exploredScenario is the one that explore shows unless another is named.
const exploredScenario = "site"

func exploreFlags() []cli.Flag {
	return append(scenarioFlags(), outFlag("`FILE` the page to write (default explore.html)"))
}

// explore writes the page that has the engine in it.
func (p *program) explore(c *cli.Context) error {
	if err := page.Engine(); err != nil {
		return err
	}
	o, err := p.explored(c)
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

// explored reads the scenario that a page shows, and computes its first answers.
func (p *program) explored(c *cli.Context) (page.Options, error) {
	set, err := scenarioRequest(c).Overrides()
	if err != nil {
		return page.Options{}, err
	}
	name := exploredScenario
	if c.Args().Len() > 0 {
		err = exactly(c, "SCENARIO")
		name = c.Args().First()
	}
	if err != nil {
		return page.Options{}, err
	}
	if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() { // commands of the page run in any folder
		name, err = filepath.Abs(name)
		if err != nil {
			return page.Options{}, err
		}
	}
	doc, err := p.document(c, name)
	if err != nil {
		return page.Options{}, err
	}
	pages := explored.Pages{Policies: p.filed(c), Version: build().Version, Set: set}
	return pages.Scenario(c.Context, doc, name)
}
