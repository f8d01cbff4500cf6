package report

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

	"revopt/model/scenario"
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

// wrapper shows a page in a frame of each width and writes what it measures
// into its own document.
const wrapper = `<!DOCTYPE html><html><body><pre id="seen"></pre><script>
const source = SOURCE, widths = [320, 360, 412, 1280], seen = [];
let left = widths.length;
for (const width of widths) {
  const frame = document.createElement('iframe');
  const r = {width, errors: []};
  frame.width = width; frame.height = 800; frame.style.border = '0';
  frame.onload = () => {
    const w = frame.contentWindow, d = frame.contentDocument, root = d.documentElement;
    r.inner = w.innerWidth;
    r.scroll = Math.max(root.scrollWidth, d.body.scrollWidth);
    r.loaded = w.performance.getEntriesByType('resource').length;
    r.scripts = d.scripts.length;
    r.headings = d.querySelectorAll('h1').length;
    r.figures = [...d.querySelectorAll('svg')].map(s => s.getBoundingClientRect().width);
    r.letters = [...d.querySelectorAll('svg text')].map(s => s.getBoundingClientRect().height).sort((a, b) => a - b)[0] || 0;
    r.tables = [...d.querySelectorAll('table')].every(t => t.caption);
    seen.push(r);
    if (--left === 0) document.getElementById('seen').textContent = JSON.stringify(seen);
  };
  frame.srcdoc = source;
  document.body.append(frame);
}
</script></body></html>`

// measured is what the wrapper saw of the page in a window of one width.
type measured struct {
	Width, Inner, Scroll, Loaded, Scripts, Headings int
	Figures                                         []float64
	Letters                                         float64
	Tables                                          bool
}

// The page opens without network or errors, and fits a phone.
func TestBrowser(t *testing.T) {
	r := sample(fourteen()...)
	doc, err := scenario.Parse("long", []byte("name: "+strings.Repeat("a long line of a scenario, ", 20)+"\n"))
	if err != nil {
		t.Fatal(err)
	}
	r.Source = string(doc.Source())
	r.Command = "revopt validate " + strings.Repeat("x", 200)
	r.Scenario = `<script>alert(1)</script>` + strings.Repeat("unbroken", 30)
	dir := t.TempDir()
	page := filepath.Join(dir, "page.html")
	text := write(t, r)
	if err := os.WriteFile(page, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	document, log := dump(t, page)
	if !strings.Contains(document, "of what no policy can exceed") {
		t.Errorf("the browser shows:\n%.500s", document)
	}
	if strings.Contains(log, "CONSOLE") {
		t.Errorf("the browser complains:\n%s", log)
	}
	for _, m := range measure(t, dir, text) {
		if m.Inner != m.Width || m.Scroll > m.Inner {
			t.Errorf("window of %d (%d inside): the page is %d wide", m.Width, m.Inner, m.Scroll)
		}
		if m.Loaded != 0 || m.Scripts != 0 || m.Headings != 1 || !m.Tables {
			t.Errorf("window of %d: %+v", m.Width, m)
		}
		if len(m.Figures) != 2 {
			t.Errorf("window of %d: %d figures, want 2", m.Width, len(m.Figures))
		}
		for _, w := range m.Figures {
			if w < 0.8*float64(min(m.Width, 500)) || w > float64(m.Width) {
				t.Errorf("window of %d: a figure is %g wide", m.Width, w)
			}
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
	if found == nil || json.Unmarshal([]byte(html.UnescapeString(found[1])), &list) != nil || len(list) != 4 {
		t.Fatalf("nothing measured:\n%.2000s", document)
	}
	return list
}
