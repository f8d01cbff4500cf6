package sweep

import (
	"bytes"
	"fmt"
	"strconv"
)

// store is the numbers of the cells that are finished.
type store struct {
	work    Work
	name    string
	numbers [][]float64 // by cell, nil where it is not finished
	count   int         // cells that are finished
	records int         // in journals: more than count where cells were run twice
	spare   []float64   // where numbers are put
}

func newStore(w Work) *store {
	return &store{work: w, name: w.Name(), numbers: make([][]float64, w.Cells())}
}

// valuesOf returns how many numbers a cell yields.
func (s *store) valuesOf(cell int) int {
	if staged, ok := s.work.(staged); ok {
		return staged.valuesOf(cell)
	}
	return s.work.Values()
}

// room returns where the numbers of a cell are put. Many cells share a piece of
// memory.
func (s *store) room(cell int) []float64 {
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
func (s *store) check(cell int, values []float64) error {
	if n := s.valuesOf(cell); len(values) != n {
		return fmt.Errorf("sweep: cell %d yields %d numbers, want %d", cell, len(values), n)
	}
	return nil
}

// put keeps the numbers of a cell, unless they are there already.
func (s *store) put(cell int, values []float64) {
	if s.numbers[cell] != nil {
		return
	}
	s.numbers[cell] = s.room(cell)
	copy(s.numbers[cell], values)
	s.count++
}

// record reads the record of a cell. A record that is intact but makes no sense
// is a fault of the program, and refused.
func (s *store) record(payload []byte) error {
	word, rest, _ := bytes.Cut(payload, []byte{' '})
	i, err := strconv.Atoi(string(word))
	if err != nil || i < 0 || i >= len(s.numbers) {
		return fmt.Errorf("no cell %q", word)
	}
	s.records++
	if s.numbers[i] != nil {
		return nil
	}
	values := s.room(i)
	for k := range values {
		word, rest, _ = bytes.Cut(rest, []byte{' '})
		if values[k], err = strconv.ParseFloat(string(word), 64); err != nil {
			return fmt.Errorf("cell %d: bad number %q", i, word)
		}
	}
	if len(rest) > 0 {
		return fmt.Errorf("cell %d: more than %d numbers", i, len(values))
	}
	s.numbers[i] = values
	s.count++
	return nil
}

// appendRecord appends the record of a cell to b. Numbers are read back as they
// were.
func appendRecord(b []byte, cell int, values []float64) []byte {
	b = strconv.AppendInt(b, int64(cell), 10)
	for _, x := range values {
		b = append(b, ' ')
		b = strconv.AppendFloat(b, x, 'g', -1, 64)
	}
	return b
}

// read reads all journals of a directory but the one to leave out.
func (s *store) read(dir, except string) error {
	list, err := journals(dir)
	if err != nil {
		return err
	}
	for _, path := range list {
		if path == except {
			continue
		}
		if err := checkOwner(path, s.name); err != nil {
			return err
		}
		if err := ReadJournal(path, s.name, s.record); err != nil {
			return err
		}
	}
	return nil
}
