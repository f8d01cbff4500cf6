package scenario

import (
	"strconv"

	"revopt/model"
)

// customerRow is the list of the classes that are laid over a trace. A class without
// a selector takes all jobs that are left.
func (s *Scenario) customerRow() row {
	const want = "the jobs of a class such as {group: [3, 7]} or {width: [1, 16], share: 50%}"
	fits := func(*model.Class) bool { return true } // the widths are those of the trace
	return s.classesRow("a list of classes", "a class with a name and a price", func(class *model.Class, i int) table {
		if i == len(s.Selectors) {
			s.Selectors = append(s.Selectors, nil)
		}
		return append(table{
			name("name", &class.Name, "the name of the class"),
			s.poolRow(class, nil),
			selectorRow(want, &s.Selectors[i], selectorTable),
			customerLength(&class.Length),
		}, worthTable(class, true, s.Pools)...)
	}, fits).ifGiven(len(s.Classes) > 0).then(func(c *cursor) { s.checkCustomers(c) })
}

// checkCustomers checks that only the last class lacks a selector, and completes demands.
func (s *Scenario) checkCustomers(c *cursor) {
	if !c.given() {
		return
	}
	places := c.list("")
	for i, place := range places {
		if s.Selectors[i] == nil && i < len(places)-1 {
			place.get("of").fail("missing, expected the jobs of the class such as {group: [3, 7]}: " +
				"only the last class may take all that are left")
		}
		if s.Classes[i].Demand != nil {
			s.Classes[i].Rate = 1 // all jobs of the trace
		}
	}
	c.d.demands(places, s)
}

// customerLength is a distribution, or a time for a fixed length.
func customerLength(length *model.Distribution) row {
	return lengthRow(length).reading(func(c *cursor, read func(*cursor)) {
		if c.n.kind == mapping {
			read(c)
		} else {
			*length, _ = model.New(model.Deterministic, c.number(span), 0, 0)
		}
	}).ifGiven(true)
}

var nodeRange = quantity{
	want: "a whole number of nodes of at least 1", unit: plain, least: 1, most: maxWhole, whole: true,
}

// selectorRow is the jobs of a class or a pool, nil if they are all that are left.
func selectorRow(want string, x **model.Selector, fields func(*model.Selector) table) row {
	return section("of", want, x, fields).then(func(c *cursor) {
		if c.given() && len(c.n.fields) == 0 {
			c.fail("expected %s, got an empty mapping", want)
		}
	})
}

func selectorTable(s *model.Selector) table {
	t := jobsTable(s)
	share := number("share", &s.Share, fraction).otherwise(func() { s.Share = 1 })
	return append(t, share.when(s.Share != 1 || t.lines(new(encoder)) == nil))
}

func jobsTable(s *model.Selector) table {
	const numbers = "numbers or names such as [3, 7] or [physics]"
	return table{
		parties("user", numbers, true, &s.Users),
		parties("group", numbers, true, &s.Groups),
		parties("queue", numbers, true, &s.Queues),
		parties("partition", numbers, true, &s.Partitions),
		parties("account", "names such as [physics, industry]", false, &s.Accounts),
		rangeRow("width", &s.Width, nodeRange),
		rangeRow("length", &s.Length, duration),
		rangeRow("estimate", &s.Estimate, duration),
	}
}

// parties is a list of names and, if they are allowed, numbers; or one of them.
func parties(key, want string, numbers bool, x *[]model.Party) row {
	number := quantity{
		want: "a whole number of at least -1, or a name", unit: plain, least: -1, most: 1 << 53, whole: true,
	}
	read := func(c *cursor) {
		items := []*cursor{c}
		if c.n.kind != scalar {
			items = c.list(want)
		}
		for _, item := range items {
			if numbers && item.n.number() {
				*x = append(*x, model.Party{Number: int(item.number(number)), IsNumber: true})
			} else {
				*x = append(*x, model.Party{Name: item.text("a name")})
			}
		}
	}
	write := func(*encoder) string {
		return flowList(*x, func(p model.Party) string {
			if p.IsNumber {
				return strconv.Itoa(p.Number)
			}
			return Quote(p.Name)
		})
	}
	return row{key: key, read: read, write: write}.ifGiven(true)
}

// rangeRow is [least, largest], or one number for both.
func rangeRow(key string, x **model.Range, q quantity) row {
	var i model.Interval
	if *x != nil {
		i = model.Interval{Low: (*x).Least, High: (*x).Most}
	}
	return interval(key, &i, q, 0, 0).
		then(func(*cursor) { *x = &model.Range{Least: i.Low, Most: i.High} }).
		written(func() string { return numbers([]float64{i.Low, i.High}) }).
		ifGiven(*x != nil)
}
