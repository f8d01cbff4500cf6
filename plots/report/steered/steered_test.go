package steered

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"revopt/simulate/metric"
	"revopt/simulate/served"
	earned "revopt/simulate/study/steered"
)

// The first line says what steering earned or lost, with an interval, or why there is none; a page has it too.
func TestAnswer(t *testing.T) {
	waits := []earned.Waits{{Group: served.Group{Kind: served.Customer, Name: "a<b"}, Jobs: 3, Mean: 60, Longest: 120}}
	r := &earned.Result{
		Scenario: "site", Policy: "value-bf", Unit: "node", Jobs: 3, From: 1.7e9, To: 1.7e9 + 3600,
		Rows: []earned.Row{{Name: earned.Happened, PerHour: 12, Waits: waits},
			{Name: earned.Today, Label: "easy", PerHour: 10, Waits: waits}, {Name: earned.Bound, PerHour: 15}},
		Earned: earned.Earned{Over: "easy", PerHour: 2, Share: 0.2, HalfWidth: 0.5, Level: 0.95, Periods: 9, Period: "day",
			Enough: true},
	}
	few := r.Earned
	few.Enough, few.Periods, few.HalfWidth = false, 2, metric.Number(math.NaN())
	loss := r.Earned
	loss.PerHour, loss.Share = -2, -0.2
	for _, c := range []struct {
		earned earned.Earned
		want   string
	}{
		{r.Earned, "earned 2.00 $/h against easy on the same jobs, simulated: +20.0 % ± 5.0 % (9 days, 95 %)."},
		{few, "earned 2.00 $/h against easy on the same jobs, simulated: +20.0 %; 2 days are too few for an interval."},
		{loss, "lost 2.00 $/h against easy on the same jobs, simulated: -20.0 % ± 5.0 % (9 days, 95 %)."},
	} {
		r.Earned = c.earned
		if got := (Report{r}).Answer(); got != "Steering by value-bf "+c.want {
			t.Errorf("got %s\nexpected %s", got, c.want)
		}
	}
	var page, table bytes.Buffer
	if err := (Report{r}).Page(&page); err != nil {
		t.Fatal(err)
	}
	(Report{r}).Table(&table)
	if !strings.Contains(page.String(), "lost 2.00 $/h") || strings.Contains(page.String(), "a<b") ||
		!strings.HasPrefix(table.String(), "Steering by value-bf lost") {
		t.Errorf("%s\n%s", page.String(), table.String())
	}
}
