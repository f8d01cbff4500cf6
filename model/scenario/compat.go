package scenario

// ClassScenario decodes a scenario of job classes and refuses every other.
func (d *Document) ClassScenario() (*Scenario, error) {
	s, err := d.Scenario(nil)
	if err == nil && (s.Trace != nil || s.Grid != nil) {
		return nil, &Error{File: d.file, Message: "expected job classes"}
	}
	return s, err
}
