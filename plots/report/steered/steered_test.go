package steered

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"revopt/simulate/metric"
	"revopt/simulate/served"
	"revopt/simulate/study/steered"
)

// The first line says what was delivered, and claims no gain; a page has it too. An unknown bound has no row.
func TestAnswer(t *testing.T) {
	r := &steered.Result{
		Scenario: "site", Policy: "value-bf", Unit: "node", Jobs: 3, From: 1.7e9, To: 1.7e9 + 3600,
		PerHour: 12, AtOnce: 16, Share: 0.75, Bound: 15,
		Waits: []steered.Waits{{Group: served.Group{Kind: served.Customer, Name: "a<b"}, Jobs: 3, Mean: 60, Longest: 120}},
	}
	var page, table bytes.Buffer
	if err := (Report{r}).Page(&page); err != nil {
		t.Fatal(err)
	}
	(Report{r}).Table(&table)
	first, _, _ := strings.Cut(table.String(), "\n\n")
	for _, word := range []string{"12.0 $/h", "75.0 %", "3 jobs"} {
		if !strings.Contains(first, word) || !strings.Contains(page.String(), word) {
			t.Errorf("%s is not in %s or not in the page", word, first)
		}
	}
	if strings.Contains(page.String(), "a<b") || strings.Contains(first, "earned") || strings.Contains(first, "gain") {
		t.Errorf("%s\n%s", page.String(), table.String())
	}
	rows := len(Report{r}.Values().Rows())
	r.Bound = metric.Number(math.NaN())
	if len(Report{r}.Values().Rows()) != rows-1 {
		t.Error("a bound that is not known has a row")
	}
}
