package scenario

import (
	"slices"
	"time"

	"revopt/internal/text"
)

// Outage is a time at which a part of the machine is down, or a file that lists such times.
type Outage struct {
	// From and To are seconds from the first submission. With Dated they are local times of
	// the trace, as Unix times in a zone of 0.
	From, To float64
	Dated    bool
	Units    int    // 0: all of the machine or the pool
	Pool     string // "": the machine is one, or all pools
	Planned  bool   // known before, so that policies keep the units free
	Jobs     string // that run there: "requeue", which is "", "kill" or "finish"

	// Paths of files of sacctmgr show event -P and scontrol show res -o, in place of times.
	Events, Reservations string
}

// machineRow is the section of outages.
func (s *Scenario) machineRow() row {
	const item = "an outage such as {from: 10d, to: 11d, units: 16} or {events: FILE, reservations: FILE}"
	down := records("down", "a list of outages such as [{from: 10d, to: 11d, units: 16, planned: true}]", item,
		&s.Down, s.outageTable)
	const want = "a mapping such as {down: [{from: 10d, to: 11d, units: 16}]}"
	return options("machine", want, table{
		down.then(func(c *cursor) {
			for i, place := range c.list("") {
				s.checkOutage(place, s.Down[i], s.Down[:i])
			}
		}).ifGiven(true),
	})
}

func (s *Scenario) outageTable(o *Outage) table {
	file := func(key string, x *string) row {
		return row{key: key, read: func(c *cursor) { *x = c.file("the path of a file") }}.
			written(func() string { return word(*x) }).ifGiven(*x != "")
	}
	return table{
		file("events", &o.Events),
		file("reservations", &o.Reservations),
		s.moment("from", o, &o.From),
		s.moment("to", o, &o.To),
		number("units", &o.Units, nodeCount).ifGiven(o.Units > 0),
		name("pool", &o.Pool, "the name of a pool").ifGiven(o.Pool != ""),
		flag("planned", &o.Planned, "false", "true"),
		choice("jobs", &o.Jobs, "requeue", "kill", "finish").ifGiven(o.Jobs != ""),
	}
}

// Files returns the paths of the files, nil if there are none.
func (o *Outage) Files() []string {
	return text.Where([]string{o.Events, o.Reservations}, func(path string) bool { return path != "" })
}

const dateForm = "2006-01-02T15:04:05"

// moment is a time from the first submission, or a date. Outages of files have none.
func (s *Scenario) moment(key string, o *Outage, x *float64) row {
	const want = "a time such as 36h or, with a trace, a date such as 2026-12-01T08:00"
	return row{key: key,
		read: func(c *cursor) {
			if at, ok := c.date(); ok && s.Trace != nil {
				*x, o.Dated = float64(at.Unix()), true
			} else if o.Files() == nil {
				*x = c.number(duration.named(want))
			}
		},
		write: func(*encoder) string {
			if o.Dated {
				return word(time.Unix(int64(*x), 0).UTC().Format(dateForm))
			}
			return duration.format(*x)
		}}.when(o.Files() == nil)
}

// date reads a date, if there is one.
func (c *cursor) date() (at time.Time, ok bool) {
	for _, form := range []string{dateForm, dateForm[:16], dateForm[:10]} {
		if at, err := time.Parse(form, c.n.plainText()); err == nil {
			return at, true
		}
	}
	return at, false
}

// checkOutage checks the fields of an outage against each other and those before it.
func (s *Scenario) checkOutage(c *cursor, o Outage, before []Outage) {
	from, to, pool := c.get("from"), c.get("to"), c.get("pool")
	_, begins := from.date()
	_, ends := to.date()
	again := func(p Outage) bool { return p.Files() != nil && p.Pool == o.Pool }
	switch files := o.Files() != nil; {
	case files && s.Trace == nil:
		c.fail("expected no files without a trace: job classes have no dates")
	case files && slices.ContainsFunc(before, again):
		c.fail("expected the files of a machine or a pool in one entry, as in {events: FILE, reservations: FILE}")
	case files:
		for _, other := range []*cursor{from, to, c.get("units"), c.get("planned")} {
			if other.given() {
				other.fail("expected none beside files, which state it")
			}
		}
	case begins != ends:
		to.fail("expected two dates or two times, got %s and %s", from.n.describe(), to.n.describe())
	case o.From >= o.To:
		to.fail("expected a time after %s, got %s", from.n.describe(), to.n.describe())
	}
	switch {
	case o.Pool != "" && s.Pools == nil:
		pool.fail("expected pools in the scenario beside it")
	case o.Pool != "" && s.pool(o.Pool) < 0:
		pool.unknownPool(o.Pool, s.Pools)
	case o.Pool == "" && s.Pools != nil && (o.Units > 0 || o.Files() != nil):
		pool.fail("missing, expected the pool whose units are down")
	}
}
