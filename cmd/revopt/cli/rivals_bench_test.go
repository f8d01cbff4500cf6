//go:build bench

package cli_test

import (
	"encoding/csv"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"revopt/simulate/metric"
)

// TestRivals prints the tables of docs/policies.md, from the results of the sweeps of testdata/rivals
// in the directory that is the argument: the share of the clairvoyant bound that each policy
// delivers, and the policies that beat value-bf by paired differences.
func TestRivals(t *testing.T) {
	interval := func(list []float64) (mean, half float64) {
		e := metric.Estimate(list, 0.95)
		return e.Mean, e.HalfWidth
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
					load, policy, class, replication, measure := x[1], x[3], x[4], x[6], x[7]
					value, _ := strconv.ParseFloat(x[9], 64)
					workload := generator + " " + load
					switch {
					case class != "":
					case pass == 0 && policy == "bound:clairvoyant":
						bounds[workload+replication] = value
						if !slices.Contains(workloads, workload) {
							workloads = append(workloads, workload)
						}
					case pass == 1 && measure == "utility" && !strings.HasPrefix(policy, "bound:"):
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
		fmt.Printf("\n| %s | mean | %s |\n", kind, strings.Join(workloads, " | "))
		fmt.Println("|---|---|" + strings.Repeat("---|", len(workloads)))
		var better []string
		for _, name := range names {
			fmt.Printf("| `%s` | %.1f |", name, mean(name))
			for _, w := range workloads {
				m, half := interval(shares[name][w])
				mark := ""
				for _, rival := range []string{"value-bf", "value-bf:preempt=suspend"} {
					if d := metric.Difference(shares[name][w], shares[rival][w], 0.95); d.Mean > d.HalfWidth {
						mark += map[string]string{"value-bf": "*", "value-bf:preempt=suspend": "†"}[rival]
						better = append(better, fmt.Sprintf("%s, %s: %s beats %s by %.1f ± %.1f points",
							kind, w, name, rival, d.Mean, d.HalfWidth))
					}
				}
				fmt.Printf(" %.1f ± %.1f%s |", m, half, mark)
			}
			fmt.Println()
		}
		fmt.Println("\n" + strings.Join(better, "\n"))
	}
}
