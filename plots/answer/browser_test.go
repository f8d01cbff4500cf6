package answer

import (
	"bytes"
	"context"
	"encoding/json"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// browser returns a headless Chromium, or skips the test where none is
// installed.
func browser(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no Chromium is installed: the page was not opened in a browser")
	return ""
}

// dump opens a file in the browser and returns its document after loading, and
// what the browser logged.
func dump(t *testing.T, path string) (document, log string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, browser(t), "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
		"--user-data-dir="+t.TempDir(), "--enable-logging=stderr", "--window-size=1280,900", "--dump-dom", "file://"+path)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("chromium: %v\n%s", err, stderr.String())
	}
	return stdout.String(), stderr.String()
}

// wrapper shows a page in frames: of each width with scripts, and in the first width once more without. It
// writes what it measures into its own document.
const wrapper = `<!DOCTYPE html><html><body><pre id="seen"></pre><script>
const source = SOURCE, widths = [320, 360, 412, 768, 1280, 1920, 320], seen = [];
let left = widths.length;
const finish = (frame, r) => {
  const w = frame.contentWindow, d = frame.contentDocument, root = d.documentElement;
  r.inner = w.innerWidth;
  r.scroll = Math.max(root.scrollWidth, d.body.scrollWidth);
  r.loaded = w.performance.getEntriesByType('resource').length;
  r.alien = d.querySelectorAll('img, iframe, object, link, base').length;
  r.headings = d.querySelectorAll('h1').length;
  r.drawn = d.querySelectorAll('.chart > svg').length;
  r.figures = [...d.querySelectorAll('figure > svg, .chart > svg')].map(s => s.getBoundingClientRect().width);
  r.tables = [...d.querySelectorAll('table')].every(t => t.caption);
  r.text = d.body.innerText.includes('what no policy exceeds');
  if (r.drawn) {
    const key = d.querySelector('.key'), lines = () => d.querySelectorAll('.chart .line').length, all = lines();
    key.click();
    r.hidden = all - lines();
    key.click();
    const svg = d.querySelector('.drawing');
    svg.focus();
    svg.dispatchEvent(new w.KeyboardEvent('keydown', {key: 'End'}));
    r.tip = d.querySelector('.tip').textContent;
    const table = d.querySelector('table.policies'), button = table.querySelectorAll('thead button')[1];
    const cells = () => [...table.tBodies[0].rows].map(row => parseFloat(row.cells[1].textContent));
    const sorted = way => cells().every((x, i, list) => !i || way * (x - list[i - 1]) >= 0);
    button.click();
    r.down = sorted(-1) && button.parentElement.ariaSort === 'descending';
    button.click();
    r.up = sorted(1) && button.parentElement.ariaSort === 'ascending';
  }
  seen.push(r);
  if (--left === 0) document.getElementById('seen').textContent = JSON.stringify(seen);
};
widths.forEach((width, i) => {
  const frame = document.createElement('iframe'), r = {width, plain: i === widths.length - 1};
  frame.width = width; frame.height = 800; frame.style.border = '0';
  frame.onload = () => finish(frame, r);
  frame.srcdoc = r.plain ? source.replaceAll(/<script[^]*?<\/script>/g, '') : source;
  document.body.append(frame);
});
</script></body></html>`

// measured is what the wrapper saw of the page in a window of one width.
type measured struct {
	Width, Inner, Scroll, Loaded, Alien, Headings, Drawn, Hidden int

	Figures                []float64
	Tables, Text, Down, Up bool
	Plain                  bool // without scripts
	Tip                    string
}

