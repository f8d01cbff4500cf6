package scenario

import (
	"slices"
	"strconv"
	"strings"

	"revopt/internal/text"
	"revopt/model"
)

// Guesses returns the fields of a customer that a log of jobs does not have, so that a scenario made from a log has
// invented values for them.
func Guesses() []string { return []string{"price", "grace", "decay", "max_penalty"} }

// guessedRow is the field that names which of Guesses still have invented values.
func (s *Scenario) guessedRow() row {
	return row{key: "guessed", optional: true,
		read: func(c *cursor) {
			if !c.given() {
				return
			}
			for _, item := range c.list("a list of fields with invented values, such as [price, decay]") {
				s.Guessed = append(s.Guessed, choose(item, Guesses()...))
			}
		},
		write: func(*encoder) string {
			if s.Guessed == nil {
				return ""
			}
			return flowList(s.Guessed, func(field string) string { return field })
		}}
}

// Guess is other values of a field that init invents.
type Guess struct {
	Words string     // what the values are
	Set   []Override // the values in place of those of the scenario
}

// otherGuess changes the value that a class has. The share is that of the class in the work, over the mean share.
type otherGuess struct {
	field, words string
	change       func(c *model.Class, share float64)
}

func otherGuesses() []otherGuess {
	return []otherGuess{
		{"decay", "a fifth of the decay", func(c *model.Class, _ float64) { scaleDecay(c, 0.2) }},
		{"decay", "five times the decay", func(c *model.Class, _ float64) { scaleDecay(c, 5) }},
		{"max_penalty", "penalties up to the price", func(c *model.Class, _ float64) { c.Floor = model.Floor{OfPrice: 1} }},
		// A second is not 0, so that jobs keep their deadlines.
		{"grace", "no grace", func(c *model.Class, _ float64) { c.Grace = model.Grace{Fixed: 1} }},
		{"price", "prices by the share of the work", scalePrice},
	}
}

func scaleDecay(c *model.Class, by float64) {
	c.Decay *= by
	c.DecayOfPrice *= by
}

func scalePrice(c *model.Class, by float64) {
	c.Price.Fixed *= by
	c.Price.PerSecond *= by
	c.Price.PerNodeSecond *= by
	c.Terms = slices.Clone(c.Terms)
	for i := range c.Terms {
		c.Terms[i].PerNodeSecond *= by
	}
}

// OtherGuesses returns other values of the fields that are guessed. The work is that of each class.
func (s *Scenario) OtherGuesses(work []float64) []Guess {
	mean := text.Sum(work, func(w float64) float64 { return w }) / float64(max(len(work), 1))
	var list []Guess
	for _, other := range otherGuesses() {
		if !slices.Contains(s.Guessed, other.field) {
			continue
		}
		g := Guess{Words: other.words}
		for i, class := range s.Classes {
			class = atDemand(class, s.Trace != nil)
			share := 1.0
			if mean > 0 {
				share = work[i] / mean
			}
			other.change(&class, share)
			if value := s.worth(&class, other.field); value != "" {
				g.Set = append(g.Set, Override{Path: s.classPath(i) + "." + other.field, Value: value})
			}
		}
		if g.Set != nil {
			list = append(list, g)
		}
	}
	return list
}

// worth returns a field of what jobs of a class pay as YAML, "" if the class does not have it.
func (s *Scenario) worth(class *model.Class, field string) string {
	rows := worthTable(class, s.Trace != nil, s.Pools)
	at := slices.Index(rows.keys(), field)
	e := &encoder{}
	value := rows[at].text(e)
	if e.err != nil {
		return ""
	}
	return value
}

// classPath returns the path of a class in overrides: by its name, or by its place where the name cannot stand in a path.
func (s *Scenario) classPath(i int) string {
	if name := s.Classes[i].Name; !strings.ContainsAny(name, ".=") {
		return "classes." + name
	}
	return "classes." + strconv.Itoa(i)
}
