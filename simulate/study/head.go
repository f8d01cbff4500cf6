package study

// Head says what a result is of and what made it. Every result begins with it.
type Head struct {
	Scenario  string   `json:"scenario"`
	Version   string   `json:"version"`   // of the program
	Overrides []string `json:"overrides"` // path=value

	// fields of customers whose values init invented, on which all money depends; absent if there are none
	Guessed []string `json:"guessed,omitempty"`

	Command string `json:"-"` // that made it; "" if none did
	Build   string `json:"-"` // of the program that made it; "" if it is not known
}

// NewHead returns the head of a result with some overrides.
func NewHead(scenario, version string, overrides ...string) Head {
	return Head{Scenario: scenario, Version: version, Overrides: append([]string{}, overrides...)}
}
