package workload

import (
	"fmt"
	"math"
	"strconv"
)

// Subset is a part of a trace, in the order of the file. The zero value is all
// of it. Cleaning comes after: the last 5000 jobs are those of the file,
// whether they ran or not.
type Subset struct {
	First, Last int64   // that many jobs; 0 is no limit
	From, To    float64 // s: jobs with From <= submit time < To; To 0 is no limit
}

// String returns the subset as scenarios write it.
func (s Subset) String() string {
	switch {
	case s.First > 0:
		return fmt.Sprintf("first:%d", s.First)
	case s.Last > 0:
		return fmt.Sprintf("last:%d", s.Last)
	case s.From > 0 || s.To > 0:
		return "from:" + strconv.FormatFloat(s.From, 'f', -1, 64) + ":" + strconv.FormatFloat(s.To, 'f', -1, 64)
	}
	return "all"
}

// Of returns the records of the subset. Memory is constant, but for the last N
// jobs, which are kept.
func (s Subset) Of(records Records) Records {
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
	Subset
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
