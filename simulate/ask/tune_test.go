package ask

import (
	"math"
	"slices"
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

func lateTuning() Tuning {
	return Tuning{Request: Request{Replications: "8"}, Policy: subject.PolicyOf(lateSpec())}
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

// A setting that is noise gains nothing: today's settings are kept.
func TestTuneKeeps(t *testing.T) {
	q := lateTuning()
	q.Varied = []string{"z"}
	r, to := tuned(t, tuneLab(t, lateScenario, 1, lateSpec()), q)
	if len(to) > 0 || r.Answer.Headline.Code != "KEEP_SETTINGS" || r.Policy.Label() != "late" {
		t.Errorf("settings %v, %s", to, r.Answer.Headline)
	}
}

// Settings that deliver more by harm are not recommended.
func TestTuneHarm(t *testing.T) {
	q := Tuning{Request: Request{Replications: "4"}, Policy: subject.PolicyOf(unfairSpec()), Runs: 400}
	if r, to := tuned(t, tuneLab(t, unfairScenario, 1, unfairSpec()), q); len(to) > 0 || r.Broken != nil {
		t.Errorf("settings %v, broken %v", to, r.Broken)
	}
}

// The mean wait of a part of the jobs does not win.
func TestTuneRunsAsManyJobs(t *testing.T) {
	q := Tuning{Request: Request{Replications: "4", Objective: run.Wait().Name}, Policy: subject.PolicyOf(droppingSpec())}
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
	x, err := Tuning{Policy: fixture.Named(t, "value-bf")[0]}.open(t.Context(), l)
	if err != nil {
		t.Fatal(err)
	}
	tested, err := l.SubjectOf(t.Context(), x.test)
	if err != nil {
		t.Fatal(err)
	}
	train, test := x.trained.Workload.(*workload.Replay), tested.Workload.(*workload.Replay)
	if train.Size()+test.Size() != 40 || math.Abs(train.Size()-20) > 1 {
		t.Errorf("%g of 40 jobs to tune on, %g to test on", train.Size(), test.Size())
	}
	whole := l.Subject().Workload.(*workload.Replay).Delay()
	if math.Abs(train.Delay()-whole) > 1e-9 || math.Abs(test.Delay()-whole) > 1e-9 {
		t.Errorf("delay factors %g and %g, want %g", train.Delay(), test.Delay(), whole)
	}
}
