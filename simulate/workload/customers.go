package workload

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"

	"revopt/internal/text"
)

// PartyKinds returns the kinds of parties that jobs of a trace may belong to. The account, group
// or queue that splits the work best makes the customers, users if none of these divides the
// jobs, and partitions only on request; see Summary.Customers.
func PartyKinds() []string { return []string{"account", "group", "queue", "user", "partition"} }

// parties returns the numbers of the parties in the order of PartyKinds, 0 if unknown.
func (e *entry) parties() [5]int32 {
	return [...]int32{e.account, e.group, e.queue, e.user, e.partition}
}

// Customers are the parties of a trace with most of its work, and the rest of its jobs.
type Customers struct {
	By      string     // one of PartyKinds; "" if none divides the jobs
	Parties int        // of that kind in the trace
	List    []Customer // those with most work first, the rest last
	Work    float64    // unit-seconds of all jobs that ran
}

// Customer is some jobs of a trace as they were recorded.
type Customer struct {
	Label  string // differs from those of other customers
	Name   string // in the header; "" if it has none
	Number int    // of the party
	Rest   bool   // all jobs that no other customer has
	Jobs   int64
	Work   float64      // unit-seconds of the jobs that ran
	Waits  Distribution // s from submission to start, of the jobs that ran
	Peak   int          // units in use at one time; a job without a start starts when it is submitted
}

// Customers are listed until they have customerShare of the work, at most maxCustomers
// with the rest.
const (
	customerShare = 0.9
	maxCustomers  = 12
	dominant      = 0.9 // of the work: another kind of party divides it better
)

// tally is the jobs of a party.
type tally struct {
	jobs int64
	work float64           // unit-seconds
	in   map[int32]float64 // the work in each partition with units of its own; all of it in 0 if units are alike
}

// share returns the largest share of the party in the work of a partition.
func (t tally) share(all map[int32]float64) (most float64) {
	for n, work := range t.in {
		most = max(most, work/max(all[n], 1))
	}
	return most
}

// Customers returns the customers by a kind of party. By default that is the kind that splits
// the work best: of account, group and queue the one whose customers, as they would be listed,
// have the largest entropy of work, the first of these if they are equal to a tenth of a bit. A
// kind divides the jobs if it has two parties that have at least half of the jobs; if none of
// the three does, or if one customer would have more than 90 % of the work by each of them, users
// make the customers, unless one of them has so much, too, and they divide no better. It reads the trace again, and returns nil if that
// came through a pipe.
func (s *Summary) Customers(ctx context.Context, by string) (*Customers, error) {
	return s.divided(ctx, by, 0)
}

// Partitions returns the partitions with most work, at most 20, and the others.
func (s *Summary) Partitions(ctx context.Context) (*Customers, error) {
	return s.divided(ctx, "partition", 20)
}

// divided divides the jobs by the parties of a kind. It lists as many as stated; 0 stands
// for those with most of the work.
func (s *Summary) divided(ctx context.Context, by string, most int) (*Customers, error) {
	if s.piped {
		return nil, nil
	}
	var parties [5]map[int32]tally
	all := map[int32]float64{} // work, as in a tally
	c, others, names := &Customers{}, Customer{Rest: true}, NamesByNumber(s.Header.Names())
	err := s.each(ctx, func(r *Record, e *entry) {
		work := max(r[RunTime], 0) * float64(e.width)
		others.Jobs, others.Work = others.Jobs+1, others.Work+work
		place := int32(0)
		if s.Unlike {
			place = e.partition
		}
		all[place] += work
		for i, n := range e.parties() {
			if parties[i] == nil {
				parties[i] = map[int32]tally{}
			}
			t, ok := parties[i][n]
			if !ok {
				t.in = map[int32]float64{}
			}
			t.in[place] += work
			parties[i][n] = tally{t.jobs + 1, t.work + work, t.in}
		}
	})
	if err != nil {
		return nil, err
	}
	c.Work = others.Work
	split, left := 0.0, others
	for i, kind := range PartyKinds() {
		list, jobs := ranked(kind, parties[i], all, names[kind])
		divides := by == "" && kind != "partition" && len(list) > 1 && 2*jobs >= others.Jobs
		if kind != by && !divides || kind == "user" && by == "" && c.By != "" && !c.dominated() {
			continue
		}
		try, remaining := Customers{By: kind, Work: c.Work}, others
		try.choose(list, parties[i], all, names[kind], &remaining, most)
		const tie = 0.1 // bits
		bits := try.entropy(remaining.Work)
		if c.By == "" || c.dominated() && !try.dominated() || c.dominated() == try.dominated() && bits > split+tie {
			*c, left, split = try, remaining, bits
		}
	}
	others = left
	if by != "" && c.Parties == 0 {
		return nil, &Error{File: s.Selection.File,
			Message: fmt.Sprintf("expected %ss to divide the jobs by, it has none", by)}
	}
	if others.Jobs > 0 {
		c.List = append(c.List, others)
	}
	c.label()
	return c, c.waits(ctx, s)
}

