package paper

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"
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
		cells += bytes.Count(data, []byte(" record "))
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

// TestSharedRunsASweepOnce: options that change no number share results.
func TestSharedRunsASweepOnce(t *testing.T) {
	o := Options{Seed: 1, Replications: 2, Shared: new(Shared)}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	run := func(ctx context.Context) error {
		_, err := libraPlan(o).run(ctx, o)
		return err
	}
	if err := run(ctx); !errors.Is(err, context.Canceled) || libraPlan(o).known(o) {
		t.Errorf("known after an interruption, %v", err)
	}
	if err := run(context.Background()); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(o *Options){
		"":     func(o *Options) { o.Workers, o.Dir = 5, "somewhere" },
		"seed": func(o *Options) { o.Seed = 2 }, "replications": func(o *Options) { o.Replications = 3 },
		"reading": func(o *Options) { o.Reading = Alternative("libra") }, "none": func(o *Options) { o.Shared = nil },
	} {
		other := o
		change(&other)
		if libraPlan(other).known(other) != (name == "") {
			t.Errorf("%s: known %t", name, name != "")
		}
	}
}
