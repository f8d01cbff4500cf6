//go:build page

package page_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// openAll opens everything that can be opened on a page of explore, and waits until each view shows something.
// Simulations go on to narrow their intervals.
func (p *tab) openAll() {
	p.Helper()
	p.evaluate(nil, "for (const details of document.querySelectorAll('details')) details.open = true")
	p.wait(`[...document.querySelectorAll('section[id^=view-]:not([hidden])')].every(view =>
		view.querySelector('svg') || view.querySelector('details').hidden || view.querySelector('p').textContent)`)
}

// closeAll closes all views and waits until nothing is running.
func (p *tab) closeAll() {
	p.Helper()
	p.evaluate(nil, "for (const details of document.querySelectorAll('details')) details.open = false")
	p.evaluate(nil, "new Promise(done => setTimeout(done, 50))") // events of details come later
	p.idle()
}

// wide lists the elements that reach beyond the right edge of the window and cannot be scrolled into it.
const wide = `(() => {
	const width = document.documentElement.clientWidth, list = [];
	if (document.documentElement.scrollWidth > width) {
		list.push('the page is ' + document.documentElement.scrollWidth + ' wide');
	}
	for (const e of document.body.querySelectorAll('*')) {
		if (!e.checkVisibility() || e.getBoundingClientRect().right <= width + 1) continue;
		let scrolls = e.closest('svg') !== null && e.tagName !== 'svg'; // an SVG cuts off what is outside
		for (let up = e.parentElement; up && up !== document.body; up = up.parentElement) {
			scrolls ||= ['auto', 'scroll', 'hidden'].includes(getComputedStyle(up).overflowX);
		}
		if (!scrolls) list.push(e.outerHTML.slice(0, 120));
	}
	return list.slice(0, 5);
})()`

// faint lists texts whose contrast with their background is below 4.5, or 3 for large text.
const faint = `(() => {
	const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
	const rgba = color => {
		canvas.clearRect(0, 0, 1, 1);
		canvas.fillStyle = color;
		canvas.fillRect(0, 0, 1, 1);
		return [...canvas.getImageData(0, 0, 1, 1).data];
	};
	const light = ([r, g, b]) => [r, g, b].map(c => c / 255)
		.map(c => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
		.reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
	const list = new Map();
	const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	while (texts.nextNode()) {
		const e = texts.currentNode.parentElement, style = getComputedStyle(e);
		if (!texts.currentNode.data.trim() || !e.checkVisibility({opacityProperty: true}) ||
			e.closest('script, style, :disabled')) continue;
		let behind = [255, 255, 255, 0];
		for (let up = e; up && behind[3] < 255; up = up.parentElement) {
			const color = rgba(getComputedStyle(up).backgroundColor);
			if (color[3] === 255) behind = color;
		}
		if (behind[3] === 0) behind = rgba(getComputedStyle(document.documentElement).colorScheme.includes('dark') &&
			matchMedia('(prefers-color-scheme: dark)').matches ? '#121212' : '#fff');
		const color = rgba(e instanceof SVGElement && style.fill !== 'none' ? style.fill : style.color);
		const [a, b] = [light(color), light(behind)].sort((x, y) => y - x);
		const contrast = (a + 0.05) / (b + 0.05), size = parseFloat(style.fontSize);
		const enough = size >= 24 || size >= 18.66 && style.fontWeight >= 700 ? 3 : 4.5;
		if (contrast < enough) {
			list.set(texts.currentNode.data.trim().slice(0, 40) + ' <' + e.tagName + ' ' + e.getAttribute('class') + '>',
				contrast.toFixed(2));
		}
	}
	return [...list].slice(0, 8).map(one => one.join(': '));
})()`

// check fails the test for each element of a list that an expression makes.
func (p *tab) check(what, expression string) {
	p.Helper()
	var list []string
	p.evaluate(&list, expression)
	for _, one := range list {
		p.Errorf("%s: %s", what, one)
	}
}

