//go:build page

package page_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// answers are wrong and right ones of the questions of each lesson, numbers in several spellings.
var answers = [][3][]string{
	{{"2.25", "3,2"}, {"2", "4.5 h", "4,5", "4.5", "270 min"}, {"80", "0.8"}},
	{{"2.5", "3.33 hours"}, {"Urgent jobs", "Patient jobs"}, {"4", "$3.86"}},
	{{"0.412", "24.7 min"}, {"24.7", "41.2"}, {"5 h", "2,5h"}},
	{{"2", "4.5"}, {"2 min", "1"}, {"96 %", "94 %"}},
	{{"Short jobs", "Long jobs"}, {"A long job", "A short job"}, {"100", "45.6"}},
	{{"10", "14.6 $"}, {"13.7", "21.2 $/h"}, {"3", "1.2"}},
	{{"With backfilling (easy)", "In order of arrival (fcfs)"}, {"Narrow jobs", "Wide jobs"}, {"12", "3"}},
	{{"2", "1.27"}, {"30", "100"}, {"100", "87"}},
}

// TestPageLessons: one page has all lessons, by next and back. Every lesson refuses wrong answers and accepts right
// ones, although sliders were moved before, has its own chart first, and shows all of it to a phone.
func TestPageLessons(t *testing.T) {
	b := startBrowser(t)
	p := b.open(t, "file://"+explored(t, t.TempDir(), "lesson-1"))
	follow := func(number string) {
		p.loading("lesson "+number, func() {
			p.evaluate(nil, fmt.Sprintf("document.querySelector('nav a[href=\"#lesson=%s\"]').click()", number))
		})
		p.wait(fmt.Sprintf("document.querySelector('#lesson h2').textContent.startsWith('Lesson %s of 8')", number))
	}
	for i, questions := range answers {
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
		p.check("before the lesson's own pictures", `[document.querySelector('figure svg')].filter(e =>
			!document.querySelector('#lesson').contains(e)).map(e => e.outerHTML.slice(0, 100))`)
		p.check("a picture without a drawing", `[...document.querySelectorAll('.lesson > :first-child figure')].filter(e =>
			!e.querySelector('svg path, svg rect')).map(e => e.textContent)`)
		p.set(map[string]float64{"load": 0.9})
		for k, list := range questions {
			form := fmt.Sprintf("document.querySelectorAll('.question')[%d]", k)
			for j, answer := range list {
				p.evaluate(nil, fmt.Sprintf(`(() => {
					for (const input of %[2]s.querySelectorAll('input')) {
						if (input.type == 'radio') input.checked = input.value == %[1]q;
						else input.value = %[1]q;
					}
					delete %[2]s.querySelector('.verdict').dataset.right;
					%[2]s.querySelector('button').click();
				})()`, answer, form))
				p.wait(fmt.Sprintf("%s.querySelector('.verdict').dataset.right == '%v'", form, j > 0))
			}
			var said string
			p.evaluate(&said, form+".querySelector('.verdict').textContent")
			if !strings.HasPrefix(said, "Right: ") {
				t.Errorf("lesson %s, question %d: %s", number, k+1, said)
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
	follow("7")
	p.loading("lesson 8", func() { p.evaluate(nil, "history.back()") })
	p.wait("document.querySelector('#lesson h2').textContent.startsWith('Lesson 8')")
	p.quiet()
}
