package compare

import (
	"math"
	"reflect"
	"testing"

	"revopt/internal/fixture"
	"revopt/model/scenario"
	"revopt/simulate/metric"
	"revopt/simulate/study/simulation"
)

// TestContrast pairs results of the same jobs as one simulation of both does, to
// the bit.
func TestContrast(t *testing.T) {
	set := func(path, value string) scenario.Override { return scenario.Override{Path: path, Value: value} }
	subject := fixture.Builtin(t, "nist-cluster")
	both := run(t, &simulation.Simulation{Subject: subject, Policies: fixture.Named(t, "hol", "fcfs"), Replications: 4, Seed: 7})
	a := run(t, &simulation.Simulation{Subject: subject, Policies: fixture.Named(t, "hol"), Replications: 4, Seed: 7})
	b := run(t, &simulation.Simulation{Subject: subject, Policies: fixture.Named(t, "fcfs"), Replications: 4, Seed: 7})
	c := Compare(a, b)
	if !c.Paired || len(c.Rows) != 1 || c.Rows[0].A != "hol" || c.Rows[0].B != "fcfs" {
		t.Fatalf("%+v", c.Rows)
	}
	for i, m := range metric.Measures() {
		got, want := c.Rows[0].Total[i].Difference, both.Differences[0].Total[i]
		if got != want && !math.IsNaN(float64(want.Mean)) {
			t.Errorf("%s differs by %+v, in one simulation by %+v", m.Name, got, want)
		}
	}
	// Nothing differs from itself.
	c = Compare(both, both)
	if len(c.Rows) != 2 || c.OnlyA != nil || c.OnlyB != nil {
		t.Fatalf("%+v", c)
	}
	for _, row := range c.Rows {
		for i, v := range row.Total {
			if d := v.Difference; !math.IsNaN(float64(v.A.Mean)) && (d.Mean != 0 || d.HalfWidth != 0) {
				t.Errorf("%s differs from itself by %v", metric.Measures()[i].Name, d)
			}
		}
		if len(row.Sections) != 4 {
			t.Errorf("%d customers", len(row.Sections))
		}
	}
	// Other machines and prices leave the jobs alone; other loads, seeds and warm-ups do not.
	for _, test := range []struct {
		path, value string
		seed        uint64
		paired      bool
		why         string
	}{
		{"server.nodes", "6000", 7, true, PairedFirst},
		{"classes.HvHu.price", "1000", 7, true, PairedFirst},
		{"load", "1", 7, false, UnpairedJobs},
		{"phi", "1", 8, false, UnpairedSeeds},
		{"simulation.warmup", "20%", 7, false, UnpairedWindows},
	} {
		other := run(t, &simulation.Simulation{Subject: fixture.Builtin(t, "nist-cluster", set(test.path, test.value)), Policies: fixture.Named(t, "fcfs"), Replications: 3, Seed: test.seed})
		c := Compare(both, other)
		if c.Paired != test.paired || c.Pairing != test.why || c.Rows[0].A != "fcfs" || !reflect.DeepEqual(c.OnlyA, []string{"hol"}) {
			t.Errorf("%s=%s: %v, %q, %v", test.path, test.value, c.Paired, c.Pairing, c.OnlyA)
		}
		k := 0
		if !test.paired {
			want := metric.Welch(both.Policies[1].Values[0][k].Best(), other.Policies[0].Values[0][k].Best(), 0.95)
			if got := c.Rows[0].Total[k].Difference; float64(got.Mean) != want.Mean || float64(got.HalfWidth) != want.HalfWidth {
				t.Errorf("%s=%s: %+v, want %+v", test.path, test.value, got, want)
			}
		}
	}
	// A trace without lots is a constant.
	ours := fixture.Opened(t, fixture.Customers(t))
	easy := run(t, &simulation.Simulation{Subject: ours, Policies: fixture.Named(t, "easy"), Seed: 1})
	fcfs := run(t, &simulation.Simulation{Subject: ours, Policies: fixture.Named(t, "fcfs"), Seed: 2})
	if c = Compare(easy, fcfs); !c.Paired || c.Rows[0].Total[0].Difference.Mean != fcfs.Policies[0].Total[0].Mean-easy.Policies[0].Total[0].Mean {
		t.Errorf("%v, %v", c.Paired, c.Rows[0].Total[0])
	}
	c = Compare(easy, both)
	d, e := c.Rows[0].Total[0], both.Policies[1].Total[0]
	if c.Rows[0].B != "fcfs" {
		e = both.Policies[0].Total[0]
	}
	if math.Abs(float64(d.Difference.Mean-(e.Mean-d.A.Mean))) > 1e-9 || math.Abs(float64(d.Difference.HalfWidth-e.HalfWidth)) > 1e-9 {
		t.Errorf("a constant: %+v, want the interval of %+v", d.Difference, e)
	}
}
