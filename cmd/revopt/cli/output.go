package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"revopt/internal/safefile"
	"revopt/internal/text"
	"revopt/internal/workdir"
	"revopt/plots"
	"revopt/simulate/ask"
	"revopt/simulate/slurm"
)

// outputFlags name files that commands write.
var outputFlags = [...]string{"html", "csv", "cells", "records", "gantt", "out"}

// checkOutputs refuses output files that cannot be written, or that are inputs or given twice.
func checkOutputs(c *cli.Context, inputs ...string) error {
	for _, list := range slices.Concat(c.StringSlice("change"), c.StringSlice("policy")) {
		for word := range strings.FieldsFuncSeq(list, func(r rune) bool { return r == ':' || r == ',' }) {
			if option, file, _ := strings.Cut(word, "="); slices.Contains(slurm.SettingFiles(), option) {
				inputs = append(inputs, file)
			}
		}
	}
	guard := safefile.Guard{Inputs: inputs}
	seen := map[string]string{}
	if dir := c.String("journal"); dir != "" {
		if info, err := os.Stat(dir); err == nil && !info.IsDir() {
			return usagef("--journal: expected a directory, and %s is a file", dir)
		}
		for _, name := range workdir.Names() {
			seen[safefile.Followed(filepath.Join(dir, name))] = "journal"
			seen[safefile.Followed(filepath.Join(dir, "2", name))] = "journal" // of a second plan
		}
	}
	if dir := c.String("schedule"); c.IsSet("schedule") {
		if info, err := os.Stat(dir); dir == "" || err == nil && !info.IsDir() {
			return usagef("--schedule: expected a directory, got %q", dir)
		}
		if err := guard.Check(filepath.Join(dir, "schedule.csv")); err != nil {
			return fmt.Errorf("--schedule: %w", err)
		}
	}
	for _, name := range outputFlags {
		path := c.String(name)
		info, err := os.Stat(path)
		isDir := err == nil && info.IsDir()
		if i := slices.IndexFunc(inputs, func(in string) bool {
			return isDir && name == "out" && c.IsSet(name) && c.Command.Name != "figure" &&
				drawnIn(path, in)
		}); i >= 0 {
			return usagef("--out: %s holds an input, %s, which a figure might overwrite: give another directory",
				path, inputs[i])
		}
		switch {
		case !c.IsSet(name) || name == "out" && (path == "" || isDir):
			continue
		case path == "" || path == "-" || isDir:
			return usagef("--%s: expected a file, got %q", name, path)
		}
		if other := seen[safefile.Followed(path)]; other != "" {
			return usagef("--%s and --%s: expected two files, got %q twice", other, name, path)
		}
		seen[safefile.Followed(path)] = name
		if err := guard.Check(path); err != nil {
			return fmt.Errorf("--%s: %w", name, err)
		}
	}
	return nil
}

// checkInside refuses a directory into which a command cannot write the named files.
func checkInside(command, dir string, names []string, inputs ...string) error {
	for _, name := range names {
		err := (safefile.Guard{Inside: true, Inputs: inputs}).Check(filepath.Join(dir, name))
		if err != nil {
			return fmt.Errorf("%s: %w", command, err)
		}
	}
	return nil
}

// drawnIn reports whether a file lies in a directory and has the name of a figure.
func drawnIn(dir, path string) bool {
	_, err := plots.ParseFormat(filepath.Ext(path))
	info, missing := os.Stat(path)
	return err == nil && missing == nil && info.Mode().IsRegular() && filepath.Base(path) != ask.SweepTable &&
		safefile.Followed(dir) == safefile.Followed(filepath.Dir(path))
}

// flagFile returns a function that writes the file named by a flag, if it names one.
func flagFile(c *cli.Context, flag string, write func(io.Writer) error) func() error {
	return func() error {
		if path := c.String(flag); path != "" {
			return safefile.Write(path, write)
		}
		return nil
	}
}

