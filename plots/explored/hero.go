package explored

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/plots/engine"
	"revopt/plots/page"
	"revopt/simulate/ask"
)

// A page has mostCurves curves at most, at so many loads: fewer where all replications of a stream are simulated.
const (
	mostCurves  = 4
	loadsOfLog  = 19
	loadsOfRuns = 9
)

// compared is what a comparison says of each policy, at each load.
type compared struct {
	Values struct {
		Best string
	}
	Tables struct{ Policies, Points []delivered }
}

// delivered is what a policy behind an admission delivers, $/h.
type delivered struct {
	Policy, Admission string
	Present           bool
	RunsOn            string `json:"runs_on"`
	Load              float64
	Value, Bound      *float64
}

// name is how pages name it.
func (d delivered) name() string {
	if d.Admission == "" || d.Admission == "all" {
		return d.Policy
	}
	return d.Policy + ", " + d.Admission
}

// read returns what a reply says.
func read(reply engine.Reply) (c compared, err error) {
	data, err := json.Marshal(reply.Facts)
	if err != nil {
		return c, err
	}
	return c, json.Unmarshal(data, &c)
}

// hero simulates what some policies of a comparison deliver along the load, on the same jobs: nil where no load moves.
func hero(
	call func(engine.Request) (engine.Reply, error), d *engine.Description, first engine.Reply,
) (*page.Hero, error) {
	i := slices.IndexFunc(d.Controls, func(c engine.Control) bool { return c.Path == "load" })
	if i < 0 || first.Tiles == nil {
		return nil, nil
	}
	load := d.Controls[i]
	base, err := read(first)
	if err != nil {
		return nil, err
	}
	h := &page.Hero{Min: load.Min, Max: load.Max, Step: load.Step, At: load.Value, Loads: loads(load, d.Kind)}
	shown := drawn(base)
	for _, row := range base.Tables.Policies {
		if row.RunsOn == "log" {
			h.Log = row.Value
		}
	}
	r := comparison(d, distinct(shown, func(row delivered) string { return row.Policy }))
	r.Admission = distinct(shown, func(row delivered) string { return row.Admission })
	r.Vary = "load=" + strings.Join(text.Each(h.Loads, text.Field), ",")
	r.Brief = true // a page has the bound alone
	reply, err := call(r)
	if err != nil {
		return nil, err
	}
	all, err := read(reply)
	if err != nil {
		return nil, err
	}
	h.Bound = make([]*float64, len(h.Loads))
	for _, row := range shown {
		c := page.Curve{Name: row.name(), Values: make([]*float64, len(h.Loads))}
		switch {
		case row.Present:
			c.Role = page.Today
		case row.name() == base.Values.Best:
			c.Role = page.Best
		}
		for _, p := range all.Tables.Points {
			if at := slices.Index(h.Loads, p.Load); at >= 0 && p.name() == row.name() {
				c.Values[at], h.Bound[at] = p.Value, cmp.Or(h.Bound[at], p.Bound)
			}
		}
		h.Curves = append(h.Curves, c)
	}
	h.Fit()
	return h, nil
}

// A schedule shows so many jobs of a stream, and numbers with so many digits: seconds of weeks.
const (
	jobsOfSchedule   = 150
	digitsOfSchedule = 7
)

// schedules simulates the present and the best, or what delivers most, for a picture of the same jobs.
func schedules(
	call func(engine.Request) (engine.Reply, error), d *engine.Description, first engine.Reply,
) (list []any, err error) {
	c, err := read(first)
	if err != nil {
		return nil, err
	}
	rows := drawn(c)
	if len(rows) < 2 || !rows[0].Present || d.Kind == "grid" {
		return nil, nil
	}
	for _, row := range rows[:2] {
		r := engine.Request{Command: "gantt", Replications: "1", Policies: []string{row.Policy}}
		r.Admission = []string{row.Admission}
		if d.Kind != "trace" || d.Jobs > shownJobs {
			r.Jobs = ask.Number(jobsOfSchedule)
		}
		reply, err := call(r)
		if err != nil {
			return nil, err
		}
		s := reply.Facts.(*engine.Schedule)
		for i := range s.Pieces {
			p := &s.Pieces[i]
			p.From, p.To = seen(p.From, digitsOfSchedule), seen(p.To, digitsOfSchedule)
		}
		for i := range s.Queue {
			q := &s.Queue[i]
			q.Submit, q.End = seen(q.Submit, digitsOfSchedule), seen(q.End, digitsOfSchedule)
			q.Start, q.Value = seen(q.Start, digitsOfSchedule), seen(q.Value, digitsOfSchedule)
		}
		list = append(list, reply)
	}
	return list, nil
}

// drawn returns the rows that have a curve: the present, the best without harm, then those that deliver most.
func drawn(c compared) (list []delivered) {
	rank := func(row delivered) int {
		switch {
		case row.Present:
			return 0
		case row.name() == c.Values.Best:
			return 1
		}
		return 2
	}
	list = text.Where(c.Tables.Policies, func(row delivered) bool { return row.RunsOn != "log" && row.Value != nil })
	slices.SortStableFunc(list, func(a, b delivered) int { return cmp.Compare(rank(a), rank(b)) })
	return list[:min(len(list), mostCurves)]
}

// distinct returns what the rows have of one kind, each once.
func distinct(rows []delivered, of func(delivered) string) (list []string) {
	for _, row := range rows {
		if one := of(row); one != "" && !slices.Contains(list, one) {
			list = append(list, one)
		}
	}
	return list
}

// loads returns the loads of the curves, among them that of the scenario.
func loads(c engine.Control, kind string) []float64 {
	n := loadsOfLog
	if kind != "trace" {
		n = loadsOfRuns
	}
	list := []float64{c.Value}
	for i := range n {
		list = append(list, math.Round(1000*(c.Min+(c.Max-c.Min)*float64(i)/float64(n-1)))/1000)
	}
	slices.Sort(list)
	return slices.Compact(list)
}
