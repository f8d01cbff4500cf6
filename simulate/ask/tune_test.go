package ask

import (
	"math"
	"slices"
	"strings"
	"testing"

	"revopt/internal/fixture"
	"revopt/plots/answer"
	"revopt/simulate/policy"
	"revopt/simulate/run"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// tuneLab opens a scenario with policies beside the standard ones.
func tuneLab(t testing.TB, text string, seed uint64, specs ...policy.Spec) *run.Lab {
	t.Helper()
	l, err := run.NewLab(t.Context(), fixture.Parsed(t, text), run.Options{Seed: seed,
		Policies: append(subject.Standard(), specs...)})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// tuned answers a tuning whose settings are those of a policy, by setting.
func tuned(t testing.TB, l *run.Lab, q Tuning) (*Tuned, map[string]string) {
	t.Helper()
	r, err := Tune(t.Context(), l, q)
	if err != nil {
		t.Fatal(err)
	}
	table, _ := r.Answer.Table("settings")
	to := map[string]string{}
	for _, row := range table.Rows {
		to[row[0].Word] = row[2].Word
	}
	return r, to
}

func lateTuning(keep ...run.Rule) Tuning {
	return Tuning{Request: Request{Replications: "8"}, Policy: subject.PolicyOf(lateSpec()), Limits: keep}
}

// The race finds the optimum that is known, names the settings that matter, never one that is noise, and its interval
// on fresh numbers contains the gain that is known in about 95 % of seeds.
func TestTuneFindsOptimum(t *testing.T) {
	covered := 0
	gain := 3600 * 0.1 * 0.05 * lateBy(policy.Settings{"x": "1", "y": "1"}) // the optimum is not late at all
	for seed := range uint64(5) {
		r, to := tuned(t, tuneLab(t, lateScenario, 1+seed, lateSpec()), lateTuning())
		if to["x"] != "50" || to["y"] != "0.2" || len(to) != 2 || r.Policy.Label() != "late:x=50:y=0.2" {
			t.Errorf("seed %d: settings %v, %s", seed, to, r.Policy.Label())
		}
		if got := (answer.Fact{Values: r.Answer.Values}).Value("gain"); got.Low <= gain && gain <= got.High {
			covered++
		}
		table, _ := r.Answer.Table("settings")
		for _, row := range table.Rows {
			back := policy.Settings{"x": "50", "y": "0.2"}
			back[row[0].Word] = row[1].Word
			want := 3600 * 0.1 * 0.05 * lateBy(back)
			off := math.Abs(row[3].Number - want)
			if off > 2*(row[3].High-row[3].Low) || !(row[3].Low > 0) || row[4].Word != row[2].Word || row[5] != row[4] {
				t.Errorf("%+v, want %g", row, want)
			}
		}
	}
	if covered < 4 { // with probability 0.02
		t.Errorf("the interval contains the gain %g in %d of 5 seeds", gain, covered)
	}
}

// A setting that is noise gains nothing: today's settings are kept. A rule that the optimum breaks moves the search to
// the best settings that respect it, by exhaustive search.
func TestTuneKeeps(t *testing.T) {
	l := tuneLab(t, lateScenario, 1, lateSpec())
	q := lateTuning()
	q.Varied = []string{"z"}
	r, to := tuned(t, l, q)
	if len(to) > 0 || r.Answer.Headline.Code != "KEEP_SETTINGS" || r.Policy.Label() != "late" {
		t.Errorf("settings %v, %s", to, r.Answer.Headline)
	}
	rule, err := ParseRule(l, "only.mean_wait >= 30")
	if err != nil {
		t.Fatal(err)
	}
	q = lateTuning(rule)
	q.Varied = []string{"x"}
	r, to = tuned(t, l, q)
	best, wait := "", math.Inf(1)
	for _, x := range decades(1e-3, 7)[1:] {
		if by := lateBy(policy.Settings{"x": x, "y": "1"}); by > 30*1.01 && by < wait {
			best, wait = x, by
		}
	}
	if to["x"] != best || r.Broken != nil {
		t.Errorf("settings %v, want x=%s with a wait of %g s; broken %v", to, best, wait, r.Broken)
	}
}

// Settings that deliver more by harm are not recommended, unless that is allowed. The longest wait of all jobs, of a
// customer and of a group of width are rules.
func TestTuneHarm(t *testing.T) {
	l := tuneLab(t, unfairScenario, 1, unfairSpec())
	for words, kept := range map[string]bool{"": true, "none": false, "wait_max <= 2h": true, "wide.wait_max <= 2h": true,
		"narrow.wait_max <= 2h": false, "width:2501-10000.wait_max <= 2h": true, "width:1-625.mean_wait <= 2h": false} {
		q := Tuning{Request: Request{Replications: "4"}, Policy: subject.PolicyOf(unfairSpec()), Harm: words != "", Runs: 400}
		if strings.Contains(words, "<") {
			rule, err := ParseRule(l, words)
			if err != nil {
				t.Fatal(err)
			}
			q.Limits = []run.Rule{rule}
		}
		r, to := tuned(t, l, q)
		affected, _ := r.Answer.Table("affected")
		harmed := slices.ContainsFunc(affected.Rows, func(row []answer.Value) bool { return row[len(row)-1].True })
		if (len(to) == 0) != kept || harmed == kept || r.Broken != nil {
			t.Errorf("%q: settings %v, harmed %t, broken %v", words, to, harmed, r.Broken)
		}
	}
	for _, words := range []string{"width:1-7.wait_max <= 2h", "width:1-625.utilization <= 2", "nobody.wait_max <= 2h",
		"wait_max <= soon", "wait_max", "wait_mx <= 3d", "narrow.promise_kept >= 90%"} {
		if _, err := ParseRule(l, words); err == nil {
			t.Errorf("%s is a rule", words)
		}
	}
}

// The mean wait of a part of the jobs does not win.
func TestTuneRunsAsManyJobs(t *testing.T) {
	q := Tuning{Request: Request{Replications: "4", Objective: run.Wait().Name}, Policy: subject.PolicyOf(droppingSpec()),
		Harm: true}
	if _, to := tuned(t, tuneLab(t, lateScenario, 1, droppingSpec()), q); len(to) > 0 {
		t.Errorf("settings %v do not run all jobs", to)
	}
}

// A QOS of the site that no job has is not varied, although Slurm divides priorities by the largest of all.
func TestOthersQOS(t *testing.T) {
	today, err := subject.NewPolicy(nil, "slurm", policy.Settings{
		policy.FromFile + "qos.admin.Priority": "100000", policy.FromFile + "qos.wide.Priority": "5", "PriorityWeightQOS": "1000"})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, k := range newBoard(tuneLab(t, unfairScenario, 1).Subject(), today, []string{"qos"}).knobs {
		names = append(names, k.Name)
	}
	if want := []string{"qos.narrow.Priority", "qos.wide.Priority"}; !slices.Equal(names, want) {
		t.Errorf("%v, want %v", names, want)
	}
}

// The parts of a log that settings are tuned and tested on have all of its jobs, each once, and both are replayed at
// the arrival delay factor of the whole.
func TestTuneParts(t *testing.T) {
	l := tuneLab(t, fixture.Customers(t)+"load: 0.5\n", 1)
	for _, cut := range []float64{0.5, 0.3} {
		q := Tuning{Policy: fixture.Named(t, "value-bf")[0], Parts: [2][2]float64{{0, cut}, {cut, 1}}}
		x, err := q.open(t.Context(), l)
		if err != nil {
			t.Fatal(err)
		}
		tested, err := l.SubjectOf(t.Context(), x.test)
		if err != nil {
			t.Fatal(err)
		}
		train, test := x.trained.Workload.(*workload.Replay), tested.Workload.(*workload.Replay)
		if train.Size()+test.Size() != 40 || math.Abs(train.Size()-40*cut) > 1 {
			t.Errorf("%g of 40 jobs to tune on, %g to test on", train.Size(), test.Size())
		}
		whole := l.Subject().Workload.(*workload.Replay).Delay()
		if math.Abs(train.Delay()-whole) > 1e-9 || math.Abs(test.Delay()-whole) > 1e-9 {
			t.Errorf("delay factors %g and %g, want %g", train.Delay(), test.Delay(), whole)
		}
	}
}

// overScenario is a machine of one unit, on which idle jobs delay those that pay.
const overScenario = `
name: over
server: {nodes: 1}
simulation: {jobs: 400, warmup: 0}
policies: [hol]
classes:
  - {name: paying, rate: 0.02, length: {mean: 10, sd: 1}, price: 10, decay: 0.1}
  - {name: idle, rate: 0.02, length: {mean: 30, sd: 1}, price: 0.01}
`

// priceScenario is a machine that is never full: the price that earns most is known.
const priceScenario = `
name: prices
server: {nodes: 1000}
simulation: {jobs: 400, warmup: 0}
policies: [hol]
classes:
  - {name: shop, rate: 1, length: {mean: 10, sd: 1}, price: 10, demand: {curve: linear, elasticity: 1.5}}
`

// Jobs that delay others and pay nothing are refused, by lot or while jobs wait. Of linear demand that loses 15 % of
// its jobs if the price grows by 10 %, four fifths of the price earn most of all prices that are tried: 0.8 x 1.3 of
// what the price itself earns.
func TestTuneOver(t *testing.T) {
	q := Tuning{Request: Request{Replications: "8", Over: OverAdmission}, Policy: fixture.Named(t, "hol")[0], Harm: true,
		Runs: 400}
	r, to := tuned(t, tuneLab(t, overScenario, 1), q)
	if to["idle.admit"] != "0" || len(to) != 1 {
		t.Errorf("admission %v", to)
	}
	if got := (answer.Fact{Values: r.Answer.Values}).Value("admission"); got.Word != "idle=0" {
		t.Errorf("admission %q", got.Word)
	}
	q.Over = OverThresholds
	if _, to := tuned(t, tuneLab(t, overScenario, 1), q); to["idle.threshold"] != "0" || len(to) != 1 {
		t.Errorf("thresholds %v", to)
	}
	q.Over = OverPrices
	r, to = tuned(t, tuneLab(t, priceScenario, 1), q)
	share := r.Answer.Headline.Value("gain").Number
	if to["shop.price"] != "8" || math.Abs(share-0.04) > 0.02 {
		t.Errorf("prices %v gain %g", to, share)
	}
}
