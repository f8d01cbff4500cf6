package bench

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"revopt/internal/workdir"
	"revopt/simulate"
	"revopt/simulate/metric"
	"revopt/simulate/run"
	"revopt/simulate/subject"
)

// traces is the directory of the public traces.
const traces = "../../../shared/traces"

// given returns the directory of the public traces, "" where there is none.
func given() string {
	if _, err := os.Stat(traces); err != nil {
		return ""
	}
	return traces
}

// TestInstances checks that the files are complete, and the grid of docs/benchmark.md.
func TestInstances(t *testing.T) {
	count := map[string]int{}
	parts := map[string]bool{}
	for i, in := range Instances() {
		count[in.Objective]++
		if in.About == "" || in.Seed != uint64(i%10+1) || in.Sum == "" || in.ProvedBy == "" || in.first() != (i%10 == 0) {
			t.Errorf("%s: incomplete", in.Name)
		}
		if (in.Trace != nil) != (in.Jobs != "") || parts[in.Jobs] {
			t.Errorf("%s: jobs %q, of some other instance too", in.Name, in.Jobs)
		}
		parts[in.Jobs] = in.Jobs != ""
		whole := in.Limit(Whole)
		all := in.Limit(Any)
		if !(whole > 0 && all > 0) || in.better(whole, all) {
			t.Errorf("%s: bounds %v, %v", in.Name, whole, all)
		}
	}
	if fmt.Sprint(count) != "map[slowdown:30 value:70 wait:20]" {
		t.Errorf("instances: %v", count)
	}
}

