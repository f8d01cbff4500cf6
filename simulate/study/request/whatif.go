package request

import (
	"revopt/simulate/run"
	"revopt/simulate/study"
	"revopt/simulate/subject"
)

// OneAdmission reads an admission where only one is meant.
func OneAdmission(s *subject.Subject, value string) (run.Gate, error) {
	list, err := study.ParseAdmissions(s, []string{value})
	if err != nil {
		return run.Gate{}, err
	}
	if len(list) != 1 {
		return run.Gate{}, study.Usagef("--admission: expected one admission, got %q", value)
	}
	return list[0], nil
}

func (r Request) checkWhatIf() error {
	if len(r.Changes) == 0 {
		return study.Usagef("whatif: expected --change, such as --change nodes=+16, growth=20%%, policy=value-bf " +
			"or admission=simulated")
	}
	objective, err := r.objective()
	switch {
	case err != nil || objective == "":
		return err
	case len(r.Costs) > 0 || r.Life != "":
		return study.Usagef("--objective %s: expected no --cost and no --life: %s has no price", objective, objective)
	case r.Formula:
		return study.Usagef("--objective %s: expected no --formula: the formula predicts money", objective)
	}
	return nil
}
