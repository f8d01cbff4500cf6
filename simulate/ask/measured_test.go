package ask

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"revopt/plots/answer"
	"revopt/simulate/metric"
	"revopt/simulate/slurm/steer"
	"revopt/simulate/slurm/switchback"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

const switchedSite = `
name: site
server: {nodes: 16}
load: 0.9
classes:
  - {name: chem, share: 0.5, length: {dist: exponential, mean: 4000}, price: {per_unit_hour: 2}, decay: {per_hour: 10%},
     max_penalty: 0, expire: never}
  - {name: phys, share: 0.5, length: {dist: exponential, mean: 4000}, price: {per_unit_hour: 1}, decay: {per_hour: 1%},
     max_penalty: 0, expire: never}
`

// switchedJob is a job of a made-up trial.
type switchedJob struct {
	id, width            int64
	customer             string
	submit, start, ended float64
}

// worth is what the scenario says that a job pays, $.
func (j switchedJob) worth(wait float64) float64 {
	rate, decay := 1.0, 0.01
	if j.customer == "chem" {
		rate, decay = 2, 0.10
	}
	full := rate * float64(j.width) * (j.ended - j.start) / 3600
	return max(full*(1-decay*wait/3600), 0)
}

// switchedTrial writes the journal, the log of sacct and the scenario of a trial of some pairs, in which jobs wait for half
// the time where they are steered. Times are whole seconds, as those of Slurm.
func switchedTrial(t *testing.T, dir string, plan switchback.Plan, pairs int) (jobs []switchedJob) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 63))
	var records []steer.Record
	records = append(records, steer.Record{Kind: steer.KindStart, Time: plan.Begin - 2, Start: &steer.Start{Scenario: "site.yaml",
		Policy: "value-bf", Units: 16, Trial: &plan, Settings: steer.Settings{Every: 60}}})
	log := "JobIDRaw|Start|End\n"
	stamp := func(x float64) string { return time.Unix(int64(x), 0).UTC().Format("2006-01-02T15:04:05") }
	for n := range pairs {
		p := plan.Pair(n)
		records = append(records, steer.Record{Kind: steer.KindPairs, Time: p.From - 1, Pairs: []switchback.Pair{p}})
		for at := p.From; at < p.To; at += plan.Span / 50 {
			wait := 40 + math.Floor(1500*rng.Float64())
			if plan.On(at) {
				wait = math.Floor(wait / 2)
			}
			j := switchedJob{id: int64(len(jobs) + 1), width: []int64{1, 4, 16}[rng.IntN(3)],
				customer: []string{"chem", "phys"}[rng.IntN(2)], submit: math.Floor(at)}
			j.start = j.submit + wait
			j.ended = j.start + 600 + math.Floor(3000*rng.Float64())
			jobs = append(jobs, j)
			records = append(records, steer.Record{Kind: steer.KindPass, Time: at, Beat: &steer.Beat{}},
				steer.Record{Kind: steer.KindSeen, Time: at, Seen: []steer.Seen{{Job: j.id, Customer: j.customer,
					Account: j.customer, Width: int(j.width), Submit: j.submit, Limit: 7200}}})
			log += fmt.Sprintf("%d|%s|%s\n", j.id, stamp(j.start), stamp(j.ended))
		}
	}
	end := plan.Pair(pairs).From + 5000 // all pairs are closed
	records = append(records, steer.Record{Kind: steer.KindStop, Time: end})
	var lines strings.Builder
	for _, r := range records {
		line, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(line, '\n'))
	}
	for name, content := range map[string]string{"site.yaml": switchedSite, "j": lines.String(), "sacct.txt": log} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return jobs
}

