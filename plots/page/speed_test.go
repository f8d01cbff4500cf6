//go:build page

package page_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestPageSpeed prints the size of a page and the times of a user. Only limits that a busy machine keeps fail it.
func TestPageSpeed(t *testing.T) {
	b := startBrowser(t)
	file := explored(t, ".", "nist-four")
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if t.Logf("the page has %.2f MB", float64(info.Size())/1e6); info.Size() > 4.5e6 {
		t.Errorf("the page has %d bytes, want at most 4.5 MB", info.Size())
	}
	p := b.blank(t)
	start := time.Now()
	p.navigate("file://" + file)
	p.wait("document.querySelector('#answer').textContent")
	t.Logf("the first number is there after %s", time.Since(start).Round(time.Millisecond))
	p.ready()
	t.Logf("the engine has answered after %s", time.Since(start).Round(time.Millisecond))

	start = time.Now()
	for i := range 60 {
		p.set(map[string]float64{"load": float64(i+1) / 61})
	}
	t.Logf("60 redraws take %s", time.Since(start).Round(time.Millisecond))
	p.idle()

	jobs := 0
	start = time.Now()
	p.evaluate(nil, "document.querySelector('#view-customers details').open = true")
	p.evaluate(nil, "new Promise(done => setTimeout(done, 50))")
	p.idle()
	for _, m := range regexp.MustCompile(`--(jobs|replications) (\d+)`).FindAllStringSubmatch(
		p.text("#view-customers code"), -1) {
		n, _ := strconv.Atoi(m[2])
		jobs = max(1, jobs) * n
	}
	t.Logf("about %d jobs in %s, with drawing and the wait for rest", 2*jobs,
		time.Since(start).Round(time.Millisecond))
	p.evaluate(nil, "document.querySelector('#view-customers details').open = false")

	before := p.memory()
	paths := p.sliders()
	rnd := rand.New(rand.NewPCG(35, 1))
	start = time.Now()
	var moves []string
	for range 1000 {
		moves = append(moves, fmt.Sprintf("[%q, %g]", paths[rnd.IntN(len(paths))], rnd.Float64()))
	}
	half := 0.0
	for part := range 2 {
		p.evaluate(nil, fmt.Sprintf(`(async () => {
			for (const [path, share] of [%s]) {
				const slider = document.querySelector('input[type=range][data-path=' + CSS.escape(path) + ']');
				slider.value = +slider.min + share * (slider.max - slider.min);
				slider.dispatchEvent(new Event('input', {bubbles: true}));
				await new Promise(requestAnimationFrame);
			}
		})()`, strings.Join(moves[500*part:500*part+500], ", ")))
		p.idle()
		if part == 0 {
			half = p.memory()
		}
	}
	after := p.memory()
	t.Logf("1,000 moves take %s; memory of the page is %.0f MB before, %.0f MB after 500, %.0f MB after 1,000",
		time.Since(start).Round(time.Millisecond), before, half, after)
	if after > 1.3*half+50 {
		t.Errorf("the memory of the page grows from %.0f MB to %.0f MB in 500 moves", half, after)
	}
	p.answers(".")
	p.quiet()
}

// memory returns the resident memory of the processes of pages, in MB, after a garbage collection.
func (p *tab) memory() (size float64) {
	p.Helper()
	p.evaluate(nil, "gc()")
	var info struct {
		ProcessInfo []struct {
			Type string
			ID   int
		}
	}
	p.into(&info, "", "SystemInfo.getProcessInfo", nil)
	for _, process := range info.ProcessInfo {
		if process.Type != "renderer" {
			continue
		}
		status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", process.ID))
		if m := regexp.MustCompile(`VmRSS:\s*(\d+) kB`).FindSubmatch(status); m != nil {
			kB, _ := strconv.ParseFloat(string(m[1]), 64)
			size += kB / 1000
		}
	}
	return size
}
