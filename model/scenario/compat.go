package scenario

// The methods of the first edition, for callers that still decide by the kind
// of a document.

// traceCompat and gridCompat are what a trace or grid of the first edition had
// of its scenario.
type traceCompat struct {
	Name         string
	Policies     []Policy
	Replications int
}

type gridCompat = traceCompat

// IsTrace reports whether the document has a trace.
func (d *Document) IsTrace() bool { return d.root.get("trace") != nil }

// IsGrid reports whether the document has sites.
func (d *Document) IsGrid() bool { return d.root.get("trace") == nil && d.root.get("sites") != nil }

// Trace decodes a trace scenario without classes.
func (d *Document) Trace(known []KnownPolicy) (*Trace, error) {
	s, err := d.Scenario(known)
	switch {
	case err != nil:
		return nil, err
	case s.Trace == nil:
		return nil, &Error{File: d.file, Message: "expected a trace"}
	case s.Classes != nil || s.Trace.Load > 0:
		return nil, &Error{File: d.file, Message: "expected a trace with qos and arrival_delay_factor, not with classes or load"}
	}
	s.Trace.traceCompat = traceCompat{s.Name, s.Policies, s.Simulation.Replications}
	return s.Trace, nil
}

// Grid decodes a grid scenario.
func (d *Document) Grid(known []KnownPolicy) (*Grid, error) {
	s, err := d.Scenario(known)
	switch {
	case err != nil:
		return nil, err
	case s.Grid == nil:
		return nil, &Error{File: d.file, Message: "expected a grid"}
	}
	s.Grid.gridCompat = gridCompat{s.Name, s.Policies, s.Simulation.Replications}
	return s.Grid, nil
}

// ClassScenario decodes a scenario of job classes and refuses every other.
func (d *Document) ClassScenario() (*Scenario, error) {
	dec := &decoder{file: d.file}
	root := &cursor{d: dec, n: d.root}
	switch {
	case d.IsTrace():
		root.get("trace").fail("expected job classes, got a trace: it can be simulated, not solved")
	case d.IsGrid():
		root.get("sites").fail("expected job classes, got the sites of a grid: it can be simulated, not solved")
	default:
		return d.Scenario(nil)
	}
	return nil, dec.err
}
