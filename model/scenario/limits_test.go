package scenario

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"revopt/model"
)

// limits gives a scenario limits.
func limits(s *Scenario, rnd *rand.Rand) {
	s.Limits = []Limit{
		{Owner: "account", Of: []model.Party{{Name: "a: b"}}, Units: 1 + rnd.IntN(9), Never: rnd.IntN(2) == 0},
		{Owner: "user", Of: []model.Party{{Number: rnd.IntN(9), IsNumber: true}}, Jobs: 1 + rnd.IntN(9)},
	}
}

// TestLimits reads limits in all forms, and names the place of what is wrong.
func TestLimits(t *testing.T) {
	const trace = "trace: {file: a.swf, nodes: 4}\n"
	s, err := decodeText(trace + "limits: [{account: climate, units: 768}, {user: 3, jobs: 2}, " +
		"{qos: long, units: 64, jobs: 8, wide: never}, {group: g, units: 1, wide: alone}]\n")
	if err != nil {
		t.Fatal(err)
	}
	party := func(name string) []model.Party { return []model.Party{{Name: name}} }
	want := []Limit{
		{Owner: "account", Of: party("climate"), Units: 768}, {Owner: "user", Of: []model.Party{{Number: 3, IsNumber: true}}, Jobs: 2},
		{Owner: "qos", Of: party("long"), Units: 64, Jobs: 8, Never: true}, {Owner: "group", Of: party("g"), Units: 1},
	}
	if !reflect.DeepEqual(s.Limits, want) {
		t.Errorf("got %+v", s.Limits)
	}
	for text, words := range map[string]string{
		trace + "limits: [{units: 4}]":                               "limits.0: expected one account, user, group or qos",
		trace + "limits: [{user: 1, group: 2, units: 4}]":            "limits.0: expected one account, user, group or qos",
		trace + "limits: [{user: [1, 2], units: 4}]":                 "limits.0: expected one account, user, group or qos",
		trace + "limits: [{user: 1}]":                                "limits.0.units: missing, expected units or jobs",
		trace + "limits: [{user: 1, units: -4}]":                     "limits.0.units: expected a whole number from 1",
		trace + "limits: [{user: 1, jobs: 2, wide: never}]":          "limits.0.wide: expected units beside it",
		trace + "limits: [{user: 1, units: 2, units: 3}]":            "units",
		trace + "limits: [{user: 1, units: 2, wide: sometimes}]":     "limits.0.wide: expected alone or never",
		"limits: [{user: 1, units: 4}]\nserver: {nodes: 4}\nload: 1": "limits: expected no limits without a trace",
	} {
		if _, err := decodeText(text); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: got %v, want %s", text, err, words)
		}
	}
}
