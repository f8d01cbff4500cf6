package workload

import (
	"bufio"
	"cmp"
	"container/heap"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"slices"
)

// spool sorts any number of rows of numbers in bounded memory: full buffers are
// sorted and written to a temporary file, and merged when they are read (Knuth,
// volume 3, section 5.4). T is an array, of which words returns the numbers.
// Rows that compare equal come out in the order in which they went in.
type spool[T any] struct {
	words   func(*T) []float64
	compare func(a, b *T) int
	limit   int // rows in memory; 0 is 65536

	rows  []T
	order []int32
	file  *os.File
	ends  []int64 // of the runs in the file
	runs  runHeap[T]
	bytes []byte
}

const spoolRows = 1 << 16

// add takes a row.
func (s *spool[T]) add(row *T) error {
	s.rows = append(s.rows, *row)
	if len(s.rows) < cmp.Or(s.limit, spoolRows) {
		return nil
	}
	return s.spill()
}

func (s *spool[T]) sort() {
	s.order = s.order[:0]
	for i := range s.rows {
		s.order = append(s.order, int32(i))
	}
	slices.SortFunc(s.order, func(a, b int32) int {
		return cmp.Or(s.compare(&s.rows[a], &s.rows[b]), cmp.Compare(a, b))
	})
}

// spill writes the rows in memory to the file as a sorted run.
func (s *spool[T]) spill() (err error) {
	if s.file == nil {
		if s.file, err = os.CreateTemp("", "revopt-import-*"); err != nil {
			return err
		}
	}
	s.sort()
	w := bufio.NewWriterSize(s.file, 1<<16)
	size := int64(0)
	for _, i := range s.order {
		s.bytes = s.bytes[:0]
		for _, x := range s.words(&s.rows[i]) {
			s.bytes = binary.LittleEndian.AppendUint64(s.bytes, math.Float64bits(x))
		}
		size += int64(len(s.bytes))
		w.Write(s.bytes) // Flush returns the error
	}
	if len(s.ends) > 0 {
		size += s.ends[len(s.ends)-1]
	}
	s.ends, s.rows = append(s.ends, size), s.rows[:0]
	return w.Flush()
}

// finish ends the adding: next returns the rows in order.
func (s *spool[T]) finish() error {
	if s.file == nil {
		s.sort()
		return nil
	}
	if err := s.spill(); err != nil {
		return err
	}
	s.rows, s.order = nil, nil
	s.runs = runHeap[T]{compare: s.compare}
	start := int64(0)
	for i, end := range s.ends {
		r := &spoolRun[T]{place: i, in: bufio.NewReaderSize(io.NewSectionReader(s.file, start, end-start), 1<<14)}
		start = end
		ok, err := s.read(r)
		if err != nil {
			return err
		}
		if ok {
			s.runs.list = append(s.runs.list, r)
		}
	}
	heap.Init(&s.runs)
	return nil
}

// next returns the next row, and false after the last.
func (s *spool[T]) next(row *T) (bool, error) {
	if s.file == nil {
		if len(s.order) == 0 {
			return false, nil
		}
		*row, s.order = s.rows[s.order[0]], s.order[1:]
		return true, nil
	}
	if len(s.runs.list) == 0 {
		return false, nil
	}
	first := s.runs.list[0]
	*row = first.row
	ok, err := s.read(first)
	if ok {
		heap.Fix(&s.runs, 0)
	} else {
		heap.Pop(&s.runs)
	}
	return true, err
}

// read fills the row of a run, and reports whether there was one.
func (s *spool[T]) read(r *spoolRun[T]) (bool, error) {
	words := s.words(&r.row)
	if len(s.bytes) != 8*len(words) {
		s.bytes = make([]byte, 8*len(words))
	}
	if _, err := io.ReadFull(r.in, s.bytes); err != nil {
		if err == io.EOF {
			err = nil
		}
		return false, err
	}
	for i := range words {
		words[i] = math.Float64frombits(binary.LittleEndian.Uint64(s.bytes[8*i:]))
	}
	return true, nil
}

// close removes the file.
func (s *spool[T]) close() error {
	if s.file == nil {
		return nil
	}
	err := errors.Join(s.file.Close(), os.Remove(s.file.Name()))
	s.file, s.rows, s.order = nil, nil, nil
	return err
}

// spoolRun is a sorted run and its first row that is left.
type spoolRun[T any] struct {
	row   T
	place int
	in    *bufio.Reader
}

// runHeap is a heap of runs by their rows.
type runHeap[T any] struct {
	compare func(a, b *T) int
	list    []*spoolRun[T]
}

func (h *runHeap[T]) Len() int { return len(h.list) }
func (h *runHeap[T]) Less(i, j int) bool {
	a, b := h.list[i], h.list[j]
	return cmp.Or(h.compare(&a.row, &b.row), cmp.Compare(a.place, b.place)) < 0
}
func (h *runHeap[T]) Swap(i, j int) { h.list[i], h.list[j] = h.list[j], h.list[i] }
func (h *runHeap[T]) Push(x any)    { h.list = append(h.list, x.(*spoolRun[T])) }
func (h *runHeap[T]) Pop() any {
	last := h.list[len(h.list)-1]
	h.list = h.list[:len(h.list)-1]
	return last
}
