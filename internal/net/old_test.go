//go:build net

package net

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A measure is the name that a column of version 0.4 has in answers, and the factor to its unit there.
type measure struct {
	name   string
	factor float64
}

// hour is the factor from $/s to $/h.
const hour = 3600

// measures has the columns whose names or units changed. A name behind a command and a colon is that of one command.
// An empty name is that of a column which is left out: it stands elsewhere too, or it went with an idea.
var measures = map[string]measure{
	"revenue_per_second":    {"revenue", hour},
	"value_per_second":      {"value", hour},
	"utility":               {"value_total", 1},
	"acceptance":            {"admitted", 1},
	"job_qos_satisfaction":  {"kept", 1},
	"cluster_profitability": {"profitability", 1},
	"mean_bounded_slowdown": {"slowdown", 1},
	"wait_quantiles_0.5":    {"wait_median", 1},
	"wait_quantiles_0.9":    {"wait_90", 1},
	"wait_quantiles_0.99":   {"wait_99", 1},
	"efficiency":            {"share", 1},
	"efficiency_of_kind":    {"share_of_kind", 1},
	"charged_efficiency":    {"charged_share", 1},
	"total":                 {"value_total", 1},
	"jobs_rejected_no_pool": {"", 0}, // rejected_no_pool
	"bounded_slowdown":      {"slowdown", 1},
	"rent_per_second":       {"", 0},
	"rented_share":          {"", 0},
	"rented_units":          {"", 0},
	"mean_price":            {"", 0}, // of markets

	// The value of a validation is that of the jobs as they came, without control variates, as the bound is.
	"validate:delivered":        {"value_total", 1},
	"validate:utility":          {"", 0},
	"validate:value_per_second": {"", 0},

	"solve:revenue_per_second":                {"value", hour},
	"solve:revenue_per_hour":                  {"", 0}, // value
	"solve:upper_bound_per_second":            {"bound", hour},
	"solve:relative_gap":                      {"gap", 1},
	"solve:mean_delay":                        {"mean_wait", 1},
	"solve:offered_rate":                      {"rate", 1},
	"solve:mean_wait":                         {"wait", 1},
	"solve:shadow_prices_capacity":            {"next_slot", hour},
	"solve:shadow_prices_demand":              {"next_job", 1},
	"solve:checked_admission":                 {"checked", hour},
	"solve:checked_all":                       {"all", hour},
	"solve:checked_gain":                      {"", 0}, // the table tried
	"solve:checked_stands":                    {"stands", 1},
	"solve:checked_instead_admission":         {"", 0}, // the table tried
	"solve:admission_admit":                   {"", 0},
	"solve:control_revenue_per_second":        {"control", hour},
	"solve:control_static_revenue_per_second": {"static", hour},
	"solve:control_upper_bound_per_second":    {"control_bound", hour},
	"solve:control_states":                    {"states", 1},
	"solve:control_waiting":                   {"threshold", 1},
	"solve:control_surely":                    {"surely", 1},
	"solve:simulated_mean":                    {"simulated", 1},
	"solve:stated_prices_per_second":          {"stated", hour},
	"solve:exact_promise_cost":                {"promise_cost", hour},
	"solve:shadow_price":                      {"next_unit", hour},
	"solve:promises_within":                   {"within", 1},
	"solve:promises_kept":                     {"kept", 1},
	"solve:promises_level":                    {"level", 1},
	"solve:promises_cost":                     {"cost", hour},
	"whatif:simulation_after":                 {"value", 1},
	"whatif:simulation_difference":            {"gain", 1},
	"whatif:simulation_before":                {"", 0},
	"whatif:bound_after":                      {"bound", 1},
	"whatif:bound_before":                     {"", 0},
	"whatif:formula_after":                    {"formula", 1},
	"whatif:formula_before":                   {"", 0},
	"whatif:mean_wait_before":                 {"", 0},
	"whatif:mean_wait_after":                  {"mean_wait", 1},
	"whatif:by_replication":                   {"value", 1},
	"whatif:promises_before":                  {"", 0},
	"whatif:promises_after":                   {"promise_kept", 1},
	"whatif:promises_kept_of_admitted":        {"promise_kept_of_admitted", 1},
	"value_per_hour":                          {"value", 1},
	"trace:nodes":                             {"units", 1},
	"trace:span_seconds":                      {"span", 1},
	"trace:cleaning_read":                     {"read", 1},
	"trace:cleaning_left":                     {"left", 1},
	"trace:median_wait":                       {"wait_median", 1},
	"trace:q90_wait":                          {"wait_90", 1},
	"trace:jobs_fitted":                       {"jobs", 1},
	"trace:mean_price":                        {"price", 1},
	"trace:mean_grace":                        {"grace", 1},
	"trace:within_seconds":                    {"within", 1},
	"trace:arrivals_interarrival_mean":        {"interarrival_mean", 1},
	"trace:arrivals_interarrival_sd":          {"interarrival_sd", 1},
	"trace:arrivals_interarrival_scv":         {"interarrival_scv", 1},
	"trace:arrivals_daily_cycle":              {"daily_cycle", 1},
	"trace:arrivals_daily_cycle_p":            {"daily_cycle_p", 1},
	"trace:arrivals_weekly_cycle":             {"weekly_cycle", 1},
	"trace:arrivals_weekly_cycle_p":           {"weekly_cycle_p", 1},
	"trace:quotes_n":                          {"quotes", 1},
	"trace:quotes_inside":                     {"inside", 1},
	"trace:quotes_inside_closed":              {"inside_closed", 1},
	"trace:quotes_sharpness":                  {"sharpness", 1},
	"trace:quotes_pinball":                    {"pinball", 1},
	"trace:quotes_median_pinball":             {"median_pinball", 1},
	"trace:quotes_reservation_pinball":        {"reservation_pinball", 1},
	"trace:quotes_naive_pinball":              {"naive_pinball", 1},
	"steer:at_once_per_hour":                  {"at_once", 1},
	"steer:bound_per_hour":                    {"bound", 1},
	"steer:left_out_waiting":                  {"waiting", 1},
	"steer:left_out_running":                  {"running", 1},
	"steer:left_out_vanished":                 {"vanished", 1},
	"steer:passes_runs":                       {"runs", 1},
	"steer:passes_passes":                     {"passes", 1},
	"steer:passes_changes":                    {"changes", 1},
	"steer:passes_pairs":                      {"pairs", 1},
	"steer:passes_agree":                      {"agree", 1},
	"steer:passes_newer":                      {"newer", 1},
	"steer:passes_overtook":                   {"overtook", 1},
	"steer:passes_seconds":                    {"longest_pass", 1},
	"tune:before":                             {"value_before", hour},
	"tune:after":                              {"value_after", hour},
	"tune:gain":                               {"gain", hour},
	"quote:start_0.1":                         {"start_10", 1},
	"quote:start_0.5":                         {"start_50", 1},
	"quote:start_0.9":                         {"start_90", 1},
	"quote:end_0.1":                           {"end_10", 1},
	"quote:end_0.5":                           {"end_50", 1},
	"quote:end_0.9":                           {"end_90", 1},
}

