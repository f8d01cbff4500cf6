//go:build page

package page_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
)

// program is the revopt that make build made.
func program(t testing.TB) string {
	t.Helper()
	path, err := filepath.Abs("../../bin/revopt")
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		t.Fatalf("make build makes the program that this test needs: %v", err)
	}
	return path
}

// run runs the program in a directory and returns its standard output.
func run(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command(program(t), args...)
	cmd.Dir = dir
	var faults strings.Builder
	cmd.Stderr = &faults
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("revopt %s: %v: %s", strings.Join(args, " "), err, faults.String())
	}
	return string(out)
}

// facts runs a command line that a page shows, with --json added, in a directory.
func facts(t testing.TB, dir, line string) map[string]any {
	t.Helper()
	words := shellWords(line)
	if len(words) < 3 || words[0] != "revopt" {
		t.Fatalf("expected a command line, got %q", line)
	}
	var all map[string]any
	if err := json.Unmarshal([]byte(run(t, dir, append(words[1:], "--json")...)), &all); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return all
}

// shellWords divides a command line at its blanks, but for those in single quotes.
func shellWords(line string) (words []string) {
	word, inside, some := "", false, false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\'':
			inside, some = !inside, true
		case c == '\\' && !inside && i+1 < len(line):
			i++
			word, some = word+line[i:i+1], true
		case (c == ' ' || c == '\n') && !inside:
			if some {
				words = append(words, word)
			}
			word, some = "", false
		default:
			word, some = word+string(c), true
		}
	}
	if some {
		words = append(words, word)
	}
	return words
}

// explored writes the page of a scenario and returns its path.
func explored(t testing.TB, dir string, args ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "page.html")
	run(t, dir, append(append([]string{"explore"}, args...), "-o", file)...)
	return file
}

// ready waits until the engine has answered and nothing is running.
func (p *tab) ready() {
	p.Helper()
	p.wait("document.documentElement.dataset.ready == 'engine'")
	p.idle()
}

func (p *tab) idle() {
	p.Helper()
	p.wait("document.querySelector('#status').dataset.state == 'idle'")
}

// set moves sliders to shares of their ranges, from 0 to 1, and waits for the answer to all of them.
func (p *tab) set(shares map[string]float64) {
	p.Helper()
	moves, err := json.Marshal(shares)
	if err != nil {
		p.Fatal(err)
	}
	var answered bool
	p.evaluate(&answered, fmt.Sprintf(`(async () => {
		const answered = () => document.documentElement.dataset.answered;
		const before = answered();
		let moved = false;
		for (const [path, share] of Object.entries(%s)) {
			const slider = document.querySelector('input[type=range][data-path=' + CSS.escape(path) + ']');
			const value = slider.value;
			slider.value = +slider.min + share * (slider.max - slider.min);
			if (slider.value == value) continue;
			moved = true;
			slider.dispatchEvent(new Event('input', {bubbles: true}));
			slider.dispatchEvent(new Event('change', {bubbles: true}));
		}
		for (const end = performance.now() + 120000; moved && answered() == before;) {
			if (performance.now() > end) return false;
			await new Promise(done => setTimeout(done, 2));
		}
		return true;
	})()`, moves))
	if !answered {
		p.Errorf("no answer after moves to %v: %s", shares, p.text("#problem"))
		p.quiet()
		p.FailNow()
	}
	if problem := p.text("#problem"); problem != "" {
		p.Errorf("moves to %v: %s", shares, problem)
	}
}

// sliders returns the paths of all sliders.
func (p *tab) sliders() (paths []string) {
	p.Helper()
	p.evaluate(&paths, `[...document.querySelectorAll('input[type=range][data-path]')].map(s => s.dataset.path)`)
	if len(paths) < 3 {
		p.Fatalf("the page has the sliders %q, want three or more", paths)
	}
	return paths
}

// random draws positions of some sliders.
func random(rnd *rand.Rand, paths []string) map[string]float64 {
	shares := map[string]float64{}
	for range 1 + rnd.IntN(4) {
		shares[paths[rnd.IntN(len(paths))]] = math.Round(100*rnd.Float64()) / 100
	}
	return shares
}

// shows checks that a number that is shown is x, rounded to the digits that are shown.
func shows(t testing.TB, what, shown string, x float64) {
	t.Helper()
	digits := 0
	if _, after, ok := strings.Cut(shown, "."); ok {
		digits = len(after)
	}
	number, err := strconv.ParseFloat(strings.ReplaceAll(shown, ",", ""), 64)
	half := 0.5 * math.Pow10(-digits)
	if err != nil || math.Abs(number-x) > half*(1+1e-9)+1e-12*math.Abs(x) {
		t.Errorf("%s: the page shows %q, the command line %v", what, shown, x)
	}
}