// TestMeasured: the report of a trial has the figures of a computation of its own from the jobs, the rules of the trial and
// the prices of the scenario, for all jobs, a customer and a group of width.
func TestMeasured(t *testing.T) {
	dir := t.TempDir()
	plan := switchback.Plan{Begin: 1.7e9, Span: 86400, Seed: 4, Margin: 2000}
	jobs := switchedTrial(t, dir, plan, 8)
	a, err := Steered{Journal: filepath.Join(dir, "j"), Log: filepath.Join(dir, "sacct.txt"), Specs: subject.Standard()}.
		Answer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	gains, _ := a.Table("gains")
	gain := slices.IndexFunc(gains.Columns, func(c answer.Column) bool { return c.Name == "gain" })
	for row, of := range map[string]func(switchedJob) bool{
		"all":        func(switchedJob) bool { return true },
		"chem":       func(j switchedJob) bool { return j.customer == "chem" },
		"width:5-16": func(j switchedJob) bool { return j.width > 4 },
		"width:2-4":  func(j switchedJob) bool { return j.width == 4 },
		"phys":       func(j switchedJob) bool { return j.customer == "phys" },
		"width:1-1":  func(j switchedJob) bool { return j.width == 1 },
	} {
		var differences []float64
		for n := range 8 {
			p := plan.Pair(n)
			var paid, atOnce [2]float64
			for _, j := range jobs {
				begin, on := p.From, p.OnFirst
				if j.submit >= p.Switch {
					begin, on = p.Switch, !p.OnFirst
				}
				if !of(j) || j.submit < begin+2000 || j.submit >= begin+86400-2000 {
					continue
				}
				k := 0
				if on {
					k = 1
				}
				paid[k] += j.worth(j.start - j.submit)
				atOnce[k] += j.worth(0)
			}
			differences = append(differences, paid[1]/atOnce[1]-paid[0]/atOnce[0])
		}
		want := metric.Estimate(differences, metric.LookLevel(metric.DefaultLevel, 8))
		found := false
		for _, cells := range gains.Rows {
			if cells[0].Word != row {
				continue
			}
			found = true
			got := cells[gain]
			if math.Abs(got.Number-want.Mean) > 1e-9 || math.Abs((got.High-got.Low)/2-want.HalfWidth) > 1e-9 {
				t.Errorf("%s: %+v, want %+v", row, got, want)
			}
		}
		if !found {
			t.Errorf("no row %s in %+v", row, gains.Rows)
		}
	}
	if a.Headline.Code != "MEASURED" || a.Headline.Value("pairs").Number != 8 || a.Headline.Value("waits").Known() {
		t.Errorf("%s: %+v", a.Headline, a.Headline)
	}
	figures := a.Figures()
	if len(figures) != 2 || len(figures[0].Series) != 2 || len(figures[0].Series[0].Y) != 8 || len(figures[1].Series[0].Y) != 8 {
		t.Errorf("%+v", figures)
	}
	if err := a.WriteHTML(io.Discard); err != nil {
		t.Error(err)
	}
}

// TestMeasuredRefused: a trial with too few pairs, or with spans that are too short, claims no gain and says why.
func TestMeasuredRefused(t *testing.T) {
	for why, x := range map[string]struct {
		plan  switchback.Plan
		pairs int
	}{
		"4 of at least 6": {switchback.Plan{Begin: 1.7e9, Span: 86400}, 4},
		"expected spans":  {switchback.Plan{Begin: 1.7e9, Span: 3600}, 8},
	} {
		dir := t.TempDir()
		switchedTrial(t, dir, x.plan, x.pairs)
		a, err := Steered{Journal: filepath.Join(dir, "j"), Log: filepath.Join(dir, "sacct.txt"),
			Specs: subject.Standard()}.Answer(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if a.Headline.Code != "STEERED" || !strings.Contains(a.Headline.String(), why) {
			t.Errorf("%s: %s", why, a.Headline)
		}
	}
}

// TestMeasuredChanged: a journal whose coins, spans or plan are not those that steer laid down measures nothing; nor does a
// log without a header.
func TestMeasuredChanged(t *testing.T) {
	for _, x := range []struct{ file, old, changed, want string }{
		{"j", `"on_first":true`, `"on_first":false`, "was changed"},
		{"j", `"switch":1700086400`, `"switch":1700086500`, "was changed"},
		{"j", `"number":3`, `"number":9223372036854775807`, "was changed"},
		{"j", `"span":86400`, `"span":0`, "was changed"},
		{"j", `"margin":2000`, `"margin":-2000`, "was changed"},
		{"j", `{"kind":"stop"`, `{"kind":"start","start":{"scenario":"site.yaml","trial":{"span":3}}}` + "\n" + `{"kind":"stop"`, "two plans"},
		{"sacct.txt", "JobIDRaw|", "", "expected a header"},
	} {
		dir := t.TempDir()
		switchedTrial(t, dir, switchback.Plan{Begin: 1.7e9, Span: 86400, Seed: 4, Margin: 2000}, 8)
		file := filepath.Join(dir, x.file)
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		err = os.WriteFile(file, []byte(strings.Replace(string(data), x.old, x.changed, 1)), 0o600)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Steered{Journal: filepath.Join(dir, "j"), Log: filepath.Join(dir, "sacct.txt"), Specs: subject.Standard()}.
			Answer(t.Context())
		var wrong *workload.Error
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v", x.changed, err)
		}
	}
}

// TestLogOfAnotherZone: a log whose jobs start at other times than in the journal is refused. A job that was requeued does
// not matter.
func TestLogOfAnotherZone(t *testing.T) {
	q := &steered{Records: []steer.Record{{Started: []steer.Moment{{Job: 1, At: 1000}, {Job: 2, At: 2000}, {Job: 3, At: 3000}}}}}
	q.Log = map[int64]jobRun{1: {1000, 1100}, 2: {2000, 2200}, 3: {90000, 90001}, 4: {7, 8}}
	if err := q.checkLog("log"); err != nil {
		t.Error(err)
	}
	q.Log = map[int64]jobRun{1: {4600, 4700}, 2: {5600, 5700}, 3: {3000, 3001}}
	if err := q.checkLog("log"); err == nil || !strings.Contains(err.Error(), "60.0 min later") {
		t.Errorf("%v", err)
	}
}
