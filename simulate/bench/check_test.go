package bench

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"revopt/simulate"
	"revopt/simulate/run"
)

// tiny has three jobs on 4 units.
func tiny(objective string) *Instance {
	job := func(submit, work float64, width int) simulate.Job {
		v := simulate.Value{Price: 10, Due: work, Decay: 1}
		return simulate.Job{Submit: submit, Work: work, Width: width, Value: v}
	}
	bound := 1.0
	if objective == run.Value().Name {
		bound = 40
	}
	return &Instance{
		Family: &Family{Objective: objective}, Name: "tiny", sites: []simulate.Site{{Processors: 4}},
		jobs: []simulate.Job{job(0, 20, 3), job(1, 5, 2), job(2, 100, 1)}, Bound: bound,
	}
}

// TestScores works the scores of a schedule out by hand: job 1 waits until 20, the others start at once.
func TestScores(t *testing.T) {
	const schedule = "\ufeff# a comment\nStart, JOB, end \n0, 0, 20\n20,1,25\n2,2,102\n"
	for objective, want := range map[string][2]float64{
		run.Value().Name:    {20, 20. / 40},               // job 1 is 19 s late
		run.Wait().Name:     {19. / 3, 3. / 19},           // 1 over 19/3
		run.Slowdown().Name: {(1 + 2.4 + 1) / 3, 3 / 4.4}, // 24 s over 10 s
	} {
		c, err := tiny(objective).Check(strings.NewReader(schedule))
		off := func(x float64, want float64) bool { return !(math.Abs(x-want) <= 1e-12) }
		if err != nil || !c.Valid || off(c.Value, want[0]) || off(c.Share, want[1]) {
			t.Errorf("%s: %+v, %v, want %v", objective, c, err, want)
		}
		c, err = tiny(objective).Check(strings.NewReader("job,start,finish\n0,0,20\n1,,\n"))
		if err != nil || !c.Valid || c.NotRun != 2 ||
			math.IsNaN(c.Share) != (objective != run.Value().Name) {
			t.Errorf("%s without two jobs: %+v, %v", objective, c, err)
		}
	}
}

// TestFaults breaks each rule once.
func TestFaults(t *testing.T) {
	for lines, want := range map[string]string{
		"0,0,20\n1,20,25\n2,2,102":                  "",
		"0,0,20\n1,19.9999999,24.9999999":           "",
		"0,0,20\n1,19.9,24.9":                       "units line 3 job 1: 5 of 4",
		"0,0,20\n1,10,15\n2,2,102":                  "units line 3 job 1: 6 of 4",
		"1,0.5,5.5":                                 "early line 2 job 1: 0.5 of 1",
		"1,2,6":                                     "length line 2 job 1: 6 of 7",
		"1,2,7\n1,8,13":                             "work line 3 job 1: 10 of 5",
		"1,2,7\n1,2,7":                              "overlap line 3 job 1: 2 of 7",
		"1,2,4\n1,8,11":                             "",
		"1,8,11\n1,2,4\n0,20,40":                    "",
		"1,2,4\n1,8,10.9":                           "work line 3 job 1: 4.9 of 5",
		"1,2,4\n1,3,6":                              "overlap line 3 job 1: 3 of 4",
		"1,2,4\n1,4,7":                              "",
		"1,2,4\n1,4,4\n1,5,8":                       "empty line 3 job 1: 4 of 4",
		"1,2,7\n1,9,8\n1,9,10":                      "empty line 3 job 1: 8 of 9",
		"1,0.9,3\n1,4,6.9":                          "early line 2 job 1: 0.9 of 1",
		"0,0,10\n1,9,12\n0,12,22\n1,30,32":          "units line 3 job 1: 5 of 4",
		"0,0,10\n1,10,13\n0,13,23\n1,23,25":         "",
		"1,2,3\n1,3.5,4.5\n1,4.4,5.4\n1,6,7\n1,8,9": "overlap line 4 job 1: 4.4 of 4.5",
		"3,2,7\n-1,2,7":                             "unknown line 2 job 3: 3 of 2; unknown line 3 job -1: -1 of 2",
		"0,0,1e300\n1,1,6\n2,2,102\n": "length line 2 job 0: 1e+300 of 20; " +
			"units line 3 job 1: 5 of 4; units line 4 job 2: 6 of 4",
	} {
		c, err := tiny(run.Value().Name).Check(strings.NewReader("job,start,end\n" + lines))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range c.Faults {
			got = append(got, fmt.Sprintf("%s line %d job %d: %g of %g", f.Kind, f.Line, f.Job, f.Got, f.Limit))
		}
		if words := strings.Join(got, "; "); words != want || c.Valid != (want == "") {
			t.Errorf("%q: %s, want %s", lines, words, want)
		}
	}
	const head = "job,start,end\n"
	for _, file := range []string{
		"", "\n", "\x00\xff", "job,start\n", "a,b,c\n1,2,3\n", head + "1,2\n", head + "\"1,2,3\n", head + "x,2,3\n",
		head + "1,2,NaN\n", head + "1,-Inf,3\n", head + "1,1e308,-1e308\n", head + "99999999999999999999,1,2\n",
		head + "1,2,\n", head + strings.Repeat("1", maxSchedule),
	} {
		_, err := tiny(run.Value().Name).Check(strings.NewReader(file))
		if err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", file, err)
		}
	}
}

