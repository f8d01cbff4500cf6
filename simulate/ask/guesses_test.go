package ask

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"revopt/internal/fixture"
	"revopt/plots/answer"
	"revopt/simulate/run"
)

// longAndShort is a machine that runs one job at a time, a job of one hour, a long one, and six of ten hours, each of
// which comes half an hour before the one before it would end if the long one waited. Each pays 1 $.
func longAndShort(t *testing.T, hours int, rest string) string {
	t.Helper()
	const hour = 3600
	line := func(id, at, length int) string {
		return fixture.Waited(-1, fixture.SWFLine(id, at, length, 64, length, 1, 1))
	}
	lines := line(1, 0, hour) + line(2, 60, hours*hour)
	for k := range 6 {
		lines += line(3+k, hour/2+10*k*hour, 10*hour)
	}
	path := filepath.Join(t.TempDir(), "log.swf")
	if err := os.WriteFile(path, []byte("; MaxNodes: 64\n; MaxProcs: 64\n"+lines), 0o600); err != nil {
		t.Fatal(err)
	}
	return "trace: {file: " + path + "}\npolicies: [sjf, fcfs]\nclasses:\n" +
		"  - {name: all, price: 1, grace: {lengths: 1}, decay: {per_hour: 10%}, max_penalty: 0}\n" + rest
}