// TestPageLooks: no page is wider than its window, all that matters is on the first screen, texts can be read in
// light and dark, and pictures of all that are in $REVOPT_SHOTS.
func TestPageLooks(t *testing.T) {
	b := startBrowser(t)
	p := b.open(t, "file://"+explored(t, ".", "nist-four"))
	p.ready()
	p.check("not on the first screen", `[...document.querySelectorAll('#answer, #hero .plot'),
		...[...document.querySelectorAll('input[type=range]')].slice(0, 3)].filter(e => {
			const box = e.getBoundingClientRect();
			return box.bottom > 900 || box.top < 0 || box.height === 0;
		}).map(e => e.outerHTML.slice(0, 100) + ' ends at ' + e.getBoundingClientRect().bottom)`)
	p.shot("first-light", false)
	p.prefer("", "dark", "no-preference")
	p.shot("first-dark", false)
	p.viewport(400, 800)
	p.shot("first-phone-dark", false)
	p.prefer("", "light", "no-preference")
	p.shot("first-phone", false)
	p.openAll()
	for _, width := range []int{320, 400, 768, 1400, 1920} {
		p.viewport(width, 900)
		p.evaluate(nil, "new Promise(done => setTimeout(done, 100))") // charts follow the size
		p.check(fmt.Sprintf("%d px", width), wide)
	}
	for _, look := range []struct {
		name, medium, scheme string
		width                int
	}{
		{"light", "", "light", 1400}, {"dark", "", "dark", 1400}, {"phone", "", "light", 400},
		{"phone-dark", "", "dark", 400}, {"print", "print", "light", 800},
	} {
		p.viewport(look.width, 900)
		p.prefer(look.medium, look.scheme, "reduce")
		p.evaluate(nil, "new Promise(done => setTimeout(done, 100))")
		p.check(look.name+": too faint", faint)
		p.shot("all-"+look.name, true)
		if look.width == 1400 {
			for _, view := range []string{"waits", "policies", "customers", "machine"} {
				p.evaluate(nil, fmt.Sprintf("document.querySelector('#view-%s').scrollIntoView()", view))
				p.shot("view-"+view+"-"+look.name, false)
			}
		}
	}
	p.closeAll()
	p.quiet()
}

// reports writes the pages of three commands into a directory.
func reports(t *testing.T, dir string) {
	t.Helper()
	for _, line := range []string{"validate nist-cluster --policy all", "simulate nist-cluster --policy hol,fcfs",
		"whatif nist-cluster --change server.nodes=+20"} {
		words := strings.Fields(line)
		run(t, dir, append(words, "--html", words[0]+".html", "--jobs", "300", "--replications", "3", "--quiet")...)
	}
}

// TestPageOfReports: the pages of other commands say nothing, ask for nothing and fit any window too.
func TestPageOfReports(t *testing.T) {
	b := startBrowser(t)
	dir := t.TempDir()
	reports(t, dir)
	for _, name := range []string{"validate", "simulate", "whatif"} {
		p := b.open(t, "file://"+filepath.Join(dir, name+".html"))
		for _, width := range []int{320, 400, 768, 1400, 1920} {
			p.viewport(width, 900)
			p.evaluate(nil, "new Promise(done => setTimeout(done, 100))")
			p.check(fmt.Sprintf("%s at %d px", name, width), wide)
		}
		for _, scheme := range []string{"light", "dark"} {
			p.prefer("", scheme, "reduce")
			p.check(name+", "+scheme+": too faint", faint)
			p.shot(name+"-"+scheme, true)
		}
		p.viewport(400, 800)
		p.shot(name+"-phone", true)
		p.quiet()
	}
}

