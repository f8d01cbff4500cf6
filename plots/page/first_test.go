//go:build page

package page_test

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// exported clicks a button that saves, and returns the text of the file.
func (p *tab) exported(selector string) string {
	p.Helper()
	var text string
	p.evaluate(&text, fmt.Sprintf(`(async () => {
		const address = URL.createObjectURL;
		let saved = null;
		URL.createObjectURL = blob => { saved = blob; return address.call(URL, blob); };
		document.querySelector(%q).click();
		for (const end = performance.now() + 20000; !saved && performance.now() < end;) {
			await new Promise(done => setTimeout(done, 10));
		}
		URL.createObjectURL = address;
		return saved ? saved.text() : '';
	})()`, selector))
	if text == "" {
		p.Fatalf("%s saves nothing", selector)
	}
	return text
}

// TestPageComputes: after a move the line of the settings before stays, gray, and says that the page computes, until
// all jobs and replications are there that the page began with; of loads alone it says what lies between others. A page
// that nobody sees simulates nothing, and goes on when it is seen. Back at the scenario it has its first answer.
func TestPageComputes(t *testing.T) {
	b := startBrowser(t)
	p := b.open(t, "file://"+ofLog(t, t.TempDir()))
	p.ready()
	first := []string{p.text("#answer"), p.text("#scope")}
	see := func(hidden bool) {
		p.evaluate(nil, fmt.Sprintf(`Object.defineProperty(document, 'hidden', {value: %t, configurable: true});
			document.dispatchEvent(new Event('visibilitychange'))`, hidden))
	}
	p.evaluate(nil, `(() => {
		window.lines = new Set();
		const answer = document.querySelector('#answer');
		new MutationObserver(() => lines.add([answer.textContent, document.querySelector('#scope').textContent,
			answer.classList.contains('stale') && answer.dataset.computing.includes('computing')].join('|')))
			.observe(answer, {attributes: true, childList: true});
	})()`)
	see(true)
	p.set(map[string]float64{"load": 0.6})
	p.evaluate(nil, "new Promise(done => setTimeout(done, 2000))")
	p.check("a hidden page goes on", `[...lines].filter(line => !line.endsWith('true'))`)
	see(false)
	p.wait("!document.querySelector('#answer').classList.contains('stale')")
	moved := []string{p.text("#answer"), p.text("#scope")}
	var lines []string
	p.evaluate(&lines, "[...lines]")
	for _, line := range lines {
		between := strings.HasPrefix(line, "At a load of ") && strings.HasSuffix(line, "|true")
		begins, ends := strings.Join(append(first, "true"), "|"), strings.Join(append(moved, "false"), "|")
		if !between && line != begins && line != ends {
			t.Errorf("the page shows %q between %q and %q", line, first, moved)
		}
	}
	if len(lines) != 3 || moved[0] == first[0] || moved[1] != first[1] {
		t.Errorf("the page shows %q between %q and %q", lines, first, moved)
	}
	p.click("#reset")
	p.evaluate(nil, "new Promise(done => setTimeout(done, 400))")
	p.idle()
	if answer := p.text("#answer"); answer != first[0] || answer == "" {
		t.Errorf("the page begins with %q, and has %q after a reset", first[0], answer)
	}
	p.quiet()
}

// TestPageDisabled: what a scenario cannot have is there, disabled, with the reason.
func TestPageDisabled(t *testing.T) {
	b := startBrowser(t)
	p := b.open(t, "file://"+explored(t, ".", "nist-four"))
	p.wait("document.documentElement.dataset.ready == 'engine'")
	p.check("not disabled with a reason", `[...document.querySelectorAll('#policy optgroup option')]
		.filter(e => !(e.disabled && e.title && e.textContent.includes(': ')))
		.map(e => e.textContent)`)
	p.wait("document.querySelectorAll('#policy optgroup option').length > 0")
	p.wait("document.querySelector('[data-export=link]').hidden") // nobody else has a file of this machine
	p.quiet()
}

