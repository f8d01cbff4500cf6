package scenario

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"revopt/model"
)

// classesRow is the list of classes, whose names differ. A class of the file that an override
// does not touch is not read again if it fits.
func (s *Scenario) classesRow(want, item string, fields func(class *model.Class, i int) table,
	fits func(class *model.Class) bool) row {
	read := func(c *cursor) {
		taken := map[string]bool{}
		stated := c.d.stated()
		if !stated.like(c.up, s) {
			stated = nil
		}
		for i, place := range c.list(want) {
			class, ok := stated.take(place, s, fits)
			open := len(c.d.open)
			if !ok && !fields(&class, i).read(place, item) {
				return
			}
			c.d.keepClass(place, class, s, len(c.d.open) > open)
			if taken[class.Name] {
				place.get("name").fail("expected a name of its own for every class, got %s twice", quote(class.Name))
			}
			taken[class.Name] = true
			s.Classes = append(s.Classes, class)
		}
	}
	write := func(e *encoder) string {
		var text strings.Builder
		for i, class := range s.Classes {
			class = atDemand(class, s.Trace != nil)
			e.path = append(e.path, class.Name)
			text.WriteString("\n  - " + strings.Join(fields(&class, i).lines(e), "\n    "))
			e.path = e.path[:len(e.path)-1]
		}
		return text.String()
	}
	return row{key: "classes", read: read, write: write}
}

func (s *Scenario) jobTable(class *model.Class, machine server, arrivals model.Arrivals) table {
	return append(table{
		name("name", &class.Name, "the name of the class"),
		s.poolRow(class, &machine),
		{key: "share"}, // see rates
		{key: "rate", write: func(*encoder) string { return formatNumber(class.Rate) }}, // see rates
		lengthRow(&class.Length),
		widthRow(&class.Width, &machine),
		arrivalsRow(&class.Arrivals, arrivals),
	}, worthTable(class, false, nil)...)
}

const hour = 3600

// worthTable lists the fields that state what jobs of a class pay and what they are
// promised, in all pools or in each.
func worthTable(class *model.Class, onTrace bool, pools []Pool) table {
	const penaltyWant = "none, dollars or {of_price: x}"
	penalty := variant("max_penalty", penaltyWant, number("", &class.Floor.Fixed, amount.named(penaltyWant)),
		number("of_price", &class.Floor.OfPrice, multiple, 0))
	expiry := []model.Expiry{model.ExpireFloor, model.ExpireZero, model.ExpireNever}
	if onTrace {
		expiry = []model.Expiry{model.ExpireNever, model.ExpireFloor, model.ExpireZero}
	}
	const hardWant = "true, false or the share of jobs with hard deadlines such as 0.2 or 20%"
	hard := number("hard", &class.Hard, fraction.named(hardWant))
	return table{
		priceRow("price", &class.Price, byPool(unitHour("per_unit_hour", &class.Price.PerNodeSecond), scalar,
			class, pools, pricesDiffer(class),
			func(key string, t *model.Terms) row { return unitHour(key, &t.PerNodeSecond) })),
		demandRow(class, onTrace),
		maxPriceRow(class, onTrace),
		variant("decay", "$ lost per second of delay, or a share of the price such as {per_hour: 10%}",
			number("", &class.Decay, loss, 0),
			shareOfPrice("per_hour", &class.DecayOfPrice, hour, "hour"),
			shareOfPrice("per_second", &class.DecayOfPrice, 1, "second").when(false)),
		allowance("grace", &class.Grace, duration, amount).unless("deadline").
			when(class.Dated && class.Deadline == model.Grace{}),
		allowance("deadline", &class.Deadline, span, factor).insteadOf("grace").
			then(func(*cursor) { class.Dated = class.Grace != model.Grace{} || class.Deadline != model.Grace{} }).
			when(class.Deadline != model.Grace{}),
		orWord(orWord(hard, "true", &class.Hard, 1), "false", &class.Hard, 0).
			ifGiven(class.Hard > 0).
			then(func(c *cursor) {
				if class.Hard > 0 && !class.Dated {
					c.fail("expected a deadline, or a grace above 0, beside hard")
				}
			}),
		orWord(penalty, "none", &class.Floor, model.Floor{None: true}).
			otherwise(func() { class.Floor.None = class.Hard != 1 }).
			then(func(c *cursor) {
				if !c.given() && class.Floor.None && class.Decay+class.DecayOfPrice > 0 {
					c.d.open = append(c.d.open, class.Name)
				}
			}),
		choice("expire", &class.Expire, expiry...).
			then(func(c *cursor) {
				if !class.Floor.None {
					return
				}
				if class.Expire == model.ExpireZero {
					c.fail("expected max_penalty beside expire: zero, as an expired job costs it (max_penalty: 0 " +
						"costs nothing)")
				}
				class.Expire = model.ExpireNever // the value falls without end
			}).
			when(!class.Floor.None && class.Expire != expiry[0]),
		mapped("patience", "a patience such as {mean: 30m}", table{number("mean", &class.Patience, span)}).
			ifGiven(class.Patience > 0),
		byPool(promiseRow("slo", &class.SLO), mapping, class, pools, promisesDiffer(class),
			func(key string, t *model.Terms) row { return promiseRow(key, &t.SLO) }).
			then(func(*cursor) { settleTerms(class) }),
	}
}

