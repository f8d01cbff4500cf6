//go:build net

package net

import (
	"os"
	"path/filepath"
	"testing"
)

// The same comparison in both shapes: what version 0.4 printed, and an answer. Intervals of numbers that are the same
// in all replications may be left out.
const (
	oldAnswer = `{"version": "0.4.0", "load": 0.5, "replications": 2, "best": {"runnable": "hol, analytic"},
		"policies": [{"name": "hol", "label": "hol, analytic", "admission": {"name": "analytic", "admit": [1, 0]},
			"value_per_second": {"mean": 2, "half_width": 0.5}, "jobs_killed": {"mean": 0, "half_width": 0},
			"wait_quantiles": {"0.9": {"mean": 60, "half_width": 1, "low": 50, "high": 65}}, "harm": [],
			"classes": [{"name": "a", "mean_wait": {"mean": 7, "half_width": null}}],
			"widths": [{"pool": "p", "from": 1, "to": 4, "wait_max": 9}]}],
		"bounds": [{"name": "fluid", "total": 10, "half_width": 1, "revenue_per_second": 3, "gap": null}]}`
	newAnswer = `{"command": "simulate", "values": {"load": 0.5, "replications": 2, "best": "hol, analytic"}, "tables": {
		"policies": [{"policy": "hol", "admission": "analytic", "value": 7200, "value_low": 5400, "value_high": 9000,
			"jobs_killed": 0, "wait_90": 60, "wait_90_low": 50, "wait_90_high": 65, "harms": 0}],
		"customers": [{"policy": "hol", "admission": "analytic", "customer": "a", "mean_wait": 7}],
		"widths": [{"policy": "hol", "admission": "analytic", "pool": "p", "from": 1, "to": 4, "wait_max": 9}],
		"bounds": [{"bound": "fluid", "kind": "proven", "value": 10800, "value_total": 10,
			"value_total_low": 9, "value_total_high": 11}]}}`
	oldCells = "# scenario: s\npoint,load,admission,policy,class,pool,replication,measure,unit,value,option.k\n" +
		"0,0.5,all,hol,a,p,1,utility,$,4,1\n0,0.5,,bound:fluid,,,0,total,$,5,\n"
	newCells = "# scenario: s\nrow,policy,admission,set,replication,group,column,number\n" +
		"0,hol,all,load=0.5,1,pool:p customer:a,value_total,4\n1,bound:fluid,,load=0.5,0,all,value_total,5\n"
)

// read extracts the numbers of an answer and of cells.
func read(t *testing.T, answer, cells string) *numbers {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"stdout": answer, "cells.csv": cells} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r, err := extract("case", "simulate s", dir)
	if err != nil {
		t.Fatal(err)
	}
	return &r.numbers
}

// TestBothShapes reads one comparison in the old shape and in the new one.
func TestBothShapes(t *testing.T) {
	old, now := read(t, oldAnswer, oldCells), read(t, newAnswer, newCells)
	v := compare(old, now, nil)
	for _, d := range v.differences {
		t.Errorf("%+v", d)
	}
	for _, k := range now.keys {
		if _, ok := old.of[k]; !ok {
			t.Errorf("%+v is not read of the old shape", k)
		}
	}
	if v.numbers != 19 {
		t.Errorf("read %d numbers, expected 19", v.numbers)
	}
}

// TestCompare sees numbers that differ, are gone, are near, and are meant to differ.
func TestCompare(t *testing.T) {
	row := func(column string) key { return key{"case: hol", "all", column, ""} }
	old := &numbers{}
	now := &numbers{}
	for column, x := range map[string]float64{"value": 1e6, "gain": 1e-7, "mean_wait": 100, "kept": 0.5, "slowdown": 3} {
		if err := old.add(row(column), x); err != nil {
			t.Fatal(err)
		}
	}
	// The gain is rounding noise of the value; the wait is wrong by 2e-12; kept is gone.
	for column, x := range map[string]float64{"value": 1e6, "gain": 3e-7, "mean_wait": 100 + 2e-10, "slowdown": 4} {
		if err := now.add(row(column), x); err != nil {
			t.Fatal(err)
		}
	}
	allowed, err := readAllowed("case: * | all | slow* | any | a reason\n* | * | mean_wait | 1e-13 | too little\n")
	if err != nil {
		t.Fatal(err)
	}
	v := compare(old, now, allowed)
	if v.numbers != 5 || v.equal != 1 || v.near != 1 || len(v.differences) != 3 {
		t.Errorf("got %+v", v)
	}
	unexpected := make(map[string]bool)
	for _, d := range v.unexpected() {
		unexpected[d.column] = true
	}
	if len(unexpected) != 2 || !unexpected["mean_wait"] || !unexpected["kept"] {
		t.Errorf("got %v, expected mean_wait and kept", unexpected)
	}
	if err := now.add(row("value"), 5); err == nil {
		t.Error("a second number of one name is accepted")
	}
}

// TestMatch checks patterns of allowances.
func TestMatch(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"a", "a", true}, {"a", "ab", false}, {"*", "", true}, {"a*", "ab", true}, {"*b", "ab", true}, {"*c", "ab", false},
		{"a*c*e", "abcde", true}, {"a*e*c", "abcde", false}, {"b*", "ab", false}, {"*a*", "xay", true},
	} {
		if got := match(c.pattern, c.text); got != c.want {
			t.Errorf("match(%q, %q) = %v", c.pattern, c.text, got)
		}
	}
}
