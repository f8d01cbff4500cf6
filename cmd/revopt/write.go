package main

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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
func writeFile(path string, data []byte) (err error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	_, err = f.Write(data)
	// Temporary files are private; results are for everyone to read.
	if err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
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
