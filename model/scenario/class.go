package scenario

import (
	"math"
	"slices"

	"revopt/model"
)

// classes decodes the job classes, without their rates.
func (d *decoder) classes(places []*cursor, srv server) []model.Class {
	classes := make([]model.Class, 0, len(places))
	taken := map[string]bool{}
	lengths := map[lengthKey]model.Distribution{}
	for _, c := range places {
		class := d.class(c, srv, lengths)
		if d.err != nil {
			return nil
		}
		if taken[class.Name] {
			c.get("name").fail("expected a name of its own for every class, got %s twice", quote(class.Name))
		}
		taken[class.Name] = true
		classes = append(classes, class)
	}
	return classes
}

func (d *decoder) class(c *cursor, srv server, lengths map[lengthKey]model.Distribution) model.Class {
	if !c.mapping("a job class with a name, a length and a price", "name", "share", "rate", "length",
		"width", "price", "decay", "grace", "floor", "expire", "slo") {
		return model.Class{}
	}
	class := model.Class{
		Name:   c.get("name").text("the name of the class"),
		Length: d.length(c.get("length"), lengths),
		Width:  d.width(c.get("width"), srv),
		Price:  d.price(c.get("price")),
		Decay:  c.get("decay").numberOr(loss, 0),
		Grace:  d.grace(c.get("grace")),
		Floor:  d.floor(c.get("floor")),
		SLO:    d.slo(c.get("slo")),
	}
	class.Expire = d.expire(c.get("expire"), class.Floor)
	if d.err == nil {
		d.classMeans(c, class)
	}
	return class
}

// classMeans refuses a class whose figures are finite one by one but not
// together.
func (d *decoder) classMeans(c *cursor, class model.Class) {
	for _, m := range []struct {
		field string
		mean  float64
	}{
		{"price", class.MeanPrice()},
		{"grace", class.MeanGrace()},
	} {
		if math.IsInf(m.mean, 0) {
			c.get(m.field).fail("expected a mean %s per job that is a finite number", m.field)
		}
	}
}

// price reads dollars, {per_hour: x} or {per_node_hour: x}.
func (d *decoder) price(c *cursor) model.Tariff {
	const hour = 3600
	switch key := d.variant(c, "dollars per job, {per_hour: x} or {per_node_hour: x}", "per_hour", "per_node_hour"); key {
	case "":
		return model.Tariff{Fixed: c.number(amount)}
	case "per_hour":
		return model.Tariff{PerSecond: c.get(key).number(amount) / hour}
	default:
		return model.Tariff{PerNodeSecond: c.get(key).number(amount) / hour}
	}
}

// grace reads a time or {lengths: k}.
func (d *decoder) grace(c *cursor) model.Grace {
	if !c.given() {
		return model.Grace{Fixed: c.numberOr(duration, 0)}
	}
	key := d.variant(c, "a time such as 90, 15m or 2h, or {lengths: k}", "lengths")
	if key == "" {
		return model.Grace{Fixed: c.number(duration)}
	}
	return model.Grace{Lengths: c.get(key).number(amount)}
}

// floor reads none, dollars or {of_price: x}.
func (d *decoder) floor(c *cursor) model.Floor {
	if !c.given() || c.n.kind == scalar && c.n.text == "none" {
		return model.Floor{None: true}
	}
	const want = "none, dollars or {of_price: x}"
	key := d.variant(c, want, "of_price")
	if key == "" {
		q := amount
		q.want = want
		return model.Floor{Fixed: c.number(q)}
	}
	return model.Floor{OfPrice: c.get(key).number(multiple)}
}

// variant reads which form a value has that is a number or a mapping with one
// of the given fields: the field, or "" for everything else.
func (d *decoder) variant(c *cursor, want string, fields ...string) string {
	if !c.given() || c.n.kind == sequence {
		c.expected(want)
		return ""
	}
	if c.n.kind == scalar || !c.mapping(want, fields...) {
		return ""
	}
	if len(c.n.fields) != 1 {
		c.fail("expected %s, got a mapping with %d fields", want, len(c.n.fields))
		return ""
	}
	return c.n.fields[0].key
}

// expire reads floor, zero or never. A value that has no floor never reaches
// it, and an expired job costs its floor, so that expiring at zero takes one.
func (d *decoder) expire(c *cursor, floor model.Floor) model.Expiry {
	rules := []model.Expiry{model.ExpireFloor, model.ExpireZero, model.ExpireNever}
	words := make([]string, len(rules))
	for i, r := range rules {
		words[i] = r.String()
	}
	chosen := rules[0]
	if c.given() {
		chosen = rules[max(0, slices.Index(words, c.choice(words...)))]
	}
	if floor.None && chosen == model.ExpireZero {
		c.fail("expected a floor beside expire: zero, as an expired job costs its floor (floor: 0 costs nothing)")
	}
	if floor.None {
		return model.ExpireNever
	}
	return chosen
}

// slo reads the promise on the wait, nil where there is none.
func (d *decoder) slo(c *cursor) *model.SLO {
	if !c.given() || !c.mapping("a promise such as {within: 600, level: 0.9}", "within", "level") {
		return nil
	}
	return &model.SLO{Within: c.get("within").number(duration), Level: c.get("level").number(openFraction)}
}
