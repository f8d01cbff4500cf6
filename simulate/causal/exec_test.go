//go:build unix

package causal_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"revopt/simulate"
	"revopt/simulate/causal"
	"revopt/simulate/policy"
	"revopt/simulate/policy/exec"
)

// TestMain is the program of TestPrograms if the first argument says so.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "program" {
		program(os.Args[2:])
		return
	}
	os.Exit(m.Run())
}

// waiting is a job as a program sees it.
type waiting struct {
	ID       int64
	Width    int
	Estimate float64
}

// program speaks the protocol of docs/exec.md. It starts the shortest jobs that fit, by their estimates. If it is
// given a file, it does the opposite whenever the file exists, and makes it.
func program(args []string) {
	sign := 1.0
	if len(args) > 0 {
		if _, err := os.Stat(args[0]); err == nil {
			sign = -1
		}
		os.WriteFile(args[0], nil, 0o666)
	}
	jobs := map[int64]waiting{}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var m struct {
			Hello, Free int
			Bye         int
			Arrive      []waiting
			Leave       []int64
		}
		json.Unmarshal(lines.Bytes(), &m)
		switch {
		case m.Bye > 0:
			return
		case m.Hello > 0:
			fmt.Println(`{"hello":2,"fields":["width","estimate"]}`)
			continue
		}
		for _, j := range m.Arrive {
			jobs[j.ID] = j
		}
		for _, id := range m.Leave {
			delete(jobs, id)
		}
		start := []int64{}
		for _, j := range slices.SortedFunc(maps.Values(jobs), func(a, b waiting) int {
			if a.Estimate == b.Estimate {
				return int(a.ID - b.ID)
			}
			if sign*a.Estimate < sign*b.Estimate {
				return -1
			}
			return 1
		}) {
			if j.Width <= m.Free {
				m.Free -= j.Width
				start = append(start, j.ID)
				delete(jobs, j.ID)
			}
		}
		reply, _ := json.Marshal(map[string]any{"start": start})
		fmt.Println(string(reply))
	}
}

// TestPrograms: a program passes. The same program is caught if it is told run times for estimates, and if it
// remembers earlier runs.
func TestPrograms(t *testing.T) {
	command := strconv.Quote(os.Args[0]) + " program"
	honest := exec.Spec(exec.Options{})
	told := honest
	told.Make = func(s policy.Settings, c policy.Context) ([]simulate.Policy, simulate.Router, error) {
		s = maps.Clone(s)
		s["estimates"] = "exact"
		return honest.Make(s, c)
	}
	run := func(spec policy.Spec, command string) error {
		check := causal.Check{Spec: spec, Settings: policy.Settings{"command": command}, Workloads: 2, Cuts: 6}
		return check.Run(context.Background())
	}
	if err := run(honest, command); err != nil {
		t.Errorf("a program that sees estimates: %v", err)
	}
	var found *causal.Finding
	if err := run(told, command); !errors.As(err, &found) {
		t.Errorf("a program that sees run times: %v", err)
	}
	var repeat *causal.RepeatError
	memory := filepath.Join(t.TempDir(), "seen")
	if err := run(honest, command+" "+strconv.Quote(memory)); !errors.As(err, &repeat) {
		t.Errorf("a program that remembers: %v", err)
	}
}