// skipped are parts of answers of version 0.4 that are no numbers, say a number again, or are settings.
var skipped = []string{"version", "seed", "level", "warmup", "options", "standing", "closest", "best", "warnings",
	"precision", "delivered_by_replication", "total_by_replication", "harm", "not_allowed", "doubts", "lines",
	"given_up", "refused", "expired", "killed", "kept_away", "served_worse", "submitted_by_hour", "admission"}

// old extracts the numbers of an answer of version 0.4.
func (r *reading) old(answer map[string]any) {
	top := place{group: "values"}
	r.best(answer)
	if pools, _ := answer["pools"].([]any); r.command == "solve" && len(pools) > 0 {
		delete(answer, "shadow_prices") // those of pools
	}
	for _, name := range sorted(answer) {
		row := map[string]string{"before": "present", "recorded": "recorded"}[name]
		if r.command == "whatif" && row != "" {
			r.walk(place{row: row, group: "all"}, "", answer[name])
		} else {
			r.walk(top, name, answer[name])
		}
	}
}

// best keeps which policies are named best, as numbers of their own.
func (r *reading) best(answer map[string]any) {
	best, _ := answer["best"].(map[string]any)
	if label, ok := best["runnable"].(string); ok {
		r.put(place{row: strings.TrimSuffix(label, ", all"), group: "values"}, "best", "", 1)
	}
}

