package ask

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"revopt/internal/safefile"
	"revopt/internal/workdir"
	"revopt/model/scenario"
	"revopt/simulate/policy"
	"revopt/simulate/run"
	"revopt/simulate/subject"
)

// The files of a sweep beside its journals.
const (
	SweepAnswer = "answer.json"
	SweepTable  = "table.csv"
	sweepCells  = "cells.csv"
	sweepSource = "sweep.json"
)

// sweepTables are the files of tables, in the order in which they are written.
func sweepTables() [][2]string {
	return [][2]string{{"customers.csv", "customers"}, {"admissions.csv", "admissions"}, {"bounds.csv", "bounds"},
		{SweepTable, "points"}}
}

// SweepFiles returns the names of the files of a sweep.
func SweepFiles() []string {
	names := []string{SweepAnswer, sweepCells, sweepSource}
	for _, t := range sweepTables() {
		names = append(names, t[0])
	}
	return names
}

// SweepDir is a sweep in a directory.
type SweepDir struct {
	Dir    string
	File   string // of the sweep; "" if only the directory is known
	Grid   *run.Grid
	Opener *subject.Opener
}

// Lab returns the lab of the sweep.
func (s *SweepDir) Lab(ctx context.Context, o run.Options) (*run.Lab, error) {
	o.Seed, o.Opener = s.Grid.Sweep.Seed, s.Opener
	return run.NewLab(ctx, s.Grid.Document, o)
}

// Kept returns a lab that computes nothing, with the records of the directory.
func (s *SweepDir) Kept(ctx context.Context, o run.StoreOptions) (*run.Lab, error) {
	o.ReadOnly = true
	store, err := run.OpenStore(s.Dir, o)
	if err != nil {
		return nil, err
	}
	return s.Lab(ctx, run.Options{Store: store, Kept: true})
}

// source is a sweep file as its directory keeps it.
type source struct {
	File         string `json:"file"`
	Text         string `json:"text"`
	ScenarioFile string `json:"scenario_file"`
	Scenario     string `json:"scenario"`
}

// WriteSource keeps the sweep file and its scenario in the directory, for OpenSweepDir.
func (s *SweepDir) WriteSource(guard safefile.Guard) error {
	written, err := os.ReadFile(s.File)
	if err != nil {
		return err
	}
	doc := s.Grid.Sweep.Scenario
	kept := source{File: s.seen(s.File), Text: string(written), ScenarioFile: s.seen(doc.File()),
		Scenario: string(doc.Source())}
	if err := os.MkdirAll(s.Dir, 0o777); err != nil {
		return err
	}
	return guard.Write(filepath.Join(s.Dir, sweepSource), func(w io.Writer) error {
		return json.NewEncoder(w).Encode(kept)
	})
}

// seen returns the path of a file from the directory of the sweep. The name of a built-in scenario is no file.
func (s *SweepDir) seen(path string) string {
	dir, err := filepath.Abs(s.Dir)
	if err != nil {
		return path
	}
	whole, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	if _, err := os.Stat(path); err != nil {
		return path
	}
	from, err := filepath.Rel(dir, whole)
	if err != nil {
		return whole
	}
	return from
}

// found is the inverse of seen.
func (s *SweepDir) found(path string) string {
	if from := filepath.Join(s.Dir, path); !filepath.IsAbs(path) {
		if _, err := os.Stat(from); err == nil {
			return from
		}
	}
	return path
}

// OpenSweepDir returns the sweep of a directory.
func OpenSweepDir(dir string, specs []policy.Spec) (*SweepDir, error) {
	data, err := os.ReadFile(filepath.Join(dir, sweepSource))
	switch {
	case errors.Is(err, os.ErrNotExist) && workdir.Started(dir):
		return nil, &workdir.OtherWorkError{Dir: dir}
	case errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("%s: holds no results of a sweep", dir)
	case err != nil:
		return nil, err
	}
	var kept source
	if err := json.Unmarshal(data, &kept); err != nil {
		return nil, Usagef("%s: %s: expected a sweep as the program has written it", dir, sweepSource)
	}
	s := &SweepDir{Dir: dir}
	doc, err := scenario.Parse(s.found(kept.ScenarioFile), []byte(kept.Scenario))
	if err != nil {
		return nil, err
	}
	s.Grid, err = run.ParseGrid(s.found(kept.File), []byte(kept.Text), doc, specs)
	if err != nil {
		return nil, err
	}
	s.Opener = &subject.Opener{Seed: s.Grid.Sweep.Seed, Policies: specs}
	return s, nil
}

// Files returns the functions that write the files of a finished sweep. They name no command: the same sweep gives the
// same bytes however it is run.
func (s *SweepDir) Files(result *Swept, guard safefile.Guard) (files []func() error) {
	add := func(name string, write func(io.Writer) error) {
		files = append(files, func() error { return guard.Write(filepath.Join(s.Dir, name), write) })
	}
	add(SweepAnswer, result.Answer.WriteJSON)
	add(sweepCells, result.WriteCells)
	for _, t := range sweepTables() {
		if _, there := result.Answer.Table(t[1]); there {
			add(t[0], func(w io.Writer) error { return result.Answer.WriteCSV(w, t[1]) })
		}
	}
	return files
}
