package slurm

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"slices"

	"revopt/internal/heap"
)

// spool sorts any number of rows of numbers in bounded memory: full buffers are
// sorted and written to a temporary file, and merged when they are read (Knuth,
// volume 3, section 5.4). Equal rows come out in the order in which they went in.
type spool struct {
	width int   // numbers of a row
	keys  []int // places of the numbers by which rows are compared
	limit int   // rows in memory; 0 is 65536

	rows  []float64
	order []place // of the rows in memory
	file  *os.File
	ends  []int64 // of the runs in the file
	runs  heap.Heap[*run]
	bytes []byte
}

// place is the number of a row and its first key, which mostly decides.
type place struct {
	key float64
	row int32
}

// run is a sorted part of the file and its first row that is left.
type run struct {
	row   []float64
	place int
	in    *bufio.Reader
}

const spoolRows = 1 << 16

func (s *spool) compare(a, b []float64) int {
	for _, k := range s.keys {
		if a[k] != b[k] {
			return cmp.Compare(a[k], b[k])
		}
	}
	return 0
}

func (s *spool) row(p place) []float64 { return s.rows[int(p.row)*s.width : (int(p.row)+1)*s.width] }

// add takes a row.
func (s *spool) add(row []float64) error {
	s.rows = append(s.rows, row...)
	if len(s.rows) < s.width*cmp.Or(s.limit, spoolRows) {
		return nil
	}
	return s.spill()
}

func (s *spool) sort() {
	s.order = s.order[:0]
	for i := range len(s.rows) / s.width {
		s.order = append(s.order, place{s.rows[i*s.width+s.keys[0]], int32(i)})
	}
	slices.SortFunc(s.order, func(a, b place) int {
		if a.key != b.key {
			return cmp.Compare(a.key, b.key)
		}
		return cmp.Or(s.compare(s.row(a), s.row(b)), cmp.Compare(a.row, b.row))
	})
}

// spill writes the rows in memory to the file as a sorted run.
func (s *spool) spill() (err error) {
	if s.file == nil {
		if s.file, err = os.CreateTemp("", "revopt-import-*"); err != nil {
			return err
		}
	}
	s.sort()
	w := bufio.NewWriterSize(s.file, 1<<16)
	end := int64(8 * len(s.rows))
	if len(s.ends) > 0 {
		end += s.ends[len(s.ends)-1]
	}
	for _, p := range s.order {
		s.bytes = s.bytes[:0]
		for _, x := range s.row(p) {
			s.bytes = binary.LittleEndian.AppendUint64(s.bytes, math.Float64bits(x))
		}
		w.Write(s.bytes) // Flush returns the error
	}
	s.ends, s.rows = append(s.ends, end), s.rows[:0]
	return w.Flush()
}

// finish ends the adding: next returns the rows in order.
func (s *spool) finish() error {
	if s.file == nil {
		s.sort()
		return nil
	}
	if err := s.spill(); err != nil {
		return err
	}
	s.rows, s.order, s.bytes = nil, nil, make([]byte, 8*s.width)
	s.runs.Less = func(a, b **run) bool {
		return cmp.Or(s.compare((*a).row, (*b).row), cmp.Compare((*a).place, (*b).place)) < 0
	}
	start := int64(0)
	for i, end := range s.ends {
		part := io.NewSectionReader(s.file, start, end-start)
		r := &run{row: make([]float64, s.width), place: i, in: bufio.NewReaderSize(part, 1<<14)}
		start = end
		if ok, err := s.read(r); err != nil {
			return err
		} else if ok {
			s.runs.Push(r)
		}
	}
	return nil
}

// next fills the next row, and reports whether there was one.
func (s *spool) next(row []float64) (bool, error) {
	if s.file == nil {
		if len(s.order) == 0 {
			return false, nil
		}
		copy(row, s.row(s.order[0]))
		s.order = s.order[1:]
		return true, nil
	}
	if s.runs.Len() == 0 {
		return false, nil
	}
	first := *s.runs.First()
	copy(row, first.row)
	ok, err := s.read(first)
	if ok {
		s.runs.Sink()
	} else {
		s.runs.Pop()
	}
	return true, err
}

// read fills the row of a run, and reports whether there was one.
func (s *spool) read(r *run) (bool, error) {
	if _, err := io.ReadFull(r.in, s.bytes); err == io.EOF {
		return false, nil
	} else if err != nil {
		return false, err
	}
	for i := range r.row {
		r.row[i] = math.Float64frombits(binary.LittleEndian.Uint64(s.bytes[8*i:]))
	}
	return true, nil
}

// close removes the file.
func (s *spool) close() error {
	if s.file == nil {
		return nil
	}
	err := errors.Join(s.file.Close(), os.Remove(s.file.Name()))
	s.file, s.rows, s.order = nil, nil, nil
	return err
}