// walk extracts the numbers of a part of an answer.
func (r *reading) walk(p place, name string, node any) {
	if slices.Contains(skipped, name) && !(name == "best" && r.command == "bench") {
		if list, ok := node.([]any); ok && name == "harm" && p.row != "" {
			r.put(p, "harms", "", float64(len(list)))
		}
		return
	}
	if name != "" {
		p = p.under(name)
	}
	switch node := node.(type) {
	case float64:
		r.number(p, "", "", node)
	case bool:
		if name == "stands" {
			r.number(p, "", "", map[bool]float64{true: 1}[node])
		}
	case map[string]any:
		_, mean := node["mean"]
		if _, wide := node["half_width"]; wide && mean {
			r.estimate(p, node)
			return
		}
		for _, inner := range sorted(node) {
			r.walk(p, inner, node[inner])
		}
	case []any:
		for i, element := range node {
			r.element(p, name, i, element)
		}
	}
}

// element extracts the numbers of an element of a list, whose name says what the list has.
func (r *reading) element(p place, list string, i int, element any) {
	fields, ok := element.(map[string]any)
	if !ok {
		if x, ok := element.(float64); ok {
			r.number(p, "", strconv.Itoa(i), x)
		}
		return
	}
	outer := p
	outer.path = strings.TrimSuffix(strings.TrimSuffix(p.path, list), "_")
	if outer.group == "values" {
		outer.group = "all"
	}
	switch list {
	case "bounds":
		r.bound(outer, fields)
		return
	case "tail":
		outer.path = fmt.Sprintf("t=%v", fields["t"])
	case "quantiles":
		outer.path = fmt.Sprintf("q=%v", fields["q"])
	case "promises":
		outer = outer.in("customer:" + text(fields["name"]))
		outer.path = "promises"
	default:
		prefix := outer.path
		outer = r.named(outer, list, i, fields)
		if r.command == "solve" && list == "classes" {
			outer.path = prefix
		}
		if list == "affected" {
			outer.path = list
		}
	}
	for _, name := range sorted(fields) {
		if !slices.Contains(keys, name) && !(list == "points" && name == "value") {
			r.walk(outer, name, fields[name])
		}
	}
}

// keys are fields that name an element.
var keys = []string{"name", "label", "versus", "kind", "from", "to", "user", "pool", "policy", "id", "unit", "t", "q"}

// named returns the place of an element of a list.
func (r *reading) named(p place, list string, i int, fields map[string]any) place {
	name := text(fields["name"])
	switch list {
	case "classes", "customers":
		return p.inPool(text(fields["pool"])).in("customer:" + name)
	case "pools":
		return p.in("pool:" + name)
	case "users":
		return p.in("user:" + text(fields["user"]))
	case "widths":
		return p.inPool(text(fields["pool"])).in(fmt.Sprintf("width:%v-%v", fields["from"], fields["to"]))
	case "affected", "waits":
		if fields["kind"] == "width" {
			return p.inPool(name).in(fmt.Sprintf("width:%v-%v", fields["from"], fields["to"]))
		}
		return p.in("customer:" + name)
	case "changes":
		return p.at(name)
	case "providers":
		return p.in("provider:" + name)
	case "thresholds":
		return p.in("customer:" + name).under("control")
	case "policies", "differences", "rows", "versus":
		return p.at(label(fields))
	case "points":
		for axis := range r.axes {
			return p.at(fmt.Sprintf("%s=%v", axis, fields["value"]))
		}
	case "jobs":
		return p.at("job " + text(fields["id"]))
	case "instances":
		return p.at(strings.TrimSuffix(name+" "+text(fields["policy"]), " "))
	}
	return p.under(list + "_" + strconv.Itoa(i))
}

