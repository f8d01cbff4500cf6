package main

import "strconv"

// records are the rows of the CSV file: at the scenario's own point, where the
// value is empty, every figure of every policy and class, and the bounds; at
// every value of the axis the shares of the policies and the bounds. Bounds
// have the kind proven or model, policies none.
func (r *validateReport) records() [][]string {
	rows := [][]string{{"value", "kind", "name", "options", "admission", "class", "metric", "mean", "half_width", "level", "n"}}
	add := func(value, kind string, id [3]string, class, figure string, e estimate) {
		row := append([]string{value, kind}, id[:]...)
		row = append(row, class, figure)
		rows = append(rows, append(row, append(fields(e.Mean, e.HalfWidth, e.Level), strconv.Itoa(e.N))...))
	}
	bounds := func(value string, list []validateBound) {
		for _, b := range list {
			id := [3]string{b.Name}
			add(value, b.Kind, id, "", "total", newEstimate(b.total))
			add(value, b.Kind, id, "", "gap", estimate{b.Gap, 0, b.Level, b.N})
		}
	}
	for _, p := range r.Policies {
		id := p.columns()
		add("", "", id, "", "efficiency", p.share)
		add("", "", id, "", "charged_efficiency", p.charged)
		add("", "", id, "", "delivered", p.delivered)
		for _, m := range p.total {
			add("", "", id, "", m.name, m.value.(estimate))
		}
		for i, class := range p.classes {
			for _, m := range class {
				add("", "", id, p.names[i], m.name, m.value.(estimate))
			}
		}
	}
	bounds("", r.Bounds)
	for _, point := range r.Points {
		value := field(point.Value)
		for k, s := range point.Policies {
			id := r.Policies[k].columns()
			add(value, "", id, "", "efficiency", s.Efficiency)
			add(value, "", id, "", "charged_efficiency", s.ChargedEfficiency)
			add(value, "", id, "", "delivered", s.Delivered)
		}
		bounds(value, point.Bounds)
	}
	return rows
}

// columns are what tells a row from others.
func (r validateRow) columns() [3]string {
	id := [3]string{r.policy.name, optionWords(r.policy.options)}
	if r.admission != nil {
		id[2] = r.admission.name
	}
	return id
}
