package run

import (
	"context"
	"fmt"
	"slices"

	"revopt/model"
	"revopt/model/scenario"
	"revopt/simulate/analytic"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// columnAdmit is the column of a found admission, by customer: the probability to let a job in.
const columnAdmit = "admit"

// finder returns the case that finds the admission of a case, and whether there is one to find.
func (c Case) finder() (Case, bool) {
	found := c.At(0)
	found.Detail = Detail{}
	switch c.Admission.Name {
	case scenario.AdmitAnalytic: // the same under every policy
		found.Do = Action{Find: &Find{}}
	case scenario.AdmitSimulated:
		found.Do = Action{Find: &Find{Policy: c.Do.Policy}}
	default:
		return Case{}, false
	}
	return found, true
}

// admission returns the admission of a case. One that is found is a case of its own.
func (l *Lab) admission(ctx context.Context, c Case, at *point, e *Experiment) (Gate, error) {
	a := Gate{Name: c.Admission.Name}
	switch {
	case c.Admission.Parties:
		a.Admit = c.Admission.Admit
		return a, nil
	case c.Admission.Admit != nil:
		a.Admit = stated(c.Admission.Admit, e.Workload)
		return a, nil
	case a.Name == scenario.AdmitPrices:
		a.Admit, a.Prices = at.subject.Shares, at.subject.Asked()
		return a, nil
	}
	found, ok := c.finder()
	switch {
	case ok:
	case a.Name == "" || a.Name == scenario.AdmitAll:
		return a, nil
	default:
		return a, &NoAdmissionError{a.Name}
	}
	return l.admissions.Get(found.Row(), 0, func() (Gate, error) {
		if r, known := l.Store.Get(found); known {
			return readAdmission(r, a.Name, e.Workload), nil
		}
		if l.o.Kept {
			return a, &MissingError{}
		}
		a, err := l.find(ctx, found, at)
		if err != nil {
			return a, err
		}
		return a, l.Store.Put(found, writeAdmission(a, e.Workload))
	})
}

// Found tells the lab the admission of a case, which was found before.
func (l *Lab) Found(c Case, a Gate) error {
	found, ok := c.finder()
	if !ok {
		return &NoAdmissionError{c.Admission.Name}
	}
	_, err := l.admissions.Get(found.Row(), 0, func() (Gate, error) { return a, nil })
	return err
}

// NoAdmissionError is an admission that no case has.
type NoAdmissionError struct{ Name string }

func (e *NoAdmissionError) Error() string { return "no admission " + e.Name }

// stated fits probabilities of a user to the customers of a workload. The last customer may be that of the jobs which
// no listed customer takes; these are admitted.
func stated(admit []float64, w workload.Workload) []float64 {
	if p := w.Pools(); p != nil {
		return inSections(p, admit)
	}
	if len(admit) == len(w.Customers())-1 {
		return append(slices.Clone(admit), 1)
	}
	return admit
}

// search runs the search for an admission as a case of its own.
func (l *Lab) search(ctx context.Context, c Case) (Record, error) {
	at, err := l.point(ctx, c)
	if err != nil {
		return Record{}, err
	}
	a, err := l.find(ctx, c, at)
	return writeAdmission(a, at.workload), err
}

// find computes an admission: by the model, or by a search on the simulator.
func (l *Lab) find(ctx context.Context, c Case, at *point) (Gate, error) {
	a := Gate{Name: c.Admission.Name}
	if err := Computable(at.subject, a.Name); err != nil {
		return a, err
	}
	var err error
	if a.Name != scenario.AdmitSimulated {
		a.Admit, err = at.models.Analytic(ctx)
		return a, err
	}
	p, err := l.policyOf(at, c)
	if err != nil {
		return a, err
	}
	a.Admit, err = l.seek(ctx, c, at, p)
	if err != nil {
		return a, fmt.Errorf("search for the best admission under %s: %w", p.Label(), err)
	}
	return a, nil
}

// Computable reports why the admission of a name cannot be computed, before anything runs.
func Computable(s *subject.Subject, name string) error {
	switch name {
	case scenario.AdmitPrices:
		if p := s.Workload.Pools(); p != nil && p.Cut {
			return s.Document.Blame("prices are chosen only where the jobs of every class stay in one pool", "pools")
		}
		if !slices.ContainsFunc(s.Scenario.Classes, func(c model.Class) bool { return c.Demand != nil }) {
			return &analytic.NoDemandError{File: s.Document.File()}
		}
	case scenario.AdmitAnalytic:
		return analytic.Modeled(s)
	}
	return nil
}

// writeAdmission returns the record of an admission.
func writeAdmission(a Gate, w workload.Workload) Record {
	r := Record{}
	names := subject.Parties(w)
	for i, q := range a.Admit {
		r.set(Customer(names[i]), columnAdmit, q)
	}
	return r
}

// readAdmission is the inverse of writeAdmission. Customers that the record does not have are admitted.
func readAdmission(r Record, name string, w workload.Workload) Gate {
	a := Gate{Name: name}
	for _, customer := range subject.Parties(w) {
		admit, known := r.Get(Customer(customer), columnAdmit)
		if !known {
			admit = 1
		}
		a.Admit = append(a.Admit, admit)
	}
	return a
}
