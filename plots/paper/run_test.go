package paper

import (
	"context"
	"errors"
	"testing"
)

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
		"":     func(o *Options) { o.Workers = 5 },
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
