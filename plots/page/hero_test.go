//go:build page

package page_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// top are the numbers that a page begins with: of the tiles, and by policy in the picture.
type top struct {
	Tiles  []string
	Curves map[string]string
	Marker float64
}

func (p *tab) top() (t top) {
	p.Helper()
	p.evaluate(&t, `({
		Tiles: [...document.querySelectorAll('#tiles dd:not(.of)')].map(e => e.textContent),
		Curves: Object.fromEntries([...document.querySelectorAll('#hero .curves li')].map(e =>
			[e.firstChild.data.replace(/ \(.*/, '').trim(), e.querySelector('b').textContent])),
		Marker: +getComputedStyle(document.querySelector('.plot')).getPropertyValue('--x'),
	})`)
	return t
}

// delivers returns what a command line says that policies deliver, and the bound.
func delivers(t *testing.T, dir, line string) map[string]float64 {
	t.Helper()
	all := facts(t, dir, line)
	values := map[string]float64{}
	for _, row := range all["tables"].(map[string]any)["policies"].([]any) {
		row := row.(map[string]any)
		values[row["policy"].(string)] = row["value"].(float64)
	}
	values["no policy can exceed"] = all["columns"].(map[string]any)["policies.value"].(map[string]any)["bound"].(float64)
	return values
}

// same checks the picture against a command line.
func (got top) same(t *testing.T, want map[string]float64) {
	t.Helper()
	for name, number := range got.Curves {
		value, ok := want[name]
		if !ok && strings.HasPrefix(name, "the log, at ") {
			continue
		}
		if !ok {
			t.Errorf("the command line has no %q", name)
		}
		shows(t, name, number, value)
	}
	if len(got.Curves) < 4 || len(got.Curves) > 6 {
		t.Errorf("the picture has %v", got.Curves)
	}
}