// ranked returns the parties of a kind that a scenario can name, those with the largest
// share of work first, and the number of their jobs. The number 0 stands for an unknown party unless it
// has a name; accounts are known by their names alone.
func ranked(
	kind string, all map[int32]tally, work map[int32]float64, names map[int32]string,
) (list []int32, jobs int64) {
	for n, t := range all {
		if names[n] != "" || n != 0 && kind != "account" {
			list, jobs = append(list, n), jobs+t.jobs
		}
	}
	slices.SortFunc(list, func(a, b int32) int {
		return cmp.Or(cmp.Compare(all[b].share(work), all[a].share(work)),
			cmp.Compare(all[b].work, all[a].work), cmp.Compare(all[b].jobs, all[a].jobs), cmp.Compare(a, b))
	})
	return list, jobs
}

// choose lists the largest parties, as many as stated, or for 0 until few unit-seconds are
// left of the work in any partition, and the rest. A party that is the whole rest gives it
// its name.
func (c *Customers) choose(
	list []int32, all map[int32]tally, work map[int32]float64, names map[int32]string, others *Customer, most int,
) {
	c.Parties = len(list)
	left := maps.Clone(work)
	enough := func() bool {
		for n, x := range left {
			if work[n]-x < customerShare*work[n] {
				return false
			}
		}
		return true
	}
	for i, n := range list {
		t := all[n]
		if most > 0 && i == most || most == 0 && (i > 0 && enough() || i == maxCustomers-1) {
			if i == len(list)-1 && t.jobs == others.Jobs {
				others.Name, others.Number = names[n], int(n)
			}
			break
		}
		c.List = append(c.List, Customer{Name: names[n], Number: int(n), Jobs: t.jobs, Work: t.work})
		others.Jobs, others.Work = others.Jobs-t.jobs, max(others.Work-t.work, 0)
		for n, x := range t.in {
			left[n] = max(left[n]-x, 0)
		}
	}
}

// dominated reports whether one customer has almost all of the work.
func (c *Customers) dominated() bool {
	return slices.ContainsFunc(c.List, func(x Customer) bool { return x.Work > dominant*c.Work })
}

// entropy returns how evenly the customers and the others, whose work is given, divide the work, in bits.
func (c *Customers) entropy(others float64) (bits float64) {
	for _, x := range append(slices.Clone(c.List), Customer{Work: others}) {
		if share := x.Work / c.Work; share > 0 {
			bits -= share * math.Log2(share)
		}
	}
	return bits
}

// label gives every customer a label of its own.
func (c *Customers) label() {
	seen := map[string]bool{}
	for i := range c.List {
		x := &c.List[i]
		switch {
		case !x.Several():
			x.Label = cmp.Or(x.Name, fmt.Sprint(c.By, x.Number))
		case c.By == "":
			x.Label = everybody
		default:
			x.Label = others
		}
		x.Label = text.Distinct(x.Label, seen)
	}
}

// Several reports whether the jobs are those of several parties, or of unknown ones.
func (x *Customer) Several() bool { return x.Name == "" && x.Number == 0 }

// waits reads the recorded waits.
func (c *Customers) waits(ctx context.Context, s *Summary) error {
	owners, kind := map[int32]int{}, max(slices.Index(PartyKinds(), c.By), 0)
	for i, x := range c.List {
		if !x.Rest {
			owners[int32(x.Number)] = i
		}
	}
	type change struct{ time, units float64 }
	changes := make([][]change, len(c.List))
	err := s.each(ctx, func(_ *Record, e *entry) {
		i, ok := owners[e.parties()[kind]]
		if !ok {
			i = len(c.List) - 1
		}
		if e.ran && e.wait >= 0 {
			c.List[i].Waits.Add(e.wait)
		}
		if e.ran && c.By == "partition" {
			start, units := e.submit+max(e.wait, 0), float64(e.width)
			changes[i] = append(changes[i], change{start, units}, change{start + e.runtime, -units})
		}
	})
	for i, list := range changes {
		slices.SortFunc(list, func(a, b change) int {
			return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.units, b.units)) // ends first
		})
		busy := 0.0
		for _, x := range list {
			busy += x.units
			c.List[i].Peak = max(c.List[i].Peak, int(busy))
		}
	}
	return err
}

// NamesByNumber returns the names of parties by kind and number; of several names of a number
// the first in the alphabet.
func NamesByNumber(names map[string]map[string]int) map[string]map[int32]string {
	all := map[string]map[int32]string{}
	for kind, list := range names {
		all[kind] = map[int32]string{}
		for _, name := range slices.Backward(slices.Sorted(maps.Keys(list))) {
			if n := list[name]; n == int(int32(n)) {
				all[kind][int32(n)] = name
			}
		}
	}
	return all
}

// Names returns the names of users, groups, queues, partitions and accounts by their
// numbers, as far as the header gives them.
func (t *Trace) Names() map[string]map[int32]string { return NamesByNumber(t.names) }

// TidyName returns a name in the form that a header and a scenario can hold: without
// control characters and repeated spaces, of at most 200 characters.
func TidyName(name string) string {
	const most = 200
	tidy := []rune(strings.Join(strings.FieldsFunc(strings.ToValidUTF8(name, "?"), func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r)
	}), " "))
	return strings.TrimSpace(string(tidy[:min(len(tidy), most)]))
}
