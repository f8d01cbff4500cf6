package workload

import (
	"cmp"
	"context"
	"hash"
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
	Width  WidthRule
	Nodes  int  // of the machine; 0: those of the header
	Free   bool // every job is eligible at its submission
	Sort   bool // sort the whole trace by submit time first, in memory, instead of refusing disorder

	jobs    int64     // of the file, once counted
	sum     hash.Hash // of the bytes of the file; nil: none
	started bool      // without the jobs that ran and have no start
}

// cleaning returns the counts of a pass that begins.
func (s *Selection) cleaning() Cleaning {
	c := Cleaning{Rule: cmp.Or(s.Rule, Keep), width: s.Width, started: s.started}
	if !s.Free {
		c.chain = new(chain)
	}
	return c
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
// generated trace, which has as many jobs as the subset, 5000 by default.
// Reading ends with the context.
func (s Selection) Open(ctx context.Context, seed uint64, replication int) (*Stream, error) {
	if model.Generated(s.File) {
		n := generatedOf(s.Subset)
		records, header := Records(NewSP2(n, seed, replication)), SP2Header()
		if s.File == model.AILike {
			records, header = NewAI(n, seed, replication), aiHeader()
		}
		times := model.Subset{From: s.Subset.From, To: s.Subset.To}
		return &Stream{Records: Take(records, times), Header: header, Nodes: cmp.Or(s.Nodes, header.Nodes())}, nil
	}
	r, err := s.reader(ctx, s.sum)
	if err != nil {
		return nil, err
	}
	st := &Stream{Records: r, Header: r.Header, Nodes: cmp.Or(s.Nodes, r.Header.Nodes()), reader: r}
	switch {
	case s.Sort:
		r.Unsorted = true
		var list kept
		list, err = keep(ctx, r, 0, "to sort")
		slices.SortStableFunc(list, func(a, b *Record) int { return cmp.Compare(a[SubmitTime], b[SubmitTime]) })
		st.Records, st.Moved = &list, r.Disorder
	case s.Subset.Last > maxRing && !r.piped:
		st.jobs, err = s.count(ctx)
		if err != nil {
			r.Close()
			return nil, err
		}
		all := model.Subset{First: math.MaxInt64, To: math.Inf(1)}
		st.Records = &part{Subset: all, skip: max(st.jobs-s.Subset.Last, 0), from: r}
		return st, nil
	}
	if s.Subset.Last == 0 {
		st.Records = Take(st.Records, s.Subset)
	} else if err == nil {
		var list kept
		list, err = keep(ctx, st.Records, s.Subset.Last, "to choose the last of")
		st.Records = &list
	}
	if err != nil {
		r.Close()
		return nil, err
	}
	return st, nil
}

// generatedOf returns the number of jobs that are generated for a subset.
func generatedOf(s Subset) int64 { return cmp.Or(max(s.First, s.Last, s.End-s.Begin), generatedJobs) }

func (s *Selection) reader(ctx context.Context, sum hash.Hash) (*Reader, error) {
	r, err := openSummed(s.File, sum)
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
	r, err := s.reader(ctx, nil)
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

// kept is records in memory.
type kept []*Record

func (k *kept) Next(r *Record) (bool, error) {
	if len(*k) == 0 {
		return false, nil
	}
	*r, *k = *(*k)[0], (*k)[1:]
	return true, nil
}

// keep reads records into memory: the last of them, or all if last is 0. The text what
// says what for.
func keep(ctx context.Context, records Records, last int64, what string) (kept, error) {
	var list kept
	read := int64(0)
	err := each(ctx, records, func(r *Record) error {
		read++
		if last > 0 && read > last { // in the place of the oldest
			*list[(read-1)%last] = *r
			return nil
		}
		list = append(list, new(*r))
		return affordJobs(ctx, read, what)
	})
	if last > 0 && read > last {
		oldest := read % last
		list = slices.Concat(list[oldest:], list[:oldest])
	}
	return list, err
}

// affordJobs returns an error if jobs of a trace in memory are beyond the budget. It
// checks every 65536 jobs.
func affordJobs(ctx context.Context, jobs int64, what string) error {
	const bytes = 200 // of a job
	if jobs&0xffff != 0 {
		return nil
	}
	return budget.Memory(ctx, float64(jobs)*bytes, "%d jobs %s, or more, ask for", jobs, what)
}

// Take returns the records of a subset. Memory is constant, except for the last N jobs, which
// are read at the first call.
func Take(records Records, s model.Subset) Records {
	if s.Last > 0 {
		return &tail{from: records, last: s.Last}
	}
	p := &part{Subset: s, skip: s.Begin, from: records}
	if s.End > 0 {
		p.First = s.End - s.Begin
	}
	p.First = cmp.Or(p.First, math.MaxInt64)
	p.To = cmp.Or(p.To, math.Inf(1))
	return p
}

// tail is the last records.
type tail struct {
	from Records // nil once they are read
	last int64
	kept
}

func (t *tail) Next(r *Record) (ok bool, err error) {
	if t.from != nil {
		t.kept, err = keep(context.Background(), t.from, t.last, "to choose the last of")
		t.from = nil
		if err != nil {
			return false, err
		}
	}
	return t.kept.Next(r)
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