// along returns an answer whose policies run along an axis, under a bound.
func along(policies ...string) Answer {
	value := Column{Name: "value", Title: "$/h", Unit: Money, Means: "value delivered", Drawn: true}
	share := Column{Name: "share", Unit: Share, Means: "share of what no policy exceeds", Drawn: true,
		Bound: Exactly(Share, 1)}
	policy := Column{Name: "policy", Unit: Text, Means: "label"}
	first := value
	first.Bound = Exactly(Money, 2000)
	all := Table{Name: "policies", Columns: []Column{policy, first, share}}
	points := Table{Name: "points", Columns: []Column{{Name: "load", Unit: Share, Axis: true}, policy, value, share,
		{Name: "bound", Unit: Money, Limits: "value", Proven: true, Quiet: true}}}
	for _, load := range []float64{0.6, 1.2, 1.8} {
		for i, name := range policies {
			x := 1000 * load * (1 - 0.1*load) * (1 - 0.01*float64(i))
			earned := Value{Unit: Money, Number: x, Low: x - 20, High: x + 20, Random: true}
			reached := Exactly(Share, x/2000)
			if load == 1.2 {
				all.Rows = append(all.Rows, []Value{Word(name), earned, reached})
			}
			points.Rows = append(points.Rows, []Value{Exactly(Share, load), Word(name), earned, reached,
				Exactly(Money, 2000)})
		}
	}
	return Answer{Version: "1", Command: "validate", Replications: 5, Level: 0.95, Headline: New("NO_WINNER"),
		Tables: []Table{all, points}}
}

// The page opens without network or errors, and fits a phone. Its charts hide curves and show numbers, its
// tables sort, and without scripts it has the same words and pictures.
func TestBrowser(t *testing.T) {
	evil := "<script>alert(1)</script><img src=x onerror=alert(2)>"
	a := along(evil, "second", "third", "fourth")
	a.Source = "name: " + strings.Repeat("a long line of a scenario, ", 20) + "\n"
	a.Line = "revopt validate " + strings.Repeat("x", 200)
	a.Scenario = evil + strings.Repeat("unbroken", 30)
	dir := t.TempDir()
	page := filepath.Join(dir, "page.html")
	var b bytes.Buffer
	if err := a.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	if err := os.WriteFile(page, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	document, log := dump(t, page)
	if !strings.Contains(document, "what no policy exceeds") || !strings.Contains(document, `class="drawing"`) {
		t.Errorf("the browser shows:\n%.500s", document)
	}
	if strings.Contains(log, "CONSOLE") {
		t.Errorf("the browser complains:\n%s", log)
	}
	for _, m := range measure(t, dir, text) {
		if m.Inner != m.Width || m.Scroll > m.Inner {
			t.Errorf("window of %d (%d inside): the page is %d wide", m.Width, m.Inner, m.Scroll)
		}
		if m.Loaded != 0 || m.Alien != 0 || m.Headings != 1 || !m.Tables || !m.Text || len(m.Figures) != 2 {
			t.Errorf("window of %d: %+v", m.Width, m)
		}
		for _, w := range m.Figures {
			if w < 0.8*float64(min(m.Width, 500)) || w > float64(m.Width) {
				t.Errorf("window of %d: a figure is %g wide", m.Width, w)
			}
		}
		tip := ": 1,476 $/h (1,456 to 1,496 $/h)" // 1,000 x 1.8 x (1 - 0.1 x 1.8) $/h ± 20 $/h
		if m.Plain != (m.Drawn == 0) {
			t.Errorf("window of %d: %d charts are drawn", m.Width, m.Drawn)
		}
		if !m.Plain && !(m.Hidden == 1 && m.Down && m.Up && strings.Contains(m.Tip, tip)) {
			t.Errorf("window of %d: the page does not answer: %+v", m.Width, m)
		}
	}
}

// measure opens a page in frames of several widths.
func measure(t *testing.T, dir, text string) []measured {
	t.Helper()
	quoted, err := json.Marshal(text) // escapes < and >, so the script does not end in it
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "wrapper.html")
	if err := os.WriteFile(path, []byte(strings.Replace(wrapper, "SOURCE", string(quoted), 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	document, log := dump(t, path)
	if strings.Contains(log, "CONSOLE") {
		t.Errorf("the browser complains:\n%s", log)
	}
	found := regexp.MustCompile(`<pre id="seen">(.*?)</pre>`).FindStringSubmatch(document)
	var list []measured
	if found == nil || json.Unmarshal([]byte(html.UnescapeString(found[1])), &list) != nil || len(list) != 7 {
		t.Fatalf("nothing measured:\n%.2000s", document)
	}
	return list
}