// TestPageHero: a page without scripts has tiles, a sentence and the picture on its first screen, with the numbers of a
// command line. While the marker moves, by keys too, all follow, and say that they are interpolated. At a load that was
// computed with the page they are those on which it settles, and those are of the command line.
func TestPageHero(t *testing.T) {
	b := startBrowser(t)
	dir := t.TempDir()
	file := ofLog(t, dir)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	plain := filepath.Join(dir, "plain.html")
	writeFile(t, plain, string(regexp.MustCompile(`(?s)<script.*?</script>`).ReplaceAll(data, nil)))
	p := b.open(t, "file://"+plain)
	first := p.top()
	first.same(t, delivers(t, dir, "revopt validate site.yaml"))
	if len(first.Tiles) != 3 || p.text("#answer") == "" {
		t.Errorf("the page begins with %q", first.Tiles)
	}
	for _, width := range []int{1300, 800, 390} {
		p.viewport(width, map[bool]int{true: 844, false: 900}[width == 390])
		p.check(fmt.Sprintf("%d px", width), wide)
		p.check(fmt.Sprintf("%d px: not on the first screen", width),
			`[...document.querySelectorAll('#tiles div, #answer, .plot, .here')].filter(e => {
				const box = e.getBoundingClientRect();
				return box.bottom > innerHeight || box.height === 0 || box.left < 0 || box.right > innerWidth;
			}).map(e => e.outerHTML.slice(0, 100))`)
		for _, scheme := range []string{"light", "dark"} {
			p.prefer("", scheme, "no-preference")
			p.check(fmt.Sprintf("%d px, %s: too faint", width, scheme), faint)
			p.shot(fmt.Sprintf("hero-%d-%s", width, scheme), false)
		}
	}
	p.close()

	p = b.open(t, "file://"+file)
	p.ready()
	scripted := p.top()
	if !slices.Equal(scripted.Tiles, first.Tiles) || fmt.Sprint(scripted.Curves) != fmt.Sprint(first.Curves) {
		t.Errorf("with scripts the page begins with %v, without with %v", scripted, first)
	}
	p.drag()
	p.evaluate(nil, "document.querySelector('#set-load').focus()")
	before := p.top()
	p.press("ArrowRight", false)
	p.evaluate(nil, "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
	if after := p.top(); after.Marker <= before.Marker || slices.Equal(after.Tiles, before.Tiles) {
		t.Errorf("a key moves %v to %v", before, after)
	}
	moved := p.moveTo(1.567)
	if mark := p.text("#answer") + p.attribute("#answer", "data-computing"); !strings.Contains(mark, "interpolated") {
		t.Errorf("while the page computes it says %q", mark)
	}
	p.idle()
	if p.settled() == 0 {
		t.Error("no number is compared")
	}
	exact := p.top()
	exact.same(t, delivers(t, dir, p.text("#view-policies code")))
	if fmt.Sprint(exact.Curves) != fmt.Sprint(moved.Curves) {
		t.Errorf("at a load that the page has, it goes from %v to %v", moved.Curves, exact.Curves)
	}
	p.quiet()
}

// moveTo moves the load to the nearest one that was computed with the page and returns the numbers of the next frame.
func (p *tab) moveTo(load float64) top {
	p.Helper()
	p.evaluate(nil, fmt.Sprintf(`new Promise(done => {
		const slider = document.querySelector('#set-load');
		slider.step = 'any';
		slider.value = %g;
		slider.dispatchEvent(new Event('input', {bubbles: true}));
		requestAnimationFrame(() => requestAnimationFrame(done));
	})`, load))
	return p.top()
}

func (p *tab) attribute(selector, name string) (value string) {
	p.Helper()
	p.evaluate(&value, fmt.Sprintf("document.querySelector(%q).getAttribute(%q) ?? ''", selector, name))
	return value
}

// drag moves the marker from end to end by the mouse.
func (p *tab) drag() {
	p.Helper()
	var box struct{ Left, Top, Width, Height float64 }
	p.evaluate(&box, "document.querySelector('.plot').getBoundingClientRect().toJSON()")
	mouse := func(kind string, share float64) {
		p.do("Input.dispatchMouseEvent", object{"type": kind, "button": "left", "buttons": 1, "clickCount": 1,
			"x": box.Left + share*box.Width, "y": box.Top + box.Height/2})
	}
	mouse("mousePressed", 0.4)
	for i := range 60 {
		mouse("mouseMoved", 0.05+0.015*float64(i))
	}
	mouse("mouseReleased", 0.95)
	p.evaluate(nil, "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
	if marker := p.top().Marker; marker < 90 {
		p.Errorf("the mouse drags the marker to %g of 100", marker)
	}
}

// recorded returns what a job was charged, by a file of records.
func recorded(t *testing.T, file, job string) float64 {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r := csv.NewReader(bytes.NewReader(data))
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	of, charged := slices.Index(rows[0], "job"), slices.Index(rows[0], "charged")
	for _, row := range rows[1:] {
		if row[of] == job {
			x, err := strconv.ParseFloat(row[charged], 64)
			if err != nil {
				t.Fatal(err)
			}
			return x
		}
	}
	t.Fatalf("no record of job %s", job)
	return 0
}

// TestPagePair: below the picture are the schedules of today and of what delivers most. A click names a job, with the wait
// and the value that simulations record under both; what each has delivered grows as time goes on. An arrow for each
// customer and group of width is red where the command line says harm.
func TestPagePair(t *testing.T) {
	b := startBrowser(t)
	dir := t.TempDir()
	p := b.open(t, "file://"+ofLog(t, dir))
	p.ready()
	all := facts(t, dir, p.text("#view-policies code"))
	policies := all["tables"].(map[string]any)["policies"].([]any)
	names := []string{"", policies[0].(map[string]any)["policy"].(string)} // the first delivers most
	if best, ok := all["values"].(map[string]any)["best"].(string); ok {
		names[1] = best
	}
	for _, row := range policies {
		if row := row.(map[string]any); row["present"] == true {
			names[0] = row["policy"].(string)
		}
	}
	var said, job string
	p.evaluate(&job, `(() => {
		const job = document.querySelectorAll('.both figure:last-child path')[20];
		job.dispatchEvent(new MouseEvent('click', {bubbles: true}));
		return job.dataset.job;
	})()`)
	said = p.text("#view-machine [role=status]")
	for _, name := range names {
		run(t, dir, "simulate", "site.yaml", "--policy", name, "--replications", "1", "--records", "records.csv", "--quiet")
		found := regexp.MustCompile(regexp.QuoteMeta(name) + `: it .*? delivers \$([\d,.]*\d)`).FindStringSubmatch(said)
		if found == nil {
			t.Fatalf("the page says %q of job %s", said, job)
		}
		shows(t, said+": "+name, found[1], recorded(t, filepath.Join(dir, "records.csv"), job))
	}
	p.shot("pair", true)

	counters := "[...document.querySelectorAll('.both figcaption b')].map(e => +e.textContent.replace(/[$,]/g, ''))"
	var end, early []float64
	p.evaluate(&end, counters)
	p.evaluate(nil, `(() => {
		const time = document.querySelector('#view-machine input[type=range]');
		time.value = 0.5;
		time.dispatchEvent(new Event('input', {bubbles: true}));
	})()`)
	p.evaluate(&early, counters)
	p.click("#play")
	p.evaluate(nil, "new Promise(done => setTimeout(done, 1500))")
	p.check("does not grow while it plays", fmt.Sprintf("%s.filter((x, i) => !(x > [%g, %g][i])).map(String)", counters,
		early[0], early[1]))
	if len(end) != 2 || early[0] <= 0 || early[0] >= end[0] || end[1] <= end[0] {
		t.Errorf("the schedules deliver %v by the middle and %v at the end", early, end)
	}

	harmed := 0
	var groups int
	for _, row := range all["tables"].(map[string]any)["affected"].([]any) {
		if row := row.(map[string]any); row["row"] == names[1] {
			groups++
			if row["harmed"] == true {
				harmed++
			}
		}
	}
	if n := p.number("document.querySelectorAll('#view-harm circle.arrow').length"); int(n) != groups || groups == 0 {
		t.Errorf("%g arrows, want %d", n, groups)
	}
	if n := p.number("document.querySelectorAll('#view-harm circle.harm').length"); int(n) != harmed {
		t.Errorf("%g red arrows, want %d", n, harmed)
	}
	for _, width := range []int{1300, 800, 390} {
		p.viewport(width, 900)
		for _, scheme := range []string{"light", "dark"} {
			p.prefer("", scheme, "no-preference")
			p.evaluate(nil, "new Promise(done => setTimeout(done, 100))")
			p.check(fmt.Sprintf("%d px, %s: too faint", width, scheme), faint)
			p.shot(fmt.Sprintf("page-%d-%s", width, scheme), true)
		}
		p.check(fmt.Sprintf("%d px", width), wide)
	}
	p.quiet()
}
