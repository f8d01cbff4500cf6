//go:build long

package bench

import (
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"revopt/simulate/run"
)

var (
	write = flag.Bool("write", false, "write the best built-in policies of testdata/bench, and bounds of jobs that changed")
	dir   = flag.String("traces", given(), "directory of the public traces")
)

// TestStored makes the jobs of the first instance of each family again, proves its bound again and runs all policies. With
// -write all instances get what is found, and those whose jobs have changed a new bound.
func TestStored(t *testing.T) {
	for _, family := range Families() {
		t.Run(family.Name, func(t *testing.T) {
			t.Parallel()
			if family.Trace != nil && *dir == "" {
				t.Skip("no trace")
			}
			if *write {
				store(t, family)
				return
			}
			in := family.Instances[0]
			isStored(t, in, *dir)
			if n := len(in.jobs); n < 500 || in.sum() != in.Sum {
				t.Errorf("%s: %d jobs, want 500 or more, those that were frozen", in.Name, n)
			}
			if x := proven(t, in); in.Goal().Merit(x) > in.Goal().Merit(in.Bound) {
				t.Errorf("%s: stored is the bound %v, proven %v", in.Name, in.Bound, x)
			}
		})
	}
}

// storedGap is the relative gap at which the search for a bound on the value stops.
const storedGap = 0.003

// proven proves the bound of an open instance. Of waits and slowdowns it is the bound for jobs that run once.
func proven(t *testing.T, in *Instance) float64 {
	t.Helper()
	lab, row, err := (&Run{}).lab(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	row.Do.Bound = &run.Bound{On: in.Objective, Gap: storedGap}
	f, err := lab.Frame(t.Context(), []run.Case{row}, 1)
	if err != nil {
		t.Fatal(err)
	}
	get := func(column string) float64 {
		x, _ := f.Records(row)[0].Get(run.All, column)
		return x
	}
	if !in.Goal().Smaller {
		return get(run.BoundLimit)
	}
	return get(run.BoundLimit) / get(run.BoundTasks)
}

// store writes the instances of a family anew, below its scenario. Bounds are rounded to the safe side, to 6 digits.
func store(t *testing.T, family *Family) {
	var b strings.Builder
	for _, in := range family.Instances {
		best := best(t, in, *dir)
		if sum := in.sum(); sum != in.Sum || in.Bound == 0 {
			in.Sum, in.Bound = sum, proven(t, in)
			unit := math.Pow(10, math.Floor(math.Log10(in.Bound))-5)
			if in.Goal().Smaller {
				in.Bound = math.Floor(in.Bound/unit) * unit
			} else {
				in.Bound = math.Ceil(in.Bound/unit) * unit
			}
		}
		fmt.Fprintf(&b, "  - seed: %d\n", in.Seed)
		if in.Jobs != "" {
			fmt.Fprintf(&b, "    jobs: %s\n", in.Jobs)
		}
		fmt.Fprintf(&b, "    jobs_sha256: %s\n    bound: %.6g\n    built_in: %s\n    built_in_value: %.12g\n", in.Sum, in.Bound,
			best.Policy, best.Value)
	}
	file := "../../testdata/bench/" + family.Name + ".yaml"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(string(data), "instances:\n")
	if err := os.WriteFile(file, []byte(head+"instances:\n"+b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
