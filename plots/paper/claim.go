package paper

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/plots"
)

// claimData is the claims of the papers, one in each row.
//
//go:embed claims.csv
var claimData []byte

// A Claim is a statement of a paper about numbers, and the rule that decides it. Other statements are tests
// of packages model and simulate/policy.
type Claim struct {
	ID     string // the paper and the subject: "pricing-03a-falls"
	Kind   string // number, order or direction
	Place  string // in the paper: "section VI, figure 15"
	Figure string // ID of the figure whose numbers decide it
	Says   string // the claim in our words
	Quote  string // the words of the paper, a line at most; empty where it takes several

	// Criterion decides the claim, see checker. Numbers agree within Tolerance unless
	// it names another, and Why says how that was chosen.
	Criterion string
	Tolerance float64
	Why       string

	// On is the built-in scenario whose figures decide it. Readings of that scenario
	// may decide it otherwise; a claim without one does not depend on a reading. A
	// slash sets apart a claim that has readings of its own, see Reading.Changes.
	On string
}

// Paper returns the name of the paper of the claim.
func (c Claim) Paper() string {
	name, _, _ := strings.Cut(c.ID, "-")
	return name
}

// Claims returns the claims of all papers, paper by paper.
func Claims() []Claim {
	rows, err := csv.NewReader(bytes.NewReader(claimData)).ReadAll()
	if err != nil {
		panic("paper: claims.csv: " + err.Error())
	}
	var list []Claim
	for _, r := range rows[1:] {
		c := Claim{ID: r[0], Kind: r[1], Place: r[2], Figure: r[3], Says: r[4], Quote: r[5], Criterion: r[6], Why: r[8], On: r[9]}
		if r[7] != "" {
			if c.Tolerance, err = strconv.ParseFloat(r[7], 64); err != nil {
				panic("paper: claims.csv: " + c.ID + ": " + err.Error())
			}
		}
		list = append(list, c)
	}
	return list
}

func claimsOf(paper string) []Claim {
	return slices.DeleteFunc(Claims(), func(c Claim) bool { return c.Paper() != paper })
}

// Outcome is how a claim comes out under a reading.
type Outcome int

const (
	Undetermined Outcome = iota // within chance, or the text leaves open what to compare
	Holds
	Fails
	Unconcerned // the reading does not touch the claim
)

// String returns the outcome in one word.
func (o Outcome) String() string {
	return [...]string{Undetermined: "undetermined", Holds: "holds", Fails: "fails", Unconcerned: "untouched"}[o]
}

// A Verdict is how a claim came out, and on which numbers.
type Verdict struct {
	Outcome Outcome
	Got     string // the numbers, with intervals where they are of simulations
}

// Evidence is the figures under one reading, from which claims are decided. A
// figure is built when it is first asked for.
type Evidence struct {
	ctx   context.Context
	o     Options
	built map[string]plots.Picture

	// drawnOnly decides only claims that need no simulation beyond those that were run.
	drawnOnly bool
}

// NewEvidence returns evidence under the reading of some options. Sweeps that
// several claims need are run once.
func NewEvidence(ctx context.Context, o Options) *Evidence {
	if o.Shared == nil {
		o.Shared = new(Shared)
	}
	return &Evidence{ctx: ctx, o: o, built: make(map[string]plots.Picture)}
}

// A lack is why a claim cannot be decided, or a figure cannot be drawn.
type lack struct{ err error }

// lacking ends a decision or a figure; caught returns its error.
func lacking(format string, args ...any) { panic(lack{fmt.Errorf(format, args...)}) }

// must returns a value that is needed; its error ends the decision or the figure.
func must[T any](v T, err error) T {
	if err != nil {
		panic(lack{err})
	}
	return v
}

// caught is deferred where lacking and must may end a computation. It sets the error.
func caught(err *error) {
	switch r := recover().(type) {
	case nil:
	case lack:
		*err = r.err
	default:
		panic(r)
	}
}

// Decide decides a claim. The error is that of a figure that cannot be built, or of a
// criterion that cannot be read.
func (e *Evidence) Decide(c Claim) (v Verdict, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("claim %s: %w", c.ID, err)
		}
	}()
	defer caught(&err)
	if other, ok := e.o.Reading.Criteria[c.ID]; ok {
		c.Criterion = other.Criterion
	}
	inPoints := func(part Reading) bool { return part.Points && part.concerns(c.On) }
	if points := slices.ContainsFunc(e.o.Reading.single(), inPoints); points != e.o.Reading.Points {
		only := *e
		only.built, only.o.Reading.Points = make(map[string]plots.Picture), points
		e = &only
	}
	return e.check(c), nil
}

