//go:build page

package page_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDriver: the driver sees what a page says and asks for, presses keys and changes media.
func TestDriver(t *testing.T) {
	b := startBrowser(t)
	file := filepath.Join(t.TempDir(), "a.html")
	page := `<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>a</title><link rel="icon" href="data:,">
<button id="a">a</button><input type="range" id="b" min="0" max="10" value="5"><p id="c">c</p>
<style>@media (prefers-color-scheme: dark) { p { color: rgb(1, 2, 3) } }</style>
<script>
const source = new Blob(['console.log("from a worker"); fetch("http://example.org/worker").catch(() => 0);' +
	'postMessage(1)']);
const worker = new Worker(URL.createObjectURL(source));
worker.onmessage = () => { document.documentElement.dataset.worker = 1; };
document.querySelector('#a').onclick = () => { document.querySelector('#c').textContent = 'clicked'; };
</script>`
	if err := os.WriteFile(file, []byte(page), 0o666); err != nil {
		t.Fatal(err)
	}
	p := b.open(t, "file://"+file)
	p.wait("document.documentElement.dataset.worker")
	p.press("Tab", false)
	p.press(" ", false)
	p.wait("document.querySelector('#c').textContent == 'clicked'")
	p.press("Tab", false)
	p.press("ArrowRight", false)
	p.wait("document.querySelector('#b').value == 6")
	p.press("Tab", true)
	p.wait("document.activeElement.id == 'a'")
	p.prefer("", "dark", "reduce")
	p.wait("getComputedStyle(document.querySelector('#c')).color == 'rgb(1, 2, 3)'")
	p.wait("matchMedia('(prefers-reduced-motion: reduce)').matches")
	p.viewport(320, 500)
	p.wait("innerWidth == 320")
	p.evaluate(nil, `fetch('https://example.org/page').catch(() => 0)`)
	p.evaluate(nil, `setTimeout(() => { throw new Error('on purpose'); })`)
	p.evaluate(nil, "new Promise(done => setTimeout(done, 200))")
	p.mu.Lock()
	defer p.mu.Unlock()
	all := strings.Join(append(append(p.said, p.refused...), p.requests...), "\n")
	for _, want := range []string{"console.log from a worker", "on purpose", "example.org/page",
		"example.org/worker"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is missing in:\n%s", want, all)
		}
	}
	t.Log(all)
}
