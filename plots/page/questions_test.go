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
		want := facts(t, ".", line)["tables"].(map[string]any)["jobs"].([]any)[0].(map[string]any)
		if i := slices.Index(head, "price $"); i >= 0 { // else it may as well be 0
			price, half, _ := strings.Cut(row[i], " ± ")
			shows(t, line+": price", price, want["price"].(float64))
			shows(t, line+": ± of price", half, (want["price_high"].(float64)-want["price_low"].(float64))/2)
		}
		for _, at := range []string{"start", "end"} {
			first := slices.IndexFunc(head, func(title string) bool { return strings.HasPrefix(title, at+" ") })
			for k, level := range []string{"_50", "_10", "_90"} {
				unit := head[first+k][strings.LastIndex(head[first+k], " ")+1:]
				shows(t, line+": "+at+level, row[first+k], want[at+level].(float64)/seconds[unit])
				numbers++
			}
		}
	}
	t.Logf("%d times", numbers)
	p.quiet()
}
