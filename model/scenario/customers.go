package scenario

import "revopt/model"

// customers reads the classes that are laid over a trace.
func (d *decoder) customers(places []*cursor, s *Scenario) {
	lengths := map[lengthKey]model.Distribution{}
	s.Classes = d.classes(places, func(c *cursor) model.Class {
		if !c.mapping("a class with a name and a price", "name", "of", "length", "price", "demand", "price_max", "decay", "grace", "deadline", "hard", "floor", "expire", "slo") {
			return model.Class{}
		}
		class := model.Class{Name: c.get("name").text("the name of the class")}
		if length := c.get("length"); length.given() && length.n.kind == mapping {
			class.Length = d.length(length, lengths)
		} else if length.given() {
			class.Length, _ = model.New(model.Deterministic, length.number(span), 0, 0)
		}
		if class.Demand = d.demand(c); class.Demand != nil {
			class.Rate = 1 // all jobs of the trace
		}
		d.value(c, &class)
		return class
	})
	for i, c := range places {
		of := c.get("of")
		if d.err != nil {
			return
		}
		if !of.given() && i < len(places)-1 {
			of.fail("missing, expected the jobs of the class such as {group: [3, 7]}: only the last class may take all that are left")
		}
		s.Of = append(s.Of, d.selector(of))
	}
	d.demands(places, s, func(c *model.Class, at *cursor, t model.Tariff) float64 {
		if unlike(t, c.Price) {
			at.fail("expected a price of the kind of the class's own: per job, per_hour or per_node_hour")
		}
		return t.Of(1, 1) // only one of its parts is not 0
	})
}

// unlike reports whether one of two prices is per job, per hour or per node-hour and
// the other is not.
func unlike(a, b model.Tariff) bool {
	return (a.PerSecond > 0) != (b.PerSecond > 0) || (a.PerNodeSecond > 0) != (b.PerNodeSecond > 0)
}

var nodeRange = quantity{want: "a whole number of nodes of at least 1", unit: plain, least: 1, most: maxWhole, whole: true}

// selector reads which jobs are those of a class, nil where it does not say.
func (d *decoder) selector(c *cursor) *model.Selector {
	const want = "the jobs of a class such as {group: [3, 7]} or {width: [1, 16], share: 50%}"
	if !c.given() {
		return nil
	}
	if !c.mapping(want, "user", "group", "queue", "partition", "account", "width", "length", "estimate", "share") {
		return nil
	}
	if len(c.n.fields) == 0 {
		c.fail("expected %s, got an empty mapping", want)
	}
	s := &model.Selector{
		Users:      d.parties(c.get("user"), true),
		Groups:     d.parties(c.get("group"), true),
		Queues:     d.parties(c.get("queue"), true),
		Partitions: d.parties(c.get("partition"), true),
		Accounts:   d.parties(c.get("account"), false),
		Width:      d.within(c.get("width"), nodeRange),
		Length:     d.within(c.get("length"), duration),
		Estimate:   d.within(c.get("estimate"), duration),
		Share:      1,
	}
	if share := c.get("share"); share.given() {
		s.Share = share.number(fraction)
	}
	return s
}

// parties reads a list of numbers or names, or one of them.
func (d *decoder) parties(c *cursor, numbers bool) []model.Party {
	if !c.given() {
		return nil
	}
	want := "names such as [physics, industry]"
	if numbers {
		want = "numbers or names such as [3, 7] or [physics]"
	}
	items := []*cursor{c}
	if c.n.kind != scalar {
		items = c.list(want)
	}
	number := quantity{want: "a whole number of at least -1, or a name", unit: plain, least: -1, most: 1 << 53, whole: true}
	var list []model.Party
	for _, item := range items {
		if numbers && item.n.number() {
			list = append(list, model.Party{Number: int(item.number(number)), IsNumber: true})
			continue
		}
		list = append(list, model.Party{Name: item.text("a name")})
	}
	return list
}

// within reads [least, largest], or one number that is both.
func (d *decoder) within(c *cursor, q quantity) *model.Range {
	if !c.given() {
		return nil
	}
	i := d.interval(c, q, model.Interval{})
	return &model.Range{Least: i.Low, Most: i.High}
}
