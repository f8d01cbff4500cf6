package bench

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"revopt/simulate/run"
	"revopt/simulate/subject"
)

// TestPieces works the scores of a schedule in pieces out by hand: job 0 stops from 1 to 6 for job 1.
func TestPieces(t *testing.T) {
	const schedule = "job,start,end\n0,6,25\n1,1,6\n0,0,1\n2,2,102\n"
	for objective, want := range map[string]float64{
		run.Value().Name: 25, run.Wait().Name: 5. / 3, run.Slowdown().Name: (1.25 + 1 + 1) / 3,
	} {
		c, err := tiny(objective).Check(strings.NewReader(schedule))
		if err != nil || !c.Valid || c.Table != Any || math.Abs(c.Value-want) > 1e-12 {
			t.Errorf("%s: %+v, %v, want %v", objective, c, err, want)
		}
	}
	for schedule, table := range map[string]string{ // pieces that touch are one
		"0,0,20": Whole, "0,0,5\n0,5,20": Whole, "0,0,5\n0,5.5,20.5": Any, "": Whole,
	} {
		c, err := tiny(run.Value().Name).Check(strings.NewReader("job,start,end\n" + schedule))
		if err != nil || !c.Valid || c.Table != table {
			t.Errorf("%q: %+v, %v, want %s", schedule, c, err, table)
		}
	}
}

// TestSlices: pieces so short that the tolerance of a job exceeds them use units as well, and gain no time.
func TestSlices(t *testing.T) {
	in := tiny(run.Value().Name)
	in.jobs[0].Work, in.jobs[0].Width, in.jobs[1].Width = 1e6, 4, 4 // a tolerance of 1 s
	for _, test := range []struct {
		step, length float64
		want         string
	}{
		{0.5, 0.25, "work units"}, // half of the work, all of the time
		{0.25, 0.25, "length units"},
		{0.25, 0.5, "overlap units"},
	} {
		var b strings.Builder
		fmt.Fprint(&b, "job,start,end\n1,1,6\n")
		for at := 0.0; at < 20; at += test.step {
			fmt.Fprintf(&b, "0,%g,%g\n", at, at+test.length)
		}
		c, err := in.Check(strings.NewReader(b.String()))
		if err != nil {
			t.Fatal(err)
		}
		for _, kind := range strings.Fields(test.want) {
			found := false
			for _, f := range c.Faults {
				found = found || f.Kind == kind
			}
			if !found || c.Valid {
				t.Errorf("%+v: no fault %s", test, kind)
			}
		}
	}
}

// TestCheckBySecond compares the checker with a count by second, on random schedules of whole seconds.
func TestCheckBySecond(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	valid, divided := 0, 0
	for range 3000 {
		in := tiny(run.Value().Name)
		for i := range in.jobs {
			in.jobs[i].Submit, in.jobs[i].Work = float64(rnd.IntN(3)), float64(1+rnd.IntN(4))
		}
		var b strings.Builder
		fmt.Fprint(&b, "job,start,end\n")
		good := true
		var used [30]int
		for i := range in.jobs {
			j := &in.jobs[i]
			lines, done := rnd.IntN(4), 0
			var runs [30]bool
			left, at := int(j.Work), rnd.IntN(3)
			for k := range lines {
				length := 1 + rnd.IntN(max(left, 1))
				if k == lines-1 {
					length = left
				}
				switch rnd.IntN(20) {
				case 0:
					length = rnd.IntN(4) - 1
				case 1:
					at = rnd.IntN(6)
				}
				fmt.Fprintf(&b, "%d,%d,%d\n", i, at, at+length)
				good = good && (length > 0 || lines == 1) && at >= int(j.Submit)
				for s := at; s < at+length; s++ {
					good = good && !runs[s]
					runs[s] = true
					used[s] += j.Width
				}
				done, left, at = done+length, left-length, max(at+length+rnd.IntN(3), 0)
			}
			good = good && (lines == 0 || done == int(j.Work))
		}
		for _, n := range used {
			good = good && n <= 4
		}
		c, err := in.Check(strings.NewReader(b.String()))
		if err != nil || c.Valid != good {
			t.Fatalf("%s: valid %v, want %v, %v: %+v", b.String(), c.Valid, good, err, in.jobs)
		}
		if good {
			valid++
			if c.Table == Any {
				divided++
			}
		}
	}
	if valid < 300 || divided < 50 {
		t.Errorf("%d schedules are valid, %d of them divide a job", valid, divided)
	}
}

// TestSchedules checks the schedules of policies that preempt: the scores are those of the simulation. Costs of
// preemption and lost work are no pieces.
func TestSchedules(t *testing.T) {
	var policies []subject.Policy
	for _, words := range []string{
		"las", "server-filling-srpt:preempt-cost=20", "value-bf:preempt=restart", "easy",
	} {
		p, err := subject.ParsePolicy(nil, strings.Split(words, ":"))
		if err != nil {
			t.Fatal(err)
		}
		policies = append(policies, p)
	}
	ctx := context.Background()
	for _, in := range Instances() {
		if in.Name != "pools-1.0-1" {
			continue
		}
		r := &Run{Instances: []*Instance{in}, Policies: policies}
		result, err := r.Run(ctx)
		if err != nil {
			t.Fatal(err)
		}
		written := 0
		err = r.Schedules(ctx, result, func(s Score, list []Piece) error {
			var b strings.Builder
			fmt.Fprint(&b, "job,start,end\n")
			for _, x := range list {
				fmt.Fprintf(&b, "%d,%v,%v\n", x.Job, x.Start, x.End)
			}
			written++
			c, err := in.Check(strings.NewReader(b.String()))
			if err != nil || !c.Valid || c.NotRun != s.NotRun || !(math.Abs(float64(c.Value/s.Value)-1) < 1e-9) ||
				c.Table != s.Table && s.Policy != "value-bf:preempt=restart" {
				t.Errorf("%s %s: got %v %v %v %s, want %v %v %s %v, %v", s.Name, s.Policy, c.Valid, c.Value, c.NotRun, c.Table,
					s.Value, s.NotRun, s.Table, err, c.Faults[:min(len(c.Faults), 3)])
			}
			return err
		})
		if err != nil || written < 4 {
			t.Errorf("%s: %d schedules, %v", in.Name, written, err)
		}
	}
}
