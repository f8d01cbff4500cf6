//go:build long

package bench

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"revopt/internal/text"
	"revopt/simulate/run"
	"revopt/simulate/subject"
)

var write = flag.Bool("write", false, "write the hashes and bounds of testdata/bench")

// TestBounds makes the jobs of the first instances again and proves their bounds again. With -write it stores those of
// instances that have none, or have other jobs now, rounded to the safe side.
func TestBounds(t *testing.T) {
	for _, family := range Families() {
		t.Run(family.Name, func(t *testing.T) {
			t.Parallel()
			if *write {
				store(t, family)
				return
			}
			few := firstOf(family.Instances)
			r := &Run{Instances: few, Specs: subject.Standard(), Traces: given(), Prove: true}
			found, err := r.Run(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			for _, in := range few {
				if n := len(in.jobs); n < 500 && in.subject != nil {
					t.Errorf("%s: %d jobs, want 500 or more", in.Name, n)
				}
			}
			for _, s := range found {
				if s.Why != "" && s.Why != NoTrace {
					t.Errorf("%s %s: %s: stored %v, proven %v", s.Name, s.Policy, s.Why, s.Bound, s.Value)
				}
			}
		})
	}
}

// TestRelaxed compares the clairvoyant bound of the instances with tight deadlines with the optimum of its
// linear program, which another program builds from the jobs and another solver solves.
func TestRelaxed(t *testing.T) {
	if out, err := exec.Command("/usr/bin/python3", "-c", "import scipy").CombinedOutput(); err != nil {
		t.Skipf("no scipy: %s", out)
	}
	for _, in := range Instances() {
		if !strings.HasPrefix(in.Name, "tight-") || in.Seed > 1 {
			continue
		}
		if err := in.Open(context.Background(), nil, ""); err != nil {
			t.Fatal(err)
		}
		lines := ""
		for _, row := range in.Table() {
			lines += strings.Join(row, ",") + "\n"
		}
		file := filepath.Join(t.TempDir(), "jobs.csv")
		if err := os.WriteFile(file, []byte(lines), 0o644); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command("/usr/bin/python3", "testdata/relaxed.py", file).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %s", in.Name, out)
		}
		optimum, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
		stored := in.Bounds[ClairvoyantBound]
		if err != nil || !(stored >= optimum*(1-1e-7) && stored <= optimum*(1+2e-5)) { // it is rounded up to 6 digits
			t.Errorf("%s: bound %v, optimum %s", in.Name, stored, out)
		}
	}
}

// store writes the instances of a family anew, below its scenario.
func store(t *testing.T, family *Family) {
	words := ""
	for _, in := range family.Instances {
		if err := in.Open(t.Context(), nil, traces); err != nil {
			t.Fatal(err)
		}
		if sum := in.sum(); sum != in.Sum || len(in.Bounds) == 0 {
			in.Sum, in.Bounds = sum, map[string]float64{}
			prove(t, in)
		}
		words += fmt.Sprintf("  - seed: %d\n", in.Seed)
		if in.Jobs != "" {
			words += "    jobs: " + in.Jobs + "\n"
		}
		words += "    jobs_sha256: " + in.Sum + "\n    bounds:\n"
		for _, name := range boundNames() {
			if x, ok := in.Bounds[name]; ok {
				words += fmt.Sprintf("      %s: %.6g\n", name, x)
			}
		}
	}
	file := "../../testdata/bench/" + family.Name + ".yaml"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(string(data), "instances:\n")
	if err := os.WriteFile(file, []byte(head+"instances:\n"+words), 0o644); err != nil {
		t.Fatal(err)
	}
}

// prove finds the bounds of an instance.
func prove(t *testing.T, in *Instance) {
	for _, name := range boundNames() {
		in.Bounds[name] = math.NaN()
	}
	r := &Run{Instances: []*Instance{in}, Specs: subject.Standard(), Traces: traces, Prove: true}
	proven, err := r.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	clear(in.Bounds)
	for _, s := range proven {
		if name, ok := strings.CutPrefix(s.Policy, "bound:"); ok {
			in.Bounds[name] = rounded(s.Value, in.Objective == run.Value().Name)
		}
	}
}

// rounded returns a number of 6 digits that is not below, or not above, the given one.
func rounded(x float64, up bool) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(x))-5)
	if up {
		return math.Ceil(x/unit) * unit
	}
	return math.Floor(x/unit) * unit
}

// firstOf returns the instances of the first seed: make scores and -write have all.
func firstOf(list []*Instance) []*Instance {
	return text.Where(list, func(in *Instance) bool { return in.Seed == 1 })
}

// TestBestIsCurrent runs all policies on the first instances. None beats the best that is stored, and the stored scores are
// those found now: otherwise run make scores.
func TestBestIsCurrent(t *testing.T) {
	r := &Run{Instances: firstOf(Instances()), Specs: subject.Standard(), All: true, Traces: given()}
	compareStored(t, r)
}