// reacts makes a list of what a report with charts does not do: a key hides a curve, the end of a chart shows a number with
// its interval, and the head of a column sorts its table.
const reacts = `(() => {
	const list = [], lines = () => document.querySelectorAll('.chart .line').length, all = lines();
	const key = document.querySelector('.key'), drawing = document.querySelector('.drawing');
	key.click();
	if (all - lines() !== 1) list.push('a key hides ' + (all - lines()) + ' curves');
	key.click();
	drawing.focus();
	drawing.dispatchEvent(new KeyboardEvent('keydown', {key: 'End'}));
	const tip = document.querySelector('.tip').textContent;
	if (!/: [\d,]+ \$\/h \([\d,]+ to [\d,]+ \$\/h\)/.test(tip)) list.push('the tip is ' + tip);
	const table = document.querySelector('table.policies'), head = [...table.querySelectorAll('thead th')];
	const column = head.findIndex(th => th.textContent === '$/h'), button = head[column].querySelector('button');
	for (const [way, order] of [[-1, 'descending'], [1, 'ascending']]) {
		button.click();
		const cells = [...table.tBodies[0].rows].map(row => parseFloat(row.cells[column].textContent.replaceAll(',', '')));
		const sorted = cells.every((x, i) => !i || way * (x - cells[i - 1]) >= 0);
		if (!sorted || head[column].ariaSort !== order) list.push(order + ' are ' + cells);
	}
	return list;
})()`

// TestPageCharts: the charts and tables of a report react, without scripts it has as many pictures, and a long name fits
// a phone.
func TestPageCharts(t *testing.T) {
	b := startBrowser(t)
	dir := t.TempDir()
	name := strings.Repeat("unbroken", 30)
	run(t, dir, "validate", "nist-cluster", "--set", "name="+name, "--policy", "hol,fcfs,easy", "--vary", "load=0.6,1.2,1.8",
		"--jobs", "300", "--replications", "3", "--html", "scripts.html", "--quiet")
	page, err := os.ReadFile(filepath.Join(dir, "scripts.html"))
	if err != nil {
		t.Fatal(err)
	}
	plain := regexp.MustCompile(`(?s)<script.*?</script>`).ReplaceAll(page, nil)
	if err := os.WriteFile(filepath.Join(dir, "plain.html"), plain, 0o600); err != nil {
		t.Fatal(err)
	}
	var figures [2]int
	for i, file := range []string{"scripts.html", "plain.html"} {
		p := b.open(t, "file://"+filepath.Join(dir, file))
		p.evaluate(&figures[i], "document.querySelectorAll('figure > svg, .chart > svg').length")
		if file == "scripts.html" {
			p.check("the page does not react", reacts)
		}
		for _, width := range []int{320, 1400} {
			p.viewport(width, 900)
			p.evaluate(nil, "new Promise(done => setTimeout(done, 100))")
			p.check(fmt.Sprintf("%s at %d px", file, width), wide)
		}
		p.quiet()
	}
	if figures[0] == 0 || figures[0] != figures[1] {
		t.Errorf("%d pictures with scripts, %d without", figures[0], figures[1])
	}
}

