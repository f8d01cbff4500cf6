package sweep

import (
	"revopt/model/scenario"
	"revopt/simulate"
)

// listed is the applications that a scenario lists.
type listed []scenario.Application

// Source implements Sourcer: every replication is the same.
func (l listed) Source(uint64, int) (simulate.Source, error) {
	rest := l
	return &rest, nil
}

// Next implements simulate.Source.
func (l *listed) Next(j *simulate.Job) (bool, error) {
	if len(*l) == 0 {
		return false, nil
	}
	a := (*l)[0]
	*l = (*l)[1:]
	i := &simulate.Imprecise{Mandatory: a.Mandatory, Optional: a.Optional, Reward: a.Reward, Bonus: simulate.Linear(a.Slope)}
	j.Submit, j.Width, j.Work = a.At, a.Parts, a.Mandatory+a.Optional
	j.Spec.Details.Estimate = j.Work
	j.Spec.Constraints = simulate.Constraints{Deadline: a.Deadline, Budget: float64(a.Parts) * i.Worth(i.Optional), Hard: true}
	j.Spec.Imprecise = i
	return true, nil
}
