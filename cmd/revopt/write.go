package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"revopt/internal/safefile"
	"revopt/internal/text"
	"revopt/plots"
)

// checkOutputs reports why a file that a command is to write cannot be written,
// or must not be, as it is one that the command reads.
func checkOutputs(c *cli.Context) error {
	guard := safefile.Guard{Inputs: append(c.Args().Slice(), c.String("trace"))}
	for _, name := range []string{"csv", "records", "gantt", "html", "out"} {
		path := c.String(name)
		info, err := os.Stat(path)
		isDir := err == nil && info.IsDir()
		switch {
		case !c.IsSet(name) || name == "out" && (path == "" || isDir):
			continue
		case path == "" || isDir:
			return usagef("--%s: expected a file, got %q", name, path)
		}
		err = guard.Check(path)
		var refused *safefile.RefusedError
		if errors.As(err, &refused) {
			return usagef("--%s: %s", name, refused)
		}
		if err != nil {
			return fmt.Errorf("--%s: %w", name, err)
		}
	}
	return nil
}

// writeTable writes a CSV file: where its numbers come from in comments, then
// the rows.
func writeTable(path string, prov plots.Provenance, rows [][]string) error {
	return writeCommented(safefile.Guard{}, path, prov, func(w io.Writer) error {
		out := csv.NewWriter(w)
		for _, row := range rows {
			out.Write(text.CSVRow(slices.Clone(row)))
		}
		out.Flush()
		return out.Error()
	})
}

// writeCommented writes a table below comments that say what made it.
func writeCommented(guard safefile.Guard, path string, prov plots.Provenance, table func(io.Writer) error) error {
	return guard.Write(path, func(w io.Writer) error {
		for _, pair := range prov.Pairs() {
			if _, err := fmt.Fprintf(w, "# %s: %s\n", pair.Key, pair.Value); err != nil {
				return err
			}
		}
		return table(w)
	})
}

// writeFile writes a file, and the directories above it, that appears complete
// or not at all.
func writeFile(path string, data []byte) error {
	return safefile.Write(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// commandLine returns the command as one could type it again, without what
// changes no result: files are the same at any number of workers.
func commandLine(args []string) string {
	list := []string{"revopt"}
	for _, arg := range essential(args) {
		if arg == "" || strings.ContainsAny(arg, " \t\n\"'`$&|;<>()[]{}*?!#~\\") {
			arg = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
		list = append(list, arg)
	}
	return strings.Join(list, " ")
}

// essential returns arguments without --workers and --quiet.
func essential(args []string) []string {
	var list []string
	for i := 0; i < len(args); i++ {
		name, _, joined := strings.Cut(args[i], "=")
		switch name {
		case "--":
			return append(list, args[i:]...)
		case "--quiet", "-q":
		case "--workers":
			if !joined {
				i++
			}
		default:
			list = append(list, args[i])
		}
	}
	return list
}
