package workload

import (
	"cmp"
	"slices"
)

// Selection says which jobs of which trace make a workload.
type Selection struct {
	File   string // path of an SWF file, or SP2Like
	Subset Subset
	Rule   Rule
	Nodes  int  // of the machine; 0: as the header says
	Sort   bool // sort the whole trace by submit time first, in memory, instead of refusing one out of order
}

// Stream is the records of a selection before cleaning, in one pass.
type Stream struct {
	Records
	Header Header
	Nodes  int // of the machine, 0 where nothing says
	Moved  int64

	reader *Reader // nil where nothing is to be closed
}

// Open starts a pass over the selection. The seed and the replication are
// those of a generated trace: SP2Like has as many jobs as the subset says,
// first or last, and 5000 by default.
func (s Selection) Open(seed uint64, replication int) (*Stream, error) {
	if s.File == SP2Like {
		n := max(s.Subset.First, s.Subset.Last)
		if n == 0 {
			n = sp2Jobs
		}
		window := Subset{From: s.Subset.From, To: s.Subset.To}
		return &Stream{Records: window.Of(NewSP2(n, seed, replication)), Header: SP2Header(), Nodes: orDefault(s.Nodes, sp2Nodes)}, nil
	}
	r, err := Open(s.File)
	if err != nil {
		return nil, err
	}
	st := &Stream{Records: r, Header: r.Header, Nodes: orDefault(s.Nodes, r.Header.Nodes()), reader: r}
	if s.Sort {
		r.Unsorted = true
		if st.Records, err = sorted(r); err != nil {
			return nil, err
		}
		st.Moved = r.Disorder
	}
	st.Records = s.Subset.Of(st.Records)
	return st, nil
}

// Close closes the file, if there is one.
func (s *Stream) Close() error {
	if s.reader == nil {
		return nil
	}
	return s.reader.Close()
}

func orDefault(n, otherwise int) int {
	if n == 0 {
		return otherwise
	}
	return n
}

// list is records in memory.
type list []Record

func (l *list) Next(r *Record) (bool, error) {
	if len(*l) == 0 {
		return false, nil
	}
	*r, *l = (*l)[0], (*l)[1:]
	return true, nil
}

// sorted reads all records and sorts them by submit time; simultaneous ones
// keep their order. It closes the reader.
func sorted(r *Reader) (Records, error) {
	defer r.Close()
	var all list
	for {
		all = append(all, Record{})
		ok, err := r.Next(&all[len(all)-1])
		if err != nil {
			return nil, err
		}
		if !ok {
			all = all[:len(all)-1]
			break
		}
	}
	slices.SortStableFunc(all, func(a, b Record) int { return cmp.Compare(a[SubmitTime], b[SubmitTime]) })
	return &all, nil
}
