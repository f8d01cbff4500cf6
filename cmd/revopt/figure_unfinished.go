package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"revopt/plots/paper"
)

// unfinishedName is the directory, beside the figures, of the journals of what
// is not drawn yet.
const unfinishedName = ".unfinished"

// unfinishedDir returns where the journals of this program are kept. Another
// build may give other numbers, so its journals are not gone on with.
func unfinishedDir(out string) (string, error) {
	b := build()
	name, err := json.Marshal(b)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	h.Write(name)
	if b.Commit == "unknown" || strings.HasSuffix(b.Version, "-dirty") || strings.HasSuffix(b.Version, "+dirty") {
		// Builds of changed sources have the same name: the program tells them
		// apart.
		if err := addProgram(h); err != nil {
			return "", err
		}
	}
	return filepath.Join(out, unfinishedName, hex.EncodeToString(h.Sum(nil)[:8])), nil
}

// addProgram writes the file of the program that runs.
func addProgram(w io.Writer) error {
	path, err := os.Executable()
	if err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
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
