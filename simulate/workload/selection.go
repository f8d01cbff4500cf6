package workload

import (
	"cmp"
	"context"
	"math"
	"slices"

	"revopt/internal/budget"
	"revopt/model"
)

// Selection is a part of a trace.
type Selection struct {
	File   string // path of an SWF file, or a generator
	Subset Subset
	Rule   Rule
	Nodes  int  // of the machine; 0: those of the header
	Sort   bool // sort the whole trace by submit time first, in memory, instead of refusing disorder

	jobs int64 // of the file, once counted
}

// Subset is a part of a trace, in the order of the file.
type Subset = model.Subset

// Stream is the records of a selection before cleaning, in one pass.
type Stream struct {
	Records
	Header Header
	Nodes  int   // of the machine, 0 if unknown
	Moved  int64 // records that were out of order, if sorted

	reader *Reader // nil if there is no file to close
	jobs   int64   // of the file, if they were counted
}

// Open starts a pass over the selection. The seed and the replication are those of a
// generated trace, which has the first or last jobs of the subset, 5000 by default.
// Reading ends with the context.
func (s Selection) Open(ctx context.Context, seed uint64, replication int) (*Stream, error) {
	if model.Generated(s.File) {
		n := cmp.Or(max(s.Subset.First, s.Subset.Last), generatedJobs)
		records, header := Records(NewSP2(n, seed, replication)), SP2Header()
		if s.File == model.AILike {
			records, header = NewAI(n, seed, replication), AIHeader()
		}
		window := model.Subset{From: s.Subset.From, To: s.Subset.To}
		return &Stream{Records: Take(records, window), Header: header, Nodes: cmp.Or(s.Nodes, header.Nodes())}, nil
	}
	r, err := s.reader(ctx)
	if err != nil {
		return nil, err
	}
	st := &Stream{Records: r, Header: r.Header, Nodes: cmp.Or(s.Nodes, r.Header.Nodes()), reader: r}
	switch {
	case s.Sort:
		r.Unsorted = true
		if st.Records, err = sorted(r); err != nil {
			return nil, err
		}
		st.Moved = r.Disorder
	case s.Subset.Last > maxRing && !r.piped:
		if st.jobs, err = s.count(ctx); err != nil {
			r.Close()
			return nil, err
		}
		all := model.Subset{First: math.MaxInt64, To: math.Inf(1)}
		st.Records = &part{Subset: all, skip: max(st.jobs-s.Subset.Last, 0), from: r}
		return st, nil
	}
	st.Records = Take(st.Records, s.Subset)
	if last, ok := st.Records.(*tail); ok {
		last.ctx = ctx
	}
	return st, nil
}

func (s *Selection) reader(ctx context.Context) (*Reader, error) {
	r, err := Open(s.File)
	if err == nil {
		r.Context = ctx
	}
	return r, err
}

// count returns the number of jobs of the file. It reads the file once.
func (s *Selection) count(ctx context.Context) (int64, error) {
	if s.jobs > 0 {
		return s.jobs, nil
	}
	r, err := s.reader(ctx)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	jobs := int64(0)
	err = each(ctx, r, func(*Record) error { jobs++; return nil })
	return jobs, err
}

// Close closes the file, if there is one.
func (s *Stream) Close() error {
	if s == nil || s.reader == nil {
		return nil
	}
	return s.reader.Close()
}

// block is a piece of a list of records in memory, which is never copied.
type block [1 << blockBits]Record

const blockBits = 10

// list is records in memory, in an order that is not that of their places.
type list struct {
	blocks []*block
	order  []int32 // of the records to come
}

func (l *list) at(i int32) *Record { return &l.blocks[i>>blockBits][i&(1<<blockBits-1)] }

func (l *list) Next(r *Record) (bool, error) {
	if len(l.order) == 0 {
		return false, nil
	}
	*r, l.order = *l.at(l.order[0]), l.order[1:]
	return true, nil
}

// sorted reads all records and sorts them by submit time; simultaneous ones
// keep their order. It closes the reader.
func sorted(r *Reader) (Records, error) {
	defer r.Close()
	var l list
	for n := int32(0); ; n++ {
		if n&(1<<blockBits-1) == 0 {
			l.blocks = append(l.blocks, new(block))
		}
		ok, err := r.Next(l.at(n))
		if err == nil {
			err = affordJobs(r.Context, int64(n), 200, "to sort")
		}
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		l.order = append(l.order, n)
	}
	if r.Disorder > 0 {
		slices.SortFunc(l.order, func(a, b int32) int {
			return cmp.Or(cmp.Compare(l.at(a)[SubmitTime], l.at(b)[SubmitTime]), cmp.Compare(a, b))
		})
	}
	return &l, nil
}

// affordJobs returns an error if jobs of a trace in memory, each of so many bytes, are
// beyond the budget. It checks every 65536 jobs.
func affordJobs(ctx context.Context, jobs int64, bytes float64, what string) error {
	if jobs&0xffff != 0 || ctx == nil {
		return nil
	}
	return budget.Memory(ctx, float64(jobs)*bytes, "%d jobs %s, or more, ask for", jobs, what)
}

// Take returns the records of a subset. Memory is constant, except for the last N jobs.
func Take(records Records, s model.Subset) Records {
	if s.Last > 0 {
		return &tail{from: records, keep: s.Last}
	}
	p := &part{Subset: s, from: records}
	p.First = cmp.Or(p.First, math.MaxInt64)
	p.To = cmp.Or(p.To, math.Inf(1))
	return p
}

// maxRing is the largest number of last jobs that are held in memory while a file is
// read. For more of them the file is read twice.
const maxRing = 1 << 16

// part is the first records, or those of a window, after some to skip.
type part struct {
	model.Subset
	skip int64
	from Records
	seen int64
}

func (p *part) Next(r *Record) (bool, error) {
	for ; p.skip > 0; p.skip-- {
		if ok, err := p.from.Next(r); !ok || err != nil {
			return false, err
		}
	}
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

// tail is the last records, in a ring that the first call fills.
type tail struct {
	ctx  context.Context // nil is none
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
			if err := affordJobs(t.ctx, int64(len(t.ring)), 400, "to choose the last of"); err != nil {
				return err
			}
		default:
			t.ring[t.next] = r
			t.next = (t.next + 1) % len(t.ring)
		}
	}
}
