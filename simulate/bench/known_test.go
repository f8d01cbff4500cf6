package bench

import (
	"bytes"
	"flag"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"revopt/simulate/run"
)

// TestKept proves the schedules that the program carries: each is valid, reaches the value that it states, says what
// made it, and is better than all that its table includes. Those of public traces need the traces.
func TestKept(t *testing.T) {
	kept := Keeps()
	for i, k := range kept {
		in := find(Instances(), k.Name)
		if in.Trace != nil && given() == "" {
			continue
		}
		if err := in.Open(t.Context(), nil, given()); err != nil {
			t.Fatal(err)
		}
		text, err := k.Open()
		if err != nil {
			t.Fatal(err)
		}
		c, err := in.Check(text)
		if err != nil || !c.Valid || c.Why != "" {
			t.Errorf("%s: %+v, %v", k.path, c, err)
			continue
		}
		if c.Table != k.Table || !(math.Abs(c.Value/k.Value-1) <= roundoff) {
			t.Errorf("%s: %v in table %s", k.path, c.Value, c.Table)
		}
		known := c.Known()
		if !slices.ContainsFunc(known, func(at Known) bool { return c.Gain(at) == 0 }) {
			t.Errorf("%s: %+v is not among the known %+v", k.path, c.Score, known)
		}
		others := append(append([]Kept{}, kept[:i]...), kept[i+1:]...)
		best := in.known(in.builtIn(k.Table), k.Table, others, k.Offline)
		beaten := in.better(best.Value, k.Value) && !(math.Abs(best.Value/k.Value-1) <= roundoff)
		if k.Policy == "" || k.How == "" || beaten {
			t.Errorf("%s: made by %q, by %q; %+v is better", k.path, k.Policy, k.How, best)
		}
	}
}

// TestGain compares with the best known: more is better on value, less on waits, and times of 12 digits change nothing.
func TestGain(t *testing.T) {
	for _, c := range []struct {
		objective run.Objective
		value     float64
		want      float64
	}{{run.Value(), 110, 0.1}, {run.Wait(), 110, -0.1}, {run.Wait(), 90, 0.1}, {run.Value(), 100 * (1 + 1e-9), 0}} {
		checked := Checked{Score: Score{Objective: c.objective, Value: c.value}}
		if gain := checked.Gain(Known{Value: 100}); math.Abs(gain-c.want) > 1e-12 {
			t.Errorf("%s %v: %v, expected %v", c.objective.Name, c.value, gain, c.want)
		}
	}
}

// builtIn returns the best policy of revopt.
func (in *Instance) builtIn(table string) Known {
	for _, b := range BestKnown() {
		if b.Name == in.Name && b.Table == table {
			return Known{b.Policy, b.Value}
		}
	}
	return Known{Value: math.NaN()}
}

var (
	candidates = flag.String("candidates", "", "directory of schedules, INSTANCE.csv or .csv.gz in it or below")
	offline    = flag.Bool("offline", false, "the candidates know all jobs")
)

// TestCandidates keeps the schedules of a directory that are better than all that are kept. Without one it does nothing.
func TestCandidates(t *testing.T) {
	if *candidates == "" {
		return
	}
	err := filepath.WalkDir(*candidates, func(path string, entry os.DirEntry, err error) error {
		name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), ".gz"), ".csv")
		for _, in := range Instances() {
			if err == nil && in.Name == name && in.first() {
				tryToKeep(t, in, path)
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// tryToKeep keeps a schedule if it is the best.
func tryToKeep(t *testing.T, in *Instance, path string) {
	data, err := os.ReadFile(path)
	if err == nil {
		err = in.Open(t.Context(), nil, given())
	}
	if err != nil {
		t.Fatal(err)
	}
	c, err := in.Check(bytes.NewReader(data))
	if err != nil || !c.Valid || c.Why != "" {
		t.Errorf("%s: %+v, %v", path, c, err)
		return
	}
	best := in.known(Known{Value: math.NaN()}, c.Table, keptNow(t), *offline)
	if in.better(c.Value, best.Value) || math.IsNaN(best.Value) {
		t.Logf("%s: %v in table %s, for %+v", path, c.Value, c.Table, best)
		keep(t, in, c, data)
	}
}
