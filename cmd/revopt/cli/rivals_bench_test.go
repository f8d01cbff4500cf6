//go:build bench

package cli_test

import (
	"encoding/csv"
	"flag"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"revopt/simulate/metric"
)

// TestRivals writes docs/rivals.csv from the results of the sweeps of testdata/rivals in the directory that is the
// argument: the share of the clairvoyant bound that each policy delivers, in %, and whether it beats value-bf and
// value-bf:preempt=suspend by paired differences. TestPoliciesDocument makes the table of docs/policies.md from it.
func TestRivals(t *testing.T) {
	interval := func(list []float64) (mean, half float64) {
		e := metric.Estimate(list, 0.95)
		return e.Mean, e.HalfWidth
	}
	table := [][]string{
		{"kind", "generator", "load", "policy", "share", "half_width", "beats_value_bf", "beats_value_bf_suspend"},
	}
	for _, kind := range []string{"deadline", "patience"} {
		shares, workloads := map[string]map[string][]float64{}, []string{} // by policy, workload and replication
		for _, generator := range []string{"sp2", "ai", "classes"} {
			f, err := os.Open(filepath.Join(flag.Arg(0), generator+"-"+kind, "cells.csv"))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			r := csv.NewReader(f)
			r.Comment, r.FieldsPerRecord = '#', -1
			lines, err := r.ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			bounds := map[string]float64{}
			for pass := range 2 { // the bounds are needed first
				for _, x := range lines[1:] {
					policy, set, replication, group, column := x[1], x[3], x[4], x[5], x[6]
					value, _ := strconv.ParseFloat(x[7], 64)
					workload := generator + " " + strings.TrimPrefix(set, "load=")
					switch {
					case group != "all" || column != "value_total":
					case pass == 0 && policy == "bound:clairvoyant":
						bounds[workload+replication] = value
						if !slices.Contains(workloads, workload) {
							workloads = append(workloads, workload)
						}
					case pass == 1 && !strings.HasPrefix(policy, "bound:"):
						if shares[policy] == nil {
							shares[policy] = map[string][]float64{}
						}
						shares[policy][workload] = append(shares[policy][workload], 100*value/bounds[workload+replication])
					}
				}
			}
		}
		var names []string
		mean := func(name string) (sum float64) {
			for _, w := range workloads {
				x, _ := interval(shares[name][w])
				sum += x / float64(len(workloads))
			}
			return sum
		}
		for name := range shares {
			names = append(names, name)
		}
		slices.SortFunc(names, func(a, b string) int { return int(math.Copysign(1, mean(b)-mean(a))) })
		for _, name := range names {
			for _, w := range workloads {
				m, half := interval(shares[name][w])
				line := []string{kind}
				line = append(line, strings.Fields(w)...)
				line = append(line, name, strconv.FormatFloat(m, 'f', 1, 64), strconv.FormatFloat(half, 'f', 1, 64))
				for _, rival := range []string{"value-bf", "value-bf:preempt=suspend"} {
					d := metric.Difference(shares[name][w], shares[rival][w], 0.95)
					line = append(line, map[bool]string{true: "yes", false: "no"}[d.Mean > d.HalfWidth])
				}
				table = append(table, line)
			}
		}
	}
	f, err := os.Create("../../../docs/rivals.csv")
	if err != nil {
		t.Fatal(err)
	}
	if err := csv.NewWriter(f).WriteAll(table); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
