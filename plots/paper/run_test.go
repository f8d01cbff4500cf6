package paper

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"revopt/model/scenario"
	"revopt/plots"
)

// records returns how many cells the journals of a directory hold, and their
// text.
func records(t *testing.T, dir string) (cells int, text string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*", "journal"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		cells += bytes.Count(data, []byte{'\n'}) - 2 // the work and the build come first
		text += string(data)
	}
	return cells, text
}

// TestInterruptedRecipesGoOn cancels recipes in the middle: all that was finished
// is not run again, and the figure is that of an undisturbed run.
func TestInterruptedRecipesGoOn(t *testing.T) {
	for id, cells := range map[string]int{
		"libra-table1": 2 * 2 * 2 * 2,
		"sla-04b":      3 * 3 * 2 * 2,
	} {
		o := Options{Quick: true, Workers: 2, Seed: 3, Replications: 2}
		want := build(t, id, o)
		o.Dir, o.Shared = t.TempDir(), new(Shared)
		interrupt(t, id, o)
		before, _ := records(t, o.Dir)
		if before < 3 || before >= cells {
			t.Errorf("%s: %d of %d cells are finished when interrupted", id, before, cells)
		}
		if got := build(t, id, o); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: another figure after an interruption", id)
		}
		after, text := records(t, o.Dir)
		if after != cells {
			t.Errorf("%s: %d cells were run, want each of %d once", id, after, cells)
		}
		o.Shared = new(Shared) // as another process
		if got := build(t, id, o); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: another figure from the journals", id)
		}
		if _, again := records(t, o.Dir); again != text {
			t.Errorf("%s: cells were run again", id)
		}
		if left := o.Shared.Journals(); len(left) == 0 || filepath.Dir(left[0]) != o.Dir {
			t.Errorf("%s: journals %v are not in %s", id, left, o.Dir)
		}
	}
}

// TestClusterOptimaAreKept draws figure 15 from the journal of its optima.
func TestClusterOptimaAreKept(t *testing.T) {
	base := open("nist-cluster")
	estimates := delayEstimates(Options{})[:1]
	curves := []curve{{grid(1, 20, 4), base.varying("load"), estimates[0].settings}}
	o := Options{Dir: t.TempDir(), Workers: 2}
	want, err := clusterOptima(context.Background(), o, curves, estimates)
	if err != nil {
		t.Fatal(err)
	}
	n, text := records(t, o.Dir)
	if n != 20 || len(want[0]) != 20 || want[0][19].Value != 5 || len(want[0][19].Result.Admit) != len(clusterClasses) {
		t.Errorf("%d cells, points %v", n, want)
	}
	got, err := clusterOptima(context.Background(), o, curves, estimates)
	if _, again := records(t, o.Dir); err != nil || again != text || !reflect.DeepEqual(got, want) {
		t.Errorf("%v: other optima from the journal", err)
	}
}

// interrupt builds a recipe until some cells are finished.
func interrupt(t *testing.T, id string, o Options) {
	t.Helper()
	r, err := Find(id)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	o.Progress = func(done, total int) {
		if done >= 3 {
			cancel()
		}
	}
	if _, err := r.Build(ctx, o); !errors.Is(err, context.Canceled) {
		t.Errorf("%s: %v, want an interruption", id, err)
	}
}

// briefly is three admissions at two loads, searched for a short while.
func briefly() plan {
	effort := scenario.SearchEffort{Jobs: 400, Replications: 2, Step: 0.1}
	return admissionPlan("nist-cluster-widths", []float64{1, 3}, 2, effort)
}

// earned runs a plan and returns the revenue of its rows.
func earned(t *testing.T, p plan, o Options) (list []plots.Series) {
	t.Helper()
	results, err := p.run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range results.lines("revenue_per_job") {
		list = append(list, l.series())
	}
	return list
}

// TestSearchedAdmissionsGoOn interrupts a study in and after its searches.
func TestSearchedAdmissionsGoOn(t *testing.T) {
	p, o := briefly(), Options{Workers: 2, Seed: 5}
	want := earned(t, p, o)
	o.Dir = t.TempDir()
	for _, cells := range []int{1, 6, 13} {
		ctx, cancel := context.WithCancel(context.Background())
		o.Progress = func(done, total int) {
			if done >= cells {
				cancel()
			}
		}
		if _, err := p.run(ctx, o); !errors.Is(err, context.Canceled) {
			t.Errorf("%v, want an interruption", err)
		}
		cancel()
	}
	o.Progress = nil
	if got := earned(t, p, o); !reflect.DeepEqual(got, want) {
		t.Error("other numbers after interruptions")
	}
	// Two loads, three admissions, two replications, and the admissions found:
	// one by the model and one by a search at each load.
	if n, _ := records(t, o.Dir); n != 2*3*2+2*2 {
		t.Errorf("%d cells were run", n)
	}
}

// TestSharedRunsASweepOnce: options that change no number share results.
func TestSharedRunsASweepOnce(t *testing.T) {
	o := Options{Seed: 1, Replications: 2, Shared: new(Shared)}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := libraPlan(o).run(ctx, o); !errors.Is(err, context.Canceled) || libraPlan(o).known(o) {
		t.Errorf("known after an interruption, %v", err)
	}
	if _, err := libraPlan(o).run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(o *Options){
		"":     func(o *Options) { o.Workers, o.Dir = 5, "somewhere" },
		"seed": func(o *Options) { o.Seed = 2 }, "replications": func(o *Options) { o.Replications = 3 },
		"reading": func(o *Options) { o.Reading, _ = FindReading("libra", "mips-80") }, "none": func(o *Options) { o.Shared = nil },
	} {
		other := o
		change(&other)
		if libraPlan(other).known(other) != (name == "") {
			t.Errorf("%s: known %t", name, name != "")
		}
	}
}

func TestYAMLText(t *testing.T) {
	for text, want := range map[string]string{
		"../a/SP2-1.swf.gz": "../a/SP2-1.swf.gz", "-a": "'-a'", "it's: [x]": "'it''s: [x]'", "a b": "'a b'", "ä": "'ä'", "*.swf": "'*.swf'",
	} {
		if got := yamlText(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
