package study

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"revopt/internal/text"
	"revopt/model"
	"revopt/simulate/analytic"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
	"revopt/simulate/served"
	"revopt/simulate/subject"
)

// The measures of a row are members of its JSON object beside other members. A row is therefore
// written in parts: structs with tags, and Keyed for the measures. Joined puts them together.

// Joined returns one JSON object with the members of several.
func Joined(parts ...any) ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for _, part := range parts {
		object, err := encoded(part)
		if err != nil {
			return nil, err
		}
		members := object[1 : len(object)-1]
		if b.Len() > 1 && len(members) > 0 {
			b.WriteByte(',')
		}
		b.Write(members)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// encoded returns the JSON of a value. The caller of a MarshalJSON decides about escapes.
func encoded(value any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSpace(b.Bytes()), err
}

// Keyed is a JSON object whose members keep their order.
type Keyed[T any] struct {
	Names  []string
	Values []T
}

// Add appends a member.
func (k *Keyed[T]) Add(name string, value T) {
	k.Names = append(k.Names, name)
	k.Values = append(k.Values, value)
}

func (k Keyed[T]) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, name := range k.Names {
		value, err := encoded(k.Values[i])
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Quote(name))
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// measuresJSON is the measures of some jobs. The quantiles of the wait are together. The jobs that no pool takes stand
// beside the other counts of jobs too.
type measuresJSON Estimates

func (e measuresJSON) MarshalJSON() ([]byte, error) {
	var measures, quantiles Keyed[Estimate]
	shares := map[string]string{}
	for i, p := range metric.WaitQuantiles() {
		shares[metric.QuantileNames()[i]] = strconv.FormatFloat(p, 'g', -1, 64)
	}
	for i, m := range metric.Measures() {
		share, ok := shares[m.Name]
		switch {
		case ok:
			quantiles.Add(share, e[i])
		case strings.HasPrefix(m.Name, "promise_kept"): // of customers alone
		default:
			measures.Add(m.Name, e[i])
		}
		if m.Name == "rejected_no_pool" {
			measures.Add("jobs_rejected_no_pool", e[i])
		}
	}
	return Joined(measures, struct {
		Quantiles Keyed[Estimate] `json:"wait_quantiles"`
	}{quantiles})
}

// rowJSON tells a row from others.
type rowJSON struct {
	Name      string         `json:"name"`
	Options   map[string]any `json:"options"`
	Admission admissionJSON  `json:"admission"`
	Label     string         `json:"label"`
	RunsOn    string         `json:"runs_on,omitempty"`
}

type admissionJSON struct {
	Name       string                    `json:"name"`
	Admit      []float64                 `json:"admit"`
	Thresholds []analytic.ClassThreshold `json:"thresholds,omitzero"`
	Prices     []subject.AskedPrice      `json:"prices,omitzero"`
}

func (r RowID) json() rowJSON {
	a := r.Admission
	admission := admissionJSON{Name: a.Name, Admit: a.Admit, Thresholds: a.Thresholds, Prices: a.Prices}
	return rowJSON{Name: r.Policy.Name, Options: optionsJSON(r.Policy.Settings), Admission: admission, Label: r.Label}
}

// optionsJSON returns options with true, false and numbers as such, and words as text.
func optionsJSON(options policy.Settings) map[string]any {
	list := map[string]any{}
	for name, word := range options {
		if x, err := strconv.ParseFloat(word, 64); err == nil {
			list[name] = metric.Number(x)
		} else if yes, err := strconv.ParseBool(word); err == nil {
			list[name] = yes
		} else {
			list[name] = word
		}
	}
	return list
}

// sectionJSON is the measures of a customer, a pool, or a customer in a pool.
type sectionJSON struct {
	Name      string        `json:"name"`
	Admit     metric.Number `json:"admit"`
	estimates Estimates
	after     sectionRest
}

// sectionRest is the members of a section after its measures.
type sectionRest struct {
	Promise *promiseJSON  `json:"promise,omitempty"`
	Pools   []sectionJSON `json:"pools,omitempty"` // of a customer
	*poolJSON
}

type promiseJSON struct {
	Within metric.Number `json:"within"`
	Level  metric.Number `json:"level"`
	Kept   Estimate      `json:"kept"`
	Of     Estimate      `json:"kept_of_admitted"`
}

// poolJSON is the members that only a pool has.
type poolJSON struct {
	Unit  string        `json:"unit"`
	Units int           `json:"units"`
	Load  metric.Number `json:"load"`
}

func (s sectionJSON) MarshalJSON() ([]byte, error) {
	type plain sectionJSON // without this method
	return Joined(plain(s), measuresJSON(s.estimates), s.after)
}

// json returns the JSON of a customer or another section under a name.
func (c CustomerRow) json(name string) sectionJSON {
	s := sectionJSON{Name: name, Admit: metric.Number(c.Admit), estimates: c.Estimates}
	if c.Promise != nil {
		s.after.Promise = newPromiseJSON(c.Promise, c.Estimates)
	}
	return s
}

func newPromiseJSON(p *model.SLO, e Estimates) *promiseJSON {
	return &promiseJSON{
		Within: metric.Number(p.Within), Level: metric.Number(p.Level),
		Kept: e.Get("promise_kept"), Of: e.Get("promise_kept_of_admitted"),
	}
}

// rowRest is the members of a row after its measures.
type rowRest struct {
	Classes   []sectionJSON `json:"classes"`
	Users     []UserRow     `json:"users,omitzero"`
	Pools     []sectionJSON `json:"pools,omitzero"`
	Providers []ProviderRow `json:"providers,omitzero"`
	Widths    []widthJSON   `json:"widths,omitzero"`
}

// widthJSON is how a group of width is served. Waits are in s.
type widthJSON struct {
	Pool     string        `json:"pool,omitempty"`
	From     int           `json:"from"`
	To       int           `json:"to"`
	Jobs     metric.Number `json:"jobs"`
	MeanWait metric.Number `json:"mean_wait"`
	Wait99   metric.Number `json:"wait_99"`
	WaitMax  metric.Number `json:"wait_max"`
	NotRun   metric.Number `json:"not_run"`
}

// widths returns the groups of width that have jobs.
func (r Row) widths() []widthJSON {
	var list []widthJSON
	for _, g := range r.Groups {
		if g.Kind == served.Width && g.Jobs > 0 {
			list = append(list, widthJSON{g.Name, g.From, g.To, metric.Number(g.Jobs), metric.Number(g.MeanWait),
				metric.Number(g.Wait99), metric.Number(g.WaitMax), metric.Number(g.NotRun)})
		}
	}
	return list
}

func (r Row) MarshalJSON() ([]byte, error) {
	id := r.RowID.json()
	id.RunsOn = r.Policy.RunsOn
	after := rowRest{Classes: make([]sectionJSON, len(r.Customers)), Users: r.Users, Providers: r.Providers,
		Widths: r.widths()}
	for i, c := range r.Customers {
		after.Classes[i] = c.json(c.Name)
		inPools := text.Where(r.InPools, func(s CustomerRow) bool { return s.Name == c.Name })
		after.Classes[i].after.Pools = text.Each(inPools, func(s CustomerRow) sectionJSON { return s.json(s.Pool) })
	}
	for i, p := range r.Pools {
		s := r.InPools[i].json(p.Name)
		s.after.poolJSON = &poolJSON{Unit: p.Unit, Units: p.Units, Load: p.Load}
		after.Pools = append(after.Pools, s)
	}
	return Joined(id, measuresJSON(r.Total), after)
}

func (p ProviderRow) MarshalJSON() ([]byte, error) {
	return Joined(struct {
		Name  string    `json:"name"`
		Admit []float64 `json:"admit"`
	}{p.Name, p.Admit}, measuresJSON(p.Estimates))
}

func (d DifferenceRow) MarshalJSON() ([]byte, error) {
	versus := struct {
		Versus string `json:"versus"`
	}{d.Versus}
	return Joined(d.RowID.json(), versus, measuresJSON(d.Total))
}
