package ask

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"revopt/internal/fixture"
	"revopt/model/scenario"
	"revopt/plots/answer"
	"revopt/simulate/run"
	"revopt/simulate/subject"
)

// drawnLog is jobs of four groups on 64 nodes that come within a time of each other, s, without starts.
func drawnLog(jobs, gap int) []string {
	r := rand.New(rand.NewPCG(1, 55))
	var lines []string
	at := 0
	for id := range jobs {
		at += r.IntN(gap)
		length := 600 + r.IntN(14400)
		lines = append(lines, fixture.Waited(-1, fixture.SWFLine(id+1, at, length, 1+r.IntN(20), 2*length, 1+r.IntN(9), 1+r.IntN(4))))
	}
	return lines
}

// onNodes writes a log of 64 nodes, and returns the scenario of its customers with more fields.
func onNodes(t *testing.T, lines []string, rest string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "log.swf")
	text := "; MaxNodes: 64\n; MaxProcs: 64\n; Group: 1 a\n; Group: 2 b\n; Group: 3 c\n; Group: 4 d\n" + strings.Join(lines, "")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return "trace: {file: " + path + "}\nclasses:\n" + `  - {name: ab, of: {group: [a, b]}, price: {per_unit_hour: 1}, decay: {per_hour: 10%}}
  - {name: cd, price: {per_unit_hour: 2}, decay: {per_hour: 5%}}
` + rest
}

// played returns the log of a simulation of jobs: each starts when it started there.
func played(t *testing.T, lines []string, policy, rest string) []string {
	t.Helper()
	l := openLab(t, onNodes(t, lines, rest), run.Options{})
	it := l.Base()
	p, err := ParsePolicies(l.Specs(), policy)
	if err == nil {
		it.Do, err = l.Policy(p[0])
	}
	if err != nil {
		t.Fatal(err)
	}
	jobs, err := l.Starts(context.Background(), it)
	if err != nil {
		t.Fatal(err)
	}
	var log []string
	for i, line := range lines {
		log = append(log, fixture.Waited(int(math.Round(jobs[i].Waited)), line))
	}
	return log
}

