package workload

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// PartyKinds returns the kinds of parties that jobs of a trace may belong to. The first
// kind that the trace knows makes its customers; partitions only on request.
func PartyKinds() []string { return []string{"account", "group", "queue", "user", "partition"} }

// party returns the number of the party of a kind, 0 if it is unknown.
func (e *entry) party(kind string) int32 {
	switch kind {
	case "account":
		return e.account
	case "group":
		return e.group
	case "queue":
		return e.queue
	case "user":
		return e.user
	}
	return e.partition
}

// Customers are the parties of a trace with most of its work, and the rest of its jobs.
type Customers struct {
	By      string     // one of PartyKinds; "" if no kind divides the jobs
	Parties int        // of that kind in the trace
	Largest []Customer // those with most work, the largest first
	Rest    *Customer  // the other jobs; nil if there are none
	Work    float64    // unit-seconds of all jobs
}

// Customer is some jobs of a trace as they were recorded.
type Customer struct {
	Label  string // differs from those of other customers
	Name   string // in the header; "" if it has none
	Number int
	Jobs   int64
	Work   float64      // unit-seconds of the jobs that ran
	Waits  Distribution // s from submission to start, of the jobs that ran
}

// The largest customers have at least this share of the work together, unless that
// takes more of them.
const (
	customerShare = 0.9
	maxCustomers  = 12 // the rest included
)

// tally is the jobs of a party.
type tally struct {
	jobs int64
	work float64 // unit-seconds
}

// count adds a job to the tallies of its parties.
func (s *Summary) count(e *entry, work float64) {
	s.ran += work
	for _, kind := range PartyKinds() {
		list := s.parties[kind]
		if list == nil {
			list = map[int32]*tally{}
			s.parties[kind] = list
		}
		n := e.party(kind)
		if list[n] == nil {
			list[n] = new(tally)
		}
		list[n].jobs++
		list[n].work += work
	}
}

// Customers returns the customers by a kind of party, by default the first kind with two
// parties that have at least half of the jobs. It reads the trace again for the waits;
// they stay empty if it came through a pipe.
func (s *Summary) Customers(ctx context.Context, by string) (*Customers, error) {
	names := numbered(s.Header.Names())
	if by != "" && len(s.known(by, names[by])) == 0 {
		return nil, &Error{File: s.Selection.File, Message: fmt.Sprintf("expected %ss to divide the jobs by, it has none", by)}
	}
	for _, kind := range PartyKinds()[:4] {
		var jobs int64
		list := s.known(kind, names[kind])
		for _, n := range list {
			jobs += s.parties[kind][n].jobs
		}
		if by == "" && len(list) > 1 && 2*jobs >= s.Cleaning.Left {
			by = kind
		}
	}
	c := &Customers{By: by, Work: s.ran}
	all := Customer{Jobs: s.Cleaning.Left, Work: s.ran}
	if by != "" {
		c.choose(s.parties[by], s.known(by, names[by]), names[by], &all)
	}
	if all.Jobs > 0 {
		c.Rest = &all
		if by == "" {
			all.Name = Everybody
		}
	}
	c.label()
	return c, c.waits(ctx, s)
}

// known returns the parties of a kind that a scenario can name, those with most work
// first. The number 0 stands for an unknown party unless it has a name, and accounts are
// known by their names alone.
func (s *Summary) known(kind string, names map[int32]string) []int32 {
	all := s.parties[kind]
	list := slices.DeleteFunc(slices.Collect(maps.Keys(all)), func(n int32) bool {
		return names[n] == "" && (n == 0 || kind == "account")
	})
	slices.SortFunc(list, func(a, b int32) int {
		return cmp.Or(cmp.Compare(all[b].work, all[a].work), cmp.Compare(all[b].jobs, all[a].jobs), cmp.Compare(a, b))
	})
	return list
}

// choose takes the largest parties of a list out of all jobs. A party that would be the
// whole rest gives it its name.
func (c *Customers) choose(tallies map[int32]*tally, list []int32, names map[int32]string, all *Customer) {
	c.Parties = len(list)
	var sum float64
	for i, n := range list {
		if i > 0 && sum >= customerShare*c.Work || i == maxCustomers-1 {
			break
		}
		t := tallies[n]
		c.Largest = append(c.Largest, Customer{Name: names[n], Number: int(n), Jobs: t.jobs, Work: t.work})
		sum += t.work
		all.Jobs, all.Work = all.Jobs-t.jobs, all.Work-t.work
	}
	if last := len(list) - 1; len(c.Largest) == last && tallies[list[last]].jobs == all.Jobs {
		all.Name, all.Number = names[list[last]], int(list[last])
	}
	all.Work = max(all.Work, 0) // rounding
}

// label gives every customer a label of its own.
func (c *Customers) label() {
	seen := map[string]bool{}
	for _, x := range c.List() {
		switch x.Label = x.Name; {
		case x.Name != "":
		case x.Number > 0 || x != c.Rest:
			x.Label = c.By + strconv.Itoa(x.Number)
		default:
			x.Label = Others
		}
		for seen[x.Label] {
			x.Label = "the " + x.Label
		}
		seen[x.Label] = true
	}
}

// List returns all customers, the rest last.
func (c *Customers) List() []*Customer {
	var list []*Customer
	for i := range c.Largest {
		list = append(list, &c.Largest[i])
	}
	if c.Rest != nil {
		list = append(list, c.Rest)
	}
	return list
}

// waits reads the recorded waits of the customers.
func (c *Customers) waits(ctx context.Context, s *Summary) error {
	if s.piped {
		return nil
	}
	st, err := s.Selection.Open(ctx, s.seed, 0)
	if err != nil {
		return err
	}
	defer st.Close()
	owners := map[int32]*Customer{}
	for i := range c.Largest {
		owners[int32(c.Largest[i].Number)] = &c.Largest[i]
	}
	var r Record
	var e entry
	count := Cleaning{Rule: s.Selection.Rule}
	for {
		if ok, err := st.Next(&r); !ok || err != nil {
			return err
		}
		if !count.apply(&r, s.Nodes, &e) || r[RunTime] <= 0 || r[WaitTime] < 0 {
			continue
		}
		if to := cmp.Or(owners[e.party(c.By)], c.Rest); to != nil {
			to.Waits.Add(r[WaitTime])
		}
	}
}

// numbered returns the names of parties by kind and number; of several names of a number
// the first in the alphabet.
func numbered(names map[string]map[string]int) map[string]map[int32]string {
	all := map[string]map[int32]string{}
	for kind, list := range names {
		all[kind] = map[int32]string{}
		for _, name := range slices.Sorted(maps.Keys(list)) {
			if n := list[name]; n >= 0 && n <= MaxNodes && all[kind][int32(n)] == "" {
				all[kind][int32(n)] = name
			}
		}
	}
	return all
}

// Names returns the names of users, groups, queues, partitions and accounts by their
// numbers, as far as the header gives them.
func (t *Trace) Names() map[string]map[int32]string { return numbered(t.names) }

// TidyName returns a name in the form that a header and a scenario can hold: without
// control characters and repeated spaces, of at most 200 characters.
func TidyName(name string) string {
	const most = 200
	tidy := []rune(strings.Join(strings.FieldsFunc(strings.ToValidUTF8(name, "?"), func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r)
	}), " "))
	return strings.TrimSpace(string(tidy[:min(len(tidy), most)]))
}