func promiseRow(key string, slo **model.SLO) row {
	return section(key, "a promise such as {within: 600, level: 0.9}", slo, func(p *model.SLO) table {
		return table{number("within", &p.Within, duration), number("level", &p.Level, openFraction)}
	})
}

// priceRow is dollars, {per_hour: x} or {per_unit_hour: x}.
func priceRow(key string, t *model.Tariff, perUnit row) row {
	return variant(key, "dollars per job, {per_hour: x} or {per_unit_hour: x}",
		number("", &t.Fixed, amount),
		number("per_hour", &t.PerSecond, amount.over(hour), 0),
		perUnit)
}

// unitHour is a price of a unit and hour.
func unitHour(key string, x *float64) row { return number(key, x, amount.over(hour), 0) }

// shareOfPrice is a share of the price that is lost in some time. A plain number
// above 1 is a percentage whose sign was forgotten.
func shareOfPrice(key string, x *float64, unit float64, time string) row {
	field := number(key, x, multiple.over(unit), 0)
	if share := *x * unit; share > 1 {
		field = field.written(func() string { return formatNumber(100*share) + "%" })
	}
	return field.then(func(c *cursor) {
		if share, _ := multiple.parse(c.n.text); share > 1 && c.n.number() {
			c.fail("%s is %s of the price per %s: write %[1]s%%", c.n.text, percentage(share), time)
		}
	})
}

func percentage(x float64) string { return strconv.FormatFloat(100*x, 'f', -1, 64) + " %" }

// allowance is a time or {lengths: k}.
func allowance(key string, g *model.Grace, time, lengths quantity) row {
	return variant(key, "a time such as 90, 15m or 2h, or {lengths: k}",
		number("", &g.Fixed, time, 0), number("lengths", &g.Lengths, lengths, 0))
}

// lengthKey holds the parameters of a length distribution. Classes often share a
// distribution, and solving for its parameters takes longer than reading the rest.
type lengthKey struct {
	kind          model.Kind
	mean, sd, min float64
}

func (k *lengthKey) table() table {
	return table{
		choice("dist", &k.kind, model.Kinds()...),
		number("mean", &k.mean, span).written(func() string { return digits(k.mean) }),
		row{key: "sd", read: k.readSpread}.
			written(func() string { return digits(k.sd) }).
			when(k.kind != model.Exponential && k.kind != model.Deterministic),
		number("min", &k.min, duration, 0).reading(func(c *cursor, read func(*cursor)) {
			if k.kind == model.Normal {
				read(c)
			} else if c.given() {
				c.fail("expected no min with dist: %s, only a normal has one", k.kind)
			}
		}),
	}
}