// claimRemarks decides the claims on a figure that was drawn.
func claimRemarks(ctx context.Context, o Options, id string, p plots.Picture) (list []string) {
	o.Progress = nil
	e := NewEvidence(ctx, o)
	e.built[id], e.drawnOnly = p, true
	for _, c := range Claims() {
		if c.Figure != id {
			continue
		}
		if v, err := e.Decide(c); err == nil {
			outcome := v.Outcome.String()
			if o.Trace == "" && strings.HasPrefix(c.On, "sp2-") {
				outcome += " on generated jobs"
			}
			list = append(list, fmt.Sprintf("%s: %s: %s", o.Reading.states(c), outcome, v.Got))
		}
	}
	return list
}

func (e *Evidence) picture(id string) plots.Picture {
	if p := e.built[id]; p != nil {
		return p
	}
	result, err := must(Find(id)).draw(e.ctx, e.o)
	if err != nil {
		lacking("figure %s: %w", id, err)
	}
	e.built[id] = result.Picture
	return result.Picture
}

// curves returns the curves of a figure whose names match, see named, in the units
// that its axes print. Another measure than that of the figure may be named.
func (e *Evidence) curves(id, name, measure string) []curveValues {
	s := planned(id)
	if s == nil {
		fig := panelsOf(e.picture(id))[0]
		return inUnits(named(text.Each(fig.Series, drawnValues), id, name), fig.X, fig.Y, fig.VLines)
	}
	o, p := e.o, s.plan(e.o)
	k := slices.IndexFunc(p.rows, func(r row) bool { return strings.HasPrefix(r.name, name) })
	formula := k >= 0 && p.rows[k].admission != nil && p.rows[k].admission.Name == scenario.AdmitAnalytic
	if !formula && !e.drawnOnly {
		o = e.simulatedAs(p.scenario)
		p = s.plan(o)
	}
	if (k < 0 || !p.rows[k].searched()) && !p.known(o) {
		p = p.cheap()
	}
	if e.drawnOnly && !p.known(o) {
		lacking("figure %s is not drawn", id)
	}
	t, y := p.run(e.ctx, o), s.y
	if measure == "" || measure == s.measure {
		measure = s.measure
	} else {
		y = measureAxes[measure]
	}
	return inUnits(named(text.Each(s.curves(t, measure), simulatedValues), id, name), s.x, y, nil)
}

// simulatedAs returns the options under which simulations of a scenario are the same and
// shared: a reading of the formulas alone leaves jobs as they are.
func (e *Evidence) simulatedAs(name string) Options {
	o := e.o
	changesJobs := func(v scenario.Override) bool {
		return v.Path != "phi" && v.Path != "server.residual" && v.Path != "server.grace"
	}
	if set := o.Reading.overrides(name); len(set) > 0 && !slices.ContainsFunc(set, changesJobs) {
		o.Reading = Reading{}
	}
	return o
}

// planned returns the simulation of a figure or of claims; nil where there is none.
func planned(id string) *simulated {
	switch id {
	case "low-loads":
		return &simulated{plan: lowLoads, x: loadAxis, y: measureAxes["revenue_per_job"], measure: "revenue_per_job"}
	case "half-node":
		return &simulated{plan: libraHalf, measure: "jobs_completed"}
	case "easy":
		return &simulated{plan: easyPlan, y: plots.Axis{Percent: true}, measure: "job_qos_satisfaction"}
	}
	return must(Find(id)).simulated
}

// named returns the curves of a name: of several, separated by bars; of those that begin with words before
// a star; else the first that is called so, begins so or contains it.
func named(list []curveValues, id, name string) (chosen []curveValues) {
	for words := range strings.SplitSeq(name, "|") {
		if start, many := strings.CutSuffix(words, "*"); many {
			begins := func(c curveValues) bool { return strings.HasPrefix(c.name, start) }
			chosen = append(chosen, text.Where(list, begins)...)
			continue
		}
		k := -1
		for _, match := range []func(name, words string) bool{strings.EqualFold, strings.HasPrefix, strings.Contains} {
			if k < 0 {
				k = slices.IndexFunc(list, func(c curveValues) bool { return match(c.name, words) })
			}
		}
		if k < 0 {
			lacking("figure %s has no curve %q", id, words)
		}
		chosen = append(chosen, list[k])
	}
	return chosen
}