// judged holds the present of a scenario against its log.
func judged(t *testing.T, source string, policy string) *Present {
	t.Helper()
	l := openLab(t, source+"policies: ["+policy+"]\n", run.Options{})
	p, err := JudgePresent(context.Background(), l, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestPresentOfSimulation: a log that a simulation made is the site's under the same policy, limits and outages, without
// anything taken as given. Without them, or with each start hours late, it is not; then late starts are taken as given.
func TestPresentOfSimulation(t *testing.T) {
	const site = "limits: [{group: b, units: 20}]\nmachine: {down: [{from: 3d, to: 3.5d, planned: true, jobs: finish}]}\n"
	const free = "present: {held: none}\n"
	log := played(t, drawnLog(600, 3600), "easy", site)
	p := judged(t, onNodes(t, log, site+free), "easy")
	if !p.Resembles || p.refuses() || p.Foreign() || math.Abs(p.Simulated-p.Recorded) > 1e-3*p.Recorded {
		t.Errorf("the site itself: %+v", p)
	}
	for _, g := range p.Groups {
		if g.Part == wholeLog && (g.Same < 0.99 || g.Jobs == 0) {
			t.Errorf("%+v", g)
		}
	}
	if p := judged(t, onNodes(t, log, free), "easy"); p.Resembles || !p.Foreign() {
		t.Errorf("without limit and outage: %+v", p)
	}
	var late []string
	for _, line := range played(t, drawnLog(300, 20000), "easy", "") {
		var wait int
		fmt.Sscan(strings.Fields(line)[2], &wait)
		late = append(late, fixture.Waited(wait+36000, line))
	}
	p = judged(t, onNodes(t, late, ""), "easy")
	if p.Resembles || !p.WithHolds || p.Foreign() || p.Refusal().Code != "HELD" || p.Unexplained < 0.5 {
		t.Errorf("starts ten hours late: %+v", p)
	}
	if p := judged(t, onNodes(t, late, free), "easy"); p.Refusal().Code != "NOT_THE_SITE" || !p.WithHolds {
		t.Errorf("starts ten hours late, without holds: %+v", p)
	}
	p = judged(t, onNodes(t, drawnLog(30, 3600), ""), "easy")
	if p.Resembles || p.Why == "" || !p.Foreign() || p.Groups != nil {
		t.Errorf("without starts: %+v", p)
	}
}

// TestPresentOfOverrides: overrides that make other jobs of a log do not change what its present is.
func TestPresentOfOverrides(t *testing.T) {
	log := played(t, drawnLog(100, 3600), "fcfs", "")
	l := openLab(t, onNodes(t, log, "policies: [fcfs]\n"), run.Options{}, scenario.Override{Path: "growth", Value: "50%"})
	p, err := JudgePresent(context.Background(), l, nil)
	if err != nil || !p.Resembles {
		t.Errorf("%+v, %v", p, err)
	}
	if p, err := JudgePresent(context.Background(), openLab(t, "site", run.Options{}), nil); p != nil || err != nil {
		t.Errorf("of generated jobs: %+v, %v", p, err)
	}
}

// TestCalibrate: init finds the limit and the outage of a simulated site, and its policy, without being told.
func TestCalibrate(t *testing.T) {
	log := played(t, drawnLog(600, 3600), "easy", "limits: [{group: b, units: 20}]\n"+
		"machine: {down: [{from: 3d, to: 3.5d, planned: true, jobs: finish}]}\n")
	l := openLab(t, onNodes(t, log, ""), run.Options{})
	policies, err := presents(context.Background(), l.Subject(), subject.Standard(), nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := calibrate(context.Background(), l, policies, scenario.HeldInferred)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.outages) != 1 || math.Abs(c.outages[0].To-3.5*86400) > 1 || c.outages[0].From > 3*86400 {
		t.Errorf("outages %+v", c.outages)
	}
	if len(c.limits) != 1 || c.limits[0].Of != "group" || c.limits[0].Name != "b" || math.Abs(float64(c.limits[0].Units)-20) > 1 {
		t.Errorf("limits %+v", c.limits)
	}
	if c.nearest[0].Label() != "easy" || !slices.IsSortedFunc(c.nearest, func(a, b candidate) int {
		return int(math.Copysign(1, a.distance-b.distance))
	}) {
		t.Errorf("policies %+v", c.nearest)
	}
	if c.unexplained > 0.05 {
		t.Errorf("%.1f %% unexplained", 100*c.unexplained)
	}
}

// TestCalibrateLimits: of two limits that hold back one site each is found, and no other. A site without limits has none.
func TestCalibrateLimits(t *testing.T) {
	for site, want := range map[string][]string{
		"limits: [{group: b, units: 20}, {group: c, units: 24}]\n": {"group b 20", "group c 24"},
		"": nil,
	} {
		l := openLab(t, onNodes(t, played(t, drawnLog(800, 4000), "easy", site), ""), run.Options{})
		policies, err := presents(context.Background(), l.Subject(), subject.Standard(), nil)
		if err != nil {
			t.Fatal(err)
		}
		c, err := calibrate(context.Background(), l, policies, scenario.HeldInferred)
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, limit := range c.limits {
			found = append(found, fmt.Sprintf("%s %s %d", limit.Of, limit.Name, limit.Units))
		}
		slices.Sort(found)
		if !slices.Equal(found, want) {
			t.Errorf("%s: found %q", site, found)
		}
	}
}

// TestSimulatedPresent: simulate says of the present among its policies what JudgePresent does, and nothing without it.
func TestSimulatedPresent(t *testing.T) {
	log := played(t, drawnLog(100, 3600), "fcfs", "")
	l := openLab(t, onNodes(t, log, "policies: [fcfs]\n"), run.Options{})
	for policies, want := range map[string]answer.Value{"": answer.Yes(true), "easy": {}} {
		var list []string
		if policies != "" {
			list = []string{policies}
		}
		c, err := Simulate(t.Context(), l, Request{Policies: list})
		if err != nil {
			t.Fatal(err)
		}
		if got := (answer.Fact{Values: c.Answer.Values}).Value("present.resembles"); got != want {
			t.Errorf("%q: resembles %v, want %v", policies, got, want)
		}
	}
}