// label returns the name of a row of policies: the policy, the admission if it refuses jobs, and with what it is
// compared.
func label(fields map[string]any) string {
	label := text(fields["label"])
	if label == "" {
		label = text(fields["name"])
	}
	label = strings.TrimSuffix(label, ", all")
	if label == "happened" { // in a report of steer, beside simulations
		label = ""
	}
	if admission, ok := fields["admission"].(map[string]any); ok {
		name := text(admission["name"])
		if name == label { // the only policy of several admissions
			label = text(fields["name"])
		}
		if name != "" && name != "all" && !strings.HasSuffix(label, ", "+name) {
			label += ", " + name
		}
	}
	if versus := text(fields["versus"]); versus != "" {
		label += " less " + strings.TrimSuffix(versus, ", all")
	}
	return label
}

// bound extracts the numbers of a bound.
func (r *reading) bound(p place, fields map[string]any) {
	group := p.group
	p = p.at("bound:" + text(fields["name"]))
	p.group = group
	r.estimate(p.under("total"), map[string]any{"mean": fields["total"], "half_width": fields["half_width"]})
	if x, ok := fields["revenue_per_second"].(float64); ok {
		r.put(p, "value", "", x*hour)
	}
	for _, name := range []string{"gap", "found"} {
		r.walk(p, name, fields[name])
	}
}

// estimate keeps a mean and the ends of its interval.
func (r *reading) estimate(p place, node map[string]any) {
	mean, ok := node["mean"].(float64)
	if !ok {
		return
	}
	r.number(p, "", "", mean)
	low, ok := node["low"].(float64)
	high, _ := node["high"].(float64)
	if half, known := node["half_width"].(float64); known && !ok {
		low, high, ok = mean-half, mean+half, true
	}
	if ok {
		r.number(p, "_low", "", low)
		r.number(p, "_high", "", high)
	}
}

// number keeps a number whose path is the name of its column.
func (r *reading) number(p place, end, replication string, x float64) {
	if r.command == "compare" {
		for _, side := range []string{"_a", "_b", "_difference"} {
			if path, ok := strings.CutSuffix(p.path, side); ok {
				p.path = path
				end = side + end
			}
		}
	}
	m := r.measure(p.path)
	if m.name == "" {
		return
	}
	p.path = ""
	r.put(p, m.name+end, replication, x*m.factor)
}

// measure returns the name and factor of a column of the command.
func (r *reading) measure(path string) measure {
	command := r.command
	if command == "curve" || command == "wait" {
		command = "solve"
	}
	m, ok := measures[command+":"+path]
	switch {
	case ok && r.objective != "value" && command != "solve":
		return measure{strings.Replace(m.name, "value", r.objective, 1), 1} // a mean, in its own unit
	case ok:
		return m
	}
	if strings.HasPrefix(path, "t=") && strings.HasSuffix(path, "_simulated") {
		return measure{path + "_p", 1}
	}
	m, ok = measures[path]
	if !ok {
		m = measure{strings.TrimPrefix(path, "affected_"), 1}
	}
	return m
}

// text returns a field as text: a name, or a number that is one.
func text(field any) string {
	if field == nil {
		return ""
	}
	return fmt.Sprint(field)
}

// sorted returns the names of fields in order.
func sorted(fields map[string]any) []string {
	var names []string
	for name := range fields {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
