package workload

import (
	"cmp"
	"math"
	"slices"

	"revopt/model"
)

// Selection says which jobs of which trace make a workload.
type Selection struct {
	File   string // path of an SWF file, or SP2Like
	Subset Subset
	Rule   Rule
	Nodes  int  // of the machine; 0: as the header says
	Sort   bool // sort the whole trace by submit time first, in memory, instead of refusing one out of order
}

// Subset is a part of a trace, in the order of the file.
type Subset = model.Subset

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
		n := cmp.Or(max(s.Subset.First, s.Subset.Last), sp2Jobs)
		window := model.Subset{From: s.Subset.From, To: s.Subset.To}
		return &Stream{Records: Part(NewSP2(n, seed, replication), window), Header: SP2Header(), Nodes: cmp.Or(s.Nodes, sp2Nodes)}, nil
	}
	r, err := Open(s.File)
	if err != nil {
		return nil, err
	}
	st := &Stream{Records: r, Header: r.Header, Nodes: cmp.Or(s.Nodes, r.Header.Nodes()), reader: r}
	if s.Sort {
		r.Unsorted = true
		if st.Records, err = sorted(r); err != nil {
			return nil, err
		}
		st.Moved = r.Disorder
	}
	st.Records = Part(st.Records, s.Subset)
	return st, nil
}

// Close closes the file, if there is one.
func (s *Stream) Close() error {
	if s.reader == nil {
		return nil
	}
	return s.reader.Close()
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

// Part returns the records of a subset. Memory is constant, but for the last N
// jobs, which are kept.
func Part(records Records, s model.Subset) Records {
	if s.Last > 0 {
		return &tail{from: records, keep: s.Last}
	}
	p := &part{Subset: s, from: records}
	if p.First == 0 {
		p.First = math.MaxInt64
	}
	if p.To == 0 {
		p.To = math.Inf(1)
	}
	return p
}

// part is the first records, or those of a window.
type part struct {
	model.Subset
	from Records
	seen int64
}

func (p *part) Next(r *Record) (bool, error) {
	for p.seen < p.First {
		ok, err := p.from.Next(r)
		if !ok || err != nil || r[SubmitTime] >= p.To {
			return false, err
		}
		if r[SubmitTime] >= p.From {
			p.seen++
			return true, nil
		}
	}
	return false, nil
}

// tail is the last records. It keeps them in a ring, filled at the first call.
type tail struct {
	from Records
	keep int64
	ring []Record
	next int // oldest
	left int
	full bool
}

func (t *tail) Next(r *Record) (bool, error) {
	if !t.full {
		if err := t.fill(); err != nil {
			return false, err
		}
		t.full = true
	}
	if t.left == 0 {
		return false, nil
	}
	*r = t.ring[t.next]
	t.next = (t.next + 1) % len(t.ring)
	t.left--
	return true, nil
}

func (t *tail) fill() error {
	var r Record
	for {
		ok, err := t.from.Next(&r)
		switch {
		case err != nil:
			return err
		case !ok:
			t.left = len(t.ring)
			return nil
		case int64(len(t.ring)) < t.keep:
			t.ring = append(t.ring, r)
		default:
			t.ring[t.next] = r
			t.next = (t.next + 1) % len(t.ring)
		}
	}
}
