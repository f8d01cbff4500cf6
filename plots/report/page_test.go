package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"html"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"revopt/internal/fixture"
	"revopt/model/scenario"
	"revopt/simulate/study/simulation"
	"revopt/simulate/subject"
	"revopt/simulate/warn"
	"revopt/simulate/workload"
)

func write(t *testing.T, r *Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.Page(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestPage(t *testing.T) {
	r := sample(fourteen()...)
	r.Overrides, r.Warnings = []string{"load=0.9"}, []warn.Warning{{Text: "take care"}}
	got := write(t, r)
	for _, want := range []string{
		`<html lang="en">`, "<title>sample: ", `name="viewport"`,
		"Run policy-0:option=0: it delivers", "<caption>Policies, best first.", "load=0.9", "take care", "name: sample\n", "<dt>Seed</dt><dd>7</dd>",
		"<dt>Cleaning</dt><dd>keep: nothing to do</dd>", "revopt v1", "revopt validate sample", "720.0 $ (static optimum (printed)), 20.0 % too low",
		"cannot be exceeded", "may pass it", `<svg role="img" aria-label="Value delivered against Offered load.`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in the page", want)
		}
	}
	if n := strings.Count(got, "<svg "); n != 2 {
		t.Errorf("%d figures, want 2", n)
	}
	// The one script that runs is that of the content security policy.
	_, script, _ := strings.Cut(got, "<script>")
	script, _, _ = strings.Cut(script, "</script>")
	sum := sha256.Sum256([]byte(script))
	want := "script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + `'">`
	if !strings.Contains(html.UnescapeString(got), want) || script == "" || strings.Count(got, "<script>") != 1 {
		t.Errorf("the page has a script that is not %s", want)
	}
	for _, never := range []string{"http://", "https://", "@import", "url(", "<link", "<img", " id=\"\""} {
		// The names of the namespaces are no addresses that anything is loaded from.
		text := strings.NewReplacer("http://www.w3.org/2000/svg", "", "http://www.w3.org/1999/xlink", "", "url(#", "")
		if strings.Contains(text.Replace(got), never) {
			t.Errorf("%q in the page", never)
		}
	}
	unique(t, got)
}

// unique checks that no two elements have the same id.
func unique(t *testing.T, page string) {
	t.Helper()
	seen := map[string]bool{}
	for _, m := range regexp.MustCompile(`\bid="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		if seen[m[1]] {
			t.Errorf("id %q twice", m[1])
		}
		seen[m[1]] = true
	}
}

// Names come from files and may be anything: none becomes part of the page's
// structure.
func TestHostileNames(t *testing.T) {
	evil := `<script>alert(1)</script>"'>&amp;</svg></pre></title><img src=x onerror=alert(2)>`
	r := sample(evil, "b"+evil)
	r.Scenario, r.What, r.Covers, r.Command, r.Version = evil, evil, evil, evil, evil
	r.Cleaning.Rule = workload.Rule(evil)
	doc, err := scenario.Parse("evil", []byte("name: "+strconv.Quote(evil)))
	if err != nil {
		t.Fatal(err)
	}
	r.Source = string(doc.Source())
	r.Overrides, r.Warnings, r.Validated.LeftOut, r.Validated.Vary = []string{evil}, []warn.Warning{{Text: evil}}, []subject.LeftOut{{Policy: evil, Reason: evil}}, evil
	for i := range r.Validated.Bounds {
		r.Validated.Bounds[i].Name, r.Validated.Bounds[i].Proves = evil, evil
	}
	got := write(t, r)
	plain := write(t, sample("a", "b"))
	for _, element := range []string{"<script", "<img", "</svg>", "</pre>", "</title>", "onerror=alert(2)>"} {
		if n, want := strings.Count(got, element), strings.Count(plain, element); n != want {
			t.Errorf("%q %d times, want %d", element, n, want)
		}
	}
}

// The page of a simulation begins with the answer and the customers under the best row.
func TestSimulationPage(t *testing.T) {
	r := run(t, &simulation.Simulation{Subject: opened(t, "site", set("trace.jobs", "last:60")), Policies: fixture.Named(t, "fcfs", "value-bf"), Replications: 2, Seed: 1})
	Fill(r)
	var b bytes.Buffer
	if err := (Simulation{r}).Page(&b); err != nil {
		t.Fatal(err)
	}
	best, page := r.Policies[Simulation{r}.best()], b.String()
	at := 0
	for _, want := range []string{
		best.Label + " delivers most, ", " than fcfs", ">How long jobs wait</h2>", ">Customers</h2>",
		"<caption>Under " + best.Label, "urgent", ">Policies</h2>", ">Response times</h2>", "99 % wait at most", "name: site",
	} {
		i := strings.Index(page[at:], want)
		if i < 0 {
			t.Fatalf("no %q, or not in this order", want)
		}
		at += i
	}
	for _, never := range []string{"Overrides</dt><dd></dd>", "<dd></dd>"} {
		if strings.Contains(page, never) {
			t.Errorf("%q in the page", never)
		}
	}
	unique(t, page)
}

// Pages show intervals from five replications on, and the time until the end where jobs are suspended, which wait
// after their first start.
func TestPageFewReplications(t *testing.T) {
	list := fixture.Named(t, "fcfs", "las")
	for _, n := range []int{2, 5} {
		subject := opened(t, "nist-cluster", set("load", "3"), set("simulation.jobs", "300"))
		r := run(t, &simulation.Simulation{Subject: subject, Policies: list, Replications: n, Seed: 1})
		var b bytes.Buffer
		if err := (Simulation{r}).Page(&b); err != nil {
			t.Fatal(err)
		}
		page, _, _ := strings.Cut(b.String(), "<h2>Scenario</h2>")
		for _, interval := range []string{" ± ", `"low":[`, "<dt>Confidence"} {
			if got := strings.Contains(page, interval); got != (n == 5) {
				_, after, _ := strings.Cut(page, interval)
				t.Errorf("%d replications: %q is %v in the page: %.100s", n, interval, got, after)
			}
		}
		if !strings.Contains(page, ">How long jobs take</h2>") || strings.Contains(page, ">How long jobs wait</h2>") {
			t.Errorf("%v preemptions, and the page shows waits", r.Policies[1].Total.Get("preemptions").Mean)
		}
	}
}
