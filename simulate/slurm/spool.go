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
// After an error, which close returns, it takes and returns no more rows.
type spool struct {
	width int   // numbers of a row
	keys  []int // places of the numbers by which rows are compared
	limit int   // rows in memory; 0 is 65536

	rows   []float64
	order  []place // of the rows in memory
	file   *os.File
	size   int64 // of the file
	runs   heap.Heap[*run]
	bytes  []byte // of a row
	sorted bool   // all rows are in, and the first was asked for
	err    error
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

func (s *spool) add(row []float64) {
	s.rows = append(s.rows, row...)
	if len(s.rows) == s.width*cmp.Or(s.limit, spoolRows) {
		s.spill()
	}
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
func (s *spool) spill() {
	if s.file == nil && s.err == nil {
		s.file, s.err = os.CreateTemp("", "revopt-import-*")
	}
	if s.err == nil {
		s.sort()
		w := bufio.NewWriterSize(s.file, 1<<16)
		for _, p := range s.order {
			s.bytes = s.bytes[:0]
			for _, x := range s.row(p) {
				s.bytes = binary.LittleEndian.AppendUint64(s.bytes, math.Float64bits(x))
			}
			w.Write(s.bytes) // Flush returns the error
		}
		s.err = w.Flush()
		part := io.NewSectionReader(s.file, s.size, int64(8*len(s.rows)))
		s.size += part.Size()
		in := bufio.NewReaderSize(part, 1<<14)
		s.runs.List = append(s.runs.List, &run{make([]float64, s.width), len(s.runs.List), in})
	}
	s.rows = s.rows[:0]
}

// next fills the next row in order, and reports whether there was one.
func (s *spool) next(row []float64) bool {
	switch {
	case s.sorted:
	case s.file == nil:
		s.sort()
	default:
		s.spill()
		s.rows, s.order, s.bytes = nil, nil, make([]byte, 8*s.width)
		s.runs.Less = func(a, b **run) bool {
			return cmp.Or(s.compare((*a).row, (*b).row), cmp.Compare((*a).place, (*b).place)) < 0
		}
		s.runs.List = slices.DeleteFunc(s.runs.List, func(r *run) bool { return !s.read(r) })
		s.runs.Init()
	}
	s.sorted = true
	switch {
	case s.err != nil, len(s.order)+s.runs.Len() == 0:
		return false
	case s.file == nil:
		copy(row, s.row(s.order[0]))
		s.order = s.order[1:]
		return true
	}
	first := *s.runs.First()
	copy(row, first.row)
	if s.read(first) {
		s.runs.Sink()
	} else {
		s.runs.Pop()
	}
	return true
}

// read fills the row of a run, and reports whether there was one.
func (s *spool) read(r *run) bool {
	_, err := io.ReadFull(r.in, s.bytes)
	if err != nil {
		if err != io.EOF && s.err == nil {
			s.err = err
		}
		return false
	}
	for i := range r.row {
		r.row[i] = math.Float64frombits(binary.LittleEndian.Uint64(s.bytes[8*i:]))
	}
	return true
}

// close removes the file, and returns the first error.
func (s *spool) close() error {
	err := s.err
	if s.file != nil {
		err = errors.Join(err, s.file.Close(), os.Remove(s.file.Name()))
	}
	*s = spool{sorted: true}
	return err
}
