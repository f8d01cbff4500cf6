package run

// Promise is the promise of a scenario to a customer: at least the share Level of its admitted jobs is served within the
// promised time.
type Promise struct {
	Customer string
	Group    string // the group of the customer in records
	Level    float64
}

// Kept returns the share of the admitted jobs of the customer for which a row keeps the promise.
func (p Promise) Kept(f *Frame, row Case) Series {
	return f.Series(row, p.Group, "promise_kept_of_admitted")
}

// Excess returns by how much a row breaks the promise, relative to its level; 0 if the row keeps the promise.
func (p Promise) Excess(f *Frame, row Case) float64 {
	mean, ok := p.Kept(f, row).Mean()
	short := p.Level - mean
	if !ok || !(short > 0) {
		return 0
	}
	return short / max(p.Level, 1e-9)
}