// TestGuesses: with a long job of h hours, sjf starts it at 61 h, 48.98 h too late for 12 h, and fcfs makes each of the
// six jobs wait for h + 0.5 h, h - 9.5 h too long. So they lose, in $, of 12 h and of 15 h:
//
//	guess                 sjf    fcfs           fcfs
//	10 %                  1      6 x 0.25       6 x 0.55
//	2 %                   < 1    6 x 0.05       6 x 0.11: less than 0.92
//	50 %                  1      6              6
//	penalty of 1 $        2      6 x 0.25       6 x 0.55
//	no grace              1      6              6
//	prices by work        1      6 x 0.25       6 x 0.55
//
// sjf is best in 4 of 6 guesses with 12 h, and in 5 with 15 h.
func TestGuesses(t *testing.T) {
	const guessed = "guessed: [price, grace, decay, max_penalty]\n"
	for _, x := range []struct {
		hours    int
		rest     string
		code     string
		best, of float64
		value    float64 // $
	}{
		{12, guessed, "DEPENDS_ON_GUESSES", 4, 6, 7},
		{15, guessed, "PRESENT_IS_BEST", 5, 6, 7},
		{12, "guessed: [price, grace]\n", "PRESENT_IS_BEST", 3, 3, 7},
		{12, "guessed: [decay]\n", "DEPENDS_ON_GUESSES", 2, 3, 7},
		{12, "", "PRESENT_IS_BEST", 0, 0, 7},
	} {
		for _, command := range []string{"simulate", "validate"} {
			ask := map[string]question{"simulate": Simulate, "validate": Validate}[command]
			c, err := ask(t.Context(), openLab(t, longAndShort(t, x.hours, x.rest), run.Options{}), Request{Replications: "1"})
			if err != nil {
				t.Fatal(err)
			}
			row := rowOf(t, c.Answer, "sjf")
			if got := cell(t, c.Answer, row, "value_total").Number; !fixture.Near(got, x.value, 1e-9) {
				t.Errorf("%s, %d h: sjf delivers %g, want %g", command, x.hours, got, x.value)
			}
			best, of := cell(t, c.Answer, row, "best_in"), cell(t, c.Answer, row, "best_of")
			if best.Number != x.best || of.Number != x.of || best.Known() != (x.of > 0) {
				t.Errorf("%s, %d h, %q: sjf is best in %g of %g, want %g of %g", command, x.hours, x.rest, best.Number, of.Number, x.best, x.of)
			}
			if code := c.headline().Code; command == "simulate" && code != x.code {
				t.Errorf("%d h, %q: %s, want %s", x.hours, x.rest, code, x.code)
			}
			named := answer.Fact{Values: c.Answer.Values}.Value("best").Known()
			if named == (x.code == "DEPENDS_ON_GUESSES") {
				t.Errorf("%s, %d h, %q: a best policy is named: %t", command, x.hours, x.rest, named)
			}
		}
	}
	l := openLab(t, longAndShort(t, 12, guessed), run.Options{})
	w, err := WhatIf(t.Context(), l, Request{Changes: []string{"policy=fcfs"}, Alone: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := changeOf(t, w, asItIs, "best_in").Number; got != 4 {
		t.Errorf("whatif: the present is best in %g, want 4", got)
	}
}

// TestGuessesOfTuning: a tuning whose today is fcfs, and which finds sjf, finds what TestGuesses has. Waits of both do not
// depend on prices.
func TestGuessesOfTuning(t *testing.T) {
	const guessed = "guessed: [price, grace, decay, max_penalty]\n"
	for hours, want := range map[int]string{12: "DEPENDS_ON_GUESSES", 15: ""} {
		l := openLab(t, longAndShort(t, hours, guessed), run.Options{})
		c, err := Simulate(t.Context(), l, Request{Replications: "1", Policies: []string{"fcfs", "sjf"}})
		if err != nil {
			t.Fatal(err)
		}
		for i := range c.Rows {
			c.Rows[i].Label = c.Rows[i].Case.Row()
		}
		today, found := &run.Candidate{Case: c.Rows[0].Case}, &run.Candidate{Case: c.Rows[1].Case}
		x := &trial{tuner: &tuner{search: &run.Search{Now: today}}}
		if got, err := x.guessed(t.Context(), c, found); err != nil || got.Code != want {
			t.Errorf("%d h: %s, %v, want %q", hours, got, err, want)
		}
	}
	l := openLab(t, longAndShort(t, 12, guessed), run.Options{})
	c, err := Simulate(t.Context(), l, Request{Replications: "1", Objective: "wait"})
	if err != nil {
		t.Fatal(err)
	}
	if got := cell(t, c.Answer, rowOf(t, c.Answer, "sjf"), "best_in").Number; got != 6 {
		t.Errorf("waits: sjf is best in %g of 6 guesses", got)
	}
}

// rowOf returns the row of a policy.
func rowOf(t *testing.T, a answer.Answer, policy string) int {
	t.Helper()
	for i := range a.Tables[0].Rows {
		if cell(t, a, i, "policy").Word == policy {
			return i
		}
	}
	t.Fatalf("no row of %s", policy)
	return 0
}

// TestOneBest: see oneBest.
func TestOneBest(t *testing.T) {
	for seed := range uint64(2) {
		oneBest(t, seed)
	}
}

// oneBest asks about a random scenario of a log, and recomputes from the table who is the best: of the rows that harm
// nobody and that run where the present does, the one with the largest value. No answer names another. It returns how
// many answers have each headline.
func oneBest(t *testing.T, seed uint64) map[string]int {
	t.Helper()
	codes := map[string]int{}
	r := rand.New(rand.NewPCG(seed, 56))
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	now := pick("fcfs", "easy", "conservative", "sjf", "hol:backfill=true")
	rest := fmt.Sprintf("policies: [%s, fcfs, easy, hol, value-bf]\n", yamlPolicy(now))
	rest = strings.Replace(rest, ", "+now+",", ",", 1)
	rest += pick("", "guessed: [price, decay]\n", "guessed: [price, grace, decay, max_penalty]\n")
	lines := played(t, drawnLog(60+r.IntN(120), 1200+r.IntN(3000)), now, "")
	source := strings.ReplaceAll(onNodes(t, lines, rest), "decay:", pick("max_penalty: 0, ", "grace: {lengths: 1}, max_penalty: 0, ")+"decay:")
	asked := map[string]Request{"simulate": {}, "validate": {}, "simulate all": {Policies: []string{"all"}},
		"whatif": {Changes: []string{"policy=best", "nodes=+" + fmt.Sprint(1+r.IntN(16))}, Alone: true}}
	for name, request := range asked {
		command, _, _ := strings.Cut(name, " ")
		request.Command = command
		ask := map[string]question{"simulate": Simulate, "validate": Validate, "whatif": WhatIf}[command]
		c, err := ask(t.Context(), openLab(t, source, run.Options{}), request)
		if err != nil {
			t.Fatal(seed, name, err)
		}
		if fault := unlikeTable(t, c.Answer, command == "whatif"); fault != "" {
			t.Errorf("seed %d, %s of %s: %s: %s", seed, name, now, c.Answer.Headline, fault)
		}
		codes[c.Answer.Headline.Code]++
	}
	return codes
}

// yamlPolicy returns a label as a scenario states it.
func yamlPolicy(label string) string {
	name, option, ok := strings.Cut(label, ":")
	if !ok {
		return name
	}
	return "{" + name + ": {" + strings.Replace(option, "=", ": ", 1) + "}}"
}

// unlikeTable says how the best row that an answer names differs from its table; "": it does not.
func unlikeTable(t *testing.T, a answer.Answer, change bool) string {
	t.Helper()
	name, order := "policy", map[string]int{"research": 0, "plugin": 1, "slurm": 2}
	if change {
		name = "change"
	}
	column := func(i int, name string) answer.Value { return cell(t, a, i, name) }
	label := func(i int) string {
		word := column(i, name).Word
		if admission := column(i, "admission").Word; !change && admission != "all" {
			word += ", " + admission
		}
		return word
	}
	present := -1
	for i := range a.Tables[0].Rows {
		if column(i, "present").True {
			present = i
		}
	}
	if present < 0 {
		return "no present"
	}
	here := func(i int) bool {
		return order[column(i, "runs_on").Word] >= order[column(present, "runs_on").Word]
	}
	best := present
	for i := range a.Tables[0].Rows {
		if column(i, "runs_on").Word == "log" || column(i, "harms").Number > 0 || !here(i) {
			continue
		}
		if column(i, "value").Number > column(best, "value").Number {
			best = i
		}
	}
	named := a.Headline.Value("policy").Word
	if v := a.Headline.Value("change"); v.Known() {
		named = v.Word
	} else if v := a.Headline.Value("best"); v.Known() {
		named = v.Word
	}
	of := column(best, "best_of").Number
	firm := of == 0 || 6*column(best, "best_in").Number >= 5*of
	told := answer.Fact{Values: a.Values}.Value("best").Word
	switch code := a.Headline.Code; {
	case code == "DEPENDS_ON_GUESSES" && (firm || told != ""):
		return fmt.Sprintf("firm %t, and values name %q", firm, told)
	case code == "DEPENDS_ON_GUESSES", code == "NOT_THE_SITE" && named == "", code == "HELD" && named == "", code == "NO_WINNER":
		return ""
	case change && best == present:
		// Nothing that the site runs gains, so that a plug-in may be named.
		for i := range a.Tables[0].Rows {
			if label(i) == named && column(i, "harms").Number > 0 {
				return "it harms"
			}
		}
		return ""
	case !firm:
		return "it depends on guesses"
	case named != label(best) && !(change && best == present) || told != label(best):
		return fmt.Sprintf("%q is the best, named are %q and %q", label(best), named, told)
	}
	return ""
}

// question is Simulate, Validate or WhatIf.
type question func(context.Context, *run.Lab, Request) (*Comparison, error)

// TestInterruptedGuesses: an interruption while other guesses run leaves the answer under the stated one.
func TestInterruptedGuesses(t *testing.T) {
	l := openLab(t, longAndShort(t, 12, "guessed: [decay]\n"), run.Options{})
	c, err := Validate(t.Context(), l, Request{Replications: "1"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c.guesses = nil
	asked := 0
	err = c.tryGuesses(ctx, func(c *Comparison) []Row {
		asked++
		if asked == 2 { // after the first of the other guesses
			cancel()
		}
		return c.best()
	})
	if err != nil || c.guesses != nil || c.broken != context.Canceled {
		t.Errorf("error %v, guesses %v, broken %v", err, c.guesses, c.broken)
	}
	if n := len(c.noted); n == 0 || c.noted[n-1].Code != "INTERRUPTED" || len(c.unfinished()) > 0 {
		t.Errorf("warnings %v and %v", c.noted, c.unfinished())
	}
}