// answers checks that the answer on the page is that of its command line.
func (p *tab) answers(dir string) {
	p.Helper()
	line := p.text("#command")
	want := facts(p, dir, line)
	values := want["values"].(map[string]any)
	shows(p, line+": earns", p.text("#earns"), values["value"].(float64))
	if bound, ok := values["bound"].(float64); ok {
		shows(p, line+": possible", p.text("#possible"), bound)
	} else if shown := p.text("#possible"); shown != "" { // nothing is proven
		p.Errorf("%s: the page shows the bound %q, the command line none", line, shown)
	}
}

// TestPageAnswers: every slider moves and comes back, and for random settings of several scenarios the page shows
// what the command line prints.
func TestPageAnswers(t *testing.T) {
	b := startBrowser(t)
	settings := 0
	for name, count := range map[string]int{"nist-four": 30, "nist-cluster": 12, "site": 8} {
		t.Run(name, func(t *testing.T) {
			p := b.open(t, "file://"+explored(t, ".", name))
			p.ready()
			paths := p.sliders()
			rnd := rand.New(rand.NewPCG(33, uint64(count)))
			for range count {
				p.set(random(rnd, paths))
				p.answers(t.TempDir())
				settings++
			}
			p.click("#reset")
			p.wait("!document.querySelector('#command').textContent.includes('--set')")
			if name == "nist-four" {
				p.everySlider(paths)
			}
			p.idle()
			p.quiet()
		})
	}
	t.Logf("%d random settings", settings)
}

// everySlider moves each slider alone: its number and the command line follow, and its button takes it back.
func (p *tab) everySlider(paths []string) {
	p.Helper()
	p.evaluate(nil, "for (const details of document.querySelectorAll('#controls details')) details.open = true")
	for _, path := range paths {
		shown := fmt.Sprintf("output[for=%s]", strconv.Quote("set-"+path))
		before := p.text(shown)
		p.set(map[string]float64{path: 0.83})
		line := p.text("#command")
		if after := p.text(shown); after == before || !strings.Contains(line, path+"=") {
			p.Errorf("%s: %q becomes %q, the command is %s", path, before, after, line)
		}
		p.answers(p.TempDir())
		p.click(fmt.Sprintf("button.reset[data-path=%s]", strconv.Quote(path)))
		p.wait("!document.querySelector('#command').textContent.includes('--set')")
		if after := p.text(shown); after != before {
			p.Errorf("%s: %q is %q after its reset", path, before, after)
		}
	}
}

var many = flag.Bool("many", false, "compare 40 random settings in TestPageSettles, which takes ten minutes of a core, and not 16")

// TestPageSettles: at random settings, up to twice the load that the machine can serve, the page settles on what the
// command line below its table of policies prints: the same line, and the same number for each policy.
func TestPageSettles(t *testing.T) {
	count := 4
	if *many {
		count = 10
	}
	var settings, overloaded, numbers atomic.Int64
	t.Run("all", func(t *testing.T) {
		for _, name := range []string{"nist-four", "nist-cluster", "nist-two", "site"} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				p := startBrowser(t).open(t, "file://"+explored(t, ".", name)) // a tab behind another one simulates nothing
				p.ready()
				paths := p.sliders()
				rnd := rand.New(rand.NewPCG(61, uint64(len(name)*count)))
				for k := range count {
					shares := random(rnd, paths)
					shares["load"] = rnd.Float64()
					if k == 0 {
						shares["load"] = 1
					}
					p.set(shares)
					p.idle()
					set := ""
					p.evaluate(&set, "'load=' + document.querySelector('input[data-path=load]').value")
					if line := p.text("#view-policies code"); !strings.Contains(line, set) {
						t.Errorf("at %s the page settles on %q", set, line)
					}
					settings.Add(1)
					numbers.Add(p.settled())
					if p.number("document.querySelector('input[data-path=load]').value") > 1 {
						overloaded.Add(1)
					}
				}
				p.quiet()
			})
		}
	})
	t.Logf("%d numbers at %d random settings, of which %d are above full load", numbers.Load(), settings.Load(),
		overloaded.Load())
}

// ofLog makes the scenario of a log in a directory and writes its page.
func ofLog(t *testing.T, dir string) (page string) {
	t.Helper()
	log, err := filepath.Abs("../../testdata/site-sacct.txt")
	if err != nil {
		t.Fatal(err)
	}
	run(t, dir, "init", log, "-o", "site.yaml", "--quiet")
	return explored(t, dir, "site.yaml")
}

// TestPageOfLog: a page holds the log of its scenario, within 5.5 MB, and settles on what the command line prints.
func TestPageOfLog(t *testing.T) {
	b := startBrowser(t)
	dir := t.TempDir()
	file := ofLog(t, dir)
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if t.Logf("the page has %.2f MB", float64(info.Size())/1e6); info.Size() > 5.5e6 {
		t.Errorf("the page has %d bytes, want at most 5.5 MB", info.Size())
	}
	away := filepath.Join(t.TempDir(), "away") // the page has all that it needs
	if err := os.Rename(dir, away); err != nil {
		t.Fatal(err)
	}
	p := b.open(t, "file://"+file)
	p.ready()
	p.set(map[string]float64{"load": 0.75})
	p.idle()
	if err := os.Rename(away, dir); err != nil {
		t.Fatal(err)
	}
	if p.settled() == 0 {
		t.Error("no number is compared")
	}
	p.quiet()
}

