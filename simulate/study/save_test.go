package study

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"revopt/internal/exact"
	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/metric"
	"revopt/simulate/workload"
)

// saved returns the file of something found.
func saved(t testing.TB, a Savable) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Save(&b, a); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// stop cancels when the given replication is finished.
func stop(cancel func()) Progress {
	return func(what string, done, total int) {
		if done == 2 {
			cancel()
		}
	}
}

// findings returns answers of many kinds, by name.
func findings(t testing.TB) map[string]Savable {
	t.Helper()
	set := func(path, value string) scenario.Override { return scenario.Override{Path: path, Value: value} }
	classes := builtin(t, "nist-cluster", set("load", "1.2"))
	limits := Admission{Name: "limits", Rule: simulate.Thresholds{Share: []float64{1, 0.5, 1, 0}, Waiting: []int{-1, 3, 0, 2}}}
	own := Admission{Name: "own", Rule: simulate.AdmitFunc(func(j *simulate.Job, s []*simulate.Cluster) bool { return j.Class != 2 })}
	list := map[string]Savable{
		"classes":   run(t, &Simulation{Subject: classes, Policies: named(t, "hol", "fcfs"), Admissions: []Admission{{Name: "all"}, limits, own, {Name: "none", Admit: []float64{0, 0, 0, 0}}}, Replications: 3, Seed: 7, Version: "v1"}),
		"customers": run(t, &Simulation{Subject: opened(t, customers(t)), Policies: named(t, "easy", "fcfs"), Seed: 1}),
		"qos":       run(t, &Simulation{Subject: builtin(t, "sp2-like", set("trace.jobs", "last:100")), Policies: named(t, "easy", "libra"), Replications: 3, Seed: 1}),
		"grid":      run(t, &Simulation{Subject: builtin(t, "ic-grid", set("applications.count", "20")), Replications: 2, Seed: 1}),
		"precision": run(t, &Simulation{Subject: classes, MSER: true, Seed: 3, Stop: &Stop{Measure: metric.MeanWait(), Precision: metric.Precision{Relative: 0.3, Max: 12}}}),
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	r, err := (&Simulation{Subject: classes, Replications: 50, Workers: 1, Seed: 1, Progress: stop(cancel)}).Run(ctx)
	if r == nil || !r.Interrupted {
		t.Fatalf("not interrupted: %v", err)
	}
	list["interrupted"] = r
	v := &Validator{Subject: builtin(t, "nist-cluster"), Policies: named(t, "hol"), Admissions: []Admission{{Name: "all"}, {Name: "analytic"}}, Jobs: 100, Replications: 2, Seed: 1, Vary: scenario.Axis{Path: "load", Values: []float64{0.5, 1}}}
	if err := v.Open(context.Background()); err != nil {
		t.Fatal(err)
	}
	if list["validation"], err = v.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	nodes, err := classes.ParseChange("server.nodes=+500")
	if err != nil {
		t.Fatal(err)
	}
	if list["what-if"], err = (&WhatIf{Subject: classes, Changes: []Change{nodes}, Replications: 2, Seed: 1}).Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	a, err := classes.Analyze(context.Background(), 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	if list["waits"], err = Waits(context.Background(), a, WaitOptions{Quantiles: []float64{0.9}, Simulate: true, Replications: 2, Curves: true, Length: workload.Length{Jobs: 500}}); err != nil {
		t.Fatal(err)
	}
	return list
}

func TestSaved(t *testing.T) {
	list := findings(t)
	t.Run("round trip", func(t *testing.T) { testRoundTrip(t, list) })
	t.Run("damaged", func(t *testing.T) { testDamaged(t, list) })
	t.Run("forged", func(t *testing.T) { testForged(t, list) })
}

// testRoundTrip reads back what was saved: the same value, the same JSON, and the
// same file when it is saved again.
func testRoundTrip(t *testing.T, list map[string]Savable) {
	for name, a := range list {
		file := saved(t, a)
		got, err := LoadAny(bytes.NewReader(file))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if again := saved(t, got); !bytes.Equal(again, file) {
			t.Errorf("%s: saved again it is another file", name)
		}
		before, err1 := json.Marshal(a)
		after, err2 := json.Marshal(got)
		if err1 != nil || err2 != nil || !bytes.Equal(before, after) {
			t.Errorf("%s: other JSON, %v, %v", name, err1, err2)
		}
		r, ok := got.(*Result)
		if !ok {
			continue
		}
		was := a.(*Result)
		if !reflect.DeepEqual(was.PromiseWords(), r.PromiseWords()) || !reflect.DeepEqual(was.Names(), r.Names()) {
			t.Errorf("%s: other words", name)
		}
		// The values make the estimates.
		for i, row := range r.Policies {
			for k, m := range metric.Measures() {
				v := row.Values[0][k]
				if e, want := newEstimate(r.outcome().estimate(v.best(), v.Plain)), was.Policies[i].Total[k]; !reflect.DeepEqual(exact.Marshal(e), exact.Marshal(want)) {
					t.Errorf("%s: %s of %s is %+v, its values make %+v", name, m.Name, row.Label, want, e)
				}
			}
		}
	}
}

// testDamaged changes files at random: each is refused.
func testDamaged(t *testing.T, list map[string]Savable) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, name := range []string{"customers", "validation", "waits"} {
		file := saved(t, list[name])
		for range 340 {
			bad := bytes.Clone(file)
			switch at := r.IntN(len(bad)); r.IntN(5) {
			case 0:
				bad[at] ^= byte(1 + r.IntN(255))
			case 1:
				bad = bad[:at]
			case 2:
				bad = append(bad[:at:at], bad[min(len(bad), at+1+r.IntN(9)):]...)
			case 3:
				bad = append(bad[:at:at], append([]byte("0"), bad[at:]...)...)
			case 4: // of the header, where messages come from
				bad[r.IntN(300)] = byte(32 + r.IntN(95))
			}
			if bytes.Equal(bad, file) {
				continue
			}
			var refused *SavedError
			if _, err := LoadAny(bytes.NewReader(bad)); !errors.As(err, &refused) {
				t.Fatalf("%s: a damaged file is read, %v", name, err)
			}
		}
	}
}

// testForged changes what a file says and gives it the right checksum: it is
// refused, or complete enough to be compared and written as JSON.
func testForged(t *testing.T, list map[string]Savable) {
	r := rand.New(rand.NewPCG(8, 9))
	read := 0
	for _, name := range []string{"customers", "validation"} {
		file := saved(t, list[name])
		_, content, _ := strings.Cut(string(file), contentMark)
		content = strings.TrimSuffix(content, "}\n")
		for range 60 {
			at := r.IntN(len(content))
			swap := [][2]string{{"[", "[]"}, {":", ":null"}, {":", ":[]"}, {"{", "{}"}, {":", `:"NaN"`}, {":", ":-1"}}[r.IntN(6)]
			i := strings.Index(content[at:], swap[0])
			if i < 0 {
				continue
			}
			end := at + i + 1
			for depth := 0; end < len(content); end++ { // a whole value
				c := content[end]
				if c == '[' || c == '{' {
					depth++
				}
				if c == ']' || c == '}' {
					depth--
				}
				if depth < 0 || depth == 0 && (c == ',' || c == ']' || c == '}') {
					break
				}
			}
			forged := content[:at+i] + swap[1] + content[end:]
			if swap[0] != ":" {
				forged = content[:at+i] + swap[1] + content[min(len(content), end+1):]
			}
			h := savedHeader{Revopt: savedName, Format: savedFormat, Version: "v1", Kind: "result", Measures: metric.Names(metric.Measures())}
			h.SHA256 = h.sum([]byte(forged))
			got, err := Load(bytes.NewReader(h.bytes([]byte(forged))))
			if err != nil {
				continue
			}
			read++
			if _, err := json.Marshal(got); err != nil {
				t.Error(err)
			}
			if _, err := Compare(got, got); err != nil {
				t.Error(err)
			}
		}
	}
	if read == 0 {
		t.Error("no change of a value was read: nothing was tested")
	}
}

// TestOtherVersions names the version that wrote a file that this build cannot
// read.
func TestOtherVersions(t *testing.T) {
	base := run(t, &Simulation{Subject: opened(t, constant), Replications: 2, Seed: 1, Version: "v0.9"})
	file := string(saved(t, base))
	resum := func(text string) string {
		head, content, _ := strings.Cut(text, contentMark)
		var h savedHeader
		if err := json.Unmarshal([]byte(head+"}"), &h); err != nil {
			t.Fatal(err)
		}
		content = strings.TrimSuffix(content, "}\n")
		h.SHA256 = h.sum([]byte(content))
		return string(h.bytes([]byte(content)))
	}
	if resum(file) != file {
		t.Fatal("the checksum is another one")
	}
	for name, c := range map[string]struct{ text, want string }{
		"format":    {strings.Replace(file, `"Format":1`, `"Format":2`, 1), "written by revopt v0.9, format 2; this build reads format 1"},
		"field":     {resum(strings.Replace(file, `"Span":`, `"Extent":`, 1)), `whose results have other fields than those of this build: Row has a field "Extent" where Span is expected`},
		"more":      {resum(strings.Replace(file, `"Window":{`, `"Window":{"New":1,`, 1)), `Window has a field "New" where`},
		"measures":  {resum(strings.Replace(file, `"mean_wait"`, `"mean_wait_time"`, 1)), "written by revopt v0.9, whose measures are not those of this build"},
		"kind":      {resum(strings.Replace(file, `"Kind":"result"`, `"Kind":"other"`, 1)), "a kind of result that this build does not know"},
		"edited":    {strings.Replace(file, `"Nodes":1`, `"Nodes":2`, 1), "damaged, cut off or edited since revopt v0.9 wrote it"},
		"cut off":   {file[:len(file)/2], "damaged, cut off or edited since revopt v0.9 wrote it"},
		"more text": {file + "x", "damaged, cut off or edited"},
		"empty":     {"", "expected a result that revopt saved (--save)"},
		"other":     {`{"scenario": "x"}`, "expected a result that revopt saved (--save)"},
		"start":     {file[:40], "it does not say which version"},
		"deep":      {strings.Repeat("[", 1<<20), "expected a result that revopt saved"},
	} {
		var refused *SavedError
		_, err := Load(strings.NewReader(c.text))
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	waits := &WaitAnswer{Version: "v1", Classes: []ClassWait{{Name: "a"}}}
	if _, err := Load(bytes.NewReader(saved(t, waits))); err == nil || !strings.Contains(err.Error(), "got waits") {
		t.Errorf("waits as a result: %v", err)
	}
}