// TestPageHostileNames: names of customers, scenarios and files that look like HTML, scripts or attributes stay
// text in every view and export, and so does the address.
func TestPageHostileNames(t *testing.T) {
	b := startBrowser(t)
	const script = "window.hit=1;document.documentElement.dataset.hit=1"
	names := []string{"</script><script>" + script + "</script>", "<img src=x onerror=" + script + ">",
		`"'><svg onload=` + script + `>`, "\u05d0\u05d1 1<2", "javascript:" + script, "${" + script + "}",
		"<!--<script>", "]]>&lt;b&gt;"}
	dir := t.TempDir()
	var yaml strings.Builder
	fmt.Fprintf(&yaml, "# <img src=x onerror=%s> a title\nname: %s\nserver: {parallel: 25}\nload: 0.8\nclasses:\n",
		script, quoted("<b onmouseover="+script+">site</b></title><script>"+script+"</script>"))
	for i, name := range names {
		fmt.Fprintf(&yaml, "  - {name: %s, share: %g, length: {mean: %d, sd: 900}, price: %d, decay: 0.01}\n",
			quoted(name), 1/float64(len(names)), 3000+100*i, 500+50*i)
	}
	file := `"><img src=x onerror=` + strings.ReplaceAll(script, "/", "") + `>.yaml`
	writeFile(t, filepath.Join(dir, file), yaml.String())
	page := explored(t, dir, file)
	p := b.blank(t)
	p.do("Browser.setDownloadBehavior", object{"behavior": "deny"})
	p.navigate("file://" + page + "#load=%3Cimg%20src%3Dx%20onerror%3D1%3E&__proto__=1&policy=%3Cscript%3E&=&%ff" +
		"&views=__proto__,constructor")
	p.ready()
	p.set(map[string]float64{"load": 0.3})
	p.answers(dir)
	p.openAll()
	harmless := func(where string) {
		t.Helper()
		p.check(where, `[...document.querySelectorAll('img, iframe, object, embed, [onload], [onerror], [onmouseover]'),
			...(document.documentElement.dataset.hit || window.hit ? [document.documentElement] : [])]
			.map(e => e.outerHTML.slice(0, 200))`)
	}
	harmless("page")
	var whole string
	p.evaluate(&whole, "document.body.innerText + [...document.querySelectorAll('svg text')].map(e => e.textContent)")
	for _, name := range names[:3] {
		if !strings.Contains(whole, name) {
			t.Errorf("the name %s is not on the page", name)
		}
	}
	p.evaluate(nil, `window.blobs = [];
		const address = URL.createObjectURL;
		URL.createObjectURL = blob => { blobs.push(blob); return address.call(URL, blob); }`)
	exports := map[string][]string{}
	for _, kind := range []string{"svg", "csv", "png", "yaml", "link"} {
		var texts []string
		p.evaluate(&texts, fmt.Sprintf(`(async () => {
			const buttons = [...document.querySelectorAll('button[data-export=%s]')].filter(e => e.checkVisibility() &&
				(!e.dataset.figure || document.querySelector('#' + e.dataset.figure + ' svg')));
			blobs.length = 0;
			for (const button of buttons) button.click();
			const wanted = button => button.dataset.export !== 'link';
			for (const end = performance.now() + 20000; blobs.length < buttons.filter(wanted).length;) {
				if (performance.now() > end) break;
				await new Promise(done => setTimeout(done, 10));
			}
			return Promise.all(blobs.map(blob => blob.text()));
		})()`, kind))
		exports[kind] = texts
		t.Logf("%d exports %s", len(texts), kind)
	}
	if len(exports["svg"]) < 6 || len(exports["csv"]) < 6 || len(exports["png"]) < 6 || len(exports["yaml"]) != 1 {
		t.Error("exports are missing")
	}
	p.closeAll()
	p.quiet()
	for i, picture := range exports["svg"] {
		file := filepath.Join(dir, fmt.Sprintf("%d.svg", i))
		writeFile(t, file, picture)
		p.navigate("file://" + file)
		harmless(filepath.Base(file))
		p.check(file, "[...document.querySelectorAll('script, foreignObject, b, a')].map(e => e.outerHTML)")
		if i == 0 && !strings.Contains(picture, "svg") {
			t.Errorf("a picture is %.100q", picture)
		}
	}
	for _, yaml := range exports["yaml"] {
		writeFile(t, filepath.Join(dir, "saved.yaml"), yaml)
		tables := facts(t, dir, "revopt solve saved.yaml")["tables"].(map[string]any)
		for i, class := range tables["classes"].([]any) {
			if name := class.(map[string]any)["class"]; name != names[i] {
				t.Errorf("the name %q is %q in the exported scenario", names[i], name)
			}
		}
	}
	for _, command := range []string{"simulate", "validate"} {
		run(t, dir, command, file, "--jobs", "100", "--replications", "2", "--html", command+".html", "--quiet")
		p.navigate("file://" + filepath.Join(dir, command+".html"))
		p.evaluate(nil, "for (const details of document.querySelectorAll('details')) details.open = true")
		harmless("page of " + command)
		p.quiet()
	}
}

// quoted is a name in single quotes of YAML.
func quoted(name string) string { return "'" + strings.ReplaceAll(name, "'", "''") + "'" }

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
