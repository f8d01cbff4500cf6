//go:build net

package net

import (
	"fmt"
	"slices"
	"strings"
)

// answer extracts the numbers of an answer of one shape: values, and tables of flat objects.
func (r *reading) answer(answer map[string]any) {
	columns, _ := answer["columns"].(map[string]any)
	for name, about := range columns {
		if fields, _ := about.(map[string]any); fields["axis"] == true {
			_, axis, _ := strings.Cut(name, ".")
			r.axes[axis] = true
		}
	}
	values, _ := answer["values"].(map[string]any)
	r.values(place{group: "values"}, values)
	tables, _ := answer["tables"].(map[string]any)
	for _, name := range sorted(tables) {
		rows, _ := tables[name].([]any)
		for i, row := range rows {
			if fields, ok := row.(map[string]any); ok {
				r.row(name, i, fields)
			}
		}
	}
}

// values extracts numbers beside tables.
func (r *reading) values(p place, values map[string]any) {
	for _, name := range sorted(values) {
		inner := p.under(name)
		switch x := values[name].(type) {
		case float64:
			r.put(p, inner.path, "", x)
		case bool:
			if name == "stands" {
				r.put(p, inner.path, "", map[bool]float64{true: 1}[x])
			}
		case string:
			if name == "best" {
				r.put(place{row: x, group: "values"}, "best", "", 1)
			}
		case map[string]any:
			r.values(inner, x)
		}
	}
}

// rowKeys are columns of tables that name a row or a group.
var rowKeys = []string{"policy", "admission", "set", "change", "customer", "class", "pool", "from", "to", "user",
	"kind", "name", "bound", "proves", "job", "qos", "setting", "instance", "family", "objective", "table", "row", "t",
	"q", "group", "column", "reason", "part", "runs_on", "present"}

// row extracts the numbers of a row of a table.
func (r *reading) row(table string, i int, fields map[string]any) {
	p, suffix := r.placeOf(table, i, fields)
	for _, name := range sorted(fields) {
		x, ok := fields[name].(float64)
		if stands, is := fields[name].(bool); is && name == "stands" {
			x, ok = map[bool]float64{true: 1}[stands], true
		}
		if !ok || r.axis(name) || r.isKey(table, name) {
			continue
		}
		column := strings.TrimPrefix(name, "built_in_")
		if table == "cleaning" {
			suffix, column = strings.TrimSuffix(suffix, "_"), ""
		}
		if table == "differences" {
			column = text(fields["column"]) + "_" + name
		}
		r.put(p, suffix+column, "", x)
	}
}

// isKey reports whether a column of a table names a row. In the tables of changes and scores, bound is a number.
func (r *reading) isKey(table, name string) bool {
	if name == "bound" {
		return table == "bounds"
	}
	return slices.Contains(rowKeys, name)
}

// placeOf returns where the numbers of a row stand, and what precedes the names of their columns.
func (r *reading) placeOf(table string, i int, fields map[string]any) (p place, prefix string) {
	p = place{row: r.rowName(fields), group: "all"}
	if pool := text(fields["pool"]); pool != "" {
		p = p.in("pool:" + pool)
	}
	switch table {
	case "customers", "classes", "promises", "waits":
		if name := text(fields["customer"]) + text(fields["class"]); name != "" { // else all jobs of the pool
			p = p.in("customer:" + name)
		}
	case "widths":
		p = p.in(fmt.Sprintf("width:%v-%v", fields["from"], fields["to"]))
	case "users":
		p = p.in("user:" + text(fields["user"]))
	case "affected":
		p.row = text(fields["row"])
		if r.command == "tune" { // whose table is of what is recommended
			p.row = ""
		}
		if text(fields["kind"]) == "width" {
			p = p.inPool(text(fields["name"])).in(fmt.Sprintf("width:%v-%v", fields["from"], fields["to"]))
		} else {
			p = p.in("customer:" + text(fields["name"]))
		}
	case "quantities":
		name := strings.ReplaceAll(text(fields["quantity"]), " ", "_")
		return place{group: "values"}, strings.Replace(name, "width", "processors", 1) + "_"
	case "cleaning":
		return place{group: "values"}, "cleaning_" + text(fields["reason"]) + "_"
	case "dispersion":
		return place{group: "all"}, fmt.Sprintf("arrivals_dispersion_%d_", i)
	case "bounds":
		p.row = strings.TrimPrefix(p.row+", ", ", ") + "bound:" + text(fields["bound"])
	case "differences": // of the only row of each file
		p = place{group: text(fields["group"])}
	case "providers":
		p = p.in("provider:" + text(fields["provider"])).in("customer:" + text(fields["class"]))
	case "instances":
		return p, "best_" + text(fields["table"]) + "_"
	case "faults":
		p.row = ""
		return p, fmt.Sprintf("faults_%d_", i)
	case "policies", "blocks", "changes", "points", "scores", "jobs", "pools":
	default:
		p = p.at(fmt.Sprintf("%s %d", table, i))
	}
	if t, ok := fields["t"]; ok {
		prefix = fmt.Sprintf("t=%v_", t)
	}
	if q, ok := fields["q"]; ok {
		prefix = fmt.Sprintf("q=%v_", q)
	}
	return p, prefix
}

// rowName returns the name of a row: the policy with the admission if it refuses jobs, the change, the job or the
// instance, then what is varied.
func (r *reading) rowName(fields map[string]any) string {
	var parts []string
	change, changes := fields["change"]
	switch {
	case changes && (fields["present"] == true || change == "as it is"):
		parts = append(parts, "present")
	case changes:
		parts = append(parts, text(change))
	case fields["job"] != nil:
		parts = append(parts, "job "+text(fields["job"]))
	case fields["instance"] != nil:
		parts = append(parts, strings.TrimSuffix(text(fields["instance"])+" "+text(fields["policy"]), " "))
	default:
		parts = append(parts, r.rowLabel(text(fields["policy"]), text(fields["admission"]), text(fields["set"])))
	}
	for _, name := range sorted(fields) {
		if r.axis(name) {
			parts = append(parts, name+"="+text(fields[name]))
		}
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}

// rowLabel returns the name of a row of cells.
func (r *reading) rowLabel(policy, admission, set string) string {
	label := policy
	if admission != "" && admission != "all" {
		label += ", " + admission
	}
	if set != "" {
		parts := strings.FieldsFunc(set, func(c rune) bool { return c == ' ' || c == ';' || c == ',' })
		if r.command == "tune" { // which tests on a part of a log, or on shorter replications
			parts = slices.DeleteFunc(parts, func(part string) bool {
				return strings.HasPrefix(part, "trace.jobs=from:") || strings.HasPrefix(part, "trace.arrival_delay_factor=")
			})
		}
		slices.Sort(parts)
		label = strings.Join(append([]string{label}, parts...), ", ")
	}
	return label
}
