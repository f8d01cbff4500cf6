package run

import (
	"context"
	"fmt"
	"slices"

	"revopt/model/scenario"
	"revopt/simulate/agent"
	"revopt/simulate/analytic"
	"revopt/simulate/metric"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// The columns of a found admission, by customer.
const (
	columnAdmit   = "admit"   // probability to let a job in
	columnWaiting = "waiting" // refuse while so many jobs wait
	columnSurely  = "surely"  // refuse all from so many waiting jobs on
)

// finder returns the case that finds the admission of a case, and whether there is one to find.
func (c Case) finder() (Case, bool) {
	found := c.At(0)
	found.Detail = Detail{}
	switch c.Admission.Name {
	case scenario.AdmitAnalytic, analytic.ControlState: // the same under every policy
		found.Do = Action{Find: &Find{}}
	case scenario.AdmitSimulated, analytic.ControlThreshold:
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
	case c.Admission.Waiting != nil:
		a.Rule = thresholds(c.Admission.Waiting, e.Workload)
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
		tabled := a.Name == analytic.ControlState // no record has its table
		if r, known := l.Store.Get(found); known && (!tabled || l.o.Kept) {
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

// thresholds fits stated thresholds to the customers of a workload, as stated does.
func thresholds(waiting []int, w workload.Workload) agent.Thresholds {
	limit := func(customer int) int {
		if customer < 0 || customer >= len(waiting) {
			return -1
		}
		return waiting[customer]
	}
	var t agent.Thresholds
	for class := range w.Customers() {
		customer := class
		if p := w.Pools(); p != nil {
			customer = p.Sections[class].Customer
		}
		t.Share = append(t.Share, 1)
		t.Waiting = append(t.Waiting, limit(customer))
	}
	return t
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
	p, err := l.policyOf(at, c)
	if err != nil {
		return a, err
	}
	if a.Name != scenario.AdmitSimulated {
		return at.models.Compute(ctx, a.Name, p)
	}
	a.Admit, err = l.seek(ctx, c, at, p)
	if err != nil {
		return a, fmt.Errorf("search for the best admission under %s: %w", p.Label(), err)
	}
	return a, nil
}

// writeAdmission returns the record of an admission.
func writeAdmission(a Gate, w workload.Workload) Record {
	r := Record{}
	names := subject.Parties(w)
	for i, q := range a.Admit {
		r.set(Customer(names[i]), columnAdmit, q)
	}
	for i, limit := range a.Thresholds(names) {
		r.set(Customer(names[i]), columnAdmit, metric.Float(limit.Admit))
		r.set(Customer(names[i]), columnWaiting, metric.Float(limit.Waiting))
		r.set(Customer(names[i]), columnSurely, metric.Float(limit.Surely))
	}
	return r
}

// readAdmission is the inverse of writeAdmission. Customers that the record does not have are admitted.
func readAdmission(r Record, name string, w workload.Workload) Gate {
	a := Gate{Name: name}
	var limits []analytic.ClassThreshold
	for _, customer := range subject.Parties(w) {
		admit, known := r.Get(Customer(customer), columnAdmit)
		if !known {
			admit = 1
		}
		a.Admit = append(a.Admit, admit)
		share := metric.Number(admit)
		limit := analytic.ClassThreshold{Name: customer, Admit: &share}
		if !known && name == analytic.ControlState { // each state has its own decision
			limit.Admit = nil
		}
		if x, there := r.Get(Customer(customer), columnWaiting); there {
			waiting := int(x)
			limit.Waiting = &waiting
		}
		if x, there := r.Get(Customer(customer), columnSurely); there {
			surely := int(x)
			limit.Surely = &surely
		}
		limits = append(limits, limit)
	}
	switch name {
	case analytic.ControlThreshold:
		a.Admit, a.Limits = nil, limits
		a.Rule = ThresholdRule(limits)
	case analytic.ControlState: // what says how it decides, and no table to decide by
		a.Admit, a.Limits = nil, limits
	}
	return a
}
