package cells

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
)

// Results are the numbers of the cells that are finished.
type Results struct {
	Numbers  [][]float64 // by cell, nil where it is not finished
	Finished int         // cells that are finished
	Records  int         // read from journals: more than cells where some were run twice
	Builds   []Build     // that wrote the journals read

	work  Work
	id    Identity
	spare []float64 // where numbers are put
}

// NewResults returns results of which no cell is finished.
func NewResults(w Work) *Results {
	return &Results{work: w, id: Identity{Work: w.Name()}, Numbers: make([][]float64, w.Cells())}
}

// Read reads the journals of a directory, also while others are at work on it.
// Numbers of other builds than this one are an *OtherBuildError, unless any build
// is welcome; journals of other work are an *OtherWorkError.
func Read(dir string, w Work, anyBuild bool) (*Results, error) {
	build, err := ThisBuild("")
	if err != nil {
		return nil, err
	}
	s := NewResults(w)
	s.id.Build = build
	s.id.AnyBuild = anyBuild
	if err := s.read(dir, ""); err != nil {
		return nil, err
	}
	return s, nil
}

// by adds builds that wrote a journal.
func (s *Results) by(builds []Build) {
	for _, b := range builds {
		if !slices.ContainsFunc(s.Builds, func(have Build) bool { return have.Sum == b.Sum }) {
			s.Builds = append(s.Builds, b)
		}
	}
}

func (s *Results) valuesOf(cell int) int {
	if staged, ok := s.work.(Staged); ok {
		return staged.ValuesOf(cell)
	}
	return s.work.Values()
}

// room returns where the numbers of a cell are put. Many cells share memory.
func (s *Results) room(cell int) []float64 {
	const piece = 4096
	n := s.valuesOf(cell)
	if len(s.spare) < n {
		s.spare = make([]float64, max(n, piece))
	}
	room := s.spare[:n:n]
	s.spare = s.spare[n:]
	return room
}

// check reports an error where a cell yields too many or too few numbers.
func (s *Results) check(cell int, values []float64) error {
	if n := s.valuesOf(cell); len(values) != n {
		return fmt.Errorf("cells: cell %d yields %d numbers, want %d", cell, len(values), n)
	}
	return nil
}

// put keeps the numbers of a cell, unless they are there already.
func (s *Results) put(cell int, values []float64) {
	if s.Numbers[cell] != nil {
		return
	}
	s.Numbers[cell] = s.room(cell)
	copy(s.Numbers[cell], values)
	s.Finished++
}

// record reads the record of a cell. A record that is intact but makes no sense
// is a fault of the program or forged, and refused.
func (s *Results) record(shard Shard, payload []byte) error {
	word, numbers, _ := bytes.Cut(payload, []byte{' '})
	i, err := strconv.Atoi(string(word))
	if err != nil || i < 0 || i >= len(s.Numbers) {
		return fmt.Errorf("no cell %q", word)
	}
	if !shard.Whole() && !shard.Has(unitOf(s.work, i)) {
		return fmt.Errorf("cell %d is not one of shard %d/%d", i, shard.Index, shard.Of)
	}
	s.Records++
	if s.Numbers[i] != nil {
		return nil
	}
	values := s.room(i)
	for k := range values {
		word, numbers, _ = bytes.Cut(numbers, []byte{' '})
		values[k], err = strconv.ParseFloat(string(word), 64)
		if err != nil {
			return fmt.Errorf("cell %d: bad number %q", i, word)
		}
	}
	if len(numbers) > 0 {
		return fmt.Errorf("cell %d: more than %d numbers", i, len(values))
	}
	s.Numbers[i] = values
	s.Finished++
	return nil
}

// appendRecord appends the record of a cell to b. Numbers keep all their digits.
func appendRecord(b []byte, cell int, values []float64) []byte {
	b = strconv.AppendInt(b, int64(cell), 10)
	for _, x := range values {
		b = append(b, ' ')
		b = strconv.AppendFloat(b, x, 'g', -1, 64)
	}
	return b
}

// read reads all journals of a directory but the one to leave out.
func (s *Results) read(dir, except string) error {
	list, err := journals(dir)
	if err != nil {
		return err
	}
	for _, path := range list {
		if path == except {
			continue
		}
		shard, _ := journalShard(path)
		builds, err := ReadJournal(path, s.id, func(payload []byte) error { return s.record(shard, payload) })
		if err != nil {
			return err
		}
		s.by(builds)
	}
	return nil
}
