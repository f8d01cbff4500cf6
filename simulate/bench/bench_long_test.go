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

	"revopt/simulate/run"
	"revopt/simulate/subject"
)

var write = flag.Bool("write", false, "write the hashes and bounds of testdata/bench")

// TestBounds makes the jobs of all instances again and proves their bounds again. With -write it stores them,
// rounded to the safe side.
func TestBounds(t *testing.T) {
	list := Instances()
	r := &Run{Instances: list, Specs: subject.Standard(), Traces: given(), Prove: true}
	if *write {
		store(t, r)
		return
	}
	found, err := r.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range found {
		if s.Why != "" && s.Why != NoTrace {
			t.Errorf("%s %s: %s: stored %v, proven %v", s.Name, s.Policy, s.Why, s.Bound, s.Value)
		}
	}
}

// TestRelaxed compares the clairvoyant bound of the instances with tight deadlines with the optimum of its
// linear program, which another program builds from the jobs and another solver solves.
func TestRelaxed(t *testing.T) {
	if out, err := exec.Command("/usr/bin/python3", "-c", "import scipy").CombinedOutput(); err != nil {
		t.Skipf("no scipy: %s", out)
	}
	for _, in := range Instances() {
		if !strings.HasPrefix(in.Name, "tight-") {
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

// store writes the files anew below their scenarios.
func store(t *testing.T, r *Run) {
	version, err := exec.Command("sh", "-c",
		"echo $(go run ../../cmd/revopt version | awk 'NR == 1 {print $2}') $(git rev-parse --short HEAD)").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range r.Instances {
		r.Instances, in.Bounds = []*Instance{in}, map[string]float64{}
		kinds := []string{ClairvoyantBound, IndivisibleBound, UnpreemptedBound, BusyTimeBound}
		for _, name := range kinds {
			in.Bounds[name] = math.NaN()
		}
		proven, err := r.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		words := "jobs_sha256: " + in.sum() + "\nbounds:\n"
		for _, s := range proven {
			if name, ok := strings.CutPrefix(s.Policy, "bound:"); ok {
				in.Bounds[name] = rounded(s.Value, in.Objective == run.Value().Name)
				words += fmt.Sprintf("  %s: %.6g\n", name, in.Bounds[name])
			}
		}
		words += "proved_by: " + string(version)
		file := "../../testdata/bench/" + in.Name + ".yaml"
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		head, _, _ := strings.Cut(string(data), "jobs_sha256:")
		if err := os.WriteFile(file, []byte(head+words), 0o644); err != nil {
			t.Fatal(err)
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

// given returns the directory of the public traces, "" where there is none.
func given() string {
	if _, err := os.Stat(traces); err != nil {
		return ""
	}
	return traces
}

// TestBestIsCurrent runs all policies on all instances. None beats the best that is stored, and the stored scores are
// those found now: otherwise run make scores.
func TestBestIsCurrent(t *testing.T) {
	r := &Run{Instances: Instances(), Specs: subject.Standard(), All: true, Traces: given()}
	compareStored(t, r)
}
