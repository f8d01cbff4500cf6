package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"strings"

	"revopt/plots"
)

// writeTable writes a CSV file: where its numbers come from in comments, then
// the rows.
func writeTable(path string, prov plots.Provenance, rows [][]string) error {
	var b bytes.Buffer
	for _, pair := range prov.Pairs() {
		fmt.Fprintf(&b, "# %s: %s\n", pair.Key, pair.Value)
	}
	w := csv.NewWriter(&b)
	if err := w.WriteAll(rows); err != nil {
		return err
	}
	return writeFile(path, b.Bytes())
}

// writeFile writes a file, and the directories above it, that appears complete
// or not at all.
func writeFile(path string, data []byte) error {
	return plots.WriteFile(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// commandLine returns the command as one could type it again.
func commandLine(args []string) string {
	list := []string{"revopt"}
	for _, arg := range args {
		if arg == "" || strings.ContainsAny(arg, " \t\n\"'`$&|;<>()[]{}*?!#~\\") {
			arg = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
		list = append(list, arg)
	}
	return strings.Join(list, " ")
}
