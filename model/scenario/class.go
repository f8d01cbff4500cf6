package scenario

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"revopt/model"
)

// classes decodes a list of classes with names of their own.
func (d *decoder) classes(places []*cursor, read func(c *cursor) model.Class) []model.Class {
	classes := make([]model.Class, 0, len(places))
	taken := map[string]bool{}
	for _, c := range places {
		class := read(c)
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

// jobClass decodes a class whose jobs are drawn, without its rate.
func (d *decoder) jobClass(c *cursor, srv server, arrivals model.Arrivals, lengths map[lengthKey]model.Distribution) model.Class {
	if !c.mapping("a job class with a name, a length and a price", "name", "share", "rate", "length", "width", "arrivals",
		"price", "demand", "price_max", "decay", "grace", "deadline", "hard", "floor", "expire", "slo") {
		return model.Class{}
	}
	class := model.Class{
		Name:     c.get("name").text("the name of the class"),
		Length:   d.length(c.get("length"), lengths),
		Width:    d.width(c.get("width"), srv),
		Arrivals: d.arrivals(c.get("arrivals"), arrivals),
	}
	d.value(c, &class)
	class.Demand = d.demand(c)
	if d.err == nil && class.MeanPrice() < 0 {
		c.get("deadline").fail("expected a deadline by which a job of mean length and width, served at once, has not lost all of its price")
	}
	return class
}

// value reads what the jobs of a class are worth and what they are promised.
func (d *decoder) value(c *cursor, class *model.Class) {
	class.Price = d.price(c.get("price"))
	class.Decay, class.DecayOfPrice = d.decay(c.get("decay"))
	grace, deadline := c.get("grace"), c.get("deadline")
	if latest(grace, deadline) == deadline {
		class.Deadline = d.allowance(deadline, span, factor)
		class.Dated = true
	} else {
		class.Grace = d.allowance(grace, duration, amount)
		class.Dated = class.Grace != model.Grace{}
	}
	class.Hard = d.hardShare(c.get("hard"))
	if class.Hard > 0 && !class.Dated {
		c.get("hard").fail("expected a deadline, or a grace above 0, beside hard")
	}
	class.Floor = d.floor(c.get("floor"), class.Hard == 1)
	class.Expire = d.expire(c.get("expire"), class.Floor)
	class.SLO = d.slo(c.get("slo"))
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

// decay reads $/s, {per_hour: x} or {per_second: x}, shares of the price.
func (d *decoder) decay(c *cursor) (fixed, ofPrice float64) {
	if !c.given() {
		return c.numberOr(loss, 0), 0
	}
	const hour = 3600
	switch key := d.variant(c, "$ lost per second of delay, or a share of the price such as {per_hour: 10%}", "per_hour", "per_second"); key {
	case "":
		return c.number(loss), 0
	case "per_hour":
		return 0, c.get(key).shareOfPrice("hour") / hour
	default:
		return 0, c.get(key).shareOfPrice("second")
	}
}

// shareOfPrice reads a share of the price that is lost in some time. A plain
// number above 1 is a percentage whose sign was forgotten.
func (c *cursor) shareOfPrice(time string) float64 {
	share := c.number(multiple)
	if share > 1 && c.n.number() {
		c.fail("%s is %s %% of the price per %s: write %s%%", c.n.text, strconv.FormatFloat(100*share, 'f', -1, 64), time, c.n.text)
	}
	return share
}

// allowance reads a time or {lengths: k}.
func (d *decoder) allowance(c *cursor, time, lengths quantity) model.Grace {
	if !c.given() {
		return model.Grace{Fixed: c.numberOr(time, 0)}
	}
	key := d.variant(c, "a time such as 90, 15m or 2h, or {lengths: k}", "lengths")
	if key == "" {
		return model.Grace{Fixed: c.number(time)}
	}
	return model.Grace{Lengths: c.get(key).number(lengths)}
}

// hardShare reads whether deadlines are hard: true, false or a share of jobs.
func (d *decoder) hardShare(c *cursor) float64 {
	switch {
	case !c.given():
		return 0
	case c.n.boolean() && (c.n.text == "true" || c.n.text == "false"):
		if c.n.text == "true" {
			return 1
		}
		return 0
	}
	share := fraction
	share.want = "true, false or the share of jobs with hard deadlines such as 0.2 or 20%"
	return c.number(share)
}

// floor reads none, dollars or {of_price: x}. The default is none, and $0
// where all jobs are hard.
func (d *decoder) floor(c *cursor, hard bool) model.Floor {
	if !c.given() || c.n.kind == scalar && c.n.text == "none" {
		return model.Floor{None: c.given() || !hard}
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

// lengthKey is all that a length distribution depends on. Classes often share
// one, and finding its parameters takes longer than reading the rest.
type lengthKey struct {
	kind          model.Kind
	mean, sd, min float64
}

// length reads the distribution of a job's length.
func (d *decoder) length(c *cursor, known map[lengthKey]model.Distribution) model.Distribution {
	if !c.mapping("a length such as {mean: 4400, sd: 1500}", "dist", "mean", "sd", "min") {
		return nil
	}
	var words []string
	for _, k := range model.Kinds() {
		words = append(words, string(k))
	}
	key := lengthKey{kind: model.Kind(c.get("dist").choice(words...))}
	key.mean = c.get("mean").number(span)
	key.sd = d.spread(c.get("sd"), key)
	least := c.get("min")
	switch {
	case key.kind == model.Normal:
		key.min = least.numberOr(duration, 0)
	case least.given():
		least.fail("expected no min with dist: %s, only a normal has one", key.kind)
	}
	if d.err != nil {
		return nil
	}
	if dist, ok := known[key]; ok {
		return dist
	}
	dist, err := model.New(key.kind, key.mean, key.sd, key.min)
	culprit := blame(c, c.get("sd"), c.get("mean"), c.get("min"), c.get("dist"))
	if err != nil {
		culprit.fail("%v", err)
		return nil
	}
	if mean, second := dist.Mean(), dist.Moment(2); !(mean > 0 && second > 0) || math.IsInf(mean+second, 0) {
		culprit.fail("expected a length whose first two moments are positive finite numbers, got mean %g and sd %g", key.mean, key.sd)
		return nil
	}
	known[key] = dist
	return dist
}

// spread reads the standard deviation, which some families do not leave open.
func (d *decoder) spread(c *cursor, key lengthKey) float64 {
	switch key.kind {
	case model.Exponential:
		if c.given() && c.number(duration) != key.mean {
			c.fail("expected no sd, or the mean of %g, with dist: exponential, got %s", key.mean, c.n.describe())
		}
		return key.mean
	case model.Deterministic:
		if c.given() && c.number(duration) != 0 {
			c.fail("expected no sd, or 0, with dist: deterministic, got %s", c.n.describe())
		}
		return 0
	}
	return c.number(duration)
}

// tolerance is how far from 1 a sum of shares may be.
const tolerance = 1e-6

// width reads the nodes that a job occupies: a number, or values and weights.
func (d *decoder) width(c *cursor, srv server) model.Width {
	if !c.given() {
		return model.FixedWidth(c.numberOr(count, 1))
	}
	nodes := count
	if !srv.parallel {
		nodes.most = srv.slots
		nodes.want = fmt.Sprintf("a whole number of nodes from 1 to %.0f", srv.slots)
	}
	if c.n.kind == mapping {
		return d.widths(c, nodes)
	}
	return model.FixedWidth(c.number(nodes))
}

// widths reads {values: [...], weights: [...]}.
func (d *decoder) widths(c *cursor, nodes quantity) model.Width {
	const want = "a width such as 500 or {values: [250, 750], weights: [0.6, 0.4]}"
	if !c.mapping(want, "values", "weights") {
		return model.Width{}
	}
	var w model.Width
	for _, v := range c.get("values").list("a list of widths") {
		w.Values = append(w.Values, v.number(nodes))
	}
	weights := c.get("weights").list("a list of weights")
	for _, v := range weights {
		w.Weights = append(w.Weights, v.number(fraction))
	}
	if len(w.Weights) != len(w.Values) {
		blame(c.get("weights"), c.get("values")).fail("expected %d weights, one for each width, got %d", len(w.Values), len(w.Weights))
		return w
	}
	if sum, ok := normalize(w.Weights); !ok {
		blame(c.get("weights"), weights...).fail("expected weights that sum to 1, got a sum of %g", sum)
	}
	return w
}

// normalize scales shares to sum to 1 and returns their sum. It leaves them
// alone, and says so, where they are further from it than the tolerance.
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

// meanWidth returns the mean width weighted by work, see System.
func meanWidth(classes []model.Class) float64 {
	var work, nodes, plain float64
	for _, c := range classes {
		work += c.Rate * c.Length.Mean()
		nodes += c.Rate * c.Length.Mean() * c.Width.Mean()
		plain += c.Width.Mean() / float64(len(classes))
	}
	if work == 0 {
		return plain
	}
	return nodes / work
}

var (
	variation = quantity{want: "a coefficient of variation from 0.01 to 100", unit: plain, least: 0.01, most: 100}
	burst     = quantity{want: "a ratio of rates from 1 to 1000000", unit: plain, least: 1, most: 1e6}
)

// arrivals reads how jobs arrive: poisson, {renewal: {cv: c}}, {bursts: {on: t,
// off: t, ratio: r}} or {profile: p}, or one of the first two in the time of a profile.
func (d *decoder) arrivals(c *cursor, otherwise model.Arrivals) model.Arrivals {
	const want = "poisson, {renewal: {cv: 2}}, {bursts: {on: 10m, off: 1h, ratio: 5}}, {profile: weekly, hours: [...]} or {profile: FILE}"
	var profile model.Arrivals
	switch {
	case !c.given():
		return otherwise
	case c.n.kind != mapping:
		if c.n.text != "poisson" || c.n.kind != scalar {
			c.expected(want)
		}
		return model.Arrivals{}
	case c.get("profile").given():
		profile = d.profile(c)
		if renewal, bursts := c.get("renewal"), c.get("bursts"); renewal.given() && bursts.given() {
			bursts.fail("expected renewal or bursts, got both")
			return profile
		} else if !renewal.given() && !bursts.given() {
			return profile
		}
	default:
		if d.variant(c, want, "renewal", "bursts") == "" {
			return model.Arrivals{}
		}
	}
	a := model.Arrivals{Hours: profile.Hours, File: profile.File}
	if r := c.get("renewal"); r.given() {
		if a.Kind = model.ArriveRenewal; r.mapping("a renewal process such as {cv: 2}", "cv") {
			a.CV = r.get("cv").number(variation)
		}
	} else if b := c.get("bursts"); b.given() {
		if a.Kind = model.ArriveBursts; b.mapping("bursts such as {on: 10m, off: 1h, ratio: 5}", "on", "off", "ratio") {
			a.On, a.Off, a.Ratio = b.get("on").number(span), b.get("off").number(span), b.get("ratio").number(burst)
		}
	}
	return a
}

// profile reads {profile: daily, hours: [...]}, {profile: weekly, hours: [...]}
// or {profile: FILE}.
func (d *decoder) profile(c *cursor) model.Arrivals {
	a := model.Arrivals{Kind: model.ArriveProfile}
	if !c.mapping("a profile", "profile", "hours", "renewal", "bursts") {
		return a
	}
	name, hours := c.get("profile"), c.get("hours")
	size, known := map[string]int{"daily": 24, "weekly": 168}[name.n.text]
	if !known {
		a.File = d.path(name, "daily, weekly or the path of a file")
		if hours.given() {
			hours.fail("expected no hours beside a file, got %s", hours.n.describe())
		}
		return a
	}
	var sum float64
	for _, h := range hours.list("a list of weights, one for each hour") {
		a.Hours = append(a.Hours, h.number(amount))
		sum += a.Hours[len(a.Hours)-1]
	}
	switch {
	case len(a.Hours) != size:
		hours.fail("expected %d weights, one for each hour, got %d", size, len(a.Hours))
	case sum == 0:
		hours.fail("expected a weight above 0")
	}
	return a
}