// readSpread reads the standard deviation, which some families determine.
func (k *lengthKey) readSpread(c *cursor) {
	switch k.kind {
	case model.Exponential:
		k.sd = k.mean
		if c.given() && c.number(duration) != k.mean {
			c.fail("expected no sd, or the mean of %g, with dist: exponential, got %s", k.mean, c.n.describe())
		}
	case model.Deterministic:
		if c.given() && c.number(duration) != 0 {
			c.fail("expected no sd, or 0, with dist: deterministic, got %s", c.n.describe())
		}
	default:
		k.sd = c.number(duration)
	}
}

// lengthRow is the distribution of the lengths of jobs.
func lengthRow(length *model.Distribution) row {
	read := func(c *cursor) {
		var key lengthKey
		if !key.table().read(c, "a length such as {mean: 4400, sd: 1500}") {
			return
		}
		known, ok := c.d.lengths[key]
		if !ok && c.d.base.scenario() != nil {
			known, ok = c.d.base.lengths[key]
		}
		if ok {
			*length = known
			return
		}
		dist, err := model.New(key.kind, key.mean, key.sd, key.min)
		culprit := blame(c, c.get("sd"), c.get("mean"), c.get("min"), c.get("dist"))
		if err != nil {
			culprit.fail("%v", err)
			return
		}
		if mean, second := dist.Mean(), dist.Moment(2); !(mean > 0 && second > 0) || math.IsInf(mean+second, 0) {
			culprit.fail("expected a length whose first two moments are positive finite numbers, got mean %g and sd %g",
				key.mean, key.sd)
			return
		}
		if c.d.lengths == nil {
			c.d.lengths = map[lengthKey]model.Distribution{}
		}
		c.d.lengths[key], *length = dist, dist
	}
	write := func(e *encoder) string {
		if *length == nil {
			return ""
		}
		kind, least, ok := model.Family(*length)
		if !ok {
			e.fail("this distribution")
			return ""
		}
		return (&lengthKey{kind, (*length).Mean(), model.SD(*length), least}).table().flow(e)
	}
	return row{key: "length", read: read, write: write}
}

// tolerance is how far from 1 a sum of shares may be.
const tolerance = 1e-6

// widthRow is the nodes that a job occupies: a number, or values and weights.
func widthRow(w *model.Width, srv *server) row {
	read := func(c *cursor) {
		nodes := count
		if !srv.parallel {
			nodes.most = srv.slots
			nodes.want = fmt.Sprintf("a whole number of %ss from 1 to %.0f", cmp.Or(srv.unit, "node"), srv.slots)
		}
		switch {
		case !c.given():
			*w = model.FixedWidth(c.numberOr(count, 1))
		case c.n.kind != mapping:
			*w = model.FixedWidth(c.number(nodes))
		case widthTable(w, nodes).read(c, "a width such as 500 or {values: [250, 750], weights: [0.6, 0.4]}"):
			checkWeights(c, w)
		}
	}
	write := func(e *encoder) string {
		switch len(w.Values) {
		case 0:
			return "1"
		case 1:
			return formatNumber(w.Values[0])
		}
		return widthTable(w, amount).flow(e)
	}
	return row{key: "width", read: read, write: write}
}

func widthTable(w *model.Width, nodes quantity) table {
	return table{
		numberList("values", "a list of widths", &w.Values, nodes),
		numberList("weights", "a list of weights", &w.Weights, fraction),
	}
}

func checkWeights(c *cursor, w *model.Width) {
	weights := c.get("weights")
	if len(w.Weights) != len(w.Values) {
		blame(weights, c.get("values")).fail("expected %d weights, one for each width, got %d", len(w.Values),
			len(w.Weights))
		return
	}
	if sum, ok := normalize(w.Weights); !ok {
		blame(weights, weights.list("")...).fail("expected weights that sum to 1, got a sum of %g", sum)
	}
}

// normalize scales shares to sum to 1 and returns their sum. If the sum is further
// from 1 than the tolerance, it changes nothing and ok is false.
func normalize(shares []float64) (sum float64, ok bool) {
	for _, x := range shares {
		sum += x
	}
	if !(math.Abs(sum-1) <= tolerance) {
		return sum, false
	}
	for i := range shares {
		shares[i] /= sum
	}
	return sum, true
}
