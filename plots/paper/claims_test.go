package paper

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"

	"revopt/internal/text"
)

// papers are the names of the papers in the order of their figures.
var papers = []string{"nist", "libra", "ic", "pricing", "sla"}

// A claim is a statement of a paper about numbers, a row of testdata/claims.csv. Other
// statements are tests of packages model and simulate/policy.
type claim struct {
	id     string // the paper and the subject: "pricing-03a-falls"
	kind   string // number, order or direction
	place  string // in the paper: "section VI, figure 15"
	figure string // ID of the figure whose numbers decide it
	says   string // the claim in our words
	quote  string // the words of the paper, a line at most; empty where it takes several

	tolerance float64 // of numbers, and why it was chosen
	why       string

	// on is the built-in scenario whose figures decide it. Readings of that scenario
	// may decide it otherwise; a claim without one does not depend on a reading. A
	// slash sets apart a claim that has readings of its own.
	on string
}

// paper returns the name of the paper of the claim.
func (c claim) paper() string {
	name, _, _ := strings.Cut(c.id, "-")
	return name
}

// A check decides a claim on the figures of its paper.
type check func(e *evidence) verdict

// checks are the checks of the claims, by their IDs, and of the sentences that readings
// take in their place, by the reading and the ID: "of-capacity/nist-10-low-share".
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
		c := claim{id: r[0], kind: r[1], place: r[2], figure: r[3], says: r[4], quote: r[5], why: r[7], on: r[8]}
		if r[6] != "" {
			c.tolerance = must(strconv.ParseFloat(r[6], 64))
		}
		return c
	})
}

func claimsOf(paper string) []claim {
	return text.Where(allClaims(), func(c claim) bool { return c.paper() == paper })
}

// A claimReading is a reading that may also decide claims in another way.
type claimReading struct {
	Reading `yaml:",inline"`

	// Restates are the sentences that it takes in place of claims, by their IDs.
	Restates map[string]string

	// From is the least arrival delay factor that claims on figures of Yeo and Buyya
	// (2007) use; 0 means 0.1.
	From float64

	// Combinations is how many joint readings were tried to find it.
	Combinations int `yaml:"-"`
}

// check returns the check of a claim, or of the sentence that the reading takes for it.
func (r claimReading) check(c claim) check {
	for _, part := range r.single() {
		if other, ok := checks[part.Name+"/"+c.id]; ok {
			return other
		}
	}
	return checks[c.id]
}

//go:embed testdata/readings.yaml
var claimReadingData []byte

// claimReadings returns the readings of a paper: the default one, those of the program,
// those of claims alone, and the joint one.
func claimReadings(paper string) []claimReading {
	var stated map[string]struct {
		Joint        []string
		Combinations int
		Readings     []claimReading
	}
	err := yaml.UnmarshalWithOptions(claimReadingData, &stated, yaml.Strict())
	if err != nil {
		panic("testdata/readings.yaml: " + err.Error())
	}
	var list []claimReading
	for _, r := range Readings(paper) {
		if r.Name != JointReading {
			list = append(list, claimReading{Reading: r})
		}
	}
	for _, r := range stated[paper].Readings {
		r.Paper = paper
		list = append(list, r)
	}
	joint := claimReading{Restates: make(map[string]string), Combinations: stated[paper].Combinations}
	var parts []Reading
	for _, name := range stated[paper].Joint {
		part := must(find(list, name, "no reading", func(r claimReading) string { return r.Name }))
		parts = append(parts, part.Reading)
		maps.Copy(joint.Restates, part.Restates)
	}
	joint.Reading = together(JointReading, parts)
	joint.Paper = paper
	return append(list, joint)
}

// defaultReading is the reading of built-in scenarios and default options.
var defaultReading claimReading

// A matrix is the claims of a paper under each of its readings.
type matrix struct {
	paper    string
	readings []claimReading
	claims   []claim
	verdicts [][]verdict // by claim, then by reading
}

func newMatrix(paper string) *matrix {
	return &matrix{paper: paper, readings: claimReadings(paper), claims: claimsOf(paper)}
}

// summary says in a word or two how a claim comes out under all readings together:
// "reproduced" where it holds by default, "as read" where it holds under another
// reading, "undetermined" where some reading leaves it open, "contradicted" where it
// fails under every reading.
func (m *matrix) summary(claim int) string {
	outcomes := text.Each(m.verdicts[claim], func(v verdict) outcome { return v.outcome })
	switch {
	case outcomes[0] == holds:
		return "reproduced"
	case slices.Contains(outcomes, holds):
		return "as read"
	case slices.Contains(outcomes, undetermined):
		return "undetermined"
	}
	return "contradicted"
}

// under returns the verdict on a claim under a reading: that of the default where the
// reading does not touch it.
func (m *matrix) under(claim, reading int) verdict {
	if v := m.verdicts[claim][reading]; v.outcome != untouched {
		return v
	}
	return m.verdicts[claim][0]
}

// decide decides all claims under all readings.
func (m *matrix) decide(e func(claimReading) *evidence) error {
	m.verdicts = nil
	for range m.claims {
		m.verdicts = append(m.verdicts, make([]verdict, len(m.readings)))
	}
	for k, r := range m.readings {
		under := e(r)
		for i, c := range m.claims {
			if k > 0 && !r.concerns(c.on) {
				m.verdicts[i][k] = verdict{outcome: untouched}
				continue
			}
			v, err := under.decide(c)
			if err != nil {
				return fmt.Errorf("reading %s: %w", r.Name, err)
			}
			m.verdicts[i][k] = v
		}
	}
	return nil
}

// records yields a row for each claim and reading, the header first.
func (m *matrix) records(add func(cells ...any)) {
	add("claim", "kind", "place", "reading", "outcome", "got", "fitted", "tried", "read as")
	for i, c := range m.claims {
		for k, r := range m.readings {
			v := m.verdicts[i][k]
			add(c.id, c.kind, c.place, r.Name, v.outcome.String(), v.got, strings.Join(r.Free, " "), r.Tried,
				r.Restates[c.id])
		}
	}
}
