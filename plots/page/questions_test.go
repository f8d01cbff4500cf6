//go:build page

package page_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

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
