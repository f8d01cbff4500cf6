package scenario

import "revopt/model"

var (
	variation = quantity{want: "a coefficient of variation from 0.01 to 100", unit: plain, least: 0.01, most: 100}
	burst     = quantity{want: "a ratio of rates from 1 to 1000000", unit: plain, least: 1, most: 1e6}
)

// arrivalsRow is how jobs arrive: poisson, a renewal process or bursts, either of
// them in the time of a profile, or a profile alone.
func arrivalsRow(a *model.Arrivals, otherwise model.Arrivals) row {
	const want = "poisson, {renewal: {cv: 2}}, {bursts: {on: 10m, off: 1h, ratio: 5}}, " +
		"{profile: weekly, hours: [...]} or {profile: FILE}"
	read := func(c *cursor) {
		renewal, bursts, profile := c.get("renewal"), c.get("bursts"), c.get("profile")
		switch {
		case !c.given():
			*a = otherwise
		case c.n.plainText() == "poisson":
			*a = model.Arrivals{}
		case c.n.kind != mapping:
			c.expected(want)
		case !arrivalsTable(a).read(c, want):
		case renewal.given() && bursts.given():
			bursts.fail("expected renewal or bursts, got both")
		case renewal.given():
			a.Kind = model.ArriveRenewal
		case bursts.given():
			a.Kind = model.ArriveBursts
		case profile.given():
			a.Kind = model.ArriveProfile
		default:
			c.fail("expected %s, got a mapping with none of these fields", want)
		}
	}
	write := func(e *encoder) string {
		if a.Poisson() {
			return ""
		}
		return arrivalsTable(a).flow(e)
	}
	return row{key: "arrivals", read: read, write: write}
}

func arrivalsTable(a *model.Arrivals) table {
	return table{
		mapped("renewal", "a renewal process such as {cv: 2}", table{number("cv", &a.CV, variation)}).
			ifGiven(a.Kind == model.ArriveRenewal),
		mapped("bursts", "bursts such as {on: 10m, off: 1h, ratio: 5}", table{
			number("on", &a.On, span), number("off", &a.Off, span), number("ratio", &a.Ratio, burst),
		}).ifGiven(a.Kind == model.ArriveBursts),
		row{
			key:   "profile",
			read:  func(c *cursor) { readProfile(c, a) },
			write: func(*encoder) string { return profileName(a) },
		}.ifGiven(true),
		{key: "hours", read: refuseHours, write: func(*encoder) string { return numbers(a.Hours) }},
	}
}

func profileName(a *model.Arrivals) string {
	switch {
	case a.File != "":
		return word(a.File)
	case len(a.Hours) > 24:
		return "weekly"
	case a.Hours != nil:
		return "daily"
	}
	return ""
}

// refuseHours refuses hours without a profile, which reads them.
func refuseHours(c *cursor) {
	if c.given() && !c.up.get("profile").given() {
		c.fail("expected a profile beside hours: daily or weekly")
	}
}

// readProfile reads daily or weekly with its hours, or the path of a file.
func readProfile(c *cursor, a *model.Arrivals) {
	hours := c.up.get("hours")
	size, known := map[string]int{"daily": 24, "weekly": 168}[c.n.plainText()]
	if !known {
		a.File = c.file("daily, weekly or the path of a file")
		if hours.given() {
			hours.fail("expected no hours beside a file, got %s", hours.n.describe())
		}
		return
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
}