func writeFile(path string, data []byte) error {
	return safefile.Write(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// target is the destination of figures.
type target struct {
	path  string // "" writes none
	dir   bool
	style plots.Style
	taken map[string]string // flags by the tables that they name
}

// drawFlags say where figures go, and how they look.
func drawFlags(usage string) []cli.Flag { return append(styleFlags(), outFlag(usage)) }

// styleFlags say how figures look.
func styleFlags() []cli.Flag {
	return allUnder(figureGroup,
		stringFlag("log", "`AXES` logarithmic axes of figures: x, y or x,y"),
		stringFlag("width", "`W` width of figures, such as 8.8cm (cm, mm, in or pt); the height follows"),
		boolFlag("no-title", "draw figures without their titles"),
	)
}

func parseStyle(c *cli.Context) (plots.Style, error) {
	style := plots.Style{NoTitle: c.Bool("no-title")}
	if c.IsSet("log") {
		if err := style.SetLog(c.String("log")); err != nil {
			return style, usagef("--log: %s", err)
		}
	}
	if c.IsSet("width") {
		if err := style.SetWidth(c.String("width")); err != nil {
			return style, usagef("--width: %s", err)
		}
	}
	return style, nil
}

// parseTarget reads where figures go. --out is a directory or a file.
func parseTarget(c *cli.Context) (target, error) {
	path := c.String("out")
	style, err := parseStyle(c)
	if err != nil {
		return target{}, err
	}
	info, err := os.Stat(path)
	switch ext := filepath.Ext(path); {
	case path == "" && style != (plots.Style{}):
		return target{}, usagef("--log, --width, --no-title: expected --out with them, the figures to write")
	case path == "":
		return target{}, nil
	case err == nil && !info.IsDir() && ext == "":
		return target{}, usagef("--out: expected a directory, or a file ending in .png, .svg, .pdf or .csv, and %s "+
			"is a file", path)
	case err == nil && info.IsDir(), strings.HasSuffix(path, "/"), ext == "", ext == filepath.Base(path):
		taken := map[string]string{}
		for _, name := range []string{"csv", "cells", "records"} {
			taken[safefile.Followed(c.String(name))] = name
		}
		return target{path: path, dir: true, style: style, taken: taken}, nil
	default:
		if _, err := plots.ParseFormat(ext); err != nil {
			return target{}, usagef("--out: expected a directory, or a file ending in .png, .svg, .pdf or .csv, got %q",
				path)
		}
		return target{path: path, style: style}, nil
	}
}

// save writes one sheet to a file, or each figure in every format to a directory.
func (t target) save(prov plots.Provenance, sheet plots.Picture, single ...plots.Picture) error {
	switch {
	case t.path == "":
		return nil
	case !t.dir:
		styled, err := t.style.Apply(sheet)
		if err != nil {
			return err
		}
		return plots.SaveFile(t.path, styled, prov)
	}
	var errs []error
	for _, fig := range single {
		fig, err := t.style.Apply(fig)
		if err != nil {
			return err
		}
		table := filepath.Join(t.path, plots.ID(fig)+".csv")
		if flag := t.taken[safefile.Followed(table)]; flag != "" {
			return usagef("--%s and --out: the figure in %s would overwrite the table: give another name", flag, table)
		}
		_, err = plots.Save(t.path, fig, prov, plots.PNG, plots.SVG, plots.PDF, plots.CSV)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

func (p *program) provenance(scenario string, overrides []string, extra ...plots.Pair) plots.Provenance {
	return plots.Provenance{
		Version: build().Version, Scenario: scenario, Command: commandLine(p.args),
		Extra: append([]plots.Pair{{Key: "overrides", Value: strings.Join(overrides, ", ")}}, extra...),
	}
}

// commandLine returns the command quoted for a shell, without flags that change no
// result. So files do not depend on the number of workers.
func commandLine(args []string) string {
	list := []string{"revopt"}
	for _, arg := range essential(args) {
		list = append(list, text.ShellWord(arg))
	}
	return strings.Join(list, " ")
}

// essential drops flags that change no result.
func essential(args []string) []string {
	var list []string
	for i := 0; i < len(args); i++ {
		name, _, joined := strings.Cut(args[i], "=")
		switch name {
		case "--":
			return append(list, args[i:]...)
		case "--quiet", "-q":
		case "--no-wait":
		case "--workers", "--journal", "--engine", "--tasks", "--sbatch-arg":
			if !joined {
				i++
			}
		default:
			list = append(list, args[i])
		}
	}
	return list
}
