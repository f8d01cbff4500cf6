package bench

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"testing"
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

// named returns the instances of some names.
func named(names ...string) (list []*Instance) {
	for _, in := range Instances() {
		for _, name := range names {
			if in.Name == name {
				list = append(list, in)
			}
		}
	}
	return list
}

// sum returns the SHA-256 of the lines of Table.
func (in *Instance) sum() string {
	h := sha256.New()
	for _, row := range in.Table() {
		fmt.Fprintln(h, strings.Join(row, ","))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// TestInstances checks that the files are complete, and the grid of docs/benchmark.md.
func TestInstances(t *testing.T) {
	count := map[string]int{}
	parts := map[string]bool{}
	for i, in := range Instances() {
		count[in.Objective]++
		if in.About == "" || in.Seed != uint64(i%10+1) || in.Sum == "" || in.ProvedBy == "" || in.BuiltIn == "" {
			t.Errorf("%s: incomplete", in.Name)
		}
		if (in.Trace != nil) != (in.Jobs != "") || parts[in.Jobs] {
			t.Errorf("%s: jobs %q, of some other instance too", in.Name, in.Jobs)
		}
		parts[in.Jobs] = in.Jobs != ""
		if share := in.share(in.Reached); !(in.Bound > 0 && share > 0 && share <= 1) {
			t.Errorf("%s: %s reaches %v under a bound of %v", in.Name, in.BuiltIn, in.Reached, in.Bound)
		}
	}
	if fmt.Sprint(count) != "map[slowdown:30 value:70 wait:20]" {
		t.Errorf("instances: %v", count)
	}
}

// TestJobs makes the jobs of instances again: they are those that were frozen, and have estimates of users where run times
// are not public.
func TestJobs(t *testing.T) {
	for _, in := range named("tight-1.0-2", "pools-1.0-2", "users-1.0-1") {
		if err := in.Open(t.Context(), nil, ""); err != nil {
			t.Fatal(err)
		}
		if in.sum() != in.Sum {
			t.Errorf("%s: other jobs than those that were frozen", in.Name)
		}
		for _, j := range in.jobs {
			if d := j.Spec.Details; (d.Exact || d.Estimate == 0) != in.public() {
				t.Fatalf("%s: estimate %v of a job of %v", in.Name, d.Estimate, j.Work)
			}
		}
		if strings.HasPrefix(in.Name, "pools") != (in.pools != nil) {
			t.Errorf("%s: pools %v", in.Name, in.pools)
		}
	}
}
