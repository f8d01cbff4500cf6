package scenario

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
