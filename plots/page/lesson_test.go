//go:build page

package page_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// TestPageLessons: one page has all lessons, by next and back. Every lesson refuses wrong answers and accepts right
// ones, although sliders were moved before, has its own chart first, and shows all of it to a phone.
func TestPageLessons(t *testing.T) {
	b := startBrowser(t)
	p := b.open(t, "file://"+explored(t, t.TempDir(), "lesson-1"))
	follow := func(number string) {
		p.loading("lesson "+number, func() {
			p.evaluate(nil, fmt.Sprintf("document.querySelector('nav a[href=\"#lesson=%s\"]').click()", number))
		})
		p.wait(fmt.Sprintf("document.querySelector('#lesson h2').textContent.startsWith('Lesson %s of 7')", number))
	}
	for i, answers := range [][]string{{"2.25", "3.2"}, {"2.5", "3.33"}, {"2", "4.5"}, {"Short jobs", "Long jobs"},
		{"10", "14.6"}, {"With backfilling (easy)", "In order of arrival (fcfs)"}, {"2", "1.27"}} {
		number := strconv.Itoa(i + 1)
		if i > 0 {
			p.viewport(1400, 900)
			p.prefer("", "light", "no-preference")
			follow(number)
		}
		p.wait("document.documentElement.dataset.ready == 'engine'")
		if name := p.text("h1"); name != "lesson-"+number {
			t.Errorf("the page of lesson %s begins with %q", number, name)
		}
		p.wait("document.querySelector('#lesson details[open] figure svg')")
		p.check("before the lesson's own chart", `[document.querySelector('figure svg')].filter(e =>
			!document.querySelector('#lesson').contains(e)).map(e => e.outerHTML.slice(0, 100))`)
		p.set(map[string]float64{"load": 0.9})
		for _, answer := range answers {
			p.evaluate(nil, fmt.Sprintf(`(() => {
				for (const input of document.querySelectorAll('#question input')) {
					if (input.type == 'radio') input.checked = input.value == %[1]q;
					else input.value = %[1]q;
				}
				delete document.querySelector('#verdict').dataset.right;
			})()`, answer))
			p.click("#question button")
			right := answer == answers[1]
			p.wait(fmt.Sprintf("document.querySelector('#verdict').dataset.right == '%v'", right))
			if said := p.text("#verdict"); right && !strings.HasPrefix(said, "Right: ") {
				t.Errorf("lesson %s: to %s: %s", number, answer, said)
			}
		}
		p.shot("lesson-"+number, true)
		p.prefer("", "dark", "reduce")
		p.viewport(320, 640)
		p.shot("lesson-"+number+"-phone", true)
		var wide []string
		p.evaluate(&wide, `[...document.querySelectorAll('#lesson *')].filter(e =>
			e.getBoundingClientRect().right > 320).map(e => e.textContent)`)
		if len(wide) > 0 {
			t.Errorf("lesson %s is wider than a phone: %q", number, wide)
		}
		p.quiet()
	}
	follow("6")
	p.loading("lesson 7", func() { p.evaluate(nil, "history.back()") })
	p.wait("document.querySelector('#lesson h2').textContent.startsWith('Lesson 7')")
	p.quiet()
}
