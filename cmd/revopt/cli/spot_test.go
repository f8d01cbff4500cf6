package cli

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"
)

// TestSpot runs the market that is worked by hand for package policy, in hours, beside a pool without a queue. The
// last customer bids less than its jobs are worth.
func TestSpot(t *testing.T) {
	dir := t.TempDir()
	log, prices := "; MaxNodes: 8\n", []float64{40, 20, 24, 50, 99, 7}
	classes := "classes:\n"
	for i, j := range [][4]int{{0, 10, 2, 1}, {0, 10, 2, 1}, {2, 4, 2, 1}, {3, 5, 4, 1}, {4, 3, 1, 1}, {4, 2, 4, 2}} {
		run := 3600 * j[1]
		log += fmt.Sprintf("%d %d 0 %d %d -1 -1 %[4]d %[3]d -1 1 %[1]d 1 -1 1 %[5]d -1 -1\n", i+1, 3600*j[0], run, j[2], j[3])
		classes += fmt.Sprintf("  - {name: c%d, of: {user: %d}, price: %g}\n", i+1, i+1, prices[i])
	}
	classes = strings.Replace(classes, "price: 99", "price: 99, bid: 0.5", 1)
	writeText(t, filepath.Join(dir, "t.swf"), log)
	scenario, bad := filepath.Join(dir, "s.yaml"), filepath.Join(dir, "bad.yaml")
	writeText(t, scenario, "trace: {file: t.swf}\npools: [{name: a, units: 4, "+
		"of: {partition: 1}}, {name: b, units: 4}]\n"+classes)
	csv := filepath.Join(dir, "p.csv")
	out := must(t, "simulate", scenario, "--policy", "easy,spot", "--prices", csv)
	// 76 of 240 $ in 4 h; 1 $ in one of two pools
	for _, want := range []string{"spot charges 41.00 $/h less than easy", "0.5000"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	want := "a\",0,0,,\na\",7200,1,,\na\",10800,2,,\na\",39600,0.5,,\na\",54000,0,,\na\",68400,0,,\nb\",0,0,,\nb\",68400,0,,\n"
	if got := strings.ReplaceAll(readText(t, csv), "\"spot, ", ""); !strings.HasSuffix(got, want) {
		t.Errorf("prices are %s", got)
	}
	var r struct {
		Changes []struct {
			Simulation struct{ After struct{ Mean float64 } }
			Market     struct {
				Value struct{ After struct{ Mean float64 } }
				Price float64
			}
			Lines []string
		}
	}
	must(t, "simulate", scenario, "--policy", "spot", "--prices", filepath.Join(dir, "p.svg"))
	if err := json.Unmarshal([]byte(must(t, "whatif", scenario, "--change", "policy=spot", "--json")), &r); err != nil {
		t.Fatal(err)
	}
	c := r.Changes[0] // c2 is suspended from 2 h on; it ends at 19 h
	if math.Abs(c.Simulation.After.Mean-19) > 1e-9 || math.Abs(c.Market.Value.After.Mean-60) > 1e-9 ||
		math.Abs(c.Market.Price-0.5) > 1e-9 || !strings.Contains(c.Lines[1], "60.0 $/h of value (0)") ||
		!strings.HasPrefix(c.Lines[0], "jobs of c2 wait 9.0 h on average (0 h now)") {
		t.Errorf("%+v", c)
	}
	if o := try("simulate", scenario, "--policy", "easy", "--prices", csv); !strings.Contains(o.stderr, "--policy spot") {
		t.Errorf("%+v", o)
	}
	writeText(t, bad, strings.Replace(readText(t, scenario), "bid: 0.5", "bid: 0", 1))
	if o := try("simulate", bad); !strings.Contains(o.stderr, "classes.c5.bid: expected a number above 0") {
		t.Errorf("%+v", o)
	}
}