// TestPageExports: what a page saves says what it is of, and the command line reads it again.
func TestPageExports(t *testing.T) {
	b := startBrowser(t)
	source, dir := t.TempDir(), t.TempDir()
	writeFile(t, filepath.Join(source, "mine.yaml"),
		strings.Replace(run(t, ".", "scenario", "show", "nist-four"), "name: nist-four", "name: mine", 1))
	p := b.open(t, "file://"+explored(t, source, "mine.yaml")+"#views=customers,policies")
	p.ready()
	p.set(map[string]float64{"load": 0.5})
	p.evaluate(nil, "new Promise(done => setTimeout(done, 400))")
	p.idle()
	p.evaluate(nil, "document.querySelector('#formula').open = true")
	p.wait("document.querySelector('#picture svg')")
	p.answers(dir) // in another folder than that of the file
	set := ""
	p.evaluate(&set, "'load=' + document.querySelector('input[data-path=load]').value")
	for name, selector := range map[string]string{
		"formula":   "button[data-export=csv][data-figure=picture]",
		"policies":  "button[data-export=csv][data-figure=figure-policies-0]",
		"customers": "button[data-export=csv][data-figure=figure-customers-0]",
	} {
		text := p.exported(selector)
		for _, want := range []string{"# scenario: mine\n", "# settings: " + set + "\n", "# version: revopt ",
			"# command: revopt ", ",metric,mean,half_width,low,high,unit\n"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in %.600s", name, want, text)
			}
		}
		writeFile(t, filepath.Join(dir, name+".csv"), text)
		_, line, _ := strings.Cut(text, "# command: ")
		line, _, _ = strings.Cut(line, "\n")
		facts(t, dir, line)
	}
	picture := p.exported("button[data-export=svg][data-figure=figure-policies-0]")
	for _, want := range []string{"scenario: mine", set, "Share of the bound"} {
		if !strings.Contains(picture, want) {
			t.Errorf("the picture has no %q", want)
		}
	}
	writeFile(t, filepath.Join(dir, "saved.yaml"), p.exported("button[data-export=yaml]"))
	shows(t, "saved.yaml earns", p.text("#earns"),
		facts(t, dir, "revopt solve saved.yaml")["values"].(map[string]any)["value"].(float64))
	p.quiet()
}

// TestPagePrint: on A4 nothing is cut: no table or picture is wider than the paper, and the pages of reports and of
// explore are written as PDF.
func TestPagePrint(t *testing.T) {
	b := startBrowser(t)
	dir := t.TempDir()
	reports(t, dir)
	pages := map[string]string{"explore": explored(t, ".", "nist-four")}
	for _, name := range []string{"validate", "simulate", "whatif"} {
		pages[name] = filepath.Join(dir, name+".html")
	}
	for name, file := range pages {
		p := b.open(t, "file://"+file)
		if name == "explore" {
			p.wait("document.documentElement.dataset.ready == 'engine'")
			p.openAll()
			p.evaluate(nil, "new Promise(done => setTimeout(done, 2000))")
		}
		p.viewport(703, 1000) // A4 without its margins
		p.prefer("print", "light", "reduce")
		p.evaluate(nil, "new Promise(done => setTimeout(done, 200))")
		p.check(name+" on paper", wide)
		p.check(name+" on paper: cut", `[...document.querySelectorAll('.scroll, pre')].filter(e => e.checkVisibility() &&
			(e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX !== 'visible' ||
			 [...e.querySelectorAll('td, th')].some(c => c.getBoundingClientRect().right > 704)))
			.map(e => e.textContent.slice(0, 80))`)
		var sheet struct{ Data string }
		p.into(&sheet, p.session, "Page.printToPDF", object{"preferCSSPageSize": true, "printBackground": true})
		data, err := base64.StdEncoding.DecodeString(sheet.Data)
		if err != nil || !strings.HasPrefix(string(data), "%PDF") {
			t.Errorf("%s: no PDF: %v", name, err)
		}
		if shots := os.Getenv("REVOPT_SHOTS"); shots != "" {
			writeFile(t, filepath.Join(shots, name+".pdf"), string(data))
		}
		p.close()
	}
}
