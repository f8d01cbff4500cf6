package subject_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/subject"
)

// downTrace is a trace of 8 cores on 2 nodes that starts on 2020-01-01 at 10:00 in a zone an
// hour ahead; its first job comes a minute later.
const downTrace = `; UnixStartTime: 1577869200
; TimeZone: 3600
; MaxNodes: 2
; MaxProcs: 8
1 60 0 10 4 -1 -1 4 20 -1 1 1 1 -1 1 -1 -1 -1
2 3660 0 10 4 -1 -1 4 20 -1 1 1 1 -1 1 -1 -1 -1
`

// TestScenarioOutages compares the outages of sites with those that scenarios state.
func TestScenarioOutages(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.swf": downTrace, "undated.swf": strings.Replace(downTrace, "UnixStart", "No", 1),
		"e.txt": "NodeName|TimeStart|TimeEnd|State\nn1|2020-01-01T10:31:00|2020-01-01T10:41:00|DOWN\n" +
			"n2|2020-01-01T10:51:00|Unknown|DRAIN\n",
		"n.txt": "NodeName|TimeStart|TimeEnd|State\nn1|2020-01-01T10:01:30|2020-01-01T10:03:00|DOWN\n",
		"r.txt": "ReservationName=m StartTime=2020-01-01T09:31:00 EndTime=2020-01-01T10:02:00 Nodes=n[1-2]\n",
		"b.txt": "ReservationName=m StartTime=2020-01-01T09:31:00 EndTime=2020-01-01T10:02:00 Nodes=n[1-3]\n",
		"x.txt": "NodeName|TimeStart\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const pools = "pools: [{name: a, units: 3, of: {partition: 1}}, {name: b, units: 5}]\n"
	const classes = "classes: [{name: a, length: {mean: 10, sd: 1}, rate: 0.1, price: 1}]\nserver: {nodes: 4}\n"
	type outages = []simulate.Outage
	for _, test := range []struct {
		text string
		want []outages
		err  string
	}{
		{"[{from: 1h, to: 2h, units: 3, planned: true, jobs: kill}]",
			[]outages{{{From: 3600, To: 7200, Units: 3, Planned: true, Kill: true}}}, ""},
		{"[{from: 1h, to: 2h, jobs: finish}]", []outages{{{From: 3600, To: 7200, Units: 8, Drain: true}}}, ""},
		{"[{from: 2020-01-01, to: 2020-01-01T10:06}]", []outages{{{From: 0, To: 300, Units: 8}}}, ""},
		{"[{from: 2020-01-01T10:06, to: 2020-01-01T10:07}]\ngrowth: 100%",
			[]outages{{{From: 150, To: 210, Units: 8}}}, ""},
		{"[{events: e.txt}]", []outages{
			{{From: 1800, To: 2400, Units: 4}, {From: 3000, To: 3600, Units: 4, Drain: true}}}, ""},
		{"[{events: n.txt, reservations: r.txt}]", []outages{
			{{From: 0, To: 60, Units: 8, Planned: true}, {From: 60, To: 120, Units: 4}}}, ""}, // n1 is in both
		{"[{reservations: r.txt}]", []outages{{{From: 0, To: 60, Units: 8, Planned: true}}}, ""},
		{"[{from: 1, to: 2}, {from: 3, to: 4, units: 5, pool: b}]\n" + pools,
			[]outages{{{From: 1, To: 2, Units: 3}}, {{From: 1, To: 2, Units: 5}, {From: 3, To: 4, Units: 5}}}, ""},
		{"[{from: 1, to: 2}]\n" + classes, []outages{{{From: 1, To: 2, Units: 4}}}, ""},

		{"[{from: 1, to: 2, units: 5}]\n" + classes, nil, "machine.down.0: expected at most 4 nodes in an outage, got 5"},
		{"[{from: 1, to: 2}, {from: 1, to: 2, units: 9}]", nil, "down.1: expected at most 8 cores in an outage, got 9"},
		{"[{from: 1, to: 2, units: 4, pool: a}]\n" + pools, nil, "down.0: expected at most 3 nodes in an outage, got 4"},
		{"[{reservations: b.txt}]", nil, "down.0: expected at most 8 cores in an outage, got 12"},
		{"[{events: none.txt}]", nil, "machine.down.0: none.txt: no such file"},
		{"[{events: x.txt}]", nil, "x.txt:1: expected the header of sacctmgr show event -P with a column TimeEnd"},
		{"[{from: 2020-01-01, to: 2020-01-02}]\n#undated", nil, "machine.down.0: expected times from the first"},
		{"[{events: e.txt}]\n#undated", nil, "machine.down.0: expected times from the first submission"},
	} {
		text := "machine: {down: " + test.text + "}\n"
		if body, rest, cut := strings.Cut(test.text, "\n"); cut {
			text = "machine: {down: " + body + "}\n" + rest + "\n"
		}
		switch {
		case strings.Contains(text, "#undated"):
			text += "trace: {file: undated.swf}\n"
		case !strings.Contains(text, "server"):
			text += "trace: {file: a.swf}\n"
		}
		doc, err := scenario.Parse(filepath.Join(dir, "s.yaml"), []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		s, err := subject.Open(t.Context(), doc, 1, nil)
		if test.err != "" {
			if err == nil || !strings.Contains(strings.ReplaceAll(err.Error(), dir+"/", ""), test.err) {
				t.Errorf("%s: got %v, want %s", text, err, test.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		var got []outages
		for _, site := range s.Workload.Sites() {
			got = append(got, site.Down)
		}
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: got %v, want %v", text, got, test.want)
		}
	}
}
