package scenario

// How the unexplained waiting of a log is taken into a simulation of it.
const (
	HeldInferred = "inferred" // a job is eligible at its submission plus its unexplained seconds
	HeldNone     = "none"
)

// presentRow is how the log stands for the site of today.
func (s *Scenario) presentRow() row {
	return options("present", "a mapping such as {held: inferred}", table{
		choice("held", &s.Held, HeldInferred, HeldNone),
	})
}
