package scenario

import (
	"strconv"

	"revopt/internal/text"
	"revopt/model"
)

// Limit is the most that one owner of jobs of a trace holds at one time.
type Limit struct {
	Owner string        // the kind: user, group, account or qos
	Of    []model.Party // one
	Units int           // 0 is no limit
	Jobs  int           // running; 0 is no limit
	Never bool          // a job wider than Units never starts; otherwise it starts when its owner holds nothing
}

// Name returns the name of the owner, or its number.
func (l *Limit) Name() string {
	if p := l.Of[0]; !p.IsNumber {
		return p.Name
	}
	return strconv.Itoa(l.Of[0].Number)
}

// owner is the name or number as a file states it.
func (l *Limit) owner() string {
	if l.Of[0].IsNumber {
		return l.Name()
	}
	return Quote(l.Of[0].Name)
}

var limitOwners = []string{"account", "user", "group", "qos"}

// limitsRow is the list of limits of a trace.
func (s *Scenario) limitsRow() row {
	const item = "a limit such as {account: climate, units: 768}"
	return records("limits", "a list of limits such as [{account: climate, units: 768}]", item, &s.Limits, limitTable).
		reading(func(c *cursor, read func(*cursor)) {
			if none := c.given() && c.n.kind == sequence && len(c.n.items) == 0; !none {
				read(c)
			}
		}).
		then(func(c *cursor) {
			if s.Limits == nil {
				return
			}
			for i, place := range c.list("") {
				checkLimit(place, &s.Limits[i])
			}
		}).ifGiven(s.Limits != nil)
}

func limitTable(l *Limit) table {
	var t table
	for _, owner := range limitOwners {
		t = append(t, parties(owner, "a name or a number", owner != "account", &l.Of).written(l.owner).when(l.Owner == owner).
			reading(func(c *cursor, read func(*cursor)) {
				if c.given() {
					l.Owner = owner
					read(c)
				}
			}))
	}
	return append(t,
		number("units", &l.Units, nodeCount).ifGiven(l.Units > 0),
		number("jobs", &l.Jobs, count).ifGiven(l.Jobs > 0),
		flag("wide", &l.Never, "alone", "never"),
	)
}

// checkLimit checks that a limit names one owner, and limits something.
func checkLimit(c *cursor, l *Limit) {
	units, wide := c.get("units"), c.get("wide")
	switch {
	case len(l.Of) != 1:
		c.fail("expected one %s, which the limit is for", text.OneOf(limitOwners))
	case !units.given() && !c.get("jobs").given():
		units.fail("missing, expected units or jobs, the most that are held at one time")
	case wide.given() && !units.given():
		wide.fail("expected units beside it: it is about jobs wider than these")
	}
}

// YAML returns the limit as an item of a list.
func (l *Limit) YAML() string { return limitTable(l).flow(new(encoder)) }
