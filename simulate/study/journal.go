package study

import (
	"context"
	"encoding/json"
	"fmt"

	"revopt/internal/cells"
	"revopt/internal/exact"
	"revopt/model/scenario"
)

// Journal keeps what a simulation, a validation, a what-if or a curve has finished,
// replication by replication or point by point, in a directory: begun again, the
// same study goes on where it was, however it ended, and gives the same numbers to
// the bit. Runs of searches are kept as well; formulas and fits are computed again.
// A nil Journal keeps nothing.
type Journal struct {
	memo   *cells.Memo
	stages int
}

// JournalOptions say how a journal is opened.
type JournalOptions struct {
	Version   string // of the program, for people
	MixBuilds bool   // go on with results of other builds of the program
}

// OpenJournal opens the journal of a directory, which is made if need be and locked
// until Close. The name holds all that numbers depend on, see RunName. A directory
// with the results of another name is an *OtherWorkError, of another build an
// *OtherBuildError.
//
// A study takes its numbers from a journal in the order in which it asks for them,
// so that one journal serves one study.
func OpenJournal(dir, name string, o JournalOptions) (*Journal, error) {
	memo, err := cells.OpenMemo(dir, name, o.Version, o.MixBuilds)
	if err != nil {
		return nil, err
	}
	return &Journal{memo: memo}, nil
}

// Dir returns the directory, "" of no journal.
func (j *Journal) Dir() string {
	if j == nil {
		return ""
	}
	return j.memo.Dir()
}

// Builds returns the builds that computed what the journal holds.
func (j *Journal) Builds() []Build {
	if j == nil {
		return nil
	}
	return j.memo.Builds()
}

// Close ends the use of the directory.
func (j *Journal) Close() error {
	if j == nil {
		return nil
	}
	return j.memo.Close()
}

// RunName names a run by what its numbers depend on: what is done, the text of a
// scenario, settings, and the contents of the files that it reads.
func RunName(what string, doc *scenario.Document, settings []string, files ...string) (string, error) {
	spec := struct {
		Format   int      `json:"run"`
		What     string   `json:"what"`
		Scenario string   `json:"scenario"`
		Settings []string `json:"settings"`
		Files    []string `json:"files_sha256,omitempty"`
	}{1, what, string(doc.Source()), settings, nil}
	for _, path := range files {
		if path == scenario.SP2Like {
			continue
		}
		sum, err := fileSum(path)
		if err != nil {
			return "", err
		}
		spec.Files = append(spec.Files, sum)
	}
	text, err := json.Marshal(spec)
	return string(text), err
}

// stage is one place of a study at which cells are computed, nil where nothing is
// kept. A study comes to its stages in the same order whenever it is run.
type stage struct {
	memo   *cells.Memo
	number int
}

// stage returns the next one. The calls for a journal do not overlap.
func (j *Journal) stage() *stage {
	if j == nil {
		return nil
	}
	j.stages++
	return &stage{j.memo, j.stages}
}

// keep returns what a cell of a stage yields: what the journal has of it, else what
// run computes, which is then kept. A journal may be forged: of values that valid,
// unless it is nil, does not take the study would not survive.
func keep[T any](s *stage, cell int, valid func(T) bool, run func() (T, error)) (T, error) {
	if s == nil {
		return run()
	}
	var value T
	if text, ok := s.memo.Get(s.number, cell); ok {
		if err := exact.Unmarshal([]byte(text), &value); err != nil || valid != nil && !valid(value) {
			return value, &ForgedError{Path: s.memo.Dir(), Why: fmt.Sprintf("it has a cell %d of stage %d that was never computed", cell, s.number)}
		}
		return value, nil
	}
	value, err := run()
	if err == nil {
		err = s.memo.Put(s.number, cell, exact.Marshal(value))
	}
	return value, err
}

// keptRun is a replication in a journal.
type keptRun struct {
	Numbers []float64 // of the Sample
	Cut     bool
}

// keep is Run with a journal.
func (e *Experiment) keep(ctx context.Context, s *stage, cell, replication int) (Sample, error) {
	if s == nil {
		return e.Run(ctx, replication)
	}
	whole := func(r keptRun) bool { return len(r.Numbers) == e.numbers() }
	r, err := keep(s, cell, whole, func() (r keptRun, err error) {
		sample, err := e.Run(ctx, replication)
		r.Numbers, r.Cut = sample.numbers(nil), sample.Cut
		return r, err
	})
	if err != nil {
		return Sample{}, err
	}
	sample := e.newSample(r.Numbers)
	sample.Cut = r.Cut
	return sample, nil
}