// TestCheckOfSimulation exports the schedules of a simulation and checks them: the scores are those of the
// simulation. One of the instances has its hash verified as well.
func TestCheckOfSimulation(t *testing.T) {
	ctx := context.Background()
	easy, err := subject.NewPolicy(nil, "easy", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range Instances() {
		if in.Trace != nil || !strings.HasSuffix(in.Name, "-1.0-2") {
			continue
		}
		r := &Run{Instances: []*Instance{in}, Policies: []subject.Policy{easy}}
		result, err := r.Run(ctx)
		if err != nil {
			t.Fatal(err)
		}
		want := result[0]
		w := in.subject.Workload
		e := &run.Experiment{Workload: w.Drained(int(w.Size() + 0.5)), Policy: easy, Seed: in.Seed}
		var file bytes.Buffer
		records := metric.NewRecords(&file)
		if _, err := e.Run(ctx, 0, e.Recorder(records, "easy", 0)); err != nil {
			t.Fatal(err)
		}
		records.Flush()
		got, err := in.Check(&file)
		if err != nil || !got.Valid || got.NotRun != want.NotRun {
			t.Fatalf("%s: %+v, %v", in.Name, got, err)
		}
		far := func(a, b float64) bool { return !(math.Abs(a/b-1) <= 1e-9) }
		if far(got.Value, want.Value) || far(got.Share, want.Share) {
			t.Errorf("%s: schedule %v, %v, simulation %v, %v", in.Name, got.Value, got.Share, want.Value, want.Share)
		}
		for _, j := range in.jobs {
			if d := j.Spec.Details; (d.Exact || d.Estimate == 0) != in.public() {
				t.Fatalf("%s: run times are public: %v, and there is a job with %+v", in.Name, in.public(), d)
			}
		}
		if in.sum() != in.Sum {
			t.Errorf("%s: other jobs than those that were frozen", in.Name)
		}
	}
}

// tiny has three jobs on 4 units.
func tiny(objective string) *Instance {
	job := func(submit, work float64, width int) simulate.Job {
		v := simulate.Value{Price: 10, Due: work, Decay: 1}
		return simulate.Job{Submit: submit, Work: work, Width: width, Value: v}
	}
	bounds := map[string]float64{BusyTimeBound: 1}
	if objective == run.Value().Name {
		bounds = map[string]float64{UnpreemptedBound: 40, IndivisibleBound: 50}
	}
	return &Instance{
		Family: &Family{Objective: objective}, Name: "tiny", sites: []simulate.Site{{Processors: 4}},
		jobs: []simulate.Job{job(0, 20, 3), job(1, 5, 2), job(2, 100, 1)}, Bounds: bounds,
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

// TestPlans checks that a policy that an instance does not suit, and a trace that is not given, are rows
// without a share, and that shards add up.
func TestPlans(t *testing.T) {
	policies := []subject.Policy{}
	for _, name := range []string{"libra", "fcfs"} {
		p, err := subject.NewPolicy(nil, name, nil)
		if err != nil {
			t.Fatal(err)
		}
		policies = append(policies, p)
	}
	var chosen []*Instance
	for _, in := range Instances() {
		if in.Name == "users-1.0-1" || in.Name == "sp2-value-1" || in.Name == "loose-1.5-1" {
			chosen = append(chosen, in)
		}
	}
	store := &run.Store{}
	score := func(shard workdir.Shard) []Score {
		t.Helper()
		r := &Run{Instances: chosen, Policies: policies, Options: run.Options{Store: store, Shard: shard}}
		list, err := r.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	missing := func() int {
		t.Helper()
		r := &Run{Instances: chosen, Policies: policies, Options: run.Options{Store: store, Kept: true}}
		list, err := r.Missing(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	if n := missing(); n != 2 {
		t.Errorf("%d instances are missing at first, want 2", n)
	}
	for i := range 2 {
		score(workdir.Shard{Index: i + 1, Of: 2})
	}
	if n, kept := missing(), store.Len(); n != 0 || kept != 3 {
		t.Errorf("%d instances are missing after all shards, with %d records; want 0 with 3", n, kept)
	}
	var got []string
	for _, s := range score(workdir.Shard{}) {
		got = append(got, s.Name+" "+s.Policy+" "+s.Why)
	}
	want := "[loose-1.5-1 libra  loose-1.5-1 fcfs  sp2-value-1 libra trace not given sp2-value-1 fcfs trace not given " +
		"users-1.0-1 libra needs deadlines users-1.0-1 fcfs ]"
	if fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
	var err error
	policies[1], err = subject.NewPolicy(nil, "easy", map[string]string{"estimates": "exact"})
	if err != nil {
		t.Fatal(err)
	}
	if r := score(workdir.Shard{}); r[1].Why != "" || r[3].Why != Knows || r[5].Why != Knows || !math.IsNaN(r[5].Share) {
		t.Errorf("exact estimates: %+v", r)
	}
}

// TestTable works a table out by hand: ranks 1, 2 and 3; of equals, the mean; none is last.
func TestTable(t *testing.T) {
	var scores []Score
	add := func(policy string, shares ...float64) {
		for i, name := range []string{"tight-1.0-1", "tight-1.0-2", "tight-1.5-1"} {
			for _, in := range Instances() {
				if in.Name == name {
					limit := in.Limit(Whole)
					scores = append(scores, in.newScore(policy, shares[i]*limit, Whole, 0))
				}
			}
		}
	}
	add("a", 0.5, 0.7, math.NaN())
	add("b", 0.5, 0.9, 0.4)
	add("c", 0.4, 0.8, math.NaN())
	for _, in := range Instances() { // shares of another objective count on their own
		if in.Name == "users-1.0-1" {
			scores = append(scores, in.newScore("a", 4*in.Bounds[BusyTimeBound], Any, 0),
				in.newScore("b", 2*in.Bounds[BusyTimeBound], Any, 0))
		}
	}
	list, err := NewStandings(scores, "a")
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, table := range list.Tables {
		got += fmt.Sprint(table.Table, " ", table.Objectives, " ")
		for _, p := range table.Policies {
			got += fmt.Sprintf("%s %.4f %d", p.Policy, p.Rank, p.Scored)
			for _, r := range p.Objectives {
				got += fmt.Sprintf(" %.4f %.4f", r.Share, r.Difference.Mean)
			}
			got += "; "
		}
	}
	const want = "whole [value] b 1.1667 3 0.6000 0.1000; a 2.3333 2 NaN NaN; c 2.5000 2 NaN NaN; " +
		"any [value slowdown] b 1.1250 4 0.6000 0.1000 0.5000 0.2500; a 2.2500 3 NaN NaN 0.2500 0.0000; " +
		"c 2.6250 2 NaN NaN NaN NaN; "
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if _, err := NewStandings(append(scores, scores[0]), "a"); err == nil {
		t.Error("a score that is given twice is accepted")
	}
	other, err := NewStandings(scores, "z")
	if err != nil || other.Tables[0].Against != "b" || other.Tables[0].Missing != "z" {
		t.Errorf("without the policy to compare with: %+v, %v", other, err)
	}
}

// TestRated checks that shares come from values, and that impossible scores and names are refused. The
// bounds are those of tight-1.0-1, in $, and of users-1.0-1, of all schedules and of whole ones.
func TestRated(t *testing.T) {
	none := math.NaN()
	most := find(Instances(), "tight-1.0-1").Limit(Any)
	least, whole := find(Instances(), "users-1.0-1").Limit(Any), find(Instances(), "users-1.0-1").Limit(Whole)
	tight := func(policy string, value float64) Score {
		return Score{Name: "tight-1.0-1", Table: Any, Policy: policy, Value: value}
	}
	users := func(table string, value float64) Score {
		return Score{Name: "users-1.0-1", Table: table, Policy: "a", Value: value}
	}
	with := func(s Score, change func(*Score)) Score {
		change(&s)
		return s
	}
	for i, c := range []struct {
		score Score
		want  float64 // -1: it is refused
	}{
		{with(tight("a", 0), func(s *Score) { s.Share = 1 }), 0}, {tight("a", most/2), 0.5}, {tight("a", most+0.05), 1},
		{users(Any, 4*least), 0.25}, {users(Whole, 4*whole), 0.25}, {users(Whole, least), -1},
		{users("each", 4*least), -1}, {users("", 4*least), -1},
		{with(users(Any, none), func(s *Score) { s.Why = "x" }), none},
		{with(users(Any, 2), func(s *Score) { s.Policy = "easy:estimates=exact" }), none},
		{tight("a", most+1), -1}, {tight("a", 1e308), -1}, {tight("a", math.Inf(1)), -1}, {tight("a", -3), -1},
		{tight("a", none), -1}, {users(Any, 1), -1}, {users(Any, 0), -1}, {tight("", 1), -1},
		{tight(" ", 1), -1}, {tight("a\nb", 1), -1}, {tight("\x1b[31m", 1), -1},
		{with(tight("a", 1), func(s *Score) { s.Name = "x\ny" }), -1},
	} {
		got, err := Rated([]Score{c.score})
		switch {
		case (err != nil) != (c.want == -1) || err != nil && strings.ContainsAny(err.Error(), "\n\x1b"):
			t.Errorf("%d: %v", i, err)
		case err == nil && !(math.Abs(got[0].Share-c.want) < 1e-6) && !(math.IsNaN(got[0].Share) && math.IsNaN(c.want)):
			t.Errorf("%d: share %v, want %v", i, got[0].Share, c.want)
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

// TestSeeds works means of two families with two seeds out by hand. The differences of a seed, 0.1 and 0.2 or 0.3 and 0.2,
// are one sample: 0.15 and 0.25.
func TestSeeds(t *testing.T) {
	var scores []Score
	add := func(policy string, shares ...float64) {
		for i, name := range []string{"tight-1.0-1", "tight-1.0-2", "tight-1.5-1", "tight-1.5-2"} {
			in := find(Instances(), name)
			scores = append(scores, in.newScore(policy, shares[i]*in.Limit(Whole), Whole, 0))
		}
	}
	add("a", 0.1, 0.2, 0.3, 0.4)
	add("b", 0.2, 0.5, 0.5, 0.6)
	const quantile = 12.706204736 // of Student's t, 97.5 %, with one degree of freedom
	is := func(what string, got metric.Interval, mean, half float64) {
		if !(math.Abs(got.Mean-mean) < 1e-9 && math.Abs(got.HalfWidth-half) < 1e-9) {
			t.Errorf("%s: %v ± %v, want %v ± %v", what, got.Mean, got.HalfWidth, mean, half)
		}
	}
	list, err := NewStandings(scores, "a")
	if err != nil {
		t.Fatal(err)
	}
	is("standing", list.Tables[0].Policies[0].Objectives[0].Difference, 0.2, quantile*0.05)
	means := Means(scores)
	if len(means) != 4 || means[1].Policy != "b" || means[1].Family != "tight-1.0" {
		t.Fatalf("%+v", means)
	}
	is("share", means[1].Share, 0.35, quantile*0.15)
	is("difference", means[1].Difference, 0.2, quantile*0.1)
	for _, p := range list.Tables[0].Policies {
		if p.Claimed != 4 {
			t.Errorf("%s: %d scores are claimed, want all 4", p.Policy, p.Claimed)
		}
	}
}
