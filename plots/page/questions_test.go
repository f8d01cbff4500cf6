//go:build page

package page_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// rows checks that columns of the table of a view, by their headings, show measures of the rows of its command
// line in a unit, and that there are so many numbers at least.
func (p *tab) rows(view string, least int, columns map[string]string) {
	p.Helper()
	var table [][]string
	p.evaluate(&table, fmt.Sprintf(`[...document.querySelectorAll('#view-%s tr')].map(row =>
		[...row.cells].map(cell => cell.textContent))`, view))
	line := p.text("#view-" + view + " code")
	list := facts(p, ".", line)["policies"].([]any)
	if len(table) != len(list)+1 {
		p.Fatalf("%s: the table is %q", line, table)
	}
	numbers := 0
	for heading, field := range columns {
		column := slices.Index(table[0], heading)
		if column < 0 {
			p.Fatalf("%s: no column %q in %q", line, heading, table[0])
		}
		for _, row := range list {
			row := row.(map[string]any)
			at := slices.IndexFunc(table, func(cells []string) bool { return cells[0] == row["label"] })
			estimate := row[field].(map[string]any)
			mean, half, some := strings.Cut(strings.TrimSuffix(table[at][column], " %"), " ± ")
			scale := map[string]float64{"$/h": 3600, "share": 100}[unitOf(heading)]
			if scale == 0 {
				scale = 1
			}
			if estimate["mean"] == nil || mean == "-" {
				continue
			}
			shows(p, line+": "+heading, mean, scale*estimate["mean"].(float64))
			if numbers++; some {
				shows(p, line+": ± of "+heading, half, scale*estimate["half_width"].(float64))
				numbers++
			}
		}
	}
	if numbers < least {
		p.Errorf("%s: %d numbers were compared, want %d", line, numbers, least)
	}
	p.Logf("%s: %d numbers", view, numbers)
}

// unitOf returns the unit of a column.
func unitOf(heading string) string {
	if strings.HasSuffix(heading, "$/h") {
		return "$/h"
	} else if heading == "rented" {
		return "share"
	}
	return ""
}

// TestPageRent: with terms of rented units that sliders move, the answer and the table of the view are those of
// the command line; likewise the view of the market, which has a price over time.
func TestPageRent(t *testing.T) {
	b := startBrowser(t)
	page := explored(t, ".", "site", "--set", "machine.rent={price: 0.3, startup: 5m, limit: 64}", "--load", "1")
	p := b.open(t, "file://"+page)
	p.ready()
	paths := []string{"machine.rent.price", "machine.rent.startup", "machine.rent.limit", "load"}
	for _, path := range paths {
		if !slices.Contains(p.sliders(), path) {
			t.Errorf("no slider of %s", path)
		}
	}
	rnd := rand.New(rand.NewPCG(34, 1))
	for range 10 {
		p.set(random(rnd, paths))
		p.answers(".")
		words := p.text("#rent")
		if !strings.Contains(words, "rented units") && !strings.Contains(words, "worth its rent") {
			t.Errorf("the answer says of rent: %q", words)
		}
	}
	for _, name := range []string{"rent", "market"} {
		p.evaluate(nil, fmt.Sprintf("document.querySelector('#view-%s details').open = true", name))
	}
	p.evaluate(nil, "new Promise(done => setTimeout(done, 400))")
	p.idle()
	p.rows("rent", 12, map[string]string{"value $/h": "value_per_second", "rent $/h": "rent_per_second",
		"rented": "rented_share"})
	p.rows("market", 8, map[string]string{"value $/h": "value_per_second", "charged $/h": "revenue_per_second",
		"price $/unit-h": "mean_price"})
	var lines int
	p.evaluate(&lines, "document.querySelectorAll('#figure-market-1 path.line').length")
	if lines != 1+1 { // and the key of the legend
		t.Errorf("the price of the market has %d lines", lines)
	}
	p.quiet()
}

// TestPageQuotes: the quote of a job on the page is that of the command line.
func TestPageQuotes(t *testing.T) {
	b := startBrowser(t)
	p := b.open(t, "file://"+explored(t, ".", "site", "--load", "1")+"#views=quote&policy=easy")
	p.ready()
	seconds := map[string]float64{"ms": 0.001, "s": 1, "min": 60, "h": 3600, "d": 86400}
	numbers := 0
	for _, job := range []struct{ class, width, estimate, at string }{
		{"urgent", "8", "2", "240"}, {"research", "64", "6", "300"}, {"students", "100", "0.5", "500"},
	} {
		p.evaluate(nil, fmt.Sprintf(`for (const [name, value] of Object.entries({class: %q, width: %q, estimate: %q,
			at: %q})) {
			const field = document.querySelector('#quote-' + name);
			field.value = value;
			field.dispatchEvent(new Event('change', {bubbles: true}));
		}`, job.class, job.width, job.estimate, job.at))
		p.evaluate(nil, "new Promise(done => setTimeout(done, 400))")
		p.idle()
		var head, row []string
		p.evaluate(&head, "[...document.querySelectorAll('#view-quote thead th')].map(cell => cell.textContent)")
		p.evaluate(&row, "[...document.querySelector('#view-quote tbody tr').cells].map(cell => cell.textContent)")
		line := p.text("#view-quote code")
		if !strings.Contains(line, "width="+job.width+",") || !strings.Contains(line, "class="+job.class) {
			t.Fatalf("the command line is %s", line)
		}
		want := facts(t, ".", line)["jobs"].([]any)[0].(map[string]any)
		price, half, _ := strings.Cut(row[slices.Index(head, "price $")], " ± ")
		shows(t, line+": price", price, want["price"].(float64))
		shows(t, line+": ± of price", half, want["price_half_width"].(float64))
		for column, at := range map[string]string{"start in": "start", "end in": "end"} {
			first := slices.Index(head, column)
			for k, level := range []string{"0.5", "0.1", "0.9"} {
				number, unit, _ := strings.Cut(row[first+k], " ")
				x := want[at].(map[string]any)[level].(float64)
				shows(t, line+": "+at+" "+level, number, x/seconds[unit])
				numbers++
			}
		}
	}
	t.Logf("%d times", numbers)
	p.quiet()
}