// TestPrintedTimes: jobs that start at the submissions that Table prints, or end at the deadlines, are neither early nor
// late, although these have 12 digits.
func TestPrintedTimes(t *testing.T) {
	in := tiny(run.Value().Name)
	in.jobs = in.jobs[:1]
	j := &in.jobs[0]
	rnd := rand.New(rand.NewPCG(1, 3))
	for range 200 {
		j.Submit, j.Work = 3e6*rnd.Float64(), 1+3*rnd.Float64()
		j.Value = simulate.Value{Price: 10, Due: 2 * j.Work, Hard: true}
		row := in.Table()[1]
		number := func(column int) float64 {
			x, err := strconv.ParseFloat(row[column], 64)
			if err != nil {
				t.Fatal(err)
			}
			return x
		}
		submit, work, deadline := number(1), number(3), number(5)
		for _, start := range []float64{submit, deadline - work} {
			line := fmt.Sprintf("job,start,end\n0,%.17g,%.17g\n", start, start+work)
			c, err := in.Check(strings.NewReader(line))
			if err != nil || !c.Valid || c.Value != 10 {
				t.Fatalf("submission %.17g, %s: %+v, %v", j.Submit, line, c, err)
			}
		}
		line := fmt.Sprintf("job,start,end\n0,%.17g,%.17g\n", deadline-work+1e-4, deadline+1e-4)
		if c, err := in.Check(strings.NewReader(line)); err != nil || c.Value != 0 {
			t.Fatalf("late by 0.1 ms: %+v, %v", c, err)
		}
	}
}

// TestPieces works the scores of a schedule in pieces out by hand: job 0 stops from 1 to 6 for job 1. Such a schedule has no
// share of a bound on waits or slowdowns. Pieces that touch are one.
func TestPieces(t *testing.T) {
	const schedule = "job,start,end\n0,6,25\n1,1,6\n0,0,1\n2,2,102\n"
	for objective, want := range map[string]float64{
		run.Value().Name: 25, run.Wait().Name: 5. / 3, run.Slowdown().Name: (1.25 + 1 + 1) / 3,
	} {
		c, err := tiny(objective).Check(strings.NewReader(schedule))
		bounded := objective == run.Value().Name
		if err != nil || !c.Valid || (c.Why == "") != bounded || math.IsNaN(c.Share) == bounded ||
			math.Abs(c.Value-want) > 1e-12 {
			t.Errorf("%s: %+v, %v, want %v", objective, c, err, want)
		}
	}
	for schedule, why := range map[string]string{"0,0,20": "", "0,0,5\n0,5,20": "", "0,0,5\n0,5.5,20.5": Stopped} {
		in := tiny(run.Wait().Name)
		in.jobs = in.jobs[:1]
		c, err := in.Check(strings.NewReader("job,start,end\n" + schedule))
		if err != nil || !c.Valid || c.Why != why {
			t.Errorf("%q: %+v, %v, want %q", schedule, c, err, why)
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
	valid := 0
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
		}
	}
	if valid < 300 {
		t.Errorf("%d schedules are valid", valid)
	}
}
