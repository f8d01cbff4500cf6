package ask

import (
	"bytes"
	"strings"
	"testing"

	"revopt/internal/fixture"
	"revopt/model/scenario"
	"revopt/plots/answer"
	"revopt/simulate/run"
)

func validated(t *testing.T, l *run.Lab, q Request) answer.Answer {
	t.Helper()
	c, err := Validate(t.Context(), l, q)
	if err != nil {
		t.Fatal(err)
	}
	return c.Answer
}

// numbers returns a column of numbers of the rows of a table that have a word in another column.
func numbers(t *testing.T, a answer.Answer, table, column, key, word string) (list []float64) {
	t.Helper()
	found, _ := a.Table(table)
	at := map[string]int{}
	for i, c := range found.Columns {
		at[c.Name] = i
	}
	for _, row := range found.Rows {
		if row[at[key]].Word == word && row[at[column]].Known() {
			list = append(list, row[at[column]].Number)
		}
	}
	return list
}

// TestPoolBounds: the bound on the machine is the sum of those on pools that share no jobs, which come after it.
func TestPoolBounds(t *testing.T) {
	l := openLab(t, "ai-site", run.Options{Workers: 2}, scenario.Override{Path: "trace.jobs", Value: "last:120"})
	a := validated(t, l, Request{Policies: []string{"easy,value-bf"}, Replications: "1"})
	all := numbers(t, a, "bounds", "value", "bound", run.Clairvoyant)
	sum := 0.0
	for _, x := range all[1:] {
		sum += x
	}
	if len(all) < 2 || sum < all[0]*(1-1e-9) || sum > all[0]*(1+1e-9) {
		t.Errorf("%v", all)
	}
}

// TestObjectives: no mean wait or slowdown of a policy that runs every job once is below the bound, and its share is the
// bound over the mean. Other policies have no share.
func TestObjectives(t *testing.T) {
	for _, o := range []run.Objective{run.Wait(), run.Slowdown()} {
		l := openLab(t, fixture.Customers(t), run.Options{Workers: 2})
		a := validated(t, l, Request{Policies: []string{"easy,fcfs,value-bf:preempt=suspend"}, Objective: o.Name, Replications: "1"})
		for _, c := range a.Tables[0].Columns {
			if c.Name == o.Column && (!c.Bound.Known() || !c.Less) {
				t.Errorf("%s: no bound from below: %+v", o.Name, c)
			}
		}
		least := numbers(t, a, "bounds", "value", "bound", run.Unpreempted)[0]
		for i := range a.Tables[0].Rows {
			mean, share := cell(t, a, i, o.Column), cell(t, a, i, "share")
			if cell(t, a, i, "policy").Word == "value-bf:preempt=suspend" {
				if share.Known() {
					t.Errorf("%s: a share of %g", o.Name, share.Number)
				}
				continue
			}
			if mean.Number < least || mean.Number > 0 && !near(share.Number, least/mean.Number) {
				t.Errorf("%s: %g, at least %g, share %g", o.Name, mean.Number, least, share.Number)
			}
		}
	}
}

// TestOneRate: simulate and validate say the same $/h of a policy on a log.
func TestOneRate(t *testing.T) {
	q := Request{Policies: []string{"easy", "value-bf"}}
	l := openLab(t, fixture.Customers(t), run.Options{Workers: 2})
	simulated, err := Simulate(t.Context(), l, q)
	if err != nil {
		t.Fatal(err)
	}
	a := validated(t, l, q)
	for _, policy := range q.Policies {
		one := numbers(t, simulated.Answer, "policies", run.ColumnValue, "policy", policy)
		other := numbers(t, a, "policies", run.ColumnValue, "policy", policy)
		if len(one) != 1 || len(other) != 1 || !near(one[0], other[0]) {
			t.Errorf("%s: simulated %v, validated %v", policy, one, other)
		}
	}
}

// TestValidated: the answer is short, and the same at any number of workers.
func TestValidated(t *testing.T) {
	var pages [2]bytes.Buffer
	for i, workers := range []int{1, 3} {
		l := openLab(t, "nist-cluster", run.Options{Workers: workers}, scenario.Set("load", 1.5),
			scenario.Set("simulation.jobs", 60))
		a := validated(t, l, Request{Policies: []string{"hol,fcfs"}, Replications: "3", Jobs: "60", Version: "1",
			Vary: "load=0.5,1.5"})
		if err := a.WriteJSON(&pages[i]); err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if err := a.WriteText(&text, answer.TextOptions{}); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(text.String(), "\n"); n > 25 {
			t.Errorf("%d lines:\n%s", n, &text)
		}
	}
	if pages[0].String() != pages[1].String() {
		t.Error("answers depend on the number of workers")
	}
}

// TestBrief: a short text is the same if only what it shows is computed, and then the groups of jobs that it does not show
// are not there.
func TestBrief(t *testing.T) {
	for _, name := range []string{"site", "nist-cluster"} {
		set := []scenario.Override{scenario.Set("simulation.replications", 2), scenario.Set("simulation.jobs", 300)}
		if name == "site" {
			set = fewJobs()
		}
		short := func(brief bool, ask func(l *run.Lab, q Request) answer.Answer) (string, answer.Answer) {
			a := ask(openLab(t, name, run.Options{Workers: 2}, set...), Request{Brief: brief})
			var b bytes.Buffer
			if err := a.WriteText(&b, answer.TextOptions{}); err != nil {
				t.Fatal(err)
			}
			return b.String(), a
		}
		for _, ask := range []func(l *run.Lab, q Request) answer.Answer{
			func(l *run.Lab, q Request) answer.Answer { return validated(t, l, q) },
			func(l *run.Lab, q Request) answer.Answer { return whatIfOn(t, l, q, "load=+10%").Answer },
		} {
			want, whole := short(false, ask)
			got, left := short(true, ask)
			if got != want {
				t.Errorf("%s: %s, want %s", name, got, want)
			}
			_, hidden := left.Table("customers")
			_, known := whole.Table("customers")
			if hidden || !known {
				t.Errorf("%s: groups in a short text %v, else %v", name, hidden, known)
			}
		}
	}
}