// settled checks the first line and the table of policies against their command line, and returns how many numbers it
// has compared.
func (p *tab) settled() (numbers int64) {
	p.Helper()
	line := p.text("#view-policies code")
	want := facts(p, ".", line)
	headline := want["headline"].(map[string]any)["text"].(string)
	if answer := p.text("#answer"); answer != headline {
		p.Errorf("%s: the page settles on %q, the command line on %q", line, answer, headline)
	}
	var table [][]string
	p.evaluate(&table, `[...document.querySelectorAll('#view-policies tr')].map(row =>
		[...row.cells].map(cell => cell.textContent))`)
	rows := want["tables"].(map[string]any)["policies"].([]any)
	column := slices.IndexFunc(table[0], func(title string) bool { return strings.HasSuffix(title, "$/h") })
	if column < 0 || len(table) < len(rows)+1 {
		p.Fatalf("%s: the table is %q", line, table)
	}
	unit := map[string]float64{"$/h": 1, "k$/h": 1e3, "M$/h": 1e6}[table[0][column]]
	for i, row := range table[len(table)-len(rows):] { // below the bound
		shown := rows[i].(map[string]any)
		mean, half, some := strings.Cut(row[column], " ± ")
		shows(p, line+": "+row[0], mean, shown["value"].(float64)/unit)
		if numbers++; some {
			shows(p, line+": ± of "+row[0], half, (shown["value_high"].(float64)-shown["value_low"].(float64))/2/unit)
			numbers++
		}
	}
	return numbers
}

// number returns the value of an expression as a number.
func (p *tab) number(expression string) (x float64) {
	p.Helper()
	p.evaluate(&x, "+("+expression+")")
	return x
}

// TestPageKeyboard: Tab reaches every control in a visible way, keys move sliders and open views, and every
// control has a name for screen readers.
func TestPageKeyboard(t *testing.T) {
	b := startBrowser(t)
	p := b.open(t, "file://"+explored(t, ".", "nist-four"))
	p.ready()
	p.evaluate(nil, `window.wanted = () => [...document.querySelectorAll(
		'a[href], button, input, select, summary, textarea, [tabindex]')].filter(e =>
		e.tabIndex >= 0 && !e.disabled && e.checkVisibility({visibilityProperty: true}));
		document.body.focus(); window.reached = new Set(); window.unseen = []`)
	var left []string
	for range 400 {
		p.press("Tab", false)
		var again bool
		p.evaluate(&again, `(() => {
			const e = document.activeElement, style = getComputedStyle(e);
			if (e === document.body || reached.has(e)) return reached.size > 0;
			reached.add(e);
			if (style.outlineStyle === 'none' && style.boxShadow === 'none') unseen.push(e.outerHTML.slice(0, 100));
			return false;
		})()`)
		if again {
			break
		}
	}
	p.evaluate(&left, "wanted().filter(e => !reached.has(e)).map(e => e.outerHTML.slice(0, 100))")
	if len(left) > 0 {
		t.Errorf("Tab does not reach %q", left)
	}
	p.evaluate(&left, "unseen")
	if len(left) > 0 {
		t.Errorf("the focus cannot be seen on %q", left)
	}
	p.evaluate(nil, "document.activeElement.blur(); scrollTo(0, 0)")
	for range 100 {
		p.press("Tab", false)
		var path string
		if p.evaluate(&path, "document.activeElement.dataset.path || ''"); path == "load" {
			break
		}
	}
	before, answered := p.text("#earns"), ""
	p.evaluate(&answered, "document.documentElement.dataset.answered")
	for _, key := range []string{"ArrowRight", "ArrowRight", "ArrowUp", "End", "ArrowLeft"} {
		p.press(key, false)
	}
	p.wait(fmt.Sprintf("document.querySelector('#earns').textContent != %q", before))
	p.idle()
	p.answers(".")
	for _, name := range []string{"all", "waits", "customers"} {
		selector := "#view-" + name + " summary"
		if name == "all" {
			selector = "#all > summary"
		}
		p.evaluate(nil, fmt.Sprintf("document.querySelector(%q).focus()", selector))
		p.press("Enter", false)
		p.wait(fmt.Sprintf("document.querySelector(%q).parentElement.open", selector))
	}
	p.idle()
	var tree struct {
		Nodes []struct {
			Role, Name struct{ Value string }
			Ignored    bool
			Properties []struct {
				Name  string
				Value struct{ Value any }
			}
		}
	}
	p.into(&tree, p.session, "Accessibility.getFullAXTree", nil)
	controls := 0
	for _, n := range tree.Nodes {
		for _, property := range n.Properties {
			if property.Name == "focusable" && property.Value.Value == true && n.Role.Value != "RootWebArea" {
				if controls++; n.Name.Value == "" {
					t.Errorf("a control of the role %s has no name", n.Role.Value)
				}
			}
		}
	}
	t.Logf("%d controls have names", controls)
	p.quiet()
}
