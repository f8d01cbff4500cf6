package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"revopt/internal/cells"
	"revopt/plots/paper"
)

// unfinishedName is the directory, beside the figures, of the journals of what
// is not drawn yet.
const unfinishedName = ".unfinished"

// unfinishedDir returns where the journals of this program are kept. Another
// build may give other numbers, so it has a directory of its own.
func unfinishedDir(out string) (string, error) {
	b, err := cells.ThisBuild("")
	if err != nil {
		return "", err
	}
	return filepath.Join(out, unfinishedName, b.Sum[:16]), nil
}

// removeFinished removes the journals behind figures that are all written, and
// leaves those of other commands that were interrupted.
func removeFinished(o paper.Options) error {
	for _, dir := range o.Shared.Journals() {
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	// These stay where something else is in them, or they were never made.
	os.Remove(o.Dir)
	os.Remove(filepath.Dir(o.Dir))
	return nil
}

// keptWords says, in front of the reason for which a figure was not finished,
// that the same command goes on where it was.
func keptWords(out string, err error) string {
	dir := filepath.Join(out, unfinishedName)
	if _, missing := os.Stat(dir); missing != nil || !errors.Is(err, context.Canceled) {
		return ""
	}
	return fmt.Sprintf("what is finished is kept in %s and the same command goes on from there: ", dir)
}
