package sweep

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"revopt/internal/text"
	"revopt/model/scenario"
)

// find is an admission that has to be found at every point: by the model, for
// all policies alike, or by a search on the simulator under one policy. It is a
// cell of its own at each point, which yields the probabilities; these cells
// follow those of the replications. Simulated rows wait for theirs. Analytic
// ones do not, as solving costs little: theirs say what was used.
type find struct {
	admission int
	policy    int // -1 where all policies share it
}

// findAll lists the admissions that have to be found.
func (p *Plan) findAll() {
	for a, admission := range p.Spec.Admissions {
		switch admission.Name {
		case scenario.AdmitAnalytic:
			p.finds = append(p.finds, find{a, -1})
		case scenario.AdmitSimulated:
			for k := range p.Spec.Policies {
				p.finds = append(p.finds, find{a, k})
			}
		}
	}
}

// finder returns the cell that finds the admission of a row, and whether there
// is one.
func (p *Plan) finder(point, admission, policy int) (int, bool) {
	for k, f := range p.finds {
		if f.admission == admission && (f.policy == policy || f.policy < 0) {
			return p.replications() + point*len(p.finds) + k, true
		}
	}
	return 0, false
}

// found returns the point of a cell that finds an admission, and which.
func (p *Plan) found(cell int) (point int, f find) {
	cell -= p.replications()
	return cell / len(p.finds), p.finds[cell%len(p.finds)]
}

// isFind reports whether a cell finds an admission.
func (p *Plan) isFind(cell int) bool { return cell >= p.replications() }

// searches reports whether a row waits for a search.
func (p *Plan) searches(admission int) bool {
	return p.Spec.Admissions[admission].Name == scenario.AdmitSimulated
}

// admit returns the probabilities of a row, nil where all are admitted. What has
// to be found is found once.
func (p *Plan) admit(ctx context.Context, b *point, admission, policy int) ([]float64, error) {
	cell, ok := p.finder(b.index, admission, policy)
	if !ok {
		return p.Spec.Admissions[admission].Admit, nil
	}
	p.mu.Lock()
	once := p.admits[cell]
	if once == nil {
		once = sync.OnceValues(func() ([]float64, error) { return p.search(ctx, b, admission, policy) })
		p.admits[cell] = once
	}
	p.mu.Unlock()
	admit, err := once()
	if err != nil { // somebody may try again
		p.mu.Lock()
		delete(p.admits, cell)
		p.mu.Unlock()
	}
	return admit, err
}

// recall takes over the admissions that were found before.
func (p *Plan) recall(numbers [][]float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for cell := p.replications(); cell < len(numbers); cell++ {
		if admit := numbers[cell]; admit != nil {
			p.admits[cell] = func() ([]float64, error) { return admit, nil }
		}
	}
}

// search finds an admission.
func (p *Plan) search(ctx context.Context, b *point, admission, policy int) ([]float64, error) {
	if !p.searches(admission) {
		if p.Analytic == nil {
			return nil, fmt.Errorf("sweep: nobody to ask for the analytic admission")
		}
		return p.Analytic(ctx, b.classed)
	}
	if p.Starts == nil {
		return nil, fmt.Errorf("sweep: no admissions to start the search from")
	}
	starts, err := p.Starts(ctx, b.classed)
	if err != nil {
		return nil, err
	}
	var effort scenario.SearchEffort
	if given := p.Spec.Admissions[admission].Search; given != nil {
		effort = *given
	}
	choice := b.choices[policy]
	e := &Experiment{Scenario: b.classed, Policy: choice.Name, Options: choice.Options, Seed: p.Spec.Seed}
	best, err := SearchWith(ctx, e, effort, starts, max(1, p.helpers), nil)
	return best.Admit, err
}

// runFind runs a cell that finds an admission.
func (p *Plan) runFind(ctx context.Context, cell int) ([]float64, error) {
	point, f := p.found(cell)
	at, err := p.ready(point)
	if err != nil {
		return nil, err
	}
	return p.admit(ctx, at, f.admission, max(0, f.policy))
}

// admissionName names an admission in tables.
func admissionName(a scenario.Admission) string {
	var words []string
	if a.Admit == nil {
		words = append(words, a.Name)
		if e := a.Search; e != nil {
			words = appendEffort(words, "jobs", float64(e.Jobs))
			words = appendEffort(words, "replications", float64(e.Replications))
			words = appendEffort(words, "step", e.Step)
		}
		return strings.Join(words, " ")
	}
	for _, q := range a.Admit {
		words = append(words, text.Field(q))
	}
	return strings.Join(words, ",")
}

// appendEffort appends what is given of the effort of a search.
func appendEffort(words []string, name string, x float64) []string {
	if x == 0 {
		return words
	}
	return append(words, name+"="+text.Field(x))
}
