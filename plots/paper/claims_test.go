package paper

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"revopt/internal/text"
)

// papers are the names of the papers in the order of their figures.
var papers = []string{"nist", "libra", "ic", "pricing", "sla"}

// A claim is a statement of a paper about numbers, a row of testdata/claims.csv. Other
// statements are tests of packages model and simulate/policy.
type claim struct {
	id     string // the paper and the subject: "pricing-03a-falls"
	kind   string // number, order or direction; input, which only echoes what the paper states, is no result
	place  string // in the paper: "section VI, figure 15"
	figure string // ID of the figure whose numbers decide it
	says   string // the criterion: the claim in our words
	quote  string // the words of the paper, a line at most; empty where it takes several

	tolerance float64 // of numbers
	reason    string  // of the tolerance

	// on is the built-in scenario whose figures decide it. A claim without one does not depend on a reading.
	on string

	// why says why it does not hold: contradiction, the paper contradicts itself; open, the text leaves open what
	// decides it; unknown. Because says more. Both are empty for claims that hold beyond doubt.
	why, because string
}

// paper returns the name of the paper of the claim.
func (c claim) paper() string {
	name, _, _ := strings.Cut(c.id, "-")
	return name
}

// result reports whether the claim is about results: others echo inputs, a worked example or averages of a trace.
func (c claim) result() bool { return c.kind != "input" }

// fitted reports whether the claim is decided with settings that were fitted to numbers of its paper. A claim on a
// scenario without a figure is about all figures of its paper.
func (c claim) fitted(r Reading) bool {
	if c.figure == "" && c.on != "" {
		return slices.ContainsFunc(Recipes(), func(recipe Recipe) bool {
			_, ok := r.fitted(recipe.ID)
			return ok && recipe.Paper() == c.paper()
		})
	}
	_, ok := r.fitted(c.figure)
	return ok
}

// yesNo says whether the claim is decided with fitted settings by default.
func (c claim) yesNo() string {
	if c.fitted(defaultReading) {
		return "yes"
	}
	return "no"
}

// A check decides a claim on the figures of its paper.
type check func(e *evidence) verdict

// checks are the checks of the claims, by their IDs.
var checks = joinChecks(nistChecks, libraChecks, impreciseChecks, pricingChecks, slaChecks)

func joinChecks(list ...map[string]check) map[string]check {
	joined := make(map[string]check)
	for _, checks := range list {
		maps.Copy(joined, checks)
	}
	return joined
}

//go:embed testdata/claims.csv
var claimData string

// allClaims returns the claims of all papers, paper by paper.
func allClaims() []claim {
	rows := must(csv.NewReader(strings.NewReader(claimData)).ReadAll())
	return text.Each(rows[1:], func(r []string) claim {
		c := claim{
			id: r[0], kind: r[1], place: r[2], figure: r[3], says: r[4], quote: r[5],
			reason: r[7], on: r[8], why: r[9], because: r[10],
		}
		if r[6] != "" {
			c.tolerance = must(strconv.ParseFloat(r[6], 64))
		}
		return c
	})
}

func claimsOf(paper string) []claim {
	return text.Where(allClaims(), func(c claim) bool { return c.paper() == paper })
}

// criterion returns what decides a claim, with its tolerance.
func (c claim) criterion() string {
	if c.tolerance == 0 {
		return c.says
	}
	return fmt.Sprintf("%s; within %g (%s)", c.says, c.tolerance, c.reason)
}

// defaultReading is the reading of built-in scenarios.
var defaultReading Reading

// Columns of a matrix.
const (
	byDefault = iota
	asAlternative
)

// A matrix is the claims of a paper under its two readings.
type matrix struct {
	paper    string
	claims   []claim
	verdicts [][2]verdict // by claim: by default, and under the alternative
}

func newMatrix(paper string) *matrix { return &matrix{paper: paper, claims: claimsOf(paper)} }

// under returns the verdict on a claim under a reading: that of the default where the alternative does not touch it.
func (m *matrix) under(claim, reading int) verdict {
	if v := m.verdicts[claim][reading]; v.outcome != untouched {
		return v
	}
	return m.verdicts[claim][byDefault]
}

// decide decides the chosen claims under both readings.
func (m *matrix) decide(chosen func(c claim) bool, e func(Reading) *evidence) error {
	if m.verdicts == nil {
		m.verdicts = make([][2]verdict, len(m.claims))
	}
	for k, r := range []Reading{defaultReading, Alternative(m.paper)} {
		under := e(r)
		for i, c := range m.claims {
			if !chosen(c) {
				continue
			}
			if k == asAlternative && (c.on == "" || !r.concerns(c.on)) {
				m.verdicts[i][k] = verdict{outcome: untouched}
				continue
			}
			v, err := under.decide(c)
			if err != nil {
				return err
			}
			m.verdicts[i][k] = v
		}
	}
	return nil
}

// records yields a row for each claim, the header first.
func (m *matrix) records(add func(cells ...any)) {
	add("paper", "claim", "kind", "place", "figure", "quotation", "criterion", "fitted",
		"verdict", "got", "alternative", "got_alternative", "why", "because")
	for i, c := range m.claims {
		v, other := m.verdicts[i][byDefault], m.verdicts[i][asAlternative]
		if v.outcome == holds {
			c.why, c.because = "", ""
		}
		add(m.paper, c.id, c.kind, c.place, c.figure, c.quote, c.criterion(), c.yesNo(), v.outcome.String(), v.got,
			other.outcome.String(), other.got, c.why, c.because)
	}
}
